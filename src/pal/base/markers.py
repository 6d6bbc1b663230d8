"""What marks PAL's own words among others': its block in a text file that people write too, and what it puts before an
agent, which must never be taken for somebody's words and remembered."""

from __future__ import annotations

BEGIN, END = "pal:begin", "pal:end"
RECALLED = "pal-memory"  # the element around memories in a prompt
NOTE = " (kept by PAL; edit outside)"  # behind BEGIN; a file with another note is read all the same


def without_element(text: str, name: str) -> str:
    """The text without each whole element of that name; one that is never closed stays."""
    opening, closing = "<" + name, "</" + name + ">"
    parts = []
    kept = begin = 0
    while True:
        begin = text.find(opening, begin)
        if begin < 0:
            break
        after = begin + len(opening)
        if text[after : after + 1] not in ("", ">", " ", "\n"):  # the name of another, longer element
            begin = after
            continue
        end = text.find(closing, after)
        if end < 0:
            break
        parts.append(text[kept:begin])
        kept = begin = end + len(closing)
    return "".join(parts) + text[kept:] if parts else text
