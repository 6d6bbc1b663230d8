"""Fits sections of text into what an agent lets a hook say, counted in UTF-16 units, and wraps them as one block.

A section that has nothing to say leaves no trace; text from memory cannot end the block it stands in."""

from __future__ import annotations

from pal.base import text as texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT = 9_000  # units of one hook's whole output; the strictest agent replaces anything beyond 10,000 by a preview
OPENING, CLOSING = "<system-reminder>", "</system-reminder>"
_ELEMENT = "system-reminder"
_TOO_LITTLE = 80  # units; a section is rather left out than shown in fewer


class Section:
    """One part of what an agent is told. `cap` counts the whole section, its heading included.

    `more` says, where the text had to be cut, how to get the whole of it."""

    __slots__ = ("cap", "more", "name", "text", "title")

    def __init__(self, name: str, title: str, text: str, cap: int, more: str = "") -> None:
        self.name = name
        self.title = title
        self.text = text
        self.cap = cap
        self.more = more

    def rendered(self, limit: int) -> str:
        """Heading and text within `limit` units and the section's own cap; empty when there is nothing to say."""
        body = harmless(self.text.strip())
        if not body:
            return ""
        heading = f"## {self.title}\n" if self.title else ""
        room = min(limit, self.cap) - texts.units(heading)
        return heading + shortened(body, room, self.more) if room > 0 else ""


def fit(sections: Sequence[Section], limit: int) -> str:
    """The sections in their order, a blank line between; together at most `limit` units, the first served first."""
    parts: list[str] = []
    left = limit
    for section in sections:
        gap = 2 if parts else 0
        if left - gap < _TOO_LITTLE:
            break
        part = section.rendered(left - gap)
        if part:
            parts.append(part)
            left -= gap + texts.units(part)
    return "\n\n".join(parts)


def block(sections: Sequence[Section], limit: int = LIMIT) -> str:
    """The sections as the one element agents know as a note from their surroundings; empty when all are."""
    frame = len(OPENING) + len(CLOSING) + 2
    inside = fit(sections, limit - frame)
    return f"{OPENING}\n{inside}\n{CLOSING}" if inside else ""


def shortened(text: str, limit: int, more: str = "") -> str:
    """The text cut at the end of a line, which a last line of `…` shows; a first line that is too long is clipped."""
    if texts.units(text) <= limit:
        return text
    last = f"\n… ({more})" if more else "\n…"
    room = limit - texts.units(last)
    kept: list[str] = []
    left = room
    for line in text.split("\n"):
        left -= texts.units(line) + (1 if kept else 0)
        if left < 0:
            break
        kept.append(line)
    while kept and not kept[-1].strip():
        kept.pop()
    if kept:
        return "\n".join(kept) + last
    return texts.clip(text, room) + last if room > _TOO_LITTLE else texts.clip(text, limit)


def harmless(text: str) -> str:
    """The text with every tag of the element we speak in taken apart, so that what was remembered cannot close it."""
    if _ELEMENT not in text.lower():
        return text
    import re  # somebody has such a tag in their memory: rare

    return re.sub(rf"<(\s*/?\s*{_ELEMENT})", r"‹\1", text, flags=re.IGNORECASE)
