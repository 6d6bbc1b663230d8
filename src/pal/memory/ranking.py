"""Ranks what the index offers for a question: own BM25 over the streams, words side by side, how much is covered.

Constants were chosen on conversations 0 to 4 of LoCoMo (`tests/bench/retrieval.py` measures). Nothing here knows the
time or who asks: the same question to the same memory has the same answer, ties go by name."""

from __future__ import annotations

from pal.memory.index.gate import SHORTEST_MISTYPED
from pal.memory.similarity import Measure
from pal.memory.telling import idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pal.memory.index.documents import Document
    from pal.memory.index.reader import Reader, Scope

WEIGHTS = (1.0, 1.5, 0.45, 0.2, 0.5)  # of text, key, near, far, date
CANDIDATES = 60
_K1, _B = 0.7, 0.4
_TOGETHER = 0.15  # for two words of the question that stand side by side in the text
_COVERED = 0.5  # for holding all of the question instead of a part
_LIKE = 0.7  # what a word that means the same counts
_NEAR = 0.8  # what a word that differs by one letter counts
_LARGE, _COMMON = 50_000, 20  # in an index this large, words that every twentieth document holds are not asked for
_FEW = 2  # … when so many others remain


class Question:
    """The stems of a question with what each tells. `instead` are stems that stand for one of them, with (that one,
    what it counts): words that mean the same, and what an unknown stem may be a mistyping of (`mistyped`)."""

    __slots__ = ("docs", "instead", "itself", "known", "measure", "mistyped", "telling", "terms")

    def __init__(
        self, reader: Reader, terms: Sequence[str], like: dict[str, tuple[str, ...]], names_only: bool = False
    ) -> None:
        """With `names_only` an unknown stem may be the mistyping of a name's only."""
        self.docs = reader.docs
        self.terms = list(dict.fromkeys(terms))
        others = {other for term in self.terms for other in like.get(term, ())}
        self.known = reader.counts([*self.terms, *sorted(others.difference(self.terms))])
        self.telling = {term: idf(self.docs, self.known.get(term, 0), term) for term in self.terms}
        self.instead: dict[str, tuple[str, float]] = {}
        self.mistyped: set[str] = set()
        for term in self.terms:
            for other in like.get(term, ()):
                if other in self.known and other not in self.telling:
                    self.instead[other] = (term, _LIKE * self._worth(other, self.known[other], term))
        for term in self.terms:
            if term not in self.known and len(term) >= SHORTEST_MISTYPED:
                for other, df in _mistyped(term, reader, names_only):
                    if other not in self.telling and other not in self.instead:
                        self.instead[other] = (term, _NEAR * self._worth(other, df, term))
                        self.mistyped.add(other)
        texts = reader.totals[0] / reader.docs if reader.docs else 0.0
        self.measure = Measure(terms, self.telling, texts)
        self.itself = sum(self.telling.values())

    def _worth(self, other: str, df: int, term: str) -> float:
        """What is known of a word is what it tells: a common one does not become rare by standing for a rare one."""
        return min(1.0, idf(self.docs, df, other) / self.telling[term]) if self.telling[term] else 1.0

    def asked(self) -> list[str]:
        """The stems to look for: the known ones, without those that a large index has everywhere."""
        found = [term for term in self.terms if term in self.known] + list(self.instead)
        if self.docs >= _LARGE:
            rare = [term for term in found if self.known.get(term, 0) * _COMMON <= self.docs]
            found = rare if len(rare) >= _FEW else found
        return found

    def score(self, one: Document) -> float:
        """How much of the question a document's own text and key say, from 0 to 1."""
        text, key = ([self._meant(stem) for stem in stream.split()] for stream in one.streams[:2])
        return self.measure.of(text, key)

    def held(self, stems: Sequence[str]) -> set[str]:
        """The question's stems that are among these, or a word that means the same; mistyped ones do not count."""
        found = set()
        for stem in stems:
            if stem in self.telling:
                found.add(stem)
            elif stem in self.instead and stem not in self.mistyped:
                found.add(self.instead[stem][0])
        return found

    def _meant(self, stem: str) -> str:
        return stem if stem in self.telling else self.instead.get(stem, (stem,))[0]


class Found:
    """A document with its rank's value and the share of the question it covers."""

    __slots__ = ("covered", "document", "held", "value")

    def __init__(self, document: Document, value: float, covered: float, held: set[str]) -> None:
        self.document = document
        self.value = value
        self.covered = covered
        self.held = held  # the question's stems that it has


def ranked(reader: Reader, question: Question, scope: Scope, limit: int = CANDIDATES) -> list[Found]:
    """The candidates, best first."""
    return scored(reader, question, reader.candidates(question.asked(), limit, scope))


def scored(reader: Reader, question: Question, found: Sequence[Document]) -> list[Found]:
    """These documents, best first."""
    average = sum([weight * total for weight, total in zip(WEIGHTS, reader.totals)]) / max(1, reader.docs)
    rated = [_scored(one, question, average or 1.0) for one in found]
    rated.sort(key=lambda entry: (-round(entry.value, 9), entry.document.ref, entry.document.seq))
    return rated


def _scored(one: Document, question: Question, average: float) -> Found:
    streams = [stream.split(" ") if stream else [] for stream in one.streams]
    length = sum([weight * len(stream) for weight, stream in zip(WEIGHTS, streams)])
    norm = _K1 * (1 - _B + _B * length / average)
    value, covered, held = 0.0, 0.0, set()
    weights: dict[str, float] = {}
    for term in question.terms:
        count = _count(term, streams)
        if count:
            weights[term] = count
    for other, (term, worth) in question.instead.items():
        count = _count(other, streams) * worth
        if count > weights.get(term, 0.0):
            weights[term] = count
    for term, count in weights.items():
        tells = question.telling[term]
        value += tells * count * (_K1 + 1) / (count + norm)
        covered += tells
        held.add(term)
    text = f" {one.streams[0]} "
    for first, second in zip(question.terms, question.terms[1:]):
        if first in held and second in held and f" {first} {second} " in text:
            value += _TOGETHER * (question.telling[first] + question.telling[second])
    share = covered / question.itself if question.itself else 0.0
    return Found(one, value * (1 + _COVERED * share), share, held)


def _count(term: str, streams: list[list[str]]) -> float:
    return sum([weight * stream.count(term) for weight, stream in zip(WEIGHTS, streams) if stream])


def _mistyped(term: str, reader: Reader, names_only: bool) -> list[tuple[str, int]]:
    """Known stems that differ from the unknown one by one letter or one swap, with their counts. One with another end
    is another word; only a name may have a letter more at its end."""
    beginning = reader.names_beginning if names_only else reader.beginning
    near = []
    for other, df in beginning(term[0], max(SHORTEST_MISTYPED, len(term) - 1), len(term) + 1):
        another_end = term.startswith(other[:-1]) or other.startswith(term[:-1])
        longer_name = names_only and term[:-1] == other
        if one_edit(term, other) and (longer_name or not another_end):
            near.append((-df, other))
    return [(other, -df) for df, other in sorted(near)[:3]]


def one_edit(one: str, other: str) -> bool:
    """True for words that differ by one letter more, less or other, or by two neighbours that changed places."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    at = 0
    shorter = min(len(one), len(other))
    while at < shorter and one[at] == other[at]:
        at += 1
    if len(one) == len(other):
        if one[at + 1 :] == other[at + 1 :]:
            return True
        return one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    longer, less = (one, other) if len(one) > len(other) else (other, one)
    return longer[at + 1 :] == less[at:]
