"""How a value is read out of a hook's payload, whichever of its spellings an agent chose. Every turn reads so."""

from __future__ import annotations

from pal.base import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def text(payload: dict[str, Any], *names: str) -> str:
    """The first of these members that is a text with something in it; "" when none is."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def members(payload: dict[str, Any], *names: str) -> dict[str, Any]:
    """The first of these members that is an object, be it written as JSON inside a text; {} when none is."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                value = jsontext.loads(value)
            except ValueError:
                continue
        if isinstance(value, dict):
            return value
    return {}
