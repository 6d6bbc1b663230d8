"""A prompt's context on its way to a later event of the same prompt, for agents that drop what the first one says.

One text a session, taken once and soon: what is older than two minutes belongs to a prompt that never went out."""

from __future__ import annotations

from pal.base import clock, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

LONGEST = 120.0  # seconds
KEPT = 20  # sessions at a time


def keep(home: Home, session: str, context: str, now: float) -> None:
    """Keep the context of a session's prompt, in place of an earlier one."""
    if session and context:
        state.merge(home, home.parked, session, {"context": context, "last": clock.iso(now)}, now, keep=KEPT)


def take(home: Home, session: str, now: float) -> str:
    """What was kept for this session a moment ago, which is then no longer kept; else empty."""
    row = state.read(home, home.parked).get(session)
    if not isinstance(row, dict):
        return ""

    def without(value: dict[str, Any]) -> None:
        value.pop(session, None)

    state.update(home, home.parked, without, now)
    fresh = clock.age(row.get("last"), now) <= LONGEST
    return str(row.get("context") or "") if fresh else ""
