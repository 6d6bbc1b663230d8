"""Whether two short statements say the same, for opinions, frames and patterns: the one place that decides it."""

from __future__ import annotations

from pal.base import text
from pal.memory.spoken import vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LIKE = 0.5  # from here on two statements say the same: half of what tells them apart from others is shared
OPPOSED = 0.8  # from here on they are about just the same, so that a "not" in one of them makes them opposites
# Who thinks it and that they do: in every statement about a person, so they tell none from another.
_ATTITUDE = frozenset(
    map(
        text.stem,
        vocabulary(
            "user likes liked prefers preferred preference wants wanted loves loved enjoys favours favors uses using "
            "used tends usually often generally always never dislikes hates avoids longer"
        ),
    )
)
_NEGATIVE = vocabulary("never dislikes dislike hates hate avoids avoid doesnt dont isnt wont")
_NEGATED = frozenset(("do not", "does not", "is not", "will not", "no longer", "should not", "must not"))


class Known:
    """Statements that others are compared with, each read once."""

    __slots__ = ("_read",)

    def __init__(self, statements: Sequence[str]) -> None:
        self._read = [(_telling(said), _denies(said), _plain(said)) for said in statements]

    def nearest(self, said: str) -> int:
        """The place of the statement most like this one, the first of equals; -1 when none is alike."""
        best, at = 0.0, -1
        words, denies, plain = _telling(said), _denies(said), _plain(said)
        for place, (other, other_denies, other_plain) in enumerate(self._read):
            found = text.overlap(words, other) if denies == other_denies else 0.0
            found = 1.0 if plain == other_plain else found
            if found >= LIKE and found > best:
                best, at = found, place
        return at

    def opposed(self, said: str) -> list[int]:
        """The places of those that this one denies: `Hates long answers` does so to `Likes long answers`."""
        words, denies = _telling(said), _denies(said)
        return [
            place
            for place, (other, other_denies, _) in enumerate(self._read)
            if denies != other_denies and text.overlap(words, other) >= OPPOSED
        ]


def nearest(said: str, others: Sequence[str]) -> int:
    """The place of the statement most like this one, the first of equals; -1 when none is alike."""
    return Known(others).nearest(said)


def _telling(said: str) -> frozenset[str]:
    """The keywords that tell what a statement is about; all of them where it says nothing else."""
    words = frozenset(text.keywords(said))
    return words - _ATTITUDE or words


def _denies(said: str) -> bool:
    words = text.words(said.replace("'", "").replace("’", ""))
    return bool(_NEGATIVE.intersection(words)) or any(f"{a} {b}" in _NEGATED for a, b in zip(words, words[1:]))


def same(one: str, other: str) -> bool:
    """True for the same words, whatever their case and spacing."""
    return _plain(one) == _plain(other)


def _plain(said: str) -> str:
    return " ".join(said.casefold().split())


def groups(statements: Sequence[str]) -> list[list[int]]:
    """The places of statements that belong together, the largest group first; one that is alone makes its own.

    A group forms around the statement with the most others like it, the earlier of two such; it comes first in it."""
    words = [(_telling(said), _denies(said), _plain(said)) for said in statements]
    near: list[set[int]] = [{place} for place in range(len(statements))]
    for place, (own, denies, plain) in enumerate(words):
        for other in range(place):
            alike = denies == words[other][1] and text.overlap(own, words[other][0]) >= LIKE
            if alike or plain == words[other][2]:
                near[place].add(other)
                near[other].add(place)
    left = set(range(len(statements)))
    found: list[list[int]] = []
    while left:
        centre = min(left, key=lambda place: (-len(near[place] & left), place))
        members = near[centre] & left
        found.append([centre, *sorted(members - {centre})])
        left -= members
    return found
