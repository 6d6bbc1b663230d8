"""Reads TOML into statements that know where everything stands in the text; `tomltree` puts them together.

TOML 1.0, with either line end and a byte order mark. Anything else is a PalError that names the line; values that the
editor never compares (numbers, times) are kept as they are written."""

from __future__ import annotations

import re
from typing import Any

from pal.base.errors import PalError
from pal.install.jsonscan import BOM

Keys = tuple[str, ...]
DEEPEST = 100  # levels of lists and inline tables
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANKS = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"#[^\x00-\x08\x0a-\x1f\x7f]*")
_LITERAL = re.compile(r"'([^'\x00-\x08\x0a-\x1f\x7f]*)'")
_PLAIN = re.compile(r'[^"\\\x00-\x08\x0a-\x1f\x7f]+')
_MANY_PLAIN = re.compile(r'[^"\\\x00-\x08\x0b-\x1f\x7f]+|\r\n')
_MANY_LITERAL = re.compile(r"'''((?:[^'\x00-\x08\x0b-\x1f\x7f]|\r\n|'{1,2}(?!'))*'{0,2})'''")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_JOINED = re.compile(r"\\[ \t]*(?:\r?\n)[ \t\r\n]*")
_DATE = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d:\d\d(?:\.\d+)?"
_MOMENT = re.compile(rf"{_DATE}(?:[Tt ]{_TIME}(?:[Zz]|[+-]\d\d:\d\d)?)?|{_TIME}")
_NUMBER = re.compile(
    r"0x[0-9A-Fa-f]+(?:_[0-9A-Fa-f]+)*|0o[0-7]+(?:_[0-7]+)*|0b[01]+(?:_[01]+)*"
    r"|[+-]?(?:inf|nan|(?:0|[1-9]\d*(?:_\d+)*)(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+(?:_\d+)*)?)"
)
_WORD_END = re.compile(r"[ \t\r\n,\]}#]|\Z")


class Raw:
    """A number or time, known by how it is written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Raw) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


class Node:
    """A value and its place, text[start:end]. pairs is None for everything but inline tables."""

    __slots__ = ("end", "pairs", "plain", "start")

    def __init__(self, start: int, end: int, plain: Any, pairs: list[Pair] | None = None) -> None:
        self.start = start
        self.end = end
        self.plain = plain
        self.pairs = pairs


class Pair:
    """`keys = value`: where its key begins, the keys as written (dotted ones are several), and the value."""

    __slots__ = ("keys", "node", "start")

    def __init__(self, start: int, keys: Keys, node: Node) -> None:
        self.start = start
        self.keys = keys
        self.node = node


class Section:
    """A header with the pairs below it; the first of a document has no header. start and end are those of its line."""

    __slots__ = ("end", "is_array", "keys", "pairs", "start")

    def __init__(self, start: int, end: int, keys: Keys, is_array: bool) -> None:
        self.start = start
        self.end = end
        self.keys = keys
        self.is_array = is_array
        self.pairs: list[Pair] = []


def statements(text: str) -> list[Section]:
    """The sections of a text in order; PalError (line, what to do) when it is not TOML."""
    return _Scanner(text).sections()


def fault(text: str, at: int, what: str) -> PalError:
    return PalError(f"line {text.count(chr(10), 0, at) + 1}: {what}; correct that line first")


class _Scanner:
    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith(BOM) else 0

    def sections(self) -> list[Section]:
        found = [Section(self.at, self.at, (), False)]
        while True:
            line = self.at
            self._blanks()
            char = self.text[self.at : self.at + 1]
            if not char:
                return found
            if char == "[":
                found.append(self._header(line))
                continue
            if char not in "#\r\n":
                start = self.at
                keys = self._keys()
                self._expect("=")
                self._blanks()
                found[-1].pairs.append(Pair(start, keys, self._node(0)))
            self._line_end()

    def _header(self, line: int) -> Section:
        double = self.text.startswith("[[", self.at)
        self.at += 2 if double else 1
        self._blanks()
        keys = self._keys()
        self._expect("]]" if double else "]")
        self._line_end()
        return Section(line, self.at, keys, double)

    def _keys(self) -> Keys:
        keys = []
        while True:
            self._blanks()
            char = self.text[self.at : self.at + 1]
            if char in ('"', "'") and char:
                if self.text.startswith(char * 3, self.at):
                    raise self._fault("a key cannot be a text of many lines")
                keys.append(str(self._text().plain))
            else:
                match = _BARE.match(self.text, self.at)
                if not match:
                    raise self._fault("a key was expected here")
                keys.append(match.group())
                self.at = match.end()
            self._blanks()
            if not self.text.startswith(".", self.at):
                return tuple(keys)
            self.at += 1

    def _node(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self._fault("lists stand too deep in one another")
        char = self.text[self.at : self.at + 1]
        if char and char in "\"'":
            return self._text()
        if char == "[":
            return self._list(depth)
        if char == "{":
            return self._inline(depth)
        for word, plain in (("true", True), ("false", False)):
            if self.text.startswith(word, self.at):
                return self._word(len(word), plain)
        for form in (_MOMENT, _NUMBER):
            match = form.match(self.text, self.at)
            if match and _WORD_END.match(self.text, match.end()):
                return self._word(len(match.group()), Raw(match.group()))
        raise self._fault("a value was expected here")

    def _word(self, length: int, plain: Any) -> Node:
        start = self.at
        self.at += length
        if not _WORD_END.match(self.text, self.at):
            raise self._fault("this value goes on strangely")
        return Node(start, self.at, plain)

    def _list(self, depth: int) -> Node:
        start = self.at
        self.at += 1
        items: list[Any] = []
        while True:
            self._space()
            if self.text.startswith("]", self.at):
                self.at += 1
                return Node(start, self.at, items)
            items.append(self._node(depth + 1).plain)
            self._space()
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith("]", self.at):
                raise self._fault("`,` or `]` was expected here")

    def _inline(self, depth: int) -> Node:
        start = self.at
        self.at += 1
        pairs: list[Pair] = []
        self._blanks()
        while not self.text.startswith("}", self.at):
            if pairs:
                self._expect(",")
                self._blanks()
            begin = self.at
            keys = self._keys()
            self._expect("=")
            self._blanks()
            pairs.append(Pair(begin, keys, self._node(depth + 1)))
            self._blanks()
        self.at += 1
        return Node(start, self.at, self._merged(pairs), pairs)

    def _merged(self, pairs: list[Pair]) -> dict[str, Any]:
        """The value of an inline table."""
        made: dict[str, Any] = {}
        opened: list[dict[str, Any]] = []  # what dotted keys made here, and may go on filling
        for pair in pairs:
            table = made
            for key in pair.keys[:-1]:
                if key not in table:
                    table[key] = {}
                    opened.append(table[key])
                table = table[key]
                if not any(table is each for each in opened):
                    raise fault(self.text, pair.start, f"`{key}` is defined twice")
            if pair.keys[-1] in table:
                raise fault(self.text, pair.start, f"`{pair.keys[-1]}` is defined twice")
            table[pair.keys[-1]] = pair.node.plain
        return made

    def _text(self) -> Node:
        start = self.at
        quote = self.text[start]
        many = self.text.startswith(quote * 3, start)
        if quote == "'":
            match = (_MANY_LITERAL if many else _LITERAL).match(self.text, start)
            if not match:
                raise self._fault("this text is not closed, or holds a control character")
            self.at = match.end()
            plain = match.group(1).replace("\r\n", "\n") if many else match.group(1)
            return Node(start, self.at, plain[1:] if many and plain.startswith("\n") else plain)
        self.at += 3 if many else 1
        if many:
            self.at += 2 if self.text.startswith("\r\n", self.at) else self.text.startswith("\n", self.at)
        parts: list[str] = []
        plain_form = _MANY_PLAIN if many else _PLAIN
        while True:
            match = plain_form.match(self.text, self.at)
            if match:
                parts.append(match.group().replace("\r\n", "\n"))
                self.at = match.end()
            elif self.text.startswith("\\", self.at):
                parts.append(self._escape(many))
            elif self.text.startswith('"', self.at):
                quotes = 1
                while many and quotes < 5 and self.text.startswith('"', self.at + quotes):
                    quotes += 1
                self.at += quotes
                if not many or quotes >= 3:
                    return Node(start, self.at, "".join(parts) + '"' * (quotes - 3))
                parts.append('"' * quotes)
            else:
                raise self._fault("this text is not closed, or holds a control character")

    def _escape(self, many: bool) -> str:
        joined = _JOINED.match(self.text, self.at) if many else None
        if joined:
            self.at = joined.end()
            return ""
        char = self.text[self.at + 1 : self.at + 2]
        if char in _ESCAPES and char:
            self.at += 2
            return _ESCAPES[char]
        digits = {"u": 4, "U": 8}.get(char, 0)
        code = self.text[self.at + 2 : self.at + 2 + digits]
        try:
            if len(code) != digits or not digits or not code.isalnum() or 0xD800 <= int(code, 16) < 0xE000:
                raise ValueError
            letter = chr(int(code, 16))
        except (ValueError, OverflowError):
            raise self._fault("this is no escape that TOML knows") from None
        self.at += 2 + digits
        return letter

    def _expect(self, word: str) -> None:
        self._blanks()
        if not self.text.startswith(word, self.at):
            raise self._fault(f"`{word}` was expected here")
        self.at += len(word)

    def _blanks(self) -> None:
        match = _BLANKS.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _space(self) -> None:
        """Blanks, comments and line ends, as a list may have between its values."""
        while True:
            self._blanks()
            match = _COMMENT.match(self.text, self.at)
            if match:
                self.at = match.end()
            if not self._break():
                return

    def _break(self) -> bool:
        for end in ("\r\n", "\n"):
            if self.text.startswith(end, self.at):
                self.at += len(end)
                return True
        return False

    def _line_end(self) -> None:
        """The rest of a statement's line: a comment at most."""
        self._blanks()
        match = _COMMENT.match(self.text, self.at)
        if match:
            self.at = match.end()
        if not self._break() and self.at < len(self.text):
            raise self._fault("the line should end here")

    def _fault(self, what: str) -> PalError:
        return fault(self.text, self.at, what)
