"""Antigravity's transcripts: one step a line. What a person asked is an explicit user input, within its own element;
what is replied is the planner's response with words in it."""

from __future__ import annotations

from pal.base import files, jsontext
from pal.targets import lines
from pal.targets.payload import members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.hooks.turn import Message

_REQUEST = b'"USER_EXPLICIT"'
_WINDOW = 1024 * 1024  # bytes from the end in which a turn's request stands, but for the longest turns
_ELEMENT = "USER_REQUEST"


def recent(path: str, most: int = lines.ENOUGH) -> list[Message]:
    """The last messages, oldest first; empty when there is no transcript."""
    return lines.recent(path, b'"content"', _message, most)


def commands(path: str) -> list[str] | None:
    """The shell commands since a person last spoke, oldest first; None where the transcript does not tell."""
    return lines.commands(path, b'"type"', _message, _ran)


def _ran(entry: dict[str, Any]) -> list[Any]:
    return [members(call, "args").get("CommandLine") for call in lines.objects(entry.get("tool_calls"))]


def last_request(path: str) -> tuple[int, str]:
    """(its step, the words) of the last thing a person asked; step -1 where nobody did, as in a subagent's."""
    if not path:
        return -1, ""
    data = files.tail_bytes(path, _WINDOW)
    if _REQUEST not in data and len(data) == _WINDOW:
        data = files.read_bytes(path) or b""
    for line in reversed(data.split(b"\n")):
        if _REQUEST not in line:
            continue
        try:
            entry = jsontext.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and _asked(entry):
            step = entry.get("step_index")
            return step if isinstance(step, int) and step >= 0 else 0, _words(entry)
    return -1, ""


def _message(entry: dict[str, Any]) -> Message | None:
    at = str(entry.get("created_at") or "")
    if _asked(entry):
        return "user", _words(entry), at
    if entry.get("type") == "PLANNER_RESPONSE":
        return "assistant", str(entry.get("content") or ""), at
    return None


def _asked(entry: dict[str, Any]) -> bool:
    return entry.get("type") == "USER_INPUT" and entry.get("source") == "USER_EXPLICIT"


def _words(entry: dict[str, Any]) -> str:
    return lines.inside(str(entry.get("content") or ""), _ELEMENT)
