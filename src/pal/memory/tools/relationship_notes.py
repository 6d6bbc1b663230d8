"""Writes the daily notes (`relationship/YYYY-MM/YYYY-MM-DD.md`), and reads them back one by one for reflection.

A day only ever gets longer, so what a person writes into it stays. A note that cannot be written in time waits in
the spill, like every other record."""

from __future__ import annotations

import os

from pal.base import clock, files, locks, spill
from pal.memory.tools import wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pal.base.home import Home

WORLD, OPINION, BELIEF, SESSION = "W", "O", "B", "Session"
KINDS = {
    WORLD: "a fact of the user's world: their situation, projects, tools",
    OPINION: "an opinion or preference of the user",
    BELIEF: "a belief or a pattern in how the user works",
    SESSION: "what was done, told to later sessions in this project",
}
_LONGEST = 300  # UTF-16 units
_WAIT = 2.0  # seconds
_DAY = 86_400.0


class Note:
    """One bullet: when and where it was written, its kind, text and confidence (None for a kind without one)."""

    __slots__ = ("confidence", "cwd", "day", "kind", "session", "text", "time")

    def __init__(
        self, day: str, time: str, kind: str, text: str, confidence: float | None, session: str, cwd: str
    ) -> None:
        self.day = day
        self.time = time
        self.kind = kind
        self.text = text
        self.confidence = confidence
        self.session = session
        self.cwd = cwd

    def facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("day", "time", "kind", "text", "confidence", "session", "cwd")}


def append(
    home: Home,
    notes: Iterable[tuple[str, str, float | None]],
    who: dict[str, Any],
    now: float,
    zone: str = "",
    cwd: str = "",
) -> list[Note]:
    """Add (kind, text, confidence) notes to today's page; gives those that were not on it yet.

    Kinds are W, O, B and Session; anything else, and an empty text, is passed over."""
    day, time = clock.day(now, zone), _time(now, zone)
    session = _comment(str(who.get("session") or ""))
    made = [
        Note(day, time, kind, said, _confidence(kind, sure), session, _comment(cwd))
        for kind, said, sure in ((kind, wording.line(said, _LONGEST), sure) for kind, said, sure in notes)
        if kind in KINDS and said
    ]
    path = page(home, day)
    files.make_folder(os.path.dirname(path))
    with locks.Lock(path, _WAIT) as held:
        waiting = spill.waiting(home, path) if held else []
        left = [note for _, entry in waiting for note in _notes(day, str(entry.get("block") or ""))]
        on_page = files.read_text(path) or ""
        known = {_key(note.kind, note.text) for note in _notes(day, on_page)}
        blocks = [_block(fresh) for fresh in _by_block(_fresh(left, known))]
        new = _fresh(made, known)
        if new and not held:
            spill.leave(home, path, {"block": _block(new)}, now)
            return new
        blocks += [_block(new)] if new else []
        if blocks:
            _add(path, ("" if on_page else f"# {day}\n") + "".join("\n" + block for block in blocks))
        for name, _ in waiting:
            files.remove(name)
    return new


def page(home: Home, day: str) -> str:
    """The path of a day's notes."""
    return os.path.join(home.relationship, clock.month(day), day + ".md")


def noted(home: Home, now: float, zone: str = "", days: int = 7) -> list[Note]:
    """The notes of the last days, today's included, oldest first."""
    found: list[Note] = []
    for back in range(days - 1, -1, -1):
        day = clock.day(now - back * _DAY, zone)
        found += _notes(day, files.read_text(page(home, day)) or "")
    return found


def _notes(day: str, content: str) -> list[Note]:
    found: list[Note] = []
    time = session = cwd = ""
    for line in content.splitlines():
        bare = line.strip()
        if bare.startswith("## "):
            time, session, cwd = bare[3:].strip(), "", ""
        elif bare.startswith("<!--"):
            inside = bare[4:].partition("-->")[0].strip()
            session = inside.partition("session:")[2].partition(" ")[0]
            cwd = inside.partition("cwd:")[2].strip()
        elif bare[:2] in ("- ", "* "):
            kind, sure, said = _bullet(bare[2:])
            if kind and said:
                found.append(Note(day, time, kind, said, sure, session, cwd))
    return found


def _bullet(line: str) -> tuple[str, float | None, str]:
    """(kind, confidence, text) of `O(c=0.85): …`; an empty kind for any other line."""
    head, colon, said = line.partition(":")
    kind, _, inside = head.strip().partition("(")
    if not colon or kind.strip() not in KINDS:
        return "", None, ""
    number = inside.partition("=")[2].rstrip(") ")
    try:
        sure = float(number) if number else None
    except ValueError:
        sure = None
    return kind.strip(), sure, said.strip()


def _block(notes: list[Note]) -> str:
    first = notes[0]
    lines = [f"## {first.time}"]
    place = " ".join(f"{name}:{value}" for name, value in (("session", first.session), ("cwd", first.cwd)) if value)
    if place:
        lines.append(f"<!-- {place} -->")
    for note in notes:
        sure = f"(c={note.confidence:g})" if note.confidence is not None else ""
        lines.append(f"- {note.kind}{sure}: {note.text}")
    return "\n".join(lines) + "\n"


def _by_block(notes: list[Note]) -> list[list[Note]]:
    """Notes that share a heading, in the order they came."""
    blocks: dict[tuple[str, str, str], list[Note]] = {}
    for note in notes:
        blocks.setdefault((note.time, note.session, note.cwd), []).append(note)
    return list(blocks.values())


def _fresh(notes: list[Note], known: set[tuple[str, str]]) -> list[Note]:
    """Those not known yet; from now on they are."""
    fresh = []
    for note in notes:
        key = _key(note.kind, note.text)
        if key not in known:
            known.add(key)
            fresh.append(note)
    return fresh


def _key(kind: str, said: str) -> tuple[str, str]:
    return kind, " ".join(said.casefold().split()).rstrip(".!")


def _add(path: str, content: str) -> None:
    """The page with more at its end, in one step; its bytes stay, and an unfinished last line gets its line end."""
    before = files.read_bytes(path) or b""
    gap = b"" if before.endswith(b"\n") or not before else b"\n"
    files.write(path, before + gap + content.encode(), durable=True)


def _confidence(kind: str, sure: float | None) -> float | None:
    if kind not in (OPINION, BELIEF):
        return None
    return min(max(round(float(sure), 2), 0.0), 1.0) if sure is not None else 0.5


def _comment(value: str) -> str:
    """A value inside an HTML comment: on one line, and nothing in it ends the comment."""
    return " ".join(value.encode("utf-8", "backslashreplace").decode().split()).replace("-->", "-- >")


def _time(now: float, zone: str) -> str:
    import time

    return time.strftime("%H:%M", clock.local(now, zone))
