"""Secrets that only the word beside them gives away: `API_KEY=…`, `"password": "…"`, a long random run after `token`.

`redaction` calls it. Most texts that speak of keys and tokens hold none, so a name, a separator and a value that
looks made by a machine or a person must come together."""

from __future__ import annotations

from pal.base.secret_values import (
    MARK,
    NAME,
    OUTSIDE,
    QUOTES,
    SPACE,
    dense,
    hexadecimal,
    made,
    past,
    run,
    stands_in,
    wordy,
)

_RANDOM = NAME | frozenset("+/")
_LONGEST = 4096  # characters of one value; what is longer is data
_SHORTEST = 6  # what is shorter is a word, a number or no great loss

WORDS = ("password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "key")
_PASSWORDS = frozenset(("password", "passwd", "passphrase", "pwd"))
# A key is a secret when it opens something; keys of maps, rows, caches and sorts are not.
_KEY_OWNERS = tuple(
    """
    api secret access private auth encryption encrypt signing master license deploy jwt hmac aes webhook account
    shared subscription admin app client
    """.split()  # noqa: SIM905  one word a string would be a page
)
# What may follow the word in a name and leave it a secret: SECRET_KEY_BASE, TOKEN_2; a TOKEN_URL or KEY_FILE is none.
_TAILS = ("base", "prod", "production", "dev", "test", "live", "staging", "value", "string", "old", "new")
_PUBLIC = ("public", "fingerprint", "hash", "checksum", "digest", "commit", "sha1", "sha2", "sha5", "ssh-", "integrity")
_GAP = frozenset("abcdefghijklmnopqrstuvwxyz :=>-_*(|\t" + QUOTES)


def assigned(text: str, lowered: str, word: str, spans: list[tuple[int, int, str]]) -> None:
    """`NAME=value`, `"name": "value"`, `name: type = "value"`, `--name value`, `<name>value<`, `name 'value'`."""
    size = len(text)
    at = lowered.find(word)
    while at >= 0:
        end = at + len(word)
        if end < size and text[end] in NAME:
            end = run(text, end, NAME, min(size, end + 40))
            at = lowered.rfind(word, at, end)
        place, form = _value_place(text, end)
        if form:
            end = _judge(text, lowered, word, (at, end), (place, form), spans)
        at = lowered.find(word, end)


def _value_place(text: str, end: int) -> tuple[int, str]:
    """Where the value of the name that ends here would begin, and what leads to it; no form where nothing does."""
    place = past_separator(text, end)
    if place >= 0:
        return place, ":" if text[place - 1] == ":" else "="
    if text[end : end + 1] == ">":
        return end + 1, ">"
    place = past(text, end, SPACE)
    if place > end and (text[place : place + 1] in QUOTES or "--" in text[max(0, end - 48) : end]):
        return place, " "
    return -1, ""


def past_separator(text: str, at: int) -> int:
    """The place after the `=`, `:`, `:=` or `=>` that follows a name and its closing quote; -1 where none does."""
    at = past(text, past(text, at, "\"'`]\\"), SPACE)
    sign = text[at : at + 2]
    if sign in (":=", "=>", "?="):
        return at + 2
    return at + 1 if sign[:1] in ("=", ":") and sign not in ("==", "::") else -1


def _judge(
    text: str,
    lowered: str,
    word: str,
    name: tuple[int, int],
    lead: tuple[int, str],
    spans: list[tuple[int, int, str]],
) -> int:
    """Adds the value to `spans` if it is a secret. Gives the place from which to look for the next name."""
    at, end = name
    place, form = lead
    first, last, quoted = _value(text, place)
    onward = last if not quoted and text.find(":", first, last) >= 0 else end  # a:b:c is walked once, not thrice
    if last - first < _SHORTEST and form != ":":
        return onward
    begin = at
    while begin > 0 and text[begin - 1] in NAME and at - begin < 48:
        begin -= 1
    if begin < at and text[begin] in "nrt" and text[begin - 1 : begin] == "\\":
        begin += 1
    before = text[begin - 1 : begin]
    if form == " ":
        misplaced = not quoted and (text[begin : begin + 2] != "--" or text[first] == "-")
    else:
        misplaced = before == ":" if form == ":" else form == ">" and (before != "<" or text[last : last + 2] != "</")
    grade = _grade(text, lowered, begin, at, end, word)
    if not grade or misplaced or text[max(0, begin - len(MARK)) : begin] == MARK:
        return onward
    loud = form == "=" and first == end + 1 and text[begin:end].isupper()
    if grade == 1:
        found = last - first >= 24 and _anonymous(text[first:last])
    elif form == " " and quoted:
        found = word in _PASSWORDS and _secret(text[first:last], word, False, False, False)
    else:
        literal = quoted or form == ">" or (form == "=" and before in ("&", "?"))  # markup and queries hold no code
        found = _secret(text[first:last], word, literal, loud, form == "=")
    if not found and form == ":" and not quoted and grade == 2:  # perhaps that was a type, and the value follows
        place = past(text, last, SPACE)
        if text[place : place + 1] == "=":
            first, last, quoted = _value(text, place + 1)
            found = quoted and _secret(text[first:last], word, True, False, True)
    if found:
        spans.append((first, last, word))
    return onward


def _grade(text: str, lowered: str, begin: int, at: int, end: int, word: str) -> int:
    """2: the name says that its value is a secret; 1: it may be one; 0: the letters stand inside another word."""
    head, last = lowered[begin:at].rstrip("_-"), at + len(word)
    glued = at > begin and text[at - 1].isalpha() and not (text[at].isupper() and text[at - 1].islower())
    owned = word != "key" or head.endswith(_KEY_OWNERS)
    if glued and not owned:
        return 0
    tail = text[last:end]
    if tail[:1] in ("s", "S") and not tail[1:2].isalpha():
        return 1
    if tail[:1].isalpha() and not (tail[0].isupper() and text[last - 1].islower()):
        return 0
    parts = tail.lower().replace("-", "_").split("_")
    return 2 if owned and all(not part or part.isdigit() or part in _TAILS for part in parts) else 1


def _value(text: str, at: int) -> tuple[int, int, bool]:
    """(begin, end, whether it is quoted) of what stands at `at`."""
    at = past(text, at, SPACE)
    if text[at : at + 1] in ("b", "B", "r", "R", "u", "U", "f", "F") and text[at + 1 : at + 2] in ("'", '"'):
        at += 1
    begin = past(text, at, "\\")
    quote = text[begin : begin + 1]
    if quote and quote in QUOTES:
        escaped = begin > at
        begin += 1
        end = text.find(quote, begin, begin + _LONGEST)
        while end > begin and text[end - 1] == "\\" and not escaped:
            end = text.find(quote, end + 1, begin + _LONGEST)
        if end >= 0 and text.find("\n", begin, end) < 0:
            while end > begin and text[end - 1] == "\\":
                end -= 1
            return begin, end, True
    else:
        begin = at
    end, limit = begin, min(len(text), begin + _LONGEST)
    while end < limit and text[end] not in OUTSIDE:
        if text[end] == "=" and text[end + 1 : end + 2] not in "=,;&)" and text[end + 1] not in OUTSIDE:
            break
        end += 1
    if text[end : end + 1] == "=":  # the next name of a list like a=1&b=2
        end = max((text.rfind(mark, begin, end) for mark in "&;,"), default=-1)
        end = end if end > begin else begin
    while end > begin and text[end - 1] in ",;.:)]}&|":
        end -= 1
    return begin, end, False


def _secret(value: str, word: str, quoted: bool, loud: bool, code: bool) -> bool:
    """Is this what a name that promises a secret holds? `loud`: as in an .env file; `code`: perhaps an expression."""
    size = len(value)
    if size < _SHORTEST or (word != "passphrase" and any(char.isspace() for char in value)) or stands_in(value):
        return False
    letters, digits = any(char.isalpha() for char in value), any(char.isdigit() for char in value)
    if not quoted:
        if any(char in "([{" for char in value):
            return False
        if not loud and not (digits and dense(value)):
            names = value.split(".")
            if (len(names) > 1 or (code and "_" in value)) and all(name.isidentifier() for name in names):
                return False
    if word in _PASSWORDS or word == "secret":
        if letters and digits:
            return word != "secret" or not wordy(value) or loud
        if digits:
            return word != "secret" and value.isdigit()
        if quoted:
            return not (value.isalpha() and value.istitle()) and (word != "secret" or value.isalpha())
        if loud:
            return not value.isupper()
        return any(char in "@#$%^&*!" for char in value[1:-1]) and not _address(value)
    if not letters:
        return False
    return size >= (_SHORTEST if quoted or loud else 8) and not wordy(value) and (digits or dense(value))


def _address(value: str) -> bool:
    return "." in value.partition("@")[2]


def _anonymous(value: str) -> bool:
    """A random run that no known name vouches for; commits, digests and UUIDs are all over a developer's text."""
    digits = sum(char.isdigit() for char in value)
    random = digits > 1 and made(value) and dense(value) and not hexadecimal(value)
    return random and all(char in _RANDOM or char == "=" for char in value)


def neighbours(text: str, lowered: str, words: list[str], spans: list[tuple[int, int, str]]) -> None:
    """Random runs of 32 characters and more, on one line with a secret's word and only words in between."""
    at, size = 31, len(text)
    while at < size:  # a run of 32 covers one of these places
        if text[at] in _RANDOM:
            begin = at
            while begin > 0 and text[begin - 1] in _RANDOM:
                begin -= 1
            at = run(text, at, _RANDOM, size)
            if 32 <= at - begin <= 512 and _beside(text, lowered, begin, at, words):
                spans.append((begin, at, "high-entropy"))
        at += 32


def _beside(text: str, lowered: str, begin: int, end: int, words: list[str]) -> bool:
    start = max(0, begin - 48, lowered.rfind("\n", max(0, begin - 48), begin) + 1)
    line = lowered[start:begin]
    at, word = max((line.rfind(word), word) for word in words)
    if at < 0 or any(sign in line for sign in _PUBLIC):
        return False
    last = at + len(word)
    if not all(char in _GAP for char in line[last:]):
        return False
    head = at
    while head > 0 and line[head - 1] in NAME:
        head -= 1
    grade = _grade(text, lowered, start + head, start + at, run(text, start + last, NAME, begin), word)
    value, after = text[begin:end], past(text, end, SPACE)
    if not grade or value.startswith("AAAA") or text[after : after + 1] == "(":
        return False  # a public key, a function
    if not hexadecimal(value):
        return _anonymous(value)
    if not made(value):
        return False
    return grade == 2 and "-" not in value and line[last:].strip(" :=>\t" + QUOTES) in ("", "is", "was")
