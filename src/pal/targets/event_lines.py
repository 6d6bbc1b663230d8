"""What was said, from the events file of Copilot CLI and VS Code's chat: `{type, data, timestamp, …}` a line."""

from __future__ import annotations

from pal.targets import lines
from pal.targets.payload import members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.hooks.turn import Message

_ROLES = {"user.message": "user", "assistant.message": "assistant"}


def recent(path: str, most: int = lines.ENOUGH) -> list[Message]:
    """The last messages of the main conversation, oldest first; empty when there is no file."""
    return lines.recent(path, b'.message"', _message, most)


def commands(path: str) -> list[str] | None:
    """The shell commands since a person last spoke, oldest first; None where the file does not tell."""
    return lines.commands(path, b'.message"', _message, _ran)


def _ran(entry: dict[str, Any]) -> list[Any]:
    data = entry.get("data")
    if not isinstance(data, dict) or entry.get("agentId"):
        return []
    return [members(request, "arguments").get("command") for request in lines.objects(data.get("toolRequests"))]


def _message(entry: dict[str, Any]) -> Message | None:
    role, data = _ROLES.get(str(entry.get("type"))), entry.get("data")
    if role is None or not isinstance(data, dict) or entry.get("agentId"):
        return None  # an event of another kind, or a subagent's
    return role, lines.texts(data.get("content")), str(entry.get("timestamp") or "")
