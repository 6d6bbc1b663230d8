"""What a text is searched by: lower-case stems without stop words, for prose and for code alike.

Index, queries, similarity and the prompt's gate all read texts through here, so that they always agree. `get_userName`
is found by each of its parts; scripts without spaces are cut into pairs of characters."""

from __future__ import annotations

from pal.memory.porter import stem

# Words that say nothing of what is asked for. Negations are among them: `similarity` reads those for itself.
STOP = frozenset(
    """
    a an and are as at be been but by can could did do does doing for from had has have having he her hers him his how
    i if in into is it its me my of on or our she should so than that the their them then there these they this those
    to us was we were what when where which who whom whose why will with would you your about after again all also am
    any because before being between both during each few more most no nor not now off once only other out over own
    same some such through too under until up very
    """.split()  # noqa: SIM905  one word a string would be a page
)
_SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum()}
_NAMED = (("C++", "cpp"), ("c++", "cpp"), ("C#", "csharp"), ("c#", "csharp"), ("F#", "fsharp"), (".NET", " dotnet"))
_MARKS = ("\u0300", "\u036f")  # accents; other marks belong to their word
_UNSPACED = ("\u2e80", "\ud7ff")  # Chinese, Japanese, Korean
_PICTURES = "\u2600"


class _Stems(dict):  # type: ignore[type-arg]  # at run time Python 3.9 knows dict[str, str], but it costs
    """Each word's stem, found out once; a stop word and a single letter have none."""

    def __missing__(self, word: str) -> str:
        known = "" if word in STOP or (len(word) == 1 and "a" <= word <= "z") else stem(word)
        if len(self) > _MOST:
            self.clear()
        self[word] = known
        return known


_MOST = 500_000
_stems = _Stems()


def stems(text: str) -> list[str]:
    """The stems in the order of the text, repeated as they repeat."""
    return [known for known in map(_stems.__getitem__, words(text)) if known]


def stems_of(found: list[str]) -> list[str]:
    """The same for words that were cut already."""
    return [known for known in map(_stems.__getitem__, found) if known]


def stem_of(word: str) -> str:
    """The stem of one lower-case word; empty for a stop word."""
    return str(_stems[word])


def words(text: str) -> list[str]:
    """Lower-case words; a name of code gives itself and its parts, in their place."""
    if not text.isascii():
        text = _plain(text)
    if "#" in text or "++" in text or ".NET" in text:
        for sign, name in _NAMED:
            text = text.replace(sign, name)
    lowered = text.lower()
    if not text.isascii():
        return _foreign(text)
    if lowered == text:
        return text.translate(_SEPARATORS).split()
    found = text.translate(_SEPARATORS).split()
    if any(not word[1:].islower() and _humps(word) for word in found if len(word) > 3 and not word.islower()):
        return [part for word in found for part in _parts(word)]
    return lowered.translate(_SEPARATORS).split()


def _humps(word: str) -> bool:
    """True for `userName` and `HTTPServer`, not for `User` and `HTTP`."""
    return not (word.isupper() or word.islower() or word.isdigit() or word[1:].islower())


def _parts(word: str) -> list[str]:
    if len(word) < 4 or not _humps(word):
        return [word.lower()]
    found, begin = [], 0
    for at in range(1, len(word)):
        upper = word[at].isupper()
        if upper and (not word[at - 1].isupper() or word[at + 1 : at + 2].islower()):
            found.append(word[begin:at].lower())
            begin = at
    found.append(word[begin:].lower())
    return [word.lower(), *found] if len(found) > 1 else found


def _plain(text: str) -> str:
    """Compatible forms made one, accents taken off."""
    from unicodedata import normalize

    text = normalize("NFKD", text)
    if any(_MARKS[0] <= char <= _MARKS[1] for char in text):
        text = "".join([char for char in text if not _MARKS[0] <= char <= _MARKS[1]])
    return normalize("NFC", text)


def _foreign(text: str) -> list[str]:
    from unicodedata import category

    shown = [char if char.isalnum() or (char > "\x7f" and category(char)[0] == "M") else _own(char) for char in text]
    found: list[str] = []
    for word in "".join(shown).split():
        if word.isascii():
            found += _parts(word)
        elif any(_UNSPACED[0] <= char <= _UNSPACED[1] for char in word):
            found += _pairs(word.casefold())
        else:
            found.append(word.casefold())
    return found


def _own(char: str) -> str:
    """A picture is a word of its own; everything else that is no letter separates words."""
    picture = char >= _PICTURES and not (
        "\ufe00" <= char <= "\ufe0f" or "\ud800" <= char <= "\udfff" or char == "\u3000"
    )
    return f" {char} " if picture else " "


def _pairs(word: str) -> list[str]:
    """Pairs of neighbours for each run of a script without spaces; other runs stay whole."""
    found: list[str] = []
    begin = 0
    while begin < len(word):
        unspaced = _UNSPACED[0] <= word[begin] <= _UNSPACED[1]
        end = begin + 1
        while end < len(word) and (_UNSPACED[0] <= word[end] <= _UNSPACED[1]) == unspaced:
            end += 1
        run = word[begin:end]
        if unspaced and len(run) > 1:
            found += [run[at : at + 2] for at in range(len(run) - 1)]
        else:
            found.append(run)
        begin = end
    return found
