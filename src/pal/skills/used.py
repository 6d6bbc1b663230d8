"""How often each skill was used, by agents and by hand, and when last: one row a skill in a small state file."""

from __future__ import annotations

from pal.base import clock, locks, log, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

_MOST = 500  # rows; the ones used longest ago make room
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_:.")


def note(home: Home, name: str, now: float) -> None:
    """Count one use. What is no skill's name is not counted, and a busy file is no reason to make anybody wait."""
    name = name.strip().lstrip("/").lower()
    if not name or len(name) > 64 or not _LETTERS.issuperset(name):
        return

    def change(held: dict[str, Any]) -> None:
        before = held.get(name)
        uses = before.get("uses") if isinstance(before, dict) else None
        held[name] = {"uses": (uses if isinstance(uses, int) else 0) + 1, "last": clock.iso(now)}

    try:
        state.update(home, home.skills_used, change, now, keep=_MOST)
    except locks.Busy:
        log.debug(home, "skills", f"a use of {name} was not counted")


def counts(home: Home) -> dict[str, tuple[int, str]]:
    """(uses, time of the last one) by skill."""
    found = {}
    for name, row in state.read(home, home.skills_used).items():
        uses = row.get("uses") if isinstance(row, dict) else None
        if isinstance(uses, int) and not isinstance(uses, bool):
            found[name] = (uses, str(row.get("last") or ""))
    return found
