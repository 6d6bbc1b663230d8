"""Gemini CLI's transcripts: one JSON object a line, read from the end, however long the session has been.

A message's line is written again once its tools have answered. A person's words stand among text parts that hooks and
the client add, and that begin with a tag of theirs."""

from __future__ import annotations

from pal.base import files, jsontext
from pal.targets import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.hooks.turn import Message

ROLES = {"user": "user", "gemini": "assistant"}
_TOLD, _END = "<hook_context>", "</hook_context>"
_CONTEXT = "<session_context>"
_MARK = b'"content"'  # in every line of a message
_SHELL = "run_shell_command"
_READ = 1024 * 1024  # bytes from the end in which the turn's commands are looked for


def recent(path: str, most: int = lines.ENOUGH) -> list[Message]:
    """The last messages, oldest first; empty when there is no transcript."""
    found: list[Message] = []
    for message in lines.recent(path, _MARK, _message, most):
        if not found or message != found[-1]:
            found.append(message)
    return found


def commands(path: str) -> list[str] | None:
    """The shell commands since a person last spoke, oldest first; None where the transcript does not tell."""
    try:
        rows = files.tail_bytes(path, _READ).split(b"\n") if path else []
    except OSError:
        return None
    found: dict[str, str] = {}  # by the call's id: a message is written again as its tools answer
    for row in reversed(rows):
        if _MARK not in row:
            continue
        try:
            entry = jsontext.loads(row)
        except ValueError:
            continue
        message = _message(entry) if isinstance(entry, dict) else None
        if message and message[0] == "user" and message[1]:
            return list(reversed(found.values()))
        calls = entry.get("toolCalls") if isinstance(entry, dict) else None
        for call in reversed(calls if isinstance(calls, list) else []):
            arguments = call.get("args") if isinstance(call, dict) and call.get("name") == _SHELL else None
            command = arguments.get("command") if isinstance(arguments, dict) else None
            if isinstance(command, str):
                found.setdefault(str(call.get("id")), command)
    return None


def typed(prompt: str) -> str:
    """The prompt without the context of hooks that the client put before it."""
    while prompt.startswith(_TOLD) and _END in prompt:
        prompt = prompt.partition(_END)[2].lstrip()
    return prompt


def _message(entry: dict[str, Any]) -> Message | None:
    role = ROLES.get(str(entry.get("type")))
    content = entry.get("content")
    if role is None:
        return None
    if isinstance(content, list):
        parts = [str(part.get("text") or "") for part in content if isinstance(part, dict)]
    else:
        parts = [content] if isinstance(content, str) else []
    if role == "user":
        parts = [typed(part) for part in parts if not part.startswith(_CONTEXT)]
    return role, "\n\n".join([part for part in parts if part.strip()]), str(entry.get("timestamp") or "")
