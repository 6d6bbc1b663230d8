"""Cursor's transcripts: one message a line, without times; a person's words stand inside `<user_query>`."""

from __future__ import annotations

from pal.targets import lines
from pal.targets.payload import members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.hooks.turn import Message

_NOT_SAID = "[REDACTED]"  # what is left of the model's thinking


def recent(path: str, most: int = lines.ENOUGH) -> list[Message]:
    """The last messages, oldest first; empty when there is no transcript."""
    return lines.recent(path, b'"message"', _message, most)


def commands(path: str) -> list[str] | None:
    """The shell commands since a person last spoke, oldest first; None where the transcript does not tell."""
    return lines.commands(path, b'"message"', _message, _ran)


def _ran(entry: dict[str, Any]) -> list[Any]:
    message = entry.get("message")
    content = lines.objects(message.get("content")) if isinstance(message, dict) else []
    calls = [members(block, "input") for block in content if block.get("type") == "tool_use"]
    return [call.get("command") for call in calls]


def _message(entry: dict[str, Any]) -> Message | None:
    role, message = entry.get("role"), entry.get("message")
    if role not in ("user", "assistant") or not isinstance(message, dict):
        return None
    words = lines.texts(message.get("content"))
    if role == "user":
        words = lines.inside(words, "user_query")
    return str(role), words.replace(_NOT_SAID, "").strip(), ""
