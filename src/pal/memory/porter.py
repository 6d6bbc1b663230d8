"""Porter's stemmer for English words ("An algorithm for suffix stripping", 1980): `failing`, `failed`, `fails` meet.

Lower-case ASCII words go in; anything else comes back as it is."""

from __future__ import annotations

_VOWELS = "aeiou"
# Of the endings of one step, the longest that fits decides, whether its condition holds or not.
_STEP2 = (
    ("ational", "ate"), ("ization", "ize"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("tional", "tion"), ("biliti", "ble"), ("entli", "ent"), ("ousli", "ous"), ("ation", "ate"), ("alism", "al"),
    ("aliti", "al"), ("iviti", "ive"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("ator", "ate"), ("logi", "log"), ("eli", "e"),
)  # fmt: skip
_STEP3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic", "ou",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a word; words of one or two letters are their own."""
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    word = _plural(word)
    word = _past(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP2)
    word = _replaced(word, _STEP3)
    word = _without_ending(word)
    return _tidied(word)


def _consonant(word: str, at: int) -> bool:
    letter = word[at]
    if letter == "y":
        return at == 0 or not _consonant(word, at - 1)
    return letter not in _VOWELS


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    count, vowel = 0, False
    for at in range(len(word)):
        if _consonant(word, at):
            count += vowel
            vowel = False
        else:
            vowel = True
    return count


def _has_vowel(word: str) -> bool:
    return any(not _consonant(word, at) for at in range(len(word)))


def _short(word: str) -> bool:
    """Ends in consonant, vowel, consonant, and the last one is not w, x or y."""
    end = len(word) - 1
    return (
        end >= 2
        and word[end] not in "wxy"
        and _consonant(word, end)
        and not _consonant(word, end - 1)
        and _consonant(word, end - 2)
    )


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] != "s" else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(word[: -len(ending)]):
            word = word[: -len(ending)]
            break
    else:
        return word
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and word[-1] not in "lsz" and _consonant(word, len(word) - 1):
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _short(word) else word


def _replaced(word: str, table: tuple[tuple[str, str], ...]) -> str:
    for ending, other in table:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _measure(rest) > 0 else word
    return word


def _without_ending(word: str) -> str:
    for ending in _STEP4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if ending == "ion" and rest[-1:] not in ("s", "t"):
                return word
            return rest if _measure(rest) > 1 else word
    return word


def _tidied(word: str) -> str:
    if word[-1] == "e":
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
