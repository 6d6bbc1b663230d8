"""Names that no two writers give twice: 26 characters, sorted by the moment they were made (the ULID format)."""

from __future__ import annotations

from pal.base import bare

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_LONG = 26


def sortable(now: float) -> str:
    """48 bits of milliseconds, 80 bits of chance."""
    number = int(now * 1000) << 80 | int.from_bytes(bare.chance(10), "big")
    return "".join([_LETTERS[number >> shift & 31] for shift in range(125, -1, -5)])


def is_sortable(text: object) -> bool:
    """True for a text that has the form of such a name."""
    return isinstance(text, str) and len(text) == _LONG and text[0] < "8" and set(text) <= set(_LETTERS)
