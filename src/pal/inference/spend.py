"""What models may be asked in a day, and how much of it is used: counted in one file, in the user's days.

A call is counted before it is made and refused when the day's share is used or cannot be counted."""

from __future__ import annotations

from pal.base import clock, locks, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home
    from pal.base.settings import Settings

DAILY_CALLS = 60
DAILY_TOKENS = 500_000  # sixty lean calls use about half of it
_KEPT = 92  # days; older ones move to dated files


class Day:
    """One day's calls and tokens, and how many there may be."""

    __slots__ = ("calls", "calls_limit", "name", "tokens", "tokens_limit")

    def __init__(self, name: str, row: Any, settings: Settings) -> None:
        self.name = name
        self.calls = _number(row, "calls")
        self.tokens = _number(row, "tokens")
        self.calls_limit = settings.number("inference.daily_calls", DAILY_CALLS)
        self.tokens_limit = settings.number("inference.daily_tokens", DAILY_TOKENS)

    @property
    def stop(self) -> str:
        """Why no more may be asked today; empty while something is left."""
        if self.calls >= self.calls_limit:
            return f"today's {self.calls_limit} model calls are used up (inference.daily_calls in pal-settings.json)"
        if self.tokens >= self.tokens_limit:
            return f"today's {self.tokens_limit:,} tokens are used up (inference.daily_tokens in pal-settings.json)"
        return ""

    def facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("name", "calls", "calls_limit", "tokens", "tokens_limit")}


def today(home: Home, settings: Settings, now: float) -> Day:
    """How the day stands; changes nothing."""
    name = clock.day(now, settings.zone)
    return Day(name, state.read(home, home.spend).get(name), settings)


def days(home: Home) -> dict[str, dict[str, Any]]:
    """Every day that is kept, by its name: `calls`, `tokens`, and per route the same below `routes`."""
    return {name: row for name, row in sorted(state.read(home, home.spend).items()) if isinstance(row, dict)}


def reserve(home: Home, settings: Settings, route: str, now: float) -> str:
    """Count one call; gives why it may not be made, empty when it may."""
    name = clock.day(now, settings.zone)
    refusal = [""]

    def count(value: dict[str, Any]) -> None:
        refusal[0] = Day(name, value.get(name), settings).stop
        if not refusal[0]:
            _add(value, name, route, 1, 0)

    try:
        state.update(home, home.spend, count, now, _KEPT, "day")
    except locks.Busy:
        return "the count of today's model calls is locked by another process"
    except OSError as fault:
        return f"the count of today's model calls cannot be kept ({fault.strerror or fault})"
    return refusal[0]


def record(home: Home, settings: Settings, route: str, tokens: int, now: float) -> None:
    """Add what a counted call used. Where that cannot be written the call itself stays counted."""
    name = clock.day(now, settings.zone)
    try:
        state.update(home, home.spend, lambda value: _add(value, name, route, 0, tokens), now, _KEPT, "day")
    except OSError:
        return


def _add(value: dict[str, Any], name: str, route: str, calls: int, tokens: int) -> None:
    row = value.get(name)
    row = row if isinstance(row, dict) else {"day": name}
    routes = row.get("routes")
    routes = routes if isinstance(routes, dict) else {}
    part = routes.get(route)
    routes[route] = {"calls": _number(part, "calls") + calls, "tokens": _number(part, "tokens") + tokens}
    row.update(calls=_number(row, "calls") + calls, tokens=_number(row, "tokens") + tokens, routes=routes)
    value[name] = row


def _number(row: Any, key: str) -> int:
    value = row.get(key) if isinstance(row, dict) else 0
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
