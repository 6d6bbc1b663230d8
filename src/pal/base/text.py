"""Words, keywords, lengths and cuts of text, without regular expressions; shared by naming, matching and budgets."""

from __future__ import annotations

# Words that carry no topic. Short on purpose: `text` decides what two sentences share, not what language is.
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being but by can could did
    do does doing done for from get got had has have he her here him his how i if in into is it its just let
    like make may me more most my need no not now of off on one only or other our out over own please she
    should so some such than that the their them then there these they this those through to too under up us
    use very want was we were what when where which while who why will with without would yes you your
    """.split()  # noqa: SIM905  one word a string would be a page
)
_SUFFIXES = (
    "tion",
    "sion",
    "ment",
    "ness",
    "ings",
    "ing",
    "ies",
    "ive",
    "ous",
    "ful",
    "ally",
    "ly",
    "ed",
    "er",
    "es",
    "s",
)
_LONGEST_SLUG = 180  # bytes; a file system's limit for a whole name is 255
_LONG_STEM = ("tion", "sion", "ment")  # these are taken off only where four letters stay


def words(text: str) -> list[str]:
    """Lower-case runs of letters and digits, in order."""
    lowered = text.lower()
    if lowered.isalnum():
        return [lowered]
    return "".join([char if char.isalnum() else " " for char in lowered]).split()


def keywords(text: str) -> list[str]:
    """What a text is about: words of three characters and more, no stop words, stemmed, each once, in order."""
    seen: dict[str, None] = {}
    for word in words(text):
        if len(word) > 2 and word not in STOP_WORDS:
            stemmed = stem(word)
            if len(stemmed) > 2:
                seen[stemmed] = None
    return list(seen)


def stem(word: str) -> str:
    """A light stem (`failing`, `failed`, `fails` meet in `fail`); applied twice, as endings pile up."""
    once = _stem_once(word)
    return once if once == word else _stem_once(once)


def _stem_once(word: str) -> str:
    if len(word) <= 4 or not word.endswith(_SUFFIXES) or not word.isascii():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if len(rest) >= (4 if suffix in _LONG_STEM else 3):
                return rest + "y" if suffix == "ies" else rest
    return word


def similarity(one: str, other: str) -> float:
    """Dice's coefficient of the two texts' keywords: 0 nothing shared, 1 all."""
    return overlap(frozenset(keywords(one)), frozenset(keywords(other)))


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """`similarity` of two texts whose keywords are known: for whoever compares each with each."""
    if not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))


def fingerprint(word: str) -> int:
    """A 64-bit number that stands for the word in every process (`hash` differs between them)."""
    return int.from_bytes(word.encode("utf-8", "surrogatepass"), "little") * 14029467366897019727 % 11400714785074694791


def slug(text: str, limit: int = 6) -> str:
    """A file name's worth of the text: at most `limit` words, ASCII where it can be, joined by hyphens."""
    plain = text[:400]
    if not plain.isascii():
        from unicodedata import normalize

        plain = "".join([char for char in normalize("NFKD", plain) if not "\u0300" <= char <= "\u036f"])
    short = "-".join(words(plain)[:limit])[:80].encode("utf-8", "ignore")[:_LONGEST_SLUG]
    return short.decode("utf-8", "ignore").strip("-") or "untitled"


def units(text: str) -> int:
    """Length in UTF-16 code units, which is how agents count (a character outside the BMP counts two)."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def clip(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units; what was cut off is shown by `…`."""
    if units(text) <= limit:
        return text
    kept, used = [], 1  # the ellipsis counts too
    for char in text:
        used += 2 if char > "\uffff" else 1
        if used > limit:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…" if limit > 0 else ""


def first_line(text: str) -> str:
    """The first line that is not blank, without white space around it."""
    for line in text.splitlines():
        if line.strip():
            return line.strip()
    return ""
