"""Reflection: what the notes of the last days say again and again becomes an opinion, or supports one.

Two like notes make a new opinion at 50 %, each further one adds 2 %, and so does every note that says what an opinion
says; one that denies it takes 5 %. A note counts once, however often it is reflected on. A report in
`relationship/reflections/` tells what came of it."""

from __future__ import annotations

import os

from pal.base import clock, records
from pal.memory.tools import figures, likeness, opinion_book, pages, relationship_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home
    from pal.memory.tools.opinion_book import Book
    from pal.memory.tools.relationship_notes import Note

    Row = dict[str, Any]

DAYS = 7
_DAY = 86_400.0
ENOUGH_NOTES = 5  # that came since the last reflection; fewer wait for a day to pass
_FACTS = 10
_SAID = 5  # notes quoted for one opinion
_LOW, _HIGH = 4, 7  # ratings worth quoting: up to the first, from the second on


class Reflection:
    """What a reflection found: rows for `--json`, and the path of its report (empty when none was written)."""

    __slots__ = ("created", "facts", "first_day", "last_day", "moved", "notes", "ratings", "report")

    def __init__(self, first_day: str, last_day: str) -> None:
        self.first_day = first_day
        self.last_day = last_day
        self.notes: list[Note] = []
        self.created: list[Row] = []  # id, statement, confidence, notes
        self.moved: list[Row] = []  # the same, and `from`
        self.facts: list[str] = []
        self.ratings: list[Row] = []
        self.report = ""

    @property
    def changed(self) -> bool:
        return bool(self.created or self.moved)

    def as_row(self) -> Row:
        return {
            "from": self.first_day,
            "to": self.last_day,
            "notes": len(self.notes),
            "created": self.created,
            "moved": self.moved,
            "facts": self.facts,
            "report": self.report,
        }


def due(home: Home, now: float, zone: str = "", days: int = DAYS) -> bool:
    """Whether there are new opinions and patterns among the notes, and either five of them or a day to look back on."""
    last = opinion_book.last_reflect(home)
    new = [note for note in _weighed(relationship_notes.noted(home, now, zone, days)) if _is_after(note, last, zone)]
    return bool(new) and (len(new) >= ENOUGH_NOTES or clock.age(last, now) >= _DAY)


def run(home: Home, now: float, zone: str = "", days: int = DAYS, dry: bool = False) -> Reflection:
    """Reflect on the last days' notes. With `dry` nothing is written, and what would come of it is given."""
    found = Reflection(clock.day(now - (days - 1) * _DAY, zone), clock.day(now, zone))
    found.notes = relationship_notes.noted(home, now, zone, days)
    found.facts = _facts(found.notes)
    found.ratings = _rated(home, now, days)

    def reflect(book: Book) -> None:
        _opinions(book, found)
        book.reflected()
        # Before the opinions are saved: whoever dies in between tells of them again, and no change goes untold.
        found.report = _file(home, found, days)

    if dry:
        _opinions(opinion_book.draft(home, now, zone), found)
    else:
        opinion_book.edit(home, reflect, now, zone)
    return found


def period_name(days: int) -> str:
    """`weekly` for seven days, `3-day` for three."""
    return {1: "daily", 7: "weekly", 30: "monthly"}.get(days, f"{days}-day")


def _weighed(notes: list[Note]) -> list[Note]:
    return [note for note in notes if note.kind in (relationship_notes.OPINION, relationship_notes.BELIEF)]


def _is_after(note: Note, last: str, zone: str) -> bool:
    """Whether a note came after the last reflection, or in its very minute: then it is looked at once more."""
    if not last:
        return True
    try:
        here = clock.local(clock.parse(last), zone)
    except ValueError:
        return True
    return (note.day, note.time) >= (f"{here.tm_year:04d}-{here.tm_mon:02d}-{here.tm_mday:02d}", _clock(here))


def _clock(here: Any) -> str:
    return f"{here.tm_hour:02d}:{here.tm_min:02d}"


def _opinions(book: Book, found: Reflection) -> None:
    """Weigh each note for the opinion that says the same; of those that are left, two like ones make a new opinion."""
    rows = book.rows
    known = likeness.Known([row["statement"] for row in rows])
    counted_before = {(piece.get("date"), piece.get("source")) for row in rows for piece in opinion_book.evidence(row)}
    matched: dict[int, list[tuple[Note, str]]] = {}
    left: list[Note] = []
    for note in _weighed(found.notes):
        if (note.day, opinion_book.as_source(note.text)) in counted_before:
            continue
        at = known.nearest(note.text)
        against = known.opposed(note.text) if at < 0 else []
        for place in against:
            matched.setdefault(place, []).append((note, opinion_book.COUNTER))
        if at >= 0:
            matched.setdefault(at, []).append((note, opinion_book.SUPPORTING))
        elif not against:
            left.append(note)
    for place, row in enumerate(rows):
        before, pieces = row["confidence"], matched.get(place, [])
        counted = [note for note, kind in pieces if book.weigh(row, kind, note.text, note.day)]
        if counted:
            found.moved.append({**_told(row, counted), "from": before})
    for group in likeness.groups([note.text for note in left]):
        members = sorted((left[place] for place in group), key=lambda note: (note.day, note.time))
        if len(members) > 1:
            row, _ = book.add(left[group[0]].text)
            for number, note in enumerate(members):
                kind = opinion_book.NOTED if number < 2 else opinion_book.SUPPORTING
                book.weigh(row, kind, note.text, note.day)
            found.created.append(_told(row, members))


def _told(row: Row, notes: list[Note]) -> Row:
    return {
        "id": row["id"],
        "statement": row["statement"],
        "confidence": row["confidence"],
        "notes": [{"day": note.day, "text": note.text} for note in notes],
    }


def _facts(notes: list[Note]) -> list[str]:
    """The newest facts of the user's world, each once."""
    facts = [note.text for note in reversed(notes) if note.kind == relationship_notes.WORLD]
    distinct: list[str] = []
    for fact in facts:
        if not any(likeness.same(fact, other) for other in distinct):
            distinct.append(fact)
    return distinct[:_FACTS]


def _rated(home: Home, now: float, days: int) -> list[Row]:
    rows = (row for row in records.each(home.ratings) if 0 <= clock.age(row.get("ts"), now) <= days * _DAY)
    return [row for row in rows if isinstance(row.get("rating"), int)]


def _file(home: Home, found: Reflection, days: int) -> str:
    """Write the report, if there is something to tell or none of today; its path."""
    stem = os.path.join(home.reflections, f"{found.last_day}_{period_name(days)}-reflection")
    if not found.notes or (os.path.exists(stem + ".md") and not found.changed):
        return ""
    fields = {"date": found.last_day, "from": found.first_day, "notes": len(found.notes)}
    return pages.report(stem, fields, _report(found), renew=False)


def _report(found: Reflection) -> str:
    lines = [
        f"# Reflection {found.first_day} to {found.last_day}",
        "",
        f"{figures.many(len(found.notes), 'note')}: {figures.noted(found.notes)}.",
    ]
    values = [row["rating"] for row in found.ratings]
    if values:
        lines.append(f"{figures.many(len(values), 'rating')}, {sum(values) / len(values):.1f} on average.")
    lines += ["", "## Opinions", ""]
    for row in found.created:
        lines += [f"- New at {row['confidence']:.0%}: {row['statement']}", *_quotes(row)]
    for row in found.moved:
        lines += [f"- From {row['from']:.0%} to {row['confidence']:.0%}: {row['statement']}", *_quotes(row)]
    if not found.changed:
        lines.append("Nothing was said often enough to change one.")
    if found.facts:
        lines += ["", "## The user's world", "", *(f"- {fact}" for fact in found.facts)]
    for title, rows in (
        ("What they did not like", [row for row in found.ratings if row["rating"] <= _LOW]),
        ("What they liked", [row for row in found.ratings if row["rating"] >= _HIGH]),
    ):
        said = [f"- {row['rating']}/10: {_comment(row)}" for row in rows[-_FACTS:] if _comment(row)]
        if said:
            lines += ["", f"## {title}", "", *said]
    return "\n".join(lines)


def _quotes(row: Row) -> list[str]:
    notes = [note for note in row["notes"] if not likeness.same(note["text"], row["statement"])]
    return [f"  - {note['day']}: {note['text']}" for note in notes[-_SAID:]]


def _comment(row: Row) -> str:
    return " ".join(str(row.get("context") or "").split())
