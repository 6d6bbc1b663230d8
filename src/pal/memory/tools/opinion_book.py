"""Changes the opinions PAL has of how its user likes things (`relationship/opinions.json`).

An opinion begins at 50 % and moves with what is said for and against it; each step is kept as evidence, so that the
last one can be taken back. A file that cannot be read is a person's to mend: it is refused, never replaced."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, locks, records, text
from pal.base.errors import PalError
from pal.memory.tools import likeness, pages, wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from pal.base.home import Home

    Row = dict[str, Any]
    Done = TypeVar("Done")

NEW = 0.5
SUPPORTING, COUNTER, CONFIRMATION, CONTRADICTION = "supporting", "counter", "confirmation", "contradiction"
STEPS = {SUPPORTING: 0.02, COUNTER: -0.05, CONFIRMATION: 0.10, CONTRADICTION: -0.20}
NOTED = "noted"  # evidence an opinion began with; it moves nothing
LEAST, MOST = 0.01, 0.99
CATEGORIES = ("communication", "technical", "workflow", "general")
_EVIDENCE = 60  # pieces that stay with an opinion; older ones move to the archive
_STATEMENT = 200  # UTF-16 units
_SOURCE = 120  # UTF-16 units

_WORDS = {
    "communication": "answer explain reply tone brief short verbose language summary report wording say tell question "
    "english greeting emoji chat message detail concise",
    "workflow": "commit branch review test plan ask before step deploy release pull merge schedule morning meeting "
    "approve small order first priority deadline",
    "technical": "code library framework python typescript javascript rust sql database function type class module "
    "tabs spaces api server docker linux windows package dependency editor format lint",
}


class Book:
    """The opinions while their file is locked; rows that are not understood are kept as they came."""

    __slots__ = ("_home", "_keep", "_now", "_today", "value")

    def __init__(self, home: Home, value: Row, now: float, zone: str, keep: bool = True) -> None:
        self._home = home
        self._keep = keep
        self._now = now
        self._today = clock.day(now, zone)
        self.value = value

    @property
    def rows(self) -> list[Row]:
        """The rows that read as opinions, in the order of the file."""
        return _rows(self.value)

    @property
    def last_reflect(self) -> str:
        """When notes were last reflected on, as a time of `clock.iso`; empty when never."""
        return str(self.value.get("lastReflect") or "")

    def reflected(self) -> None:
        """Notes have been reflected on just now."""
        self.value["lastReflect"] = clock.iso(self._now)

    def add(self, statement: str, category: str = "", source: str = "") -> tuple[Row, bool]:
        """A new opinion at 50 %, or the one that says just that already; and whether it is new."""
        said = wording.line(statement, _STATEMENT)
        if not said:
            raise PalError("An opinion needs a statement: say in one sentence what the user prefers.")
        for row in self.rows:
            if likeness.same(row["statement"], said):
                return row, False
        row = {
            "id": self._free_id(said),
            "statement": said,
            "confidence": NEW,
            "category": category or category_of(said),
            "evidence": [{"date": self._today, "type": NOTED, "source": as_source(source)}] if source else [],
            "created": clock.iso(self._now),
            "updated": clock.iso(self._now),
        }
        self.value["opinions"].append(row)
        return row, True

    def weigh(self, row: Row, kind: str, source: str, date: str = "") -> bool:
        """Move an opinion by one piece of evidence; False when it counted before (same day, kind and source)."""
        piece: Row = {"date": date or self._today, "type": kind, "source": as_source(source)}
        pieces = evidence(row)
        if piece["source"] and any(_is_same(piece, old) for old in pieces):
            return False
        before = _confidence(row)
        if kind in STEPS:
            row["confidence"] = round(min(max(before + STEPS[kind], LEAST), MOST), 2)
            piece["from"] = before
        pieces.append(piece)
        for old in pieces[:-_EVIDENCE]:
            self._archive({"opinion": row["id"], **old})
        row["evidence"] = pieces[-_EVIDENCE:]
        row["updated"] = clock.iso(self._now)
        return True

    def undo(self, row: Row) -> Row:
        """Take the last step back; the piece of evidence that goes."""
        pieces = evidence(row)
        at = max((place for place, piece in enumerate(pieces) if "from" in piece), default=-1)
        if at < 0:
            raise PalError(f"Nothing has moved the opinion {row['id']} that could be taken back.")
        gone = pieces.pop(at)
        row.update(confidence=gone["from"], evidence=pieces, updated=clock.iso(self._now))
        return gone

    def remove(self, row: Row) -> None:
        """Forget an opinion; the archive keeps it."""
        self._archive({"opinion": row["id"], "row": row})
        self.value["opinions"].remove(row)

    def _archive(self, row: Row) -> None:
        if not self._keep:
            return
        name = f"opinions-{clock.month(clock.iso(self._now))}.jsonl"
        records.append(self._home, os.path.join(self._home.archive_rows, name), row, self._now)

    def _free_id(self, said: str) -> str:
        taken = {str(row.get("id")) for row in self.rows}
        stem = name = text.slug(said)
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}"
        return name


def edit(home: Home, act: Callable[[Book], Done], now: float, zone: str = "") -> Done:
    """What `act` gives; what it did to the book is on disk when this returns. PalError when the file cannot be used."""
    files.make_folder(os.path.dirname(home.opinions))
    with locks.Lock(home.opinions, pages.WAIT) as held:
        if not held:
            raise PalError(f"{home.opinions} is being written by another program, or is read-only; try again.")
        value = _read(home)
        before = jsontext.dumps(value)
        done = act(Book(home, value, now, zone))
        if jsontext.dumps(value) != before:
            files.write(home.opinions, jsontext.pretty(value), durable=True)
        return done


def draft(home: Home, now: float, zone: str = "") -> Book:
    """A book whose changes go nowhere, to see what would come of them."""
    return Book(home, _read(home), now, zone, keep=False)


def load(home: Home) -> list[Row]:
    """Every opinion, the surest first."""
    return sorted(_rows(_read(home)), key=lambda row: (-_confidence(row), str(row["id"])))


def last_reflect(home: Home) -> str:
    """When notes were last reflected on; empty when never."""
    return str(_read(home).get("lastReflect") or "")


def find(rows: list[Row], wanted: str) -> Row:
    """The opinion by its id, the beginning of one, or its statement; PalError unless there is just one."""
    exact = [row for row in rows if row["id"] == wanted or likeness.same(row["statement"], wanted)]
    near = exact or [row for row in rows if wanted and str(row["id"]).startswith(wanted)]
    if len(near) == 1:
        return near[0]
    if near:
        raise PalError(f"{len(near)} opinions begin with {wanted!r}; type more of the id.")
    raise PalError(f"There is no opinion {wanted!r}; `pal opinion list` shows their ids.")


def add(
    home: Home, statement: str, now: float, zone: str = "", category: str = "", source: str = ""
) -> tuple[Row, bool]:
    """A new opinion at 50 %, or the one that says just that already; and whether it is new."""
    return edit(home, lambda book: book.add(statement, category, source), now, zone)


def weigh(home: Home, wanted: str, kind: str, source: str, now: float, zone: str = "") -> tuple[Row, bool]:
    """Move the opinion with this id or statement by one of `STEPS`; its row, and False if that counted before."""

    def act(book: Book) -> tuple[Row, bool]:
        row = find(book.rows, wanted)
        return row, book.weigh(row, kind, source)

    return edit(home, act, now, zone)


def as_source(said: str) -> str:
    """What is kept of the words that speak for or against an opinion."""
    return wording.line(said, _SOURCE)


def category_of(statement: str) -> str:
    """What an opinion is about, by its words: the category most of them belong to."""
    said = text.keywords(statement)
    best, most = "general", 0
    for category, words in _WORDS.items():
        found = sum(text.stem(word) in said for word in words.split())
        if found > most:
            best, most = category, found
    return best


def _read(home: Home) -> Row:
    """The file as an object; an older form, the list alone, is taken too. PalError for what is neither."""
    try:
        value = jsontext.loads(files.read_bytes(home.opinions) or b"[]")
    except ValueError as problem:
        raise PalError(f"{home.opinions} cannot be read ({problem}); mend it, or move it away.") from None
    if isinstance(value, list):
        value = {"lastReflect": None, "opinions": value}
    if not isinstance(value, dict) or not isinstance(value.setdefault("opinions", []), list):
        raise PalError(f"{home.opinions} holds no list of opinions; mend it, or move it away.")
    return value


def _rows(value: Row) -> list[Row]:
    found = []
    for row in value["opinions"]:
        if isinstance(row, dict) and isinstance(row.get("statement"), str) and row["statement"].strip():
            row.setdefault("id", text.slug(row["statement"]))
            found.append(row)
    return found


def evidence(row: Row) -> list[Row]:
    """What has been said for and against an opinion, oldest first."""
    held = row.get("evidence")
    return [piece for piece in held if isinstance(piece, dict)] if isinstance(held, list) else []


def _confidence(row: Row) -> float:
    sure = row.get("confidence")
    return float(sure) if isinstance(sure, (int, float)) and not isinstance(sure, bool) else NEW


def _is_same(one: Row, other: Row) -> bool:
    """Evidence counts once; what an opinion began with counts as evidence for it."""
    types = {one["type"], other.get("type")}
    same_kind = len(types) == 1 or types == {NOTED, SUPPORTING}
    return same_kind and one["date"] == other.get("date") and one["source"] == other.get("source")
