"""Graduates what recurs into the wisdom frames, at most once a day; what may not graduate waits for the user to decide.

`memory/tools/patterns` says what recurs and which of it is fit. A log of frustration is no principle: only what came up
in three sessions, can be acted on and is phrased as advice is crystallised here."""

from __future__ import annotations

from pal.base import clock, locks, log, state
from pal.memory.tools import frames, likeness, patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

EVERY = 86_400.0  # seconds
_SLACK = 3600.0  # a day's round may come a little early
_KEPT = 200  # graduated patterns that are remembered
_CANDIDATES = 20


def run(home: Home, now: float, zone: str = "", force: bool = False) -> list[Row]:
    """Crystallise what is ready; gives what graduated now. Does nothing within a day of the last time.

    Three things keep a pattern from graduating twice: the day's pause, the list of what did, and the frame itself."""
    if not force and clock.age(state.read(home, home.graduated).get("lastRun"), now) < EVERY - _SLACK:
        return []
    found = patterns.find(home, now, zone)
    done: list[Row] = []

    def change(held: dict[str, Any]) -> None:
        known = _rows(held, "graduated")
        waiting = []
        for pattern in found:
            if not pattern.is_candidate or _is_known(known, pattern.principle):
                continue
            if not pattern.ready:
                waiting.append({**pattern.facts(), "seen": clock.iso(now)})
                continue
            row = {**pattern.facts(), "graduatedAt": clock.iso(now)}
            if frames.nearest_crystal(home, pattern.domain, pattern.principle) is None:
                sure = max(patterns.PROMOTED, pattern.confidence)
                detail = f"Came up in {pattern.occurrences} sessions."
                frames.crystallise(home, pattern.domain, frames.PRINCIPLE, pattern.principle, sure, now, zone, detail)
                done.append(row)
            known.append(row)
        held["graduated"] = known[-_KEPT:]
        held["candidates"] = waiting[:_CANDIDATES]
        held["lastRun"] = clock.iso(now)

    try:
        state.update(home, home.graduated, change, now)
    except locks.Busy:
        log.debug(home, "graduate", "another process is at it")
    return done


def candidates(home: Home) -> list[Row]:
    """What recurs but may not graduate by itself, as of the last round: for the user to put into words or to drop."""
    return _rows(state.read(home, home.graduated), "candidates")


def _rows(held: dict[str, Any], name: str) -> list[Row]:
    rows = held.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _is_known(known: list[Row], principle: str) -> bool:
    return any(likeness.same(str(row.get("principle") or ""), principle) for row in known)
