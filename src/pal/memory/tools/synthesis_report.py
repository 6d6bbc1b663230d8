"""Writes the reports over a week or a month (`synthesis/YYYY-MM/YYYY-MM-DD_<period>.md`) that sessions are told of.

Every number is counted, so the same files give the same report; a model, where one is at hand, adds a few sentences
and is never shown an older report's."""

from __future__ import annotations

import os

from pal.base import clock, redaction, text
from pal.base.asking import nobody
from pal.base.errors import PalError
from pal.memory.tools import figures, frames, opinion_book, pages, patterns, wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.asking import Ask
    from pal.base.home import Home
    from pal.memory.tools.figures import Figures

PERIODS = {"weekly": 7, "monthly": 30}  # days
_DAY = 86_400.0
_TITLES = 6  # sessions named of one day
_SHOWN = 5  # lines of each other list
_NARRATIVE = 1_200  # UTF-16 units
_SYSTEM = (
    "You write the opening paragraph of a report that a software assistant keeps about its own work with one user. "
    "From the facts given, say in at most 90 words of plain prose what the period was about, what went well, what did "
    "not, and the one thing to do differently. Use only these facts. No headings, no lists, no greeting."
)


def due(home: Home, period: str, now: float, zone: str = "") -> bool:
    """Whether the last report of this kind, or else the first session, is a period ago, and there was work since."""
    days = PERIODS[period]
    last = last_day(home, period)
    if last > clock.day(now - days * _DAY, zone):
        return False
    counted = figures.count(home, now, zone, days)
    return bool(counted.sessions) and (bool(last) or figures.began(home, zone) <= counted.first_day)


def last_day(home: Home, period: str) -> str:
    """The day of the newest report of this kind; empty when there is none."""
    for month in reversed(figures.names(home.synthesis)):
        days = [name[:10] for name in figures.names(os.path.join(home.synthesis, month)) if f"_{period}" in name]
        if days:
            return max(days)
    return ""


def write(home: Home, period: str, ask: Ask, now: float, zone: str = "", session: str = "") -> str:
    """Write (or renew) today's report of a period, `weekly` or `monthly`; its path."""
    fields, body = draft(home, period, ask, now, zone, session)
    day = clock.day(now, zone)
    return pages.report(os.path.join(home.synthesis, clock.month(day), f"{day}_{period}"), fields, body)


def draft(
    home: Home, period: str, ask: Ask, now: float, zone: str = "", session: str = ""
) -> tuple[dict[str, Any], str]:
    """The report's header fields and its text, without writing it."""
    if period not in PERIODS:
        raise PalError(f"There is no period {period!r}; use {' or '.join(PERIODS)}.")
    counted = figures.count(home, now, zone, PERIODS[period])
    facts = _facts(home, counted, now, zone)
    said = _narrative(ask, facts, session) if counted.sessions or counted.ratings else ""
    title = f"# {period.capitalize()} synthesis, {counted.first_day} to {counted.last_day}"
    fields = {
        "period": period,
        "from": counted.first_day,
        "to": counted.last_day,
        "sessions": len(counted.sessions),
        "narrative": bool(said),
    }
    return fields, "\n\n".join(part for part in (title, said, facts) if part)


def _narrative(ask: Ask, facts: str, session: str) -> str:
    if ask is nobody:
        return ""
    answer = ask(_SYSTEM, redaction.scrub(facts), tier="small", caller="synthesis", session=session)
    return wording.line(answer.text, _NARRATIVE) if answer.ok else ""


def _facts(home: Home, counted: Figures, now: float, zone: str) -> str:
    parts = [_overview(counted)]
    by_day: dict[str, list[str]] = {}
    for row in counted.sessions:
        by_day.setdefault(row["day"], []).append(row["name"])
    parts.append(_section("Sessions", [_day_line(day, names) for day, names in by_day.items()]))
    parts.append(
        _section("Projects", [f"{row['name']}: {figures.many(row['sessions'], 'session')}" for row in counted.projects])
    )
    low = [(row, _line(row.get("principle") or row.get("context"))) for row in counted.failures]
    parts.append(
        _section(
            "What led to low ratings",
            [f"{row['day']}, {row.get('rating', '?')}/10: {said}" for row, said in low if said],
        )
    )
    found = patterns.find(home, now, zone)
    parts.append(
        _section(
            "What keeps coming up",
            [f"{pattern.principle} ({pattern.domain}, {pattern.occurrences} sessions)" for pattern in found],
        )
    )
    parts.append(_section("Opinions that moved", _moved(home, counted)))
    parts.append(_section("Principles noted", _crystallised(home, counted)))
    return "\n\n".join(part for part in parts if part)


def _overview(counted: Figures) -> str:
    rated = figures.rated([row["rating"] for row in counted.ratings])
    days = len({row["day"] for row in counted.sessions})
    lines = [f"- {figures.many(len(counted.sessions), 'session')} on {figures.many(days, 'day')}"]
    if rated["count"]:
        given = figures.many(rated["count"], "rating")
        lines.append(f"- {given}: {rated['average']} on average, {rated['low']} low, {rated['trend']}")
    else:
        lines.append("- no ratings")
    lines.append(
        f"- {figures.many(len(counted.learnings), 'learning')}, {figures.many(len(counted.failures), 'failure')}"
    )
    lines.append(f"- noted: {figures.noted(counted.notes)}")
    work = figures.performance(counted.algorithm)
    if work["reflections"]:
        tasks = figures.many(work["reflections"], "task")
        lines.append(f"- {tasks} looked back on: {work['passed']} of {work['criteria']} criteria passed")
    return "## In numbers\n\n" + "\n".join(lines)


def _day_line(day: str, names: list[str]) -> str:
    more = f" (and {len(names) - _TITLES} more)" if len(names) > _TITLES else ""
    return f"{day}: {'; '.join(names[:_TITLES])}{more}"


def _moved(home: Home, counted: Figures) -> list[str]:
    """Each opinion with evidence of these days: where it stood before the first of them, and where it stands."""
    lines = []
    for row in opinion_book.load(home):
        pieces = [
            piece
            for piece in opinion_book.evidence(row)
            if counted.first_day <= str(piece.get("date")) <= counted.last_day
        ]
        before = next((piece["from"] for piece in pieces if "from" in piece), None)
        is_new = any(piece.get("type") == opinion_book.NOTED for piece in pieces)
        if is_new:
            lines.append(f"new, now at {row['confidence']:.0%}: {row['statement']}")
        elif before is not None:
            lines.append(f"from {before:.0%} to {row['confidence']:.0%}: {row['statement']}")
    return lines


def _crystallised(home: Home, counted: Figures) -> list[str]:
    lines = []
    for domain in frames.names(home):
        frame = frames.load(home, domain)
        for line in frame.log if frame else []:
            if counted.first_day <= line[:10] <= counted.last_day:
                lines.append(f"{domain}: {line[10:].lstrip(': ')}")
    return lines


def _section(title: str, lines: list[str]) -> str:
    if not lines:
        return ""
    more = [f"- (and {len(lines) - _SHOWN - 2} more)"] if len(lines) > _SHOWN + 2 else []
    shown = lines[: _SHOWN + 2]
    return f"## {title}\n\n" + "\n".join([*("- " + line for line in shown), *more])


def _line(said: object) -> str:
    return text.clip(" ".join(str(said or "").split()), 160)
