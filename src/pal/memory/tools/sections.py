"""The sections of a Markdown page, each below a heading of the second level: found and changed line by line, so that
what stands around them stays as it is. A heading inside a code block is none."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def body(lines: list[str], title: str) -> list[str]:
    """The lines of a section, without blank ones at its ends; empty when there is no such section."""
    begin, end = bounds(lines, title)
    found = trimmed(lines[begin + 1 : end]) if begin >= 0 else []
    while found and not found[0].strip():
        del found[0]
    return found


def append(lines: list[str], title: str, block: list[str], apart: bool = False) -> list[str]:
    """The page with a block at the end of a section, after a blank line if `apart`; a missing section is made."""
    begin, end = bounds(lines, title)
    if begin < 0:
        return [*trimmed(lines), "", "## " + title, "", *block, ""]
    before = trimmed(lines[:end])
    gap = [""] if apart or len(before) <= begin + 1 else []
    return [*before, *gap, *block, "", *lines[end:]]


def replace(lines: list[str], title: str, block: list[str]) -> list[str]:
    """The page with a section's text replaced; a missing section is made."""
    begin, end = bounds(lines, title)
    if begin < 0:
        return [*trimmed(lines), "", "## " + title, "", *block, ""]
    return [*lines[: begin + 1], "", *block, *([""] if block else []), *lines[end:]]


def trimmed(lines: list[str]) -> list[str]:
    """The lines without blank ones at the end."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def bounds(lines: list[str], title: str) -> tuple[int, int]:
    """(line of the heading, line after the section); (-1, -1) when there is none."""
    begin = -1
    for at, name in _headings(lines):
        if begin >= 0:
            return begin, at
        if name == title.lower():
            begin = at
    return (begin, len(lines)) if begin >= 0 else (-1, -1)


def _headings(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Each heading of the first two levels: its line, its text in lower case (empty for the first level)."""
    fenced = False
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and line.startswith("## "):
            yield at, line[3:].strip().lower()
        elif not fenced and line.startswith("# "):
            yield at, ""
