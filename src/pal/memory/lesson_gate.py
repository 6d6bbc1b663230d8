"""Says, before SQLite is loaded at all, that no lesson can match a prompt: most prompts match none.

A lesson needs two of its key terms in the prompt, so the gate is a Bloom filter over every pair of key terms of every
lesson, and over each key term, which spares most pairs. It may say yes in vain; it never says no to a match, as long as
it holds at least what the index holds (`lesson_index` writes it first). It names the index it was made for.

The filter is made of blocks of 64 bytes and all bits of an item lie in one, so that a hook reads a few blocks of a file
and not the file: its time does not grow with what is remembered."""

from __future__ import annotations

import os

from pal.base import files
from pal.base.text import fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAGIC = b"PALGATE1"
GENERATION = 8  # bytes that name the index
_HEADER = len(MAGIC) + GENERATION + 8  # … then how many items the filter holds, and of how many blocks it is made
_BLOCK = 64  # bytes
_PER_BLOCK = 32  # items: 16 bits for each
_FEWEST = 64  # blocks; a gate for about fifty lessons is 4 kB
_PRIME = 11400714785074694791
_MIX = 1609587929392839161
_SPREAD = 9650029242287828579


class Gate:
    """A filter in memory, to be added to; when `count` goes beyond `capacity`, the index is built anew."""

    __slots__ = ("blocks", "count", "data", "generation")

    def __init__(self, generation: bytes, data: bytearray, count: int) -> None:
        self.generation = generation
        self.data = data
        self.count = count
        self.blocks = len(data) // _BLOCK

    @property
    def capacity(self) -> int:
        return self.blocks * _PER_BLOCK

    def add(self, terms: Sequence[str]) -> None:
        """Take in the key terms of one lesson."""
        for item in items(terms):
            self.put(item)

    def put(self, item: int) -> None:
        """Take in one of what `items` gives."""
        at = item % self.blocks * _BLOCK
        block = int.from_bytes(self.data[at : at + _BLOCK], "little")
        bits = _bits(item)
        if block & bits != bits:
            self.data[at : at + _BLOCK] = (block | bits).to_bytes(_BLOCK, "little")
            self.count += 1

    def save(self, path: str) -> None:
        head = MAGIC + self.generation + self.count.to_bytes(4, "little") + self.blocks.to_bytes(4, "little")
        files.write(path, head + self.data)


def empty(generation: bytes, expected: int) -> Gate:
    """A new gate with room for the expected number of items and half as many again."""
    blocks = max(_FEWEST, (expected + expected // 2) // _PER_BLOCK)
    return Gate(generation, bytearray(blocks * _BLOCK), 0)


def load(path: str) -> Gate | None:
    """The gate in the file; None when there is none or it is not whole."""
    try:
        data = files.read_bytes(path) or b""
    except OSError:
        return None
    blocks = _blocks(data[:_HEADER], len(data))
    if not blocks:
        return None
    count = int.from_bytes(data[_HEADER - 8 : _HEADER - 4], "little")
    return Gate(data[len(MAGIC) : len(MAGIC) + GENERATION], bytearray(data[_HEADER:]), count)


def may_match(path: str, terms: Iterable[str]) -> bool:
    """False when no lesson has two of these terms among its key terms; True without a whole gate to tell."""
    try:
        descriptor = files.open_to_read(path)
    except OSError:
        return True
    try:
        blocks = _blocks(os.read(descriptor, _HEADER), os.fstat(descriptor).st_size)
        if not blocks:
            return True

        def holds(item: int) -> bool:
            os.lseek(descriptor, _HEADER + item % blocks * _BLOCK, os.SEEK_SET)
            bits = _bits(item)
            return int.from_bytes(os.read(descriptor, _BLOCK), "little") & bits == bits

        known = sorted(filter(holds, {fingerprint(term) for term in terms}))
        return any(holds(_pair(smaller, greater)) for at, greater in enumerate(known) for smaller in known[:at])
    except OSError:
        return True
    finally:
        os.close(descriptor)


def items(terms: Sequence[str]) -> list[int]:
    """What the filter holds of a lesson with these key terms."""
    numbers = sorted({fingerprint(term) for term in terms})
    return numbers + [_pair(smaller, greater) for at, greater in enumerate(numbers) for smaller in numbers[:at]]


def _blocks(head: bytes, size: int) -> int:
    """How many blocks a file of this size has that begins like this; 0 when it is no gate, or not a whole one."""
    blocks = int.from_bytes(head[_HEADER - 4 : _HEADER], "little")
    return blocks if head[: len(MAGIC)] == MAGIC and size == _HEADER + blocks * _BLOCK else 0


def _pair(smaller: int, greater: int) -> int:
    return (smaller * _MIX + greater) % _PRIME


def _bits(item: int) -> int:
    """The seven bits of an item in its block of 512."""
    spread = item * _SPREAD % _PRIME
    bits = 0
    for _ in range(7):
        bits |= 1 << (spread & 511)
        spread >>= 9
    return bits
