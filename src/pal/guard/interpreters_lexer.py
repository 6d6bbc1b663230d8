"""Cuts a one-liner of Python, JavaScript, Perl, Ruby, PHP, Lua and their like into names, strings and signs.

One linear pass, good enough to tell a string from code, and a call from text that mentions one; it never raises, and an
unfinished string or comment ends with the text."""

from __future__ import annotations

NAME, STRING, SHELL, NUMBER, SIGN = "name", "string", "shell", "number", "sign"
TOKENS_AT_MOST = 40_000

_HASH = frozenset(("python", "perl", "ruby", "php", "r", "julia", "elixir", "awk"))
_SLASHES = frozenset(("js", "php", "groovy"))
_DASHES = frozenset(("lua", "osascript"))
_REGEX = frozenset(("js", "perl", "ruby", "awk", "groovy"))
_BACKQUOTED = frozenset(("perl", "ruby", "php", "julia"))  # where `…` runs a command
_SIGILS = frozenset(("perl", "php"))
_CONCATENATES = frozenset(("perl", "php"))  # with a dot
_LITERAL_SINGLE = frozenset(("perl", "php", "ruby"))  # a single quote ends it, and nearly nothing is an escape
_PREFIXES = frozenset(("r", "b", "f", "u", "rb", "br", "fr", "rf", "raw"))
_PERL_QUOTES = {"q": "", "qq": "sigil", "qw": "", "qx": "sigil"}
_RUBY_QUOTES = {"q": "", "Q": "ruby", "x": "ruby", "w": "", "W": "", "i": ""}
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_MEMBER = ("->", "::", "?.", "&.")
_DOUBLED = ("==", "!=", "<=", ">=", "=>", "=~", "+=", "-=", ".=", "|=", "&&", "||", "**", "<<", ">>", "..", "<>", "|>")
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "\n": "",
}
_BLANK = frozenset(" \t\r\f\v\\")


class Tokens:
    """What a source is made of, as columns: the kind and text of each piece, the style of strings, bracket partners."""

    __slots__ = ("kinds", "language", "partners", "styles", "texts")

    def __init__(self, language: str) -> None:
        self.language = language
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.styles: list[str] = []  # of a string: "" plain, "f", "js", "ruby", "sigil": what is filled in, and how
        self.partners: list[int] = []  # of an opening bracket: where it closes (the end of the text when it does not)

    def add(self, kind: str, text: str, style: str = "") -> None:
        self.kinds.append(kind)
        self.texts.append(text)
        self.styles.append(style)


def tokens(source: str, language: str) -> Tokens:
    """The pieces of `source` as `language` has them."""
    out = Tokens(language)
    at, end = 0, len(source)
    while at < end and len(out.kinds) < TOKENS_AT_MOST:
        letter = source[at]
        if letter in _BLANK:
            at += 1
        elif letter == "\n":
            out.add(SIGN, "\n")
            at += 1
        elif (skipped := _comment(source, at, letter, language)) > at:
            at = skipped
        elif letter in "\"'" or (letter == "`" and language != "python"):
            at = _string(source, at, letter, "", out)
        elif letter.isalpha() or letter in "_$" or (letter == "@" and language in ("perl", "ruby")):
            at = _name(source, at, out)
        elif letter.isdigit():
            stop = at + 1
            while stop < end and (source[stop].isalnum() or source[stop] in "_."):
                stop += 1
            out.add(NUMBER, source[at:stop].replace("_", "").lower())
            at = stop
        elif letter == "/" and language in _REGEX and _begins_regex(out):
            at = _past_regex(source, at)
            out.add(NUMBER, "/")
        elif letter == "%" and language == "ruby" and source[at + 1 : at + 2] and _begins_regex(out):
            at = _ruby_quote(source, at, out)
        elif letter == "[" and language == "lua" and source[at + 1 : at + 2] == "[":
            stop = _found(source, "]]", at + 2)
            out.add(STRING, source[at + 2 : stop])
            at = stop + 2
        else:
            at = _sign(source, at, letter, out)
    out.partners = _partners(out)
    return out


def _found(source: str, mark: str, at: int) -> int:
    spot = source.find(mark, at)
    return spot if spot >= 0 else len(source)


def _comment(source: str, at: int, letter: str, language: str) -> int:
    """Where a comment that begins at `at` ends; `at` itself when none does."""
    if letter == "#" and language in _HASH and source[at - 1 : at] != "$":
        return _found(source, "\n", at)
    if letter == "/" and language in _SLASHES:
        if source.startswith("//", at):
            return _found(source, "\n", at)
        if source.startswith("/*", at):
            return _found(source, "*/", at + 2) + 2
    if letter == "-" and language in _DASHES and source.startswith("--", at):
        return _found(source, "]]", at) + 2 if source.startswith("--[[", at) else _found(source, "\n", at)
    return at


def _string(source: str, at: int, quote: str, prefix: str, out: Tokens) -> int:
    language = out.language
    triple = quote * 3
    if language in ("python", "julia", "elixir") and source.startswith(triple, at):
        stop = _found(source, triple, at + 3)
        body = source[at + 3 : stop]
        out.add(STRING, body if "r" in prefix else unescaped(body, False), "f" if "f" in prefix else "")
        return stop + 3
    start = at + 1
    stop = _closing(source, quote, start)
    body = source[start:stop]
    style = ""
    if quote == "`" and language != "python":
        style = "js" if language in ("js", "groovy") else "ruby" if language == "ruby" else "sigil"
    elif quote == '"':
        style = {"ruby": "ruby", "elixir": "ruby", "perl": "sigil", "php": "sigil", "julia": "sigil"}.get(language, "")
        style = "sigil" if language == "groovy" else style
    if "f" in prefix:
        style = "f"
    if "r" not in prefix:
        body = unescaped(body, quote == "'" and language in _LITERAL_SINGLE)
    out.add(SHELL if quote == "`" and language in _BACKQUOTED else STRING, body, style)
    return stop + 1


def _closing(source: str, quote: str, at: int) -> int:
    """Where the string that is open at `at` ends; what an escape covers does not end it."""
    end = len(source)
    stop = _found(source, quote, at)
    while True:
        slash = source.find("\\", at, stop)
        if slash < 0:
            return stop
        at = slash + 2
        if at > stop:
            stop = _found(source, quote, at)
        if at >= end:
            return end


def unescaped(body: str, literal: bool) -> str:
    """What a string's text means; in a `literal` one only the quote and the backslash can be escaped."""
    if "\\" not in body:
        return body
    pieces = body.split("\\")
    out = [pieces[0]]
    at = 1
    while at < len(pieces):
        piece = pieces[at]
        if piece == "":
            out.append("\\")
            at += 1
            if at < len(pieces):
                out.append(pieces[at])
        elif literal:
            out.append(piece if piece[0] == "'" else "\\" + piece)
        else:
            out.append(_escape(piece))
        at += 1
    return "".join(out)


def _escape(piece: str) -> str:
    width = {"x": 2, "u": 4, "U": 8}.get(piece[0], 0)
    digits = piece[1 : 1 + width]
    if width and len(digits) == width and all(digit in "0123456789abcdefABCDEF" for digit in digits):
        code = int(digits, 16)
        return (chr(code) if code < 0x110000 else "") + piece[1 + width :]
    octal = piece[:3]
    if len(octal) == 3 and all(digit in "01234567" for digit in octal):
        return chr(int(octal, 8)) + piece[3:]
    return _ESCAPES.get(piece[0], piece[0]) + piece[1:]


def _name(source: str, at: int, out: Tokens) -> int:
    end = len(source)
    stop = at + 1
    while stop < end and (source[stop].isalnum() or source[stop] in "_$"):
        stop += 1
    if (
        stop < end
        and source[stop] in "!?"
        and out.language in ("ruby", "elixir")
        and source[stop + 1 : stop + 2] != "="
    ):
        stop += 1
    name = source[at:stop]
    follows = source[stop : stop + 1]
    if follows in ("'", '"') and follows and name.lower() in _PREFIXES and out.language in ("python", "julia"):
        return _string(source, stop, follows, name.lower(), out)
    if out.language == "perl" and follows and not follows.isalnum():
        style = _PERL_QUOTES.get(name)
        if (
            style is not None
            and follows not in ",;=)"
            and (follows not in " \n" or source[stop + 1 : stop + 2] in _PAIRS)
        ):
            stop += follows in " \n"
            begin, last = _delimited(source, stop)
            out.add(SHELL if name == "qx" else STRING, source[begin:last], style)
            return last + 1
        if name in ("m", "s", "tr", "y", "qr") and follows == "/":
            stop = _past_regex(source, stop)
            out.add(NUMBER, "/")
            return _past_regex(source, stop - 1) if name in ("s", "tr", "y") else stop
    out.add(NAME, name)
    return stop


def _delimited(source: str, at: int) -> tuple[int, int]:
    """The inside of `(…)`, `{…}`, `!…!` that begins at `at`."""
    opener = source[at]
    closer = _PAIRS.get(opener, opener)
    if closer == opener:
        return at + 1, _found(source, closer, at + 1)
    depth, spot = 1, at + 1
    end = len(source)
    while spot < end:
        if source[spot] == closer:
            depth -= 1
            if not depth:
                break
        elif source[spot] == opener:
            depth += 1
        spot += 1
    return at + 1, spot


def _ruby_quote(source: str, at: int, out: Tokens) -> int:
    kind = source[at + 1]
    spot = at + 2 if kind in _RUBY_QUOTES else at + 1
    if spot >= len(source) or source[spot].isalnum() or source[spot] in " \n":
        out.add(SIGN, "%")
        return at + 1
    begin, stop = _delimited(source, spot)
    out.add(SHELL if kind == "x" else STRING, source[begin:stop], _RUBY_QUOTES.get(kind, "ruby"))
    return stop + 1


def _begins_regex(out: Tokens) -> bool:
    if not out.kinds:
        return True
    return (out.kinds[-1] == SIGN and out.texts[-1] not in ")]}") or out.texts[-1] in (
        "return",
        "if",
        "unless",
        "split",
    )


def _past_regex(source: str, at: int) -> int:
    stop = _closing(source, "/", at + 1)
    line = source.find("\n", at, stop)
    return line if line >= 0 else stop + 1


def _sign(source: str, at: int, letter: str, out: Tokens) -> int:
    pair = source[at : at + 2]
    if pair in _MEMBER:
        out.add(SIGN, ".")
        return at + 2
    if pair == ":=":
        out.add(SIGN, "=")
        return at + 2
    if pair in _DOUBLED:
        out.add(SIGN, "+" if pair in ("..", "<>") else pair)
        return at + 2
    joins = (letter == "." and out.language in _CONCATENATES) or (letter == "&" and out.language == "osascript")
    out.add(SIGN, "+" if joins else letter)
    return at + 1


def _partners(out: Tokens) -> list[int]:
    partners = [len(out.kinds)] * len(out.kinds)
    open_at: list[int] = []
    for spot, kind in enumerate(out.kinds):
        if kind == SIGN:
            text = out.texts[spot]
            if text in _OPENERS:
                open_at.append(spot)
            elif text in (")", "]", "}") and open_at:
                partners[open_at.pop()] = spot
    return partners
