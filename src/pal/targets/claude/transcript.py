"""Claude Code's transcripts: one JSON object a line, read from the end, however long the session has been.

A person's words are the user lines that are neither meta, nor a tool's result, nor written by the client; each
assistant line holds one block, and blocks of one message share its id."""

from __future__ import annotations

from pal.base import files, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.hooks.turn import Message

ENOUGH = 40  # messages; captures use ten, the rest tells how long the session is
_WINDOWS = (128 * 1024, 1024 * 1024, 8 * 1024 * 1024)  # bytes; the next one only when the last held too few
_FEW = 12
_NOT_WORDS = ("<task-notification>", "<command-", "<local-command", "<bash-", "<system-reminder>")


def recent(path: str, count: int = ENOUGH) -> list[Message]:
    """The last messages of the main conversation, oldest first; empty when there is no transcript."""
    if not path:
        return []
    found: list[Message] = []
    for window in _WINDOWS:
        data = files.tail_bytes(path, window)
        found = _messages(data, cut=len(data) == window)
        if len(found) >= max(_FEW, count - ENOUGH) or len(data) < window:
            break
    return found[-count:]


def commands(path: str) -> list[str] | None:
    """The shell commands since a person last spoke, oldest first; None where the transcript does not tell."""
    from pal.targets import lines  # not at a stop that asks for no command

    return lines.commands(path, b'"message"', _message, _run_by)


def _run_by(entry: Any) -> list[str]:
    message = entry.get("message") if isinstance(entry, dict) and not entry.get("isSidechain") else None
    content = message.get("content") if isinstance(message, dict) else None
    ran = []
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("type") == "tool_use" and isinstance(block.get("input"), dict):
            command = block["input"].get("command")
            if isinstance(command, str):
                ran.append(command)
    return ran


def _messages(data: bytes, cut: bool) -> list[Message]:
    lines = data.split(b"\n")
    found: list[Message] = []
    last_id = ""
    for line in lines[1:] if cut else lines:
        # Most bytes of a transcript are tool results and attachments; they are passed over before any parsing.
        if b'"message"' not in line or b'"tool_result"' in line:
            continue
        try:
            entry = jsontext.loads(line)
        except ValueError:
            continue
        message = _message(entry)
        if message is None:
            continue
        role, text, _ = message
        message_id = str(entry["message"].get("id") or "") if role == "assistant" else ""
        if message_id and message_id == last_id and found and found[-1][0] == "assistant":
            found[-1] = (role, found[-1][1] + "\n\n" + text, found[-1][2])
        else:
            found.append(message)
        last_id = message_id
    return found


def _message(entry: Any) -> Message | None:
    if not isinstance(entry, dict) or entry.get("isSidechain") or entry.get("isMeta"):
        return None
    role, message = entry.get("type"), entry.get("message")
    if role not in ("user", "assistant") or not isinstance(message, dict) or entry.get("rowSource") == "hook":
        return None
    text = _words(message.get("content"))
    if not text or (role == "user" and text.lstrip().startswith(_NOT_WORDS)):
        return None
    return str(role), text, str(entry.get("timestamp") or "")


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
    return "\n\n".join([str(block.get("text") or "") for block in blocks]).strip()
