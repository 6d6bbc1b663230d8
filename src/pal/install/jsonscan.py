"""Reads JSON with comments into a tree that knows where everything stands in the text; the JSON editor works on it.

Accepted beyond JSON: `//` and `/* */` comments, trailing commas, a byte order mark, repeated keys (the last one
counts, as in every reader). Anything else that is not JSON is a PalError naming line and column."""

from __future__ import annotations

import re
from typing import Any

from pal.base.errors import PalError

SPACE = " \t\r\n"
BOM = "\ufeff"
DEEPEST = 100  # levels; a settings file has six, and a level costs three frames of Python's stack
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORD_END = re.compile(r"[A-Za-z0-9_$]*")


class Item:
    """One member of an object or element of an array. start is where its key (or value) begins; comma is the place of
    the comma after it, -1 where there is none."""

    __slots__ = ("comma", "key", "node", "start")

    def __init__(self, start: int, key: str | None, node: Node) -> None:
        self.start = start
        self.key = key
        self.node = node
        self.comma = -1

    @property
    def end(self) -> int:
        return self.node.end


class Node:
    """A value and its place, text[start:end]. items is None for everything but objects and arrays."""

    __slots__ = ("end", "is_object", "items", "plain", "start")

    def __init__(self, start: int, end: int, plain: Any = None, items: list[Item] | None = None) -> None:
        self.start = start
        self.end = end
        self.plain = plain
        self.items = items
        self.is_object = False

    @property
    def is_array(self) -> bool:
        return self.items is not None and not self.is_object

    @property
    def value(self) -> Any:
        if self.items is None:
            return self.plain
        if self.is_object:
            return {item.key: item.node.value for item in self.items}
        return [item.node.value for item in self.items]


Comment = tuple[int, int, bool]  # start, end, and whether it runs to the end of its line


class Document:
    """A scanned text: its root (None when there is no value in it) and its comments, in order."""

    __slots__ = ("comments", "root", "text")

    def __init__(self, text: str, root: Node | None, comments: list[Comment]) -> None:
        self.text = text
        self.root = root
        self.comments = comments

    def comments_in(self, start: int, end: int) -> list[str]:
        """The words of the comments between two places."""
        return [self.text[a:b].rstrip() for a, b, _ in self.comments if start <= a and b <= end]

    def nodes(self, keys: tuple[str, ...]) -> list[Node]:
        """Every value at this path; the last one is what readers see, the others are hidden by a repeated key."""
        found = [self.root] if self.root is not None else []
        for key in keys:
            found = [item.node for node in found if node.is_object for item in node.items or () if item.key == key]
        return found

    def seen(self, keys: tuple[str, ...]) -> Node | None:
        """The value readers see at this path."""
        node = self.root
        for key in keys:
            below = [item.node for item in (node and node.items) or () if item.key == key]
            node = below[-1] if below else None
        return node


def items_of(node: Node) -> list[Item]:
    """The items of a container."""
    assert node.items is not None
    return node.items


def before(node: Node, index: int) -> int:
    """Where the room of an item begins: behind the bracket or behind the comma before it."""
    return items_of(node)[index - 1].comma + 1 if index else node.start + 1


def scan(text: str) -> Document:
    """The tree of a text; PalError (line, column, what to do) when it cannot be read."""
    return _Scanner(text).document()


class _Scanner:
    __slots__ = ("at", "comments", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith(BOM) else 0
        self.comments: list[Comment] = []

    def document(self) -> Document:
        self.skip()
        if self.at == len(self.text):
            return Document(self.text, None, self.comments)
        root = self.node(1)
        self.skip()
        if self.at < len(self.text):
            raise self.broken("the file goes on after its closing bracket; remove what follows it")
        return Document(self.text, root, self.comments)

    def broken(self, problem: str, at: int | None = None) -> PalError:
        place = self.at if at is None else at
        before = self.text[:place].replace("\r\n", "\n").replace("\r", "\n")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        return PalError(f"line {line}, column {column}: {problem}")

    def skip(self) -> None:
        """Over white space and comments."""
        text, size = self.text, len(self.text)
        while self.at < size:
            letter = text[self.at]
            if letter in SPACE:
                self.at += 1
            elif text.startswith("//", self.at):
                start = self.at
                while self.at < size and text[self.at] not in "\r\n":
                    self.at += 1
                self.comments.append((start, self.at, True))
            elif text.startswith("/*", self.at):
                end = text.find("*/", self.at + 2)
                if end < 0:
                    raise self.broken("this comment never ends; close it with */")
                self.comments.append((self.at, end + 2, False))
                self.at = end + 2
            else:
                return

    def node(self, depth: int) -> Node:
        if self.at >= len(self.text):
            raise self.broken("the file ends where a value should stand; complete it")
        letter = self.text[self.at]
        if letter == "{" or letter == "[":
            if depth > DEEPEST:
                raise self.broken(f"nested deeper than {DEEPEST} levels; flatten it")
            return self.container(letter == "{", depth)
        start = self.at
        if letter == '"':
            word = self.string()
            return Node(start, self.at, word)
        if letter == "-" or letter.isdigit():
            return self.number()
        match = _WORD_END.match(self.text, self.at)
        word = match.group() if match else ""
        if word in _WORDS:
            self.at += len(word)
            return Node(start, self.at, _WORDS[word])
        if letter in ",]}":
            raise self.broken(f"a value is missing before {letter!r}; add it or remove the comma or colon")
        if letter == "'":
            raise self.broken('single quotes are not JSON; use "')
        raise self.broken(f"{(word or letter)!r} is not a JSON value; put text in double quotes")

    def number(self) -> Node:
        match = _NUMBER.match(self.text, self.at)
        tail = _WORD_END.match(self.text, match.end() if match else self.at)
        if not match or (tail and tail.group()) or self.text[match.end() : match.end() + 1] == ".":
            raise self.broken("not a JSON number; write it like 12 or -0.5")
        start, self.at = self.at, match.end()
        try:
            whole = match.group(1) is None and match.group(2) is None
            return Node(start, self.at, int(match.group()) if whole else float(match.group()))
        except ValueError:  # newer Pythons refuse thousands of digits
            raise self.broken("a number too long to be read; shorten it", start) from None

    def string(self) -> str:
        opening = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            match = _PLAIN.match(self.text, self.at)
            if match:
                parts.append(match.group())
                self.at = match.end()
            letter = self.text[self.at : self.at + 1]
            if letter == '"':
                self.at += 1
                # An escaped pair of surrogates is one character, a lone one stays what it is.
                return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
            if letter != "\\":
                raise self.broken('this text is not closed; end it with " on the same line', opening)
            parts.append(self.escape())

    def escape(self) -> str:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter in _ESCAPES and letter:
            self.at += 2
            return _ESCAPES[letter]
        digits = self.text[self.at + 2 : self.at + 6]
        if letter == "u" and len(digits) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
            self.at += 6
            return chr(int(digits, 16))
        raise self.broken(f"{self.text[self.at : self.at + 2]!r} is not a JSON escape; write a backslash as \\\\")

    def container(self, is_object: bool, depth: int) -> Node:
        opening = self.at
        closer = "}" if is_object else "]"
        items: list[Item] = []
        self.at += 1
        while True:
            self.skip()
            letter = self.text[self.at : self.at + 1]
            if letter == closer:
                self.at += 1
                node = Node(opening, self.at, None, items)
                node.is_object = is_object
                return node
            if not letter:
                raise self.broken(f"this {self.text[opening]!r} is never closed; add {closer!r}", opening)
            if items and items[-1].comma < 0:
                raise self.broken(f"a comma or {closer!r} is missing here")
            items.append(self.member(depth) if is_object else self.element(depth))
            self.skip()
            if self.text[self.at : self.at + 1] == ",":
                items[-1].comma = self.at
                self.at += 1

    def element(self, depth: int) -> Item:
        return Item(self.at, None, self.node(depth + 1))

    def member(self, depth: int) -> Item:
        start = self.at
        if self.text[start] != '"':
            raise self.broken("a key in double quotes should stand here")
        key = self.string()
        self.skip()
        if self.text[self.at : self.at + 1] != ":":
            raise self.broken(f"a colon is missing after the key {key!r}")
        self.at += 1
        self.skip()
        return Item(start, key, self.node(depth + 1))
