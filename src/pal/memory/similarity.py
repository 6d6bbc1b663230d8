"""How much of one text another says, from 0 to 1, with a meaning that does not change with what else is stored.

BM25 of the text divided by BM25 of the question with itself: 1 when every word that tells something is there, about
0.3 for texts on the same matter, 0.5 and more for restatements. Search scores, duplicates, novelty, opinions and
graduation all use it."""

from __future__ import annotations

from pal.memory.telling import idf
from pal.memory.terms import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

K1, B = 0.9, 0.4
TYPICAL = 14.0  # stems of a text, where there is nothing to take an average of
SAME = 0.95  # from here on two texts say the same
RESTATED = 0.5  # from here on one says what the other says


class Measure:
    """Scores texts against one question: its stems, how much each tells, the average length of a text."""

    __slots__ = ("_itself", "average", "telling", "terms")

    def __init__(self, terms: Sequence[str], telling: Mapping[str, float], average: float) -> None:
        self.terms = list(dict.fromkeys(terms))
        self.telling = telling
        self.average = average or TYPICAL
        self._itself = sum([telling[term] * _gain(1, len(terms), self.average) for term in self.terms])

    def of(self, text: Sequence[str], key: Sequence[str] = ()) -> float:
        """The similarity of a text's stems; what only its key holds counts as said once."""
        if not self._itself:
            return 0.0
        length = len(text)
        found = 0.0
        for term in self.terms:
            count = text.count(term) or (1 if term in key else 0)
            if count:
                found += self.telling[term] * _gain(count, length, self.average)
        return min(1.0, found / self._itself)


def _gain(count: int, length: int, average: float) -> float:
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))


def similarity(question: str, text: str) -> float:
    """How much of `question` is said in `text`, by how common words are in general; not symmetric."""
    asked = stems(question)
    measure = Measure(asked, {term: idf(0, 0, term) for term in asked}, TYPICAL)
    return measure.of(stems(text))


def alike(one: str, other: str) -> float:
    """How much two texts say the same: the smaller of what each says of the other."""
    return min(similarity(one, other), similarity(other, one))
