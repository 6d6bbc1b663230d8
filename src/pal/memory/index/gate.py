"""Says, before SQLite is loaded at all, that nothing remembered can answer a prompt: most prompts have no answer.

A table of how many documents each stem occurs in, in a file: a prompt is worth a look when it holds a name of a memory,
or two known stems that carry enough of what it says. It may say yes in vain, never no to a match, since it knows at
least what the index knows (`build` writes it first). A hook reads one block a stem, so its time does not grow.

A block has eight places of eight bytes, 42 bits of a stem's fingerprint, a bit for a name, 21 bits for the count; a
stem whose block is full is in the next that is not."""

from __future__ import annotations

import os

from pal.base import files
from pal.base.text import fingerprint
from pal.memory.telling import coverage_known, idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHORTEST_MISTYPED = 4  # letters
MAGIC = b"PALGATE2"
GENERATION = 8  # bytes that name the index
_HEADER = 64  # … then the number of blocks, of stems and of documents
_BLOCK, _PLACE = 64, 8
_PLACES = _BLOCK // _PLACE
_FULL = 4  # stems a block on average, at most
_FEWEST = 64  # blocks
_NAME = 1 << 21
_MOST = _NAME - 1
_MASK = (1 << 42) - 1


class Gate:
    """The table in memory, to be added to; `full` says that it must be made anew, greater."""

    __slots__ = ("blocks", "data", "docs", "generation", "stems")

    def __init__(self, generation: bytes, data: bytearray, stems: int, docs: int) -> None:
        self.generation = generation
        self.data = data
        self.blocks = len(data) // _BLOCK
        self.stems = stems
        self.docs = docs

    @property
    def full(self) -> bool:
        return self.stems > self.blocks * (_FULL + 1)

    def put(self, term: str, count: int, name: bool) -> None:
        """Note in how many documents a stem is; a name stays one."""
        print_of = fingerprint(term)
        mark, at = (print_of >> 8) & _MASK or 1, print_of % self.blocks
        while True:
            for place in range(at * _BLOCK, (at + 1) * _BLOCK, _PLACE):
                held = int.from_bytes(self.data[place : place + _PLACE], "little")
                if not held or held >> 22 == mark:
                    self.stems += not held
                    value = mark << 22 | (held & _NAME) | (_NAME if name else 0) | min(max(count, 0), _MOST)
                    self.data[place : place + _PLACE] = value.to_bytes(_PLACE, "little")
                    return
            at = (at + 1) % self.blocks

    def put_name(self, term: str, count: int) -> None:
        """Note the stem that a name is known by, and what it may look like when it is mistyped."""
        self.put(term, count, True)
        for near in mistakes(term):
            self.put(near, 0, True)

    def save(self, path: str) -> None:
        files.write(path, self.head() + self.data)

    def head(self) -> bytes:
        counts = b"".join(number.to_bytes(4, "little") for number in (self.blocks, self.stems, self.docs))
        return (MAGIC + self.generation + counts).ljust(_HEADER, b"\0")


def make(generation: bytes, counts: Mapping[str, int], names: Iterable[str], docs: int) -> Gate:
    """A table of these stems with room for half as many again."""
    names = set(names)
    expected = len(counts) + sum(len(term) + 1 for term in names)
    blocks = max(_FEWEST, expected * 3 // 2 // _FULL)
    made = Gate(generation, bytearray(blocks * _BLOCK), 0, docs)
    for term, count in counts.items():
        made.put(term, count, False)
    for term in names:
        made.put_name(term, counts.get(term, 0))
    return made


def load(path: str) -> Gate | None:
    """The table in the file; None when there is none or it is not whole."""
    try:
        data = files.read_bytes(path) or b""
    except OSError:
        return None
    if not _whole(data[:_HEADER], len(data)):
        return None
    begin = len(MAGIC)
    return Gate(data[begin : begin + GENERATION], bytearray(data[_HEADER:]), _number(data, 1), _number(data, 2))


def may_match(path: str, terms: list[str], like: Mapping[str, Iterable[str]]) -> bool:
    """False when no document can pass for a prompt of these stems; True without a whole table to tell.

    `like` are the stems that mean the same as a stem."""
    try:
        descriptor = files.open_to_read(path)
    except OSError:
        return True
    try:
        head = os.read(descriptor, _HEADER)
        if not _whole(head, os.fstat(descriptor).st_size):
            return True
        blocks, docs = _number(head, 0), _number(head, 2)
        counts: dict[str, int] = {}
        known = set()
        for term in terms:
            held = _held(descriptor, blocks, term)
            if held & _NAME:
                return True
            counts[term] = held & _MOST
            if counts[term] or any(_held(descriptor, blocks, other) & _MOST for other in like.get(term, ())):
                known.add(term)
            if not counts[term] and any(_held(descriptor, blocks, near) & _NAME for near in mistakes(term)):
                return True
        return coverage_known(terms, {term: idf(docs, counts[term], term) for term in terms}, known)
    except OSError:
        return True
    finally:
        os.close(descriptor)


def mistakes(term: str) -> list[str]:
    """What a stem and one that is mistyped by a letter have in common: each lists itself without one of its letters."""
    if len(term) < SHORTEST_MISTYPED:
        return []
    return ["~" + term, *("~" + term[:at] + term[at + 1 :] for at in range(1, len(term)))]


def _held(descriptor: int, blocks: int, term: str) -> int:
    print_of = fingerprint(term)
    mark, at = (print_of >> 8) & _MASK or 1, print_of % blocks
    for _ in range(blocks):
        os.lseek(descriptor, _HEADER + at * _BLOCK, os.SEEK_SET)
        block = os.read(descriptor, _BLOCK)
        for place in range(0, _BLOCK, _PLACE):
            held = int.from_bytes(block[place : place + _PLACE], "little")
            if held >> 22 == mark:
                return held & (_NAME | _MOST)
            if not held:
                return 0
        at = (at + 1) % blocks
    return 0


def _number(head: bytes, which: int) -> int:
    at = len(MAGIC) + GENERATION + 4 * which
    return int.from_bytes(head[at : at + 4], "little")


def _whole(head: bytes, size: int) -> bool:
    blocks = _number(head, 0)
    return bool(blocks) and head[: len(MAGIC)] == MAGIC and size == _HEADER + blocks * _BLOCK
