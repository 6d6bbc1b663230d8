"""How the parts of a text look that may be secrets: made up by a machine, by a person, or standing in for one.

`redaction` and `secret_words` ask; nothing here knows where in a text a value stood."""

from __future__ import annotations

MARK = "[redacted:"

ALNUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
NAME = ALNUM | frozenset("_-")
BASE64 = ALNUM | frozenset("+/=")
OUTSIDE = frozenset(" \t\r\n\v\f\"'`<>\\")  # ends a value that is not quoted
SPACE = " \t"
QUOTES = "\"'`"
_HEX = frozenset("0123456789abcdefABCDEF")

# What stands where a secret would: in examples, types, forms and schemas.
STAND_INS = frozenset(
    """
    your my the example examples placeholder changeme change changed dummy sample fake mock test redacted removed
    hidden masked replace todo insert enter none null nil undefined true false string str bytes number required
    optional invalid missing empty disabled enabled unset unknown pass password passwd passphrase pwd secret secrets
    token tokens key keys apikey credential credentials bearer basic user username admin root oauth oauth2 sha1
    sha256 sha384 sha512 base64 argon2 argon2id bcrypt scrypt pbkdf2 ed25519 hs256 rs256 es256 x509 utf8 here value
    text field input
    """.split()  # noqa: SIM905  one word a string would be a page
)
_FILE_ENDS = tuple(
    """
    .pem .key .pub .crt .p12 .json .jsonl .txt .md .yaml .yml .toml .ini .env .py .js .mjs .ts .tsx .go .rs .java
    .sh .log .html .css .png
    """.split()  # noqa: SIM905  as above
)


def stands_in(value: str) -> bool:
    """True for what shows where a secret goes or comes from: `<your-key>`, `${TOKEN}`, `xxxx`, a path, an address."""
    first, last = value[:1], value[-1:]
    if value.startswith(MARK) or (first in ("<", "[", "{", "%", "*") and last in (">", "]", "}", "%", "*")):
        return True
    if first == "$" and (value[1:2] in ("{", "(") or value[1:2].isalpha() or value[1:2] == "_"):
        return not dense(value) or value[1:2] in ("{", "(")
    if "${" in value or "#{" in value or "{{" in value or ("{" in value and "}" in value) or "%(" in value:
        return True
    if first == "#" and len(value) < 10 and hexadecimal(value[1:]):
        return True  # a colour
    lowered = value.lower()
    if (
        len(set(value)) < 4
        or "xxxx" in lowered
        or "***" in value
        or "..." in value
        or "\u2026" in value
        or "\u2022" in value
    ):
        return True
    if "://" in value or lowered.endswith(_FILE_ENDS):
        return True
    if dense(value) and len(value) >= 20:
        return False
    if first in ("/", "~") or value[:2] in ("./", "..", "->") or value[1:3] == ":\\":
        return True
    return any(part in STAND_INS for part in _parts(lowered)) or any(
        part in STAND_INS for part in _parts(_split_humps(value))
    )


def _parts(text: str) -> list[str]:
    return "".join([char if char.isalnum() else " " for char in text]).split()


def _split_humps(value: str) -> str:
    return "".join([" " + char.lower() if char.isupper() else char for char in value])


def made(value: str) -> bool:
    """True if no person would write it as words: what follows a prefix like `ghp_` or `sk-`."""
    if len(set(value)) < 8 or "xxxx" in value.lower() or wordy(value):
        return False
    return any(char.isdigit() for char in value) or dense(value)


def wordy(value: str) -> bool:
    """True if every part between marks is a word or a number."""
    return all(
        part.isdigit() or (part.isalpha() and (part.islower() or part.isupper() or part.istitle()))
        for part in _parts(value)
    )


def dense(value: str) -> bool:
    """True if small letters, capitals and digits change places as often as in random text.

    The mean run is 1.6 in random base64, 2.1 in hexadecimal, 2.5 in base36; from 2.3 in names with humps and numbers,
    from 4 in words."""
    changes, before = 0, ""
    for char in value:
        kind = "a" if char.islower() else "A" if char.isupper() else "0" if char.isdigit() else before
        changes += kind != before
        before = kind
    one_case = value.isalnum() and (value.islower() or value.isupper())
    return 12 <= len(value) < changes * (3.6 if one_case else 2.2)


def hexadecimal(value: str) -> bool:
    """True for a digest, a commit or a UUID."""
    return all(char in _HEX for char in value.replace("-", ""))


def past(text: str, at: int, skipped: str) -> int:
    """The first place from `at` on whose character is none of `skipped`; it does not look far."""
    limit = min(at + 20, len(text))
    while at < limit and text[at] in skipped:
        at += 1
    return at


def run(text: str, at: int, allowed: frozenset[str], limit: int) -> int:
    """The first place from `at` on, at most `limit`, whose character is not among `allowed`."""
    while at < limit and text[at] in allowed:
        at += 1
    return at
