"""Words of people and models as they may be kept: without secrets and private passages, and cut to size."""

from __future__ import annotations

from pal.base import redaction, text


def line(said: str, limit: int) -> str:
    """One line of at most so many UTF-16 units; what UTF-8 cannot hold is escaped."""
    whole = redaction.scrub(said[: limit * 8]).encode("utf-8", "backslashreplace").decode()
    return text.clip(" ".join(whole.split()), limit)


def prose(said: str, limit: int) -> str:
    """Lines and paragraphs, of at most so many UTF-16 units."""
    whole = redaction.scrub(said[: limit * 8]).encode("utf-8", "backslashreplace").decode()
    return text.clip(whole.strip(), limit)
