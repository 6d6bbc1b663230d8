"""Denials that a person lifted: for one use, within a day, of the same command under the same rule in the same folder.

`pal guard allow-once` grants, the hook takes; without it people would switch the guard off."""

from __future__ import annotations

import os

from pal.base import clock, locks, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

LASTS = 86_400.0  # seconds


def grant(home: Home, digest: str, rule: str, now: float) -> None:
    """Allow what has this digest, once. locks.Busy when the file stays locked."""

    def change(held: dict[str, Any]) -> None:
        for old in [key for key, row in held.items() if not _valid(row, now)]:
            del held[old]
        held[digest] = {"rule": rule, "until": clock.iso(now + LASTS)}

    state.update(home, home.guard_once, change, now)


def take(home: Home, digest: str, now: float) -> bool:
    """True if this was allowed and not used yet; from now on it is used."""
    if not os.path.isfile(home.guard_once):
        return False
    taken: list[bool] = []

    def change(held: dict[str, Any]) -> None:
        if digest in held:
            taken.append(_valid(held.pop(digest), now))

    try:
        state.update(home, home.guard_once, change, now)
    except (locks.Busy, OSError):
        return False  # what cannot be struck out could be used twice
    return taken == [True]


def _valid(row: object, now: float) -> bool:
    try:
        return isinstance(row, dict) and now <= clock.parse(str(row.get("until"))) <= now + LASTS + 1
    except ValueError:
        return False
