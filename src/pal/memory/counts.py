"""How much PAL remembers, for the greeting and the status line: `state/counts.json`, a cache of numbers by name.

Captures add one; `recount`, a job or a command, counts the files themselves and so mends whatever was missed."""

from __future__ import annotations

import os

from pal.base import clock, locks, log, records, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

_TOLD = "updated"


def read(home: Home) -> dict[str, int]:
    """The numbers by name (ratings, failures, learnings, sessions, …), as last counted."""
    held = state.read(home, home.counts)
    return {name: value for name, value in held.items() if isinstance(value, int) and not isinstance(value, bool)}


def bump(home: Home, name: str, now: float, by: int = 1) -> None:
    """Add to one number."""

    def change(held: dict[str, Any]) -> None:
        before = held.get(name)
        held[name] = (before if isinstance(before, int) else 0) + by
        held[_TOLD] = clock.iso(now)

    try:
        state.update(home, home.counts, change, now)
    except locks.Busy:
        log.debug(home, "counts", f"{name} was not counted; the next recount mends it")


def recount(home: Home, now: float) -> dict[str, int]:
    """Count everything anew; reads whole folders and logs, so never in a hook."""
    counted = {
        "ratings": sum(1 for row in records.each(home.ratings) if row.get("type") == "rating"),
        "failures": _notes(home.failures),
        "learnings": _notes(home.session_learning),
        "sessions": len(_sessions(home)),
        "projects": len(state.read(home, home.projects)),
        "frames": _notes(home.wisdom),
        "reflections": _notes(home.reflections),
        "syntheses": _notes(home.synthesis),
        "relationship_days": _notes(home.relationship) - _notes(home.reflections),
    }

    def change(held: dict[str, Any]) -> None:
        held.update(counted)
        held[_TOLD] = clock.iso(now)

    state.update(home, home.counts, change, now)
    return counted


def _notes(folder: str) -> int:
    """The Markdown files below the folder."""
    return sum(name.endswith(".md") for _, _, names in os.walk(folder) for name in names)


def _sessions(home: Home) -> set[str]:
    """Every session known, those in the registry and those that made room."""
    known = set(state.read(home, home.sessions))
    if os.path.isdir(home.archive_rows):
        for name in os.listdir(home.archive_rows):
            if name.startswith("sessions-") and name.endswith(".jsonl"):
                path = os.path.join(home.archive_rows, name)
                known.update(str(row.get("key")) for row in records.each(path))
    return known
