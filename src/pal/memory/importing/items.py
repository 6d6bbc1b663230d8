"""What readers give: a memory, a note for the knowledge, a conversation. Plain values; `run` decides what is new."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

LONGEST = 6000  # bytes of one memory's text; what is longer becomes several
_CUTS = ("\n\n", "\n", ". ", " ")


class Memory:
    """One thing to remember for long: its text, and fields as the store takes them."""

    __slots__ = ("fields", "text")

    def __init__(self, text: str, **fields: Any) -> None:
        self.text = text
        self.fields = {name: value for name, value in fields.items() if value not in ("", None, [], {})}


class Note:
    """A page of knowledge. `related` are (title, type of the link)."""

    __slots__ = ("body", "created", "domain", "related", "tags", "title", "updated")

    def __init__(
        self,
        domain: str,
        title: str,
        body: str,
        tags: Sequence[str] = (),
        related: Sequence[tuple[str, str]] = (),
        created: str = "",
        updated: str = "",
    ) -> None:
        self.domain = domain
        self.title = title
        self.body = body
        self.tags = tags
        self.related = related
        self.created = created
        self.updated = updated


class Conversation:
    """What was said in one session: (who, as the heading; what) in order. `day` may be empty."""

    __slots__ = ("day", "project", "session", "title", "turns")

    def __init__(self, title: str, turns: list[tuple[str, str]], day: str, session: str, project: str) -> None:
        self.title = title
        self.turns = turns
        self.day = day
        self.session = session
        self.project = project


def parts(text: str, limit: int = LONGEST) -> Iterator[str]:
    """The text in pieces of at most so many bytes, cut where a paragraph, a line, a sentence or a word ends."""
    while len(text.encode("utf-8", "replace")) > limit:
        piece = text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
        at = next((found for cut in _CUTS if (found := piece.rfind(cut)) > len(piece) // 3), len(piece))
        if text[:at].strip():
            yield text[:at].strip()
        text = text[at:].lstrip()
    if text.strip():
        yield text.strip()


def listed(value: object) -> list[str]:
    """The texts of a list, or of a JSON text that holds one, or of words between commas."""
    from pal.base import jsontext

    if isinstance(value, str):
        try:
            value = jsontext.loads(value)
        except ValueError:
            value = str(value).split(",")
    items = value if isinstance(value, list) else []
    return [text for item in items if isinstance(item, (str, int, float)) and (text := str(item).strip())]


def stamp(value: object) -> str:
    """A time as memories have it, of an ISO text in any zone or of seconds or milliseconds; empty when it is none."""
    from datetime import datetime, timezone

    from pal.base import clock

    if isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = value / 1000 if value > 1e11 else float(value)
        return clock.iso(seconds) if 0 < seconds < 4e9 else ""
    try:
        text = str(value or "").strip()
        # Python 3.9 reads neither `Z` nor more than six digits of a second.
        whole, dot, rest = text.replace("Z", "+00:00").partition(".")
        digits = next((at for at, char in enumerate(rest) if not char.isdigit()), len(rest))
        found = datetime.fromisoformat(f"{whole}.{rest[:digits][:6].ljust(6, '0')}{rest[digits:]}" if dot else whole)
        if found.tzinfo is None:
            found = found.replace(tzinfo=timezone.utc)
        return clock.iso(found.timestamp())
    except (ValueError, OverflowError, OSError):
        return ""
