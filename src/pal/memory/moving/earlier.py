"""Memories in the layout of an earlier PAL or of PAI (Personal AI Infrastructure), as files of this one.

`earlier_pal` and `pai` give (name below the home, bytes) for `taking.take`; what has no place here is left where it is.
Nothing is ever written to the source."""

from __future__ import annotations

from pal.base import clock, frontmatter, jsontext, text
from pal.base.errors import PalError
from pal.memory.importing.items import stamp
from pal.memory.moving import packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pal.base.home import Home

    Named = Iterator[tuple[str, bytes]]

_AS_HERE = ("memory", "telos", "skills", "agents")
_NOT_TAKEN = ("learning", "machines", "actors", "downloads")


def is_earlier_pal(folder: str) -> bool:
    """True for a home whose learnings stand as an earlier PAL kept them."""
    return _has(folder, "memory", "learning")


def is_pai(folder: str) -> bool:
    return _has(folder, "LEARNING") or _has(folder, "LEARNINGS") or _has(folder, "RELATIONSHIP")


def _has(folder: str, *names: str) -> bool:
    """Whether a folder of exactly this spelling is there: most disks of Windows and macOS know no capitals."""
    import os

    for name in names:
        if not os.path.isdir(folder) or name not in os.listdir(folder):
            return False
        folder = os.path.join(folder, name)
    return os.path.isdir(folder)


def earlier_pal(home: Home, folder: str) -> Named:
    """Learnings by year and month, failures in folders of their own, the rest as it is here."""
    if not is_earlier_pal(folder):
        raise PalError(f"{folder} is no home of an earlier PAL: it has no memory/learning")
    places = {
        "learning/session/": home.session_learning,
        "learning/synthesis/": home.synthesis,
        "learning/reflections/": home.reflections,
    }
    memory = _below(home, home.memory) + "/"
    for name, data in packed.entries(folder):
        parts = name.split("/")
        inner = name[len(memory) :] if name.startswith(memory) else ""
        top = next((top for top in places if inner.startswith(top)), "")
        if inner.startswith("learning/failures/") and parts[-1] == "capture.md":
            yield _failure(home, parts[-2], data)
        elif top and name.endswith(".md"):
            yield _dated(home, places[top], parts[-1], data)
        elif top and name.endswith(".jsonl"):
            yield _below(home, home.algorithm), data
        elif name == _below(home, home.ratings):
            yield name, _ratings(data)
        elif len(parts) > 1 and parts[0] in _AS_HERE and parts[1] not in _NOT_TAKEN:
            yield name, data


def pai(home: Home, folder: str) -> Named:
    """Its MEMORY folder: learnings, failures, ratings, notes on the relationship, frames, research."""
    if not is_pai(folder):
        raise PalError(f"{folder} is no MEMORY folder of PAI: it has no LEARNING and no RELATIONSHIP")
    for name, data in packed.entries(folder):
        parts = name.upper().split("/")
        own = name.split("/")
        if parts[-1] == "RATINGS.JSONL":
            yield _below(home, home.ratings), _ratings(data)
        elif not name.endswith(".md") or own[-1].upper() == "README.MD":
            continue
        elif parts[0] in ("LEARNING", "LEARNINGS"):
            if parts[1:2] == ["FAILURES"]:
                if parts[-1] in ("CONTEXT.MD", "CAPTURE.MD"):
                    yield _failure(home, own[-2], data)
            elif parts[1:2] == ["SYNTHESIS"]:
                yield _dated(home, home.synthesis, own[-1], data)
            elif parts[1:2] != ["SIGNALS"]:
                yield _dated(home, home.session_learning, own[-1], data)
        elif parts[0] in ("SESSIONS", "HISTORY"):
            yield _dated(home, home.session_learning, own[-1], data)
        elif parts[0] == "RELATIONSHIP" and _day_of(own[-1]):
            day = _day_of(own[-1])
            yield _below(home, home.relationship) + f"/{clock.month(day)}/{day}.md", data
        elif parts[:2] == ["WISDOM", "FRAMES"]:
            yield _below(home, home.wisdom) + "/" + text.slug(own[-1][:-3]) + ".md", data
        elif parts[0] == "RESEARCH":
            yield _page(home, own[-1], data)


def _below(home: Home, path: str) -> str:
    return home.relative(path)


def _dated(home: Home, folder: str, name: str, data: bytes) -> tuple[str, bytes]:
    """`YYYYMMDD-HHMMSS_category_slug.md` and the like, filed under the day as files are here."""
    fields, _ = frontmatter.parse(data.decode("utf-8", "replace"))
    day = _day_of(name) or _day_of(str(fields.get("date") or "")) or "1970-01-01"
    slug = text.slug(_without_day(name[:-3]) or str(fields.get("title") or "note"), 8)
    return f"{_below(home, folder)}/{clock.month(day)}/{day}_{slug}.md", data


def _failure(home: Home, folder: str, data: bytes) -> tuple[str, bytes]:
    """One file for what was a folder; a header of ours where there was none, so that it counts as a failure."""
    said = data.decode("utf-8", "replace")
    fields, body = frontmatter.parse(said)
    day = _day_of(folder) or _day_of(str(fields.get("date") or "")) or "1970-01-01"
    if not fields:
        first = text.first_line(body).lstrip("# ").strip()
        said = frontmatter.render({"context": first, "date": day, "ts": f"{day}T12:00:00Z"}, body)
    slug = text.slug(_without_day(folder), 8)
    return f"{_below(home, home.failures)}/{clock.month(day)}/{day}_{slug}.md", said.encode("utf-8", "replace")


def _page(home: Home, name: str, data: bytes) -> tuple[str, bytes]:
    said = data.decode("utf-8", "replace")
    fields, body = frontmatter.parse(said)
    title = str(fields.get("title") or text.first_line(body).lstrip("# ").strip() or name[:-3])
    header = {"title": title, "type": "research", "tags": [], "status": "seedling", "related": [], **fields}
    slug = text.slug(_without_day(name[:-3]) or title, 8)
    return f"{_below(home, home.knowledge)}/Research/{slug}.md", frontmatter.render(header, body).encode(
        "utf-8", "replace"
    )


def _ratings(data: bytes) -> bytes:
    """Each rating as a row of ours; a line that is none is left out."""
    rows = []
    for line in data.split(b"\n"):
        try:
            row = jsontext.loads(line) if line.strip() else None
        except ValueError:
            continue
        made = _rating(row) if isinstance(row, dict) else None
        if made is not None:
            rows.append(jsontext.dumps(made))
    return ("\n".join(rows) + "\n").encode("utf-8") if rows else b""


def _rating(row: dict[str, Any]) -> dict[str, Any] | None:
    value, moment = row.get("rating"), stamp(row.get("ts") or row.get("timestamp"))
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 10 or not moment:
        return None
    context = str(row.get("context") or row.get("comment") or row.get("sentiment_summary") or "")
    made = {"ts": moment, "session": str(row.get("session") or row.get("session_id") or "")}
    made.update(agent=str(row.get("agent") or ""), type="rating")
    source = "implicit" if row.get("source") == "implicit" else "explicit"
    return {**made, "rating": value, "source": source, "context": context, "cwd": str(row.get("cwd") or "")}


def _day_of(name: str) -> str:
    """The day a name begins with, with or without hyphens; empty without one."""
    digits = name[:10].replace("-", "")[:8]
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    return day if len(digits) == 8 and digits.isdecimal() and stamp(day) else ""


def _without_day(name: str) -> str:
    """The words of a name, without its day, its time and what kind of note it is."""
    words = text.words(name.replace("_", " "))
    while words and words[0].isdecimal():
        words = words[1:]
    return " ".join(words)
