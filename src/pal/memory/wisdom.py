"""Reads the wisdom frames (`wisdom/frames/<domain>.md`): principles a person or agent has marked as crystallised.

The digest of the same name and the index of lessons use it. Frames are edited by hand, so every spelling is taken:
`### Principle [CRYSTAL: 92%]` with its explanation below, or a bullet with the mark anywhere in it."""

from __future__ import annotations

import os

from pal.base import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home

FLOOR = 85  # per cent; what is less sure is not told to anybody
_MARK = "[crystal"
_DETAIL = 600  # characters


def crystals(home: Home) -> list[tuple[str, str, int]]:
    """(domain, principle, per cent) of every crystal of 85 and more, the surest first."""
    found: list[tuple[str, str, int]] = []
    try:
        names = sorted(os.listdir(home.wisdom))
    except OSError:
        return []
    for name in names:
        if name.endswith(".md") and name[0] != ".":
            text = files.read_text(os.path.join(home.wisdom, name)) or ""
            found += [crystal[:3] for crystal in frame(text, name[:-3]) if crystal[2] >= FLOOR]
    found.sort(key=lambda crystal: -crystal[2])
    return found


def frame(text: str, name: str) -> list[tuple[str, str, int, str]]:
    """(domain, principle, per cent, explanation) of each crystal in a frame; `name` is the domain if it names none."""
    domain = ""
    found: list[tuple[str, str, int, list[str]]] = []
    open_detail = False
    for line in text.splitlines():
        bare = line.strip()
        mark = marked(bare)
        if mark is not None:
            principle, sure = mark
            if principle:
                found.append((domain or name, principle, sure, []))
            open_detail = bool(principle)
        elif bare.startswith("#"):
            open_detail = False
            if not domain and bare.lower().startswith("# frame:"):
                domain = bare[8:].strip()
        elif open_detail and bare:
            found[-1][3].append(bare)
    return [(domain, principle, sure, " ".join(rest)[:_DETAIL]) for domain, principle, sure, rest in found]


def marked(line: str) -> tuple[str, int] | None:
    """(principle, per cent) of a line that carries a mark, None for any other; the principle may be empty."""
    sure = _per_cent(line)
    return None if sure is None else (_principle(line), sure)


def _per_cent(line: str) -> int | None:
    """The number of the mark, None when the line is no heading or bullet or carries none."""
    if line[:1] not in ("#", "-", "*", "+", "•"):
        return None
    at = line.lower().find(_MARK)
    if at < 0:
        return None
    inside = line[at + len(_MARK) :].partition("]")[0].strip(" :%")
    return int(inside) if inside.isdecimal() and len(inside) < 4 and int(inside) <= 100 else None


def _principle(line: str) -> str:
    at = line.lower().find(_MARK)
    before, after = line[:at], line[at:].partition("]")[2]
    text = before.lstrip("#-*+• ").rstrip(" :–—-") + " " + after.strip(" :–—-")
    return text.replace("**", "").strip()
