"""What is known speaks for or against a new text: how novel it is, which memories say it, which contradict it.

The worst-supported part of a text decides, so that a true sentence glued to a new claim does not carry it in. Only
active memories of the user, of trusted writers and of PAL's own work vouch; what came from outside never does."""

from __future__ import annotations

from pal.memory import search, terms
from pal.memory.conflict import CONFLICT, conflict
from pal.memory.index.documents import FAILURE, KNOWLEDGE, LEARNING, MEMORY, OPINION, WISDOM, name_of
from pal.memory.index.reader import Scope
from pal.memory.similarity import RESTATED, SAME, Measure
from pal.memory.telling import idf
from pal.memory.windows import WINDOW, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pal.base.home import Home
    from pal.memory.index.documents import Document
    from pal.memory.index.reader import Reader

SUPPORTED = 0.45  # … and for its worst-supported part, which is shorter and so scatters more
RULES = 1  # the version of these rules, for records of decisions
_VOUCHING = (MEMORY, LEARNING, FAILURE, WISDOM, KNOWLEDGE, OPINION)
_TIERS = ("trusted", "user", "derived", "")  # what has none is a file of PAL's own work or of the user's
_CANDIDATES = 20


class Support:
    """`most` is the greatest similarity of one memory to the whole text (`best` names it), `least` that of the worst-
    supported part; `conflicts` are (id, how sure, its text); `same` is the memory that says the same, if one does."""

    __slots__ = ("best", "conflicts", "least", "most", "same")

    def __init__(
        self, most: float, best: str, least: float, conflicts: list[tuple[str, float, str]], same: str
    ) -> None:
        self.most = round(most, 4)
        self.best = best
        self.least = round(least, 4)
        self.conflicts = conflicts
        self.same = same

    @property
    def novel(self) -> bool:
        """Whether the text, or a part of it, says what no memory says."""
        return self.most < RESTATED or self.least < SUPPORTED

    def shown(self) -> dict[str, Any]:
        """The parts of a decision as records keep them."""
        against = [{"id": name, "sure": round(sure, 3)} for name, sure, _ in self.conflicts]
        parts = {"support": self.least, "max_sim": self.most, "best_id": self.best, "novel": self.novel}
        return {**parts, "conflicts": against, "rule_version": RULES}


def weigh(home: Home, text: str, now: float, slot: Mapping[str, str] | None = None) -> Support:
    """What is known says to this text."""
    found: Support = search.consult(home, now, lambda reader: weighed(reader, text, slot))
    return found


def weighed(reader: Reader, text: str, slot: Mapping[str, str] | None = None) -> Support:
    """The same for an index that is open."""
    whole = terms.stems(text)
    if not whole:
        return Support(0.0, "", 0.0, [], "")
    scope = Scope(_VOUCHING, tiers=_TIERS)
    known = reader.counts(list(dict.fromkeys(whole)))
    telling = {term: idf(reader.docs, known.get(term, 0), term) for term in whole}
    average = reader.totals[0] / reader.docs if reader.docs else 0.0
    most, best, same = 0.0, "", ""
    conflicts = []
    measure = Measure(whole, telling, average)
    for one in _near(reader, whole, known, scope):
        said = one.streams[0].split()
        value = measure.of(said, one.streams[1].split())
        if value > most or (value == most and best and name_of(one) < best):
            most, best = value, name_of(one)
        if not same and value >= SAME and Measure(said, _weights(reader, said), average).of(whole) >= SAME:
            same = name_of(one)
        sure = conflict(text, one.said, slot)
        if sure >= CONFLICT:
            conflicts.append((name_of(one), sure, one.said))
    least = min((_best(reader, window, known, telling, average, scope) for window in windows(text)), default=0.0)
    conflicts.sort(key=lambda entry: (-entry[1], entry[0]))
    return Support(most, best, min(least, most) if len(whole) <= WINDOW else least, conflicts, same)


def _weights(reader: Reader, stems: Sequence[str]) -> dict[str, float]:
    known = reader.counts(list(dict.fromkeys(stems)))
    return {term: idf(reader.docs, known.get(term, 0), term) for term in stems}


def _near(reader: Reader, stems: Sequence[str], known: Mapping[str, int], scope: Scope) -> list[Document]:
    asked = [term for term in dict.fromkeys(stems) if term in known]
    return [one for one in reader.candidates(asked, _CANDIDATES, scope) if one.status in ("", "active", "disputed")]


def _best(
    reader: Reader,
    window: list[str],
    known: Mapping[str, int],
    telling: Mapping[str, float],
    average: float,
    scope: Scope,
) -> float:
    measure = Measure(window, telling, average)
    found = _near(reader, window, known, scope)
    return max((measure.of(one.streams[0].split(), one.streams[1].split()) for one in found), default=0.0)
