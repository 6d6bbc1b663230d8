"""Writes the wisdom frames (`wisdom/frames/<domain>.md`) that `memory/wisdom` reads: one page a domain.

What is observed waits in a frame without a mark; crystallising marks it, and from 85 % on every session is told. People
edit frames too: everything PAL does not know stays where it is."""

from __future__ import annotations

import os

from pal.base import clock, files, text
from pal.base.errors import PalError
from pal.memory import wisdom
from pal.memory.tools import figures, likeness, pages, sections, wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

PRINCIPLE, RULE, ANTI_PATTERN, EVOLUTION = "principle", "rule", "anti-pattern", "evolution"
SECTIONS = {
    PRINCIPLE: "Core Principles",
    RULE: "Contextual Rules",
    ANTI_PATTERN: "Anti-Patterns",
    EVOLUTION: "Evolution Log",
}
_META = "Meta"
_COUNT, _UPDATED = "- Observation Count:", "- Last Updated:"
_LONGEST = 240  # UTF-16 units
_MOST = 100  # per cent


class Entry:
    """One principle, rule or anti-pattern: its text, its mark in per cent (None while it waits), its explanation."""

    __slots__ = ("detail", "kind", "sure", "text")

    def __init__(self, kind: str, text: str, sure: int | None, detail: str) -> None:
        self.kind = kind
        self.text = text
        self.sure = sure
        self.detail = detail

    def facts(self) -> Row:
        return {"kind": self.kind, "text": self.text, "crystal": self.sure, "detail": self.detail}


class Frame:
    """A domain's page, read: its name, its path, its entries and its log, oldest first."""

    __slots__ = ("domain", "entries", "log", "observations", "path")

    def __init__(self, domain: str, path: str) -> None:
        self.domain = domain
        self.path = path
        self.entries: list[Entry] = []
        self.log: list[str] = []
        self.observations = 0

    def facts(self) -> Row:
        return {
            "domain": self.domain,
            "path": self.path,
            "observations": self.observations,
            "entries": [entry.facts() for entry in self.entries],
            "log": self.log,
        }


def names(home: Home) -> list[str]:
    """The domains that have a frame, as their files are named."""
    return [name[:-3] for name in figures.names(home.wisdom) if name.endswith(".md")]


def load(home: Home, domain: str) -> Frame | None:
    """A domain's frame, or None."""
    path = _path(home, domain)
    content = files.read_text(path)
    return None if content is None else _read(content, _slug(domain), path)


def nearest_crystal(home: Home, domain: str, said: str) -> Entry | None:
    """The marked entry of a frame that says much the same, if there is one: nothing graduates twice."""
    frame = load(home, domain)
    crystals = [entry for entry in frame.entries if entry.sure is not None] if frame else []
    at = likeness.nearest(said, [entry.text for entry in crystals])
    return crystals[at] if at >= 0 else None


def observe(home: Home, domain: str, kind: str, said: str, now: float, zone: str = "") -> bool:
    """Note an observation without a mark, or a line of the log; False when the frame says it already."""
    return _write(home, domain, kind, said, None, now, zone)


def crystallise(
    home: Home, domain: str, kind: str, said: str, confidence: int, now: float, zone: str = "", detail: str = ""
) -> bool:
    """Mark a principle, rule or anti-pattern with its confidence in per cent; False when it has that mark already.

    An entry that says just this gets the mark, otherwise a new one is written."""
    if kind == EVOLUTION or not 0 <= confidence <= _MOST:
        raise PalError("Crystallise a principle, a rule or an anti-pattern, with a confidence from 0 to 100.")
    return _write(home, domain, kind, said, confidence, now, zone, detail)


def dissolve(home: Home, domain: str, said: str, now: float, zone: str = "") -> str:
    """Take the mark from the entry that says this, so that sessions are no longer told; the entry's words."""
    done = ""

    def change(content: str) -> str:
        nonlocal done
        lines = content.split("\n")
        entries = [(at, entry) for at, entry in _entries(lines) if entry.sure is not None]
        wanted = " ".join(said.casefold().split())
        found = [pair for pair in entries if wanted and pair[1].text.casefold().startswith(wanted)]
        found = [pair for pair in found if likeness.same(pair[1].text, said)] or found
        if len(found) != 1:
            count = f"{len(found)} crystals begin" if found else "No crystal begins"
            raise PalError(f"{count} with {said!r}; `pal wisdom show {_slug(domain)}` lists those of this frame.")
        at, entry = found[0]
        done = entry.text
        lines[at] = _remarked(lines[at], "")
        return _noted(lines, f"no longer a crystal: {entry.text}", clock.day(now, zone), 0)

    if _slug(domain) not in names(home):
        raise PalError(f"There is no frame {_slug(domain)}; `pal wisdom list` names them.")
    pages.edit(_path(home, domain), change)
    return done


def _write(
    home: Home, domain: str, kind: str, said: str, sure: int | None, now: float, zone: str, detail: str = ""
) -> bool:
    if kind not in SECTIONS:
        raise PalError(f"A frame has no place for {kind!r}; use one of {', '.join(SECTIONS)}.")
    said = _one_line(said)
    if not said:
        raise PalError("An observation needs a text: say in one sentence what was learned.")
    day = clock.day(now, zone)

    def change(content: str) -> str:
        lines = (content or _empty(domain)).split("\n")
        if kind == EVOLUTION:
            known = any(likeness.same(line.partition(": ")[2], said) for line in sections.body(lines, SECTIONS[kind]))
            return content if known else _noted(lines, said, day, 1)
        found = next(((at, entry) for at, entry in _entries(lines) if likeness.same(entry.text, said)), None)
        if found is None:
            return _noted(_added(lines, kind, said, sure, _one_line(detail)), f"{_event(kind, sure)}: {said}", day, 1)
        at, entry = found
        if sure is None or entry.sure == sure:
            return content
        lines[at] = _remarked(lines[at], f" [CRYSTAL: {sure}%]")
        return _noted(lines, f"{_event(kind, sure)}: {entry.text}", day, 1)

    return pages.edit(_path(home, domain), change)


def _remarked(line: str, mark: str) -> str:
    """The line with this mark in place of the one it has, wherever that stands in it."""
    import re

    plain = re.sub(r"\s*\[crystal[^\]]*\]", mark, line, count=1, flags=re.IGNORECASE)
    return plain if plain != line or not mark else line.rstrip() + mark


def _event(kind: str, sure: int | None) -> str:
    what = f"an {kind}" if kind == ANTI_PATTERN else f"a {kind}"
    return f"noted {what}" if sure is None else f"crystallised {what} at {sure}%"


def _empty(domain: str) -> str:
    title = " ".join(word.capitalize() for word in _slug(domain).split("-"))
    meta = f"## {_META}\n\n- Domain: {title}\n{_COUNT} 0\n{_UPDATED} never\n"
    return f"# Frame: {title}\n\n{meta}" + "".join(f"\n## {name}\n" for name in SECTIONS.values())


def _added(lines: list[str], kind: str, said: str, sure: int | None, detail: str) -> list[str]:
    mark = f" [CRYSTAL: {sure}%]" if sure is not None else ""
    block = [f"### {said}{mark}", *(["", detail] if detail else [])]
    return sections.append(lines, SECTIONS[kind], block, apart=True)


def _noted(lines: list[str], said: str, day: str, by: int) -> str:
    """The page with one more line in its log, and the numbers at its top brought up to date."""
    lines = sections.append(lines, SECTIONS[EVOLUTION], [f"- {day}: {said}"])
    for at, line in enumerate(lines):
        if line.startswith(_COUNT):
            number = line[len(_COUNT) :].strip()
            lines[at] = f"{_COUNT} {(int(number) if number.isdecimal() else 0) + by}"
        elif line.startswith(_UPDATED):
            lines[at] = f"{_UPDATED} {day}"
        elif line.startswith("## ") and not line.startswith("## " + _META):
            break
    return "\n".join(lines)


def _entries(lines: list[str]) -> list[tuple[int, Entry]]:
    """Each entry with its line: a heading of the third level, or a bullet that carries a mark."""
    found: list[tuple[int, Entry]] = []
    kinds = {name.lower(): kind for kind, name in SECTIONS.items() if kind != EVOLUTION}
    kind, open_entry = PRINCIPLE, False
    for at, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(("## ", "# ")):
            kind, open_entry = kinds.get(bare.lstrip("# ").lower(), ""), False
            continue
        marked = wisdom.marked(bare)
        if kind and (marked or bare.startswith("### ")):
            said, sure = marked or (bare[4:].strip(), None)
            open_entry = bool(said)
            if said:
                found.append((at, Entry(kind, said, sure, "")))
        elif open_entry and bare:
            entry = found[-1][1]
            entry.detail = f"{entry.detail} {bare}".strip()
    return found


def _read(content: str, domain: str, path: str) -> Frame:
    lines = content.splitlines()
    frame = Frame(domain, path)
    frame.entries = [entry for _, entry in _entries(lines)]
    frame.log = [line.strip().lstrip("-* ") for line in sections.body(lines, SECTIONS[EVOLUTION]) if line.strip()]
    number = next((line[len(_COUNT) :].strip() for line in lines if line.startswith(_COUNT)), "")
    frame.observations = int(number) if number.isdecimal() else 0
    return frame


def _path(home: Home, domain: str) -> str:
    return os.path.join(home.wisdom, _slug(domain) + ".md")


def _slug(domain: str) -> str:
    if not domain.strip():
        raise PalError("A frame needs a domain, such as development or communication.")
    return text.slug(domain.removesuffix(".md"), 4)


def _one_line(said: str) -> str:
    """One line that is no heading and carries no mark of its own."""
    said = wording.line(said, _LONGEST).lstrip("#-*• ")
    at = said.lower().find("[crystal")
    return said[:at].strip() if at >= 0 else said
