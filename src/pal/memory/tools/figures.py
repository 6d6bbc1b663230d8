"""The numbers of a stretch of days, counted from the plain files: sessions, ratings, learnings, failures, notes, work.

Reports, the self-model and `pal analyze` are made of them. Nothing is written, and no model is asked."""

from __future__ import annotations

import os

from pal.base import clock, records, state
from pal.memory import failures
from pal.memory.tools import relationship_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

_DAY = 86_400.0
_HALF = 3  # ratings each half needs before they can be compared
_NOTABLE = 0.5
_RECENT = 10
_OBSERVATIONS = 3


class Figures:
    """What was counted. Days are the user's; every list is oldest first."""

    __slots__ = (
        "algorithm", "days", "failures", "first_day", "last_day", "learnings", "notes", "projects", "ratings",
        "sessions",
    )  # fmt: skip

    def __init__(self, first_day: str, last_day: str, days: int) -> None:
        self.first_day = first_day
        self.last_day = last_day
        self.days = days
        self.sessions: list[Row] = []  # day, name, summary, cwd, agent, prompts
        self.ratings: list[Row] = []  # day, rating, context
        self.learnings: list[Row] = []  # header fields and path
        self.failures: list[Row] = []
        self.notes: list[relationship_notes.Note] = []
        self.projects: list[Row] = []  # name, root, sessions
        self.algorithm: list[Row] = []

    def as_row(self) -> Row:
        """For `--json`."""
        by_day: dict[str, list[str]] = {}
        for session in self.sessions:
            by_day.setdefault(session["day"], []).append(session["name"])
        return {
            "from": self.first_day,
            "to": self.last_day,
            "days": self.days,
            "sessions": {"count": len(self.sessions), "by_day": by_day},
            "ratings": rated([row["rating"] for row in self.ratings]),
            "learnings": len(self.learnings),
            "failures": len(self.failures),
            "notes": {kind: sum(note.kind == kind for note in self.notes) for kind in ("W", "O", "B")},
            "projects": self.projects,
            "algorithm": performance(self.algorithm),
        }


def count(home: Home, now: float, zone: str = "", days: int = 7) -> Figures:
    """The figures of the last days, today's included."""
    found = Figures(clock.day(now - (days - 1) * _DAY, zone), clock.day(now, zone), days)
    found.sessions = _sessions(home, found, zone)
    found.ratings = [
        {"day": day, "rating": row["rating"], "context": " ".join(str(row.get("context") or "").split())}
        for day, row in _within(records.each(home.ratings), found, zone)
        if row.get("type", "rating") == "rating" and _is_rating(row.get("rating"))
    ]
    found.learnings = list(headers(home.session_learning, found.first_day, found.last_day))
    found.failures = list(headers(home.failures, found.first_day, found.last_day))
    found.notes = relationship_notes.noted(home, now, zone, days)
    found.projects = _projects(home, found.sessions)
    found.algorithm = [row for _, row in _within(records.each(home.algorithm), found, zone)]
    return found


def began(home: Home, zone: str = "") -> str:
    """The day the first session began that the registry still holds; "9999" when it holds none."""
    rows = state.read(home, home.sessions).values()
    days = [_day(row.get("started"), zone) for row in rows if isinstance(row, dict)]
    return min((day for day in days if day), default="9999")


def headers(folder: str, first_day: str = "", last_day: str = "9999") -> Iterator[Row]:
    """The header fields of the notes below month folders whose names begin with a day between the two, oldest first."""
    for month in names(folder):
        if first_day[:7] <= month <= last_day[:7]:
            for name in names(os.path.join(folder, month)):
                if name.endswith(".md") and first_day <= name[:10] <= last_day:
                    path = os.path.join(folder, month, name)
                    yield {**(failures.header(path) or {}), "day": name[:10], "path": path}


def rated(values: list[int]) -> Row:
    """count, average, that of the last ten, how many were low, and the trend: improving, declining or stable."""
    half = len(values) // 2
    drift = _mean(values[half:]) - _mean(values[:half]) if half >= _HALF else 0.0
    return {
        "count": len(values),
        "average": round(_mean(values), 1) if values else None,
        "recent": round(_mean(values[-_RECENT:]), 1) if values else None,
        "low": sum(value <= failures.LOW for value in values),
        "trend": "improving" if drift > _NOTABLE else "declining" if drift < -_NOTABLE else "stable",
    }


def many(count: int, name: str, plural: str = "") -> str:
    """`1 session`, `2 sessions`."""
    return f"{count} {name if count == 1 else plural or name + 's'}"


def noted(notes: list[relationship_notes.Note]) -> str:
    """`1 fact, 2 opinions, 0 patterns`."""
    kinds = (("W", "fact"), ("O", "opinion"), ("B", "pattern"))
    return ", ".join(many(sum(note.kind == kind for note in notes), name) for kind, name in kinds)


def rated_by_day(home: Home, now: float, zone: str = "", days: int = 30) -> list[tuple[str, float | None]]:
    """(day, mean of its ratings or None) of each of the last days, oldest first."""
    found: dict[str, list[int]] = {clock.day(now - back * _DAY, zone): [] for back in range(days - 1, -1, -1)}
    for row in records.each(home.ratings):
        day = _day(row.get("ts"), zone)
        if day in found and _is_rating(row.get("rating")):
            found[day].append(row["rating"])
    return [(day, round(_mean(values), 1) if values else None) for day, values in found.items()]


def performance(rows: list[Row]) -> Row:
    """Of algorithm reflections: how many, the mean sentiment, the share of criteria that passed, the last answers."""
    passed = sum(_whole(row.get("criteria_passed")) for row in rows)
    total = sum(_whole(row.get("criteria_count")) for row in rows)
    moods = [row["sentiment"] for row in rows if _is_rating(row.get("sentiment"))]
    return {
        "reflections": len(rows),
        "sentiment": round(_mean(moods), 1) if moods else None,
        "criteria": total,
        "passed": passed,
        "pass_rate": round(passed / total, 2) if total else None,
        "observations": [str(row.get("q1")) for row in rows if row.get("q1")][-_OBSERVATIONS:],
    }


def _sessions(home: Home, found: Figures, zone: str) -> list[Row]:
    """Those whose last turn lies in these days: from the registry, and from the months it was archived to."""
    rows: dict[str, Row] = {}
    months = {clock.month(found.first_day), clock.month(found.last_day)}
    for name in names(home.archive_rows):
        if name.startswith("sessions-") and name.endswith(".jsonl") and name[9:16] >= min(months):
            for held in records.each(os.path.join(home.archive_rows, name)):
                if isinstance(held.get("row"), dict):
                    rows[str(held.get("key"))] = held["row"]
    rows.update((key, row) for key, row in state.read(home, home.sessions).items() if isinstance(row, dict))
    told = []
    for key, row in rows.items():
        day = _day(row.get("last"), zone)
        if found.first_day <= day <= found.last_day:
            name = str(row.get("name") or "untitled session")
            told.append({**{k: row.get(k) for k in ("summary", "cwd", "agent", "prompts")}, "day": day, "name": name,
                         "session": key, "last": str(row.get("last"))})  # fmt: skip
    return sorted(told, key=lambda row: (row["last"], row["session"]))


def _projects(home: Home, sessions: list[Row]) -> list[Row]:
    """How many sessions each known project saw, the busiest first."""
    known = {root: row for root, row in state.read(home, home.projects).items() if isinstance(row, dict)}
    counted: dict[str, int] = {}
    for session in sessions:
        cwd = str(session.get("cwd") or "")
        roots = [root for root in known if cwd == root or cwd.startswith((root + "/", root + "\\"))]
        if roots:
            root = max(roots, key=len)
            counted[root] = counted.get(root, 0) + 1
    rows = [
        {"name": str(known[root].get("name") or os.path.basename(root)), "root": root, "sessions": number}
        for root, number in counted.items()
    ]
    return sorted(rows, key=lambda row: (-row["sessions"], row["root"]))


def _within(rows: Iterator[Row], found: Figures, zone: str) -> Iterator[tuple[str, Row]]:
    for row in rows:
        day = _day(row.get("ts"), zone)
        if found.first_day <= day <= found.last_day:
            yield day, row


def _day(stamp: object, zone: str) -> str:
    """The user's day of a recorded time; empty for none."""
    try:
        return clock.day(clock.parse(str(stamp)), zone)
    except ValueError:
        return ""


def names(folder: str) -> list[str]:
    """What a folder holds, in order, without hidden files; nothing for one that is not there."""
    try:
        return sorted(name for name in os.listdir(folder) if name[0] != ".")
    except OSError:
        return []


def _is_rating(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0
