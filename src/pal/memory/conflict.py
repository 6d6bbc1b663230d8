"""Whether two memories contradict each other, from 0 to 1, without asking a model: what they speak of must be the same,
and one of a few signs must say that they cannot both hold."""

from __future__ import annotations

from pal.memory import terms
from pal.memory.similarity import similarity
from pal.memory.windows import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONFLICT = 0.4  # from here on two memories are said to contradict each other
_SAME_MATTER = 0.5
_ONE_WORD = 0.6  # the overlap from which one other word on each side is the point
_SENTENCES = 12  # of a text that are compared
_SHARED = 2  # stems that both must have in common
_REPLACED = 0.8  # for another value of the same thing
_SHORT = 3  # stems of an object that may be replaced by another
_NEGATIONS = frozenset(
    ("not", "no", "never", "without", "cannot", "cant", "dont", "doesnt", "isnt", "wont", "shouldnt", "mustnt", "arent",
     "avoid", "stop", "neither", "nor")
)  # fmt: skip
_NEGATED = frozenset(filter(None, map(terms.stem_of, _NEGATIONS)))
_ANTONYMS = (
    ("enable", "disable"), ("enabled", "disabled"), ("always", "never"), ("allow", "deny"), ("allowed", "denied"),
    ("allowed", "forbidden"), ("before", "after"), ("on", "off"), ("tabs", "spaces"), ("true", "false"),
    ("include", "exclude"), ("required", "optional"), ("public", "private"), ("sync", "async"), ("min", "max"),
    ("minimum", "maximum"), ("first", "last"), ("start", "stop"), ("open", "closed"), ("left", "right"),
    ("above", "below"), ("ascending", "descending"), ("increase", "decrease"), ("add", "remove"), ("keep", "delete"),
    ("keep", "remove"), ("up", "down"), ("single", "double"), ("mutable", "immutable"), ("strict", "loose"),
    ("manual", "automatic"), ("manually", "automatically"), ("push", "pull"), ("internal", "external"),
    ("with", "without"), ("works", "broken"), ("passes", "fails"), ("valid", "invalid"), ("merge", "rebase"),
    ("encrypted", "plaintext"), ("lower", "upper"), ("lowercase", "uppercase"), ("local", "remote"),
    ("daily", "weekly"), ("dark", "light"), ("default", "override"),
)  # fmt: skip
# What joins a subject and the one value it has at a time; the longer ones first.
_JOINTS = (
    " must be ", " should be ", " is set to ", " set to ", " listens on ", " runs on ", " lives in ", " live in ",
    " is called ", " is named ", " is written in ", " points to ", " defaults to ", " deploys to ", " belongs to ",
    " is owned by ", " stands for ", " stored in ", " prefers ", " uses ", " use ", " are ", " is ", " = ", ": ",
)  # fmt: skip


class _Claim:
    """One text, read for what it denies, names and counts."""

    __slots__ = ("core", "denied", "numbers", "order", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        plain = text.replace("'", "").replace("\u2019", "")
        self.words = terms.words(plain.lower())
        self.order = terms.stems_of(self.words)
        self.denied = sum(word in _NEGATIONS for word in self.words) % 2
        self.numbers = _numbers(plain)
        self.core = {stem for stem in self.order if not stem.isdigit() and stem not in _NEGATED}


def conflict(
    one: str, other: str, slot: Mapping[str, str] | None = None, held: Mapping[str, str] | None = None
) -> float:
    """How sure it is that the texts contradict each other; `slot` and `held` are theirs, where they have one."""
    if slot and held and all(slot.get(name) == held.get(name) for name in ("entity", "key")):
        return 1.0 if slot.get("value") != held.get("value") else 0.0
    claims = [_Claim(sentence) for sentence in sentences(one)[:_SENTENCES]]
    others = [_Claim(sentence) for sentence in sentences(other)[:_SENTENCES]]
    return max((_between(first, second) for first in claims for second in others), default=0.0)


def _between(first: _Claim, second: _Claim) -> float:
    if _another_value(first, second):
        return _REPLACED
    opposed = _opposed(first, second)
    one, other = first.core - opposed, second.core - opposed
    shared, fewest = len(one & other), min(len(one), len(other))
    if not shared or shared < min(_SHARED, fewest):
        return 0.0
    overlap = shared / fewest
    alike = max(overlap, similarity(first.text, second.text), similarity(second.text, first.text))
    if alike < _SAME_MATTER:
        return 0.0
    if one - other and other - one:
        overlap **= 3  # each speaks of something that the other does not: likely of two matters
    counted = bool(first.numbers and second.numbers) and not first.numbers & second.numbers
    if first.denied != second.denied or opposed or counted:
        return 0.9 * overlap
    return _REPLACED if not counted and _one_word_apart(first, second) else 0.0


def _numbers(text: str) -> set[str]:
    """Numbers, versions and ports as they are written; `v3.10` and `3.10` are the same."""
    found: set[str] = set()
    for word in text.replace(",", " ").split():
        bare = word.strip("()[]{}<>\"'`.;:!?%")
        bare = bare[1:] if bare[:1] in "vV" and bare[1:2].isdigit() else bare
        if bare[:1].isdigit():
            found.add(bare.lower())
    return found


def _opposed(first: _Claim, second: _Claim) -> set[str]:
    """The stems of a pair of opposites of which each text has one."""
    one, other = set(first.words), set(second.words)
    found: set[str] = set()
    for left, right in _ANTONYMS:
        for here, there in ((left, right), (right, left)):
            if here in one and here not in other and there in other and there not in one:
                found |= {terms.stem_of(here) or here, terms.stem_of(there) or there}
    return found


def _another_value(first: _Claim, second: _Claim) -> bool:
    """The same subject with another short object behind the same joint."""
    one, other = f" {first.text.lower()} ", f" {second.text.lower()} "
    for joint in _JOINTS:
        if joint in one and joint in other:
            parts = [terms.stems(part) for text in (one, other) for part in text.split(joint, 1)]
            subject, value, same, second_value = (set(part) for part in parts)
            if subject and subject == same and value and second_value and not _done(one, joint) | _done(other, joint):
                short = max(len(value), len(second_value)) <= _SHORT
                return short and not value <= second_value and not second_value <= value
    return False


def _done(text: str, joint: str) -> bool:
    """Whether what follows is something that happens (`is backed up`) and no value."""
    first = text.partition(joint)[2].split(None, 1)[:1]
    return bool(first) and joint in (" is ", " are ") and first[0].endswith(("ed", "ing"))


def _one_word_apart(first: _Claim, second: _Claim) -> bool:
    """Another word in one place, which is not the first: that would be another subject."""
    gone, come = first.core - second.core, second.core - first.core
    if len(gone) != 1 or len(come) != 1 or first.numbers != second.numbers:
        return False
    overlap = len(first.core & second.core) / min(len(first.core), len(second.core))
    return overlap >= _ONE_WORD and not gone & set(first.order[:1]) and not come & set(second.order[:1])
