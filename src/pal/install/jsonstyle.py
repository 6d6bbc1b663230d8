"""How a JSON file is written (line ends, indentation, spaces), and new values written the same way."""

from __future__ import annotations

import json
from typing import Any

from pal.install.jsonscan import BOM, Document, before

BLANKS = " \t"


class Style:
    """Line ends, one step of indentation, and the spaces after colons and commas, read off the file."""

    __slots__ = ("colon", "gap", "newline", "unit")

    def __init__(self, document: Document) -> None:
        text = document.text
        self.newline = newline_of(text)
        self.unit, self.colon = "  ", ""
        unit = ""
        level = [document.root] if document.root is not None else []
        while level and not (unit and self.colon):
            for node in level:
                for index, item in enumerate(node.items or ()):
                    if item.key is not None and not self.colon:
                        after = text[item.start : item.node.start].rpartition(":")[2]
                        self.colon = ":" if not after else ": "
                    own, outer = indent_at(text, item.start), indent_at(text, node.start)
                    if not unit and has_break(text, before(node, index), item.start):
                        unit = own[len(outer) :] if own.startswith(outer) else ""
            level = [item.node for node in level for item in node.items or ()]
        self.unit = unit or self.unit
        self.colon = self.colon or ": "
        self.gap = self.colon[1:]


def newline_of(text: str) -> str:
    """The line end most lines have."""
    pairs = text.count("\r\n")
    if pairs and pairs >= text.count("\n") - pairs:
        return "\r\n"
    return "\r" if "\r" in text and "\n" not in text else "\n"


def render(new: Any, indent: str, style: Style, flat: bool) -> str:
    """This value as text whose later lines begin at `indent`; flat is all on one line."""
    if not isinstance(new, (dict, list)) or not new:
        return word(new)
    rows = (
        [word(key) + style.colon + render(below, indent + style.unit, style, flat) for key, below in new.items()]
        if isinstance(new, dict)
        else [render(below, indent + style.unit, style, flat) for below in new]
    )
    opening, closing = ("{", "}") if isinstance(new, dict) else ("[", "]")
    if flat:
        return opening + ("," + style.gap).join(rows) + closing
    inner = style.newline + indent + style.unit
    return opening + inner + ("," + inner).join(rows) + style.newline + indent + closing


def word(plain: Any) -> str:
    """One scalar (or empty container); letters beyond ASCII as they are, but a lone surrogate has no bytes."""
    return "".join(
        f"\\u{ord(letter):04x}" if "\ud800" <= letter <= "\udfff" else letter
        for letter in json.dumps(plain, ensure_ascii=False)
    )


def indent_at(text: str, place: int) -> str:
    """The white space that begins the line of this place."""
    start = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
    line = text[start:place].lstrip(BOM)
    return line[: len(line) - len(line.lstrip(BLANKS))]


def has_break(text: str, start: int, end: int) -> bool:
    return "\n" in text[start:end] or "\r" in text[start:end]
