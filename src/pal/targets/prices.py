"""What tokens cost: US dollars for a million, by how a model's name begins; the user's settings come first (cold)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pal.targets.usage import Used

SETTING = "usage.prices"
KINDS = ("input", "output", "cache_write", "cache_write_long", "cache_read")
Price = Mapping[str, float]
_MILLION = 1_000_000


def _row(*numbers: float) -> dict[str, float]:
    return dict(zip(KINDS, numbers))


# List prices as their makers publish them; a model that is not here has no price until the user gives it one.
PRICES: dict[str, dict[str, float]] = {
    "claude-haiku-4-5": _row(1, 5, 1.25, 2, 0.1),
    "claude-sonnet-4-5": _row(3, 15, 3.75, 6, 0.3),
    "claude-sonnet-4-6": _row(3, 15, 3.75, 6, 0.3),
    "claude-sonnet-5": _row(3, 15, 3.75, 6, 0.3),
    "claude-opus-4-5": _row(5, 25, 6.25, 10, 0.5),
    "claude-opus-4-6": _row(5, 25, 6.25, 10, 0.5),
    "claude-opus-5": _row(5, 25, 6.25, 10, 0.5),
    "claude-fable-5": _row(10, 50, 12.5, 20, 1),
}


def table(given: Any) -> dict[str, Price]:
    """The shipped prices with the user's over them; what is no price is left out."""
    found: dict[str, Price] = dict(PRICES)
    for model, row in given.items() if isinstance(given, dict) else ():
        if isinstance(row, dict):
            numbers = {
                kind: float(value)
                for kind, value in row.items()
                if kind in KINDS and isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
            }
            found[str(model)] = {**found.get(str(model), {}), **numbers}
    return found


def of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model: its own, else that of the longest name in the table that its name begins with."""
    if model in prices:
        return prices[model]
    begins = [name for name in prices if model.startswith(name)]
    return prices[max(begins, key=len)] if begins else None


def cost(used: Used, price: Price) -> float:
    """Dollars for one request."""
    dollars: float = sum(getattr(used, kind) * price.get(kind, 0.0) for kind in KINDS)
    return dollars / _MILLION
