"""Codex's rollout files: a person's and the model's words are the messages among the `response_item` lines.

What the client adds in a person's name (surroundings, AGENTS.md, skills) begins with a mark of its own."""

from __future__ import annotations

from pal.targets import lines
from pal.targets.payload import members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.hooks.turn import Message

_MARK = b'"response_item"'
_COMMAND = ("cmd", "command")  # a shell call's argument, in newer and older versions
_NOT_WORDS = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<hook_prompt",
    "<skill>",
    "<subagent_notification",
    "<turn_aborted>",
)


def recent(path: str, most: int = lines.ENOUGH) -> list[Message]:
    """The last messages, oldest first; empty when there is no transcript."""
    return lines.recent(path, _MARK, _message, most)


def commands(path: str) -> list[str] | None:
    """The shell commands since a person last spoke, oldest first; None where the file does not tell."""
    return lines.commands(path, _MARK, _message, _run_by)


def _run_by(entry: dict[str, Any]) -> list[Any]:
    payload = entry.get("payload")
    if not isinstance(payload, dict) or payload.get("type") != "function_call":
        return []
    arguments = members(payload, "arguments")
    for name in _COMMAND:
        command = arguments.get(name)
        if isinstance(command, list):
            command = " ".join([str(word) for word in command])
        if isinstance(command, str):
            return [command] if command else []
    return []


def _message(entry: dict[str, Any]) -> Message | None:
    payload = entry.get("payload")
    if entry.get("type") != "response_item" or not isinstance(payload, dict) or payload.get("type") != "message":
        return None
    role, content = payload.get("role"), payload.get("content")
    if role not in ("user", "assistant") or not isinstance(content, list):
        return None
    texts = [str(part.get("text") or "") for part in content if isinstance(part, dict)]
    said = "\n\n".join([text for text in texts if not (role == "user" and text.lstrip().startswith(_NOT_WORDS))])
    return (str(role), said.strip(), str(entry.get("timestamp") or "")) if said.strip() else None
