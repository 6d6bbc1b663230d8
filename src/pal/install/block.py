"""Keeps one marked block in a text file that people write too, and takes it out again so that every byte is as before.

Pure functions from text to text. A block that is half there, doubled or inside fenced code is a PalError with its line
(the caller adds the file): PAL never guesses what in such a file is its own."""

from __future__ import annotations

import re

from pal.base.errors import PalError
from pal.base.markers import BEGIN, END, NOTE
from pal.install.jsonscan import BOM
from pal.install.jsonstyle import newline_of

Record = dict[str, str]  # before and after: what was put around the block
STYLES = {"html": ("<!-- ", " -->"), "hash": ("# ", "")}  # Markdown; shell, TOML and the like
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_SPACE = " \t\r\n"


def inside(text: str, style: str = "html") -> str | None:
    """What stands in the block, with plain line ends; None when there is no block."""
    found = _find(text, style)
    return None if found is None else text[found[1] : found[2]].replace("\r\n", "\n")


def put(text: str, content: str, style: str = "html") -> tuple[str, Record | None]:
    """The text with this content in its block: replaced, or appended after a blank line (then with a record)."""
    newline = "\r\n" if newline_of(text) == "\r\n" else "\n"
    if _find(content, style) is not None:
        raise PalError("a block cannot hold another block of PAL's; leave the markers out of its text")
    lines = content.rstrip("\n").encode("utf-8", "replace").decode("utf-8")  # a lone surrogate has no bytes
    body = lines.replace("\r\n", "\n").replace("\n", newline) + newline if lines else ""
    found = _find(text, style, appending=True)
    if found is not None:
        return text[: found[1]] + body + text[found[2] :], None
    opening, closing = STYLES[style]
    if text in ("", BOM) or text.endswith(("\n\n", "\n\r\n")):
        before = ""
    elif text.endswith("\n"):
        before = newline if text.strip(_SPACE + BOM) else ""
    else:
        before = newline * 2
    block = opening + BEGIN + NOTE + closing + newline + body + opening + END + closing
    return text + before + block + newline, {"before": before, "after": newline}


def remove(text: str, record: Record | None = None, style: str = "html") -> str:
    """The text without its block. What people wrote before and after it stays, on lines of its own."""
    found = _find(text, style)
    if found is None:
        return text
    if record is None:
        record = dict.fromkeys(("before", "after"), "\r\n" if newline_of(text) == "\r\n" else "\n")
    start, end = found[0], found[3]
    if text[end:].startswith(record["after"]):
        end += len(record["after"])
    # Something written below needs the line ends above the block, which parted it from what stands there.
    if not text[end:].strip(_SPACE) and text[:start].endswith(record["before"]):
        above = start - len(record["before"])
        # One line end was put after a line that had its own; where only one is left, it is that line's.
        if record["before"].count("\n") != 1 or text[:above].endswith("\n"):
            start = above
    return text[:start] + text[end:]


def _find(text: str, style: str, appending: bool = False) -> tuple[int, int, int, int] | None:
    """Where the block begins, its inside begins and ends, and the block ends (before its last line end)."""
    begin: tuple[int, int, int] | None = None
    found: tuple[int, int, int, int] | None = None
    fence, fence_line = "", 0
    place = 0
    for number, line in enumerate(text.split("\n"), 1):
        start, place = place, place + len(line) + 1
        if number == 1 and line.startswith(BOM):
            start, line = 1, line[1:]
        mark = _mark(line, style)
        if mark and fence:
            raise PalError(
                f"line {number}: PAL's marker stands inside the code fence of line {fence_line}; "
                "close that fence, or remove the marker"
            )
        if mark == BEGIN:
            if begin or found:
                raise PalError(f"line {number}: a second block of PAL's begins here; remove one of the two")
            begin = (start, place, number)
        elif mark == END:
            if begin is None:
                raise PalError(f"line {number}: PAL's block ends here but begins nowhere; remove this line")
            found, begin = (begin[0], begin[1], start, start + len(line.rstrip(_SPACE))), None
        elif not begin and style == "html":
            match = _FENCE.match(line.rstrip(_SPACE))
            if match and not fence:
                fence, fence_line = match.group(1), number
            elif match and match.group(1).startswith(fence) and not match.group(2).strip():
                fence = ""
    if begin:
        raise PalError(f"line {begin[2]}: PAL's block begins here and never ends; remove this line and what PAL wrote")
    if appending and fence and not found:
        raise PalError(f"line {fence_line}: this code fence is never closed; close it, so that PAL can write below it")
    return found


def _mark(line: str, style: str) -> str:
    """Which marker the line is, with whatever note it carries; deeper indentation makes it code, not a marker."""
    opening, closing = STYLES[style]
    line = line.rstrip(_SPACE)
    if len(line) - len(line.lstrip(" ")) > 3:
        return ""
    line = line.lstrip(" ")
    for mark in (BEGIN, END):
        if line.startswith(opening + mark) and line.endswith(closing):
            rest = line[len(opening + mark) : len(line) - len(closing)]
            if not rest or rest.startswith(" "):
                return mark
    return ""
