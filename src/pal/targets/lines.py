"""Transcripts of one JSON object a line, read from the end, however long the session has been."""

from __future__ import annotations

from pal.base import files, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.hooks.turn import Message

ENOUGH = 40  # messages; captures use ten, the rest tells how long the session is
_WINDOWS = (128 * 1024, 1024 * 1024, 8 * 1024 * 1024)  # bytes; the next one only when the last held too few
_FEW = 12


def recent(
    path: str, mark: bytes, message: Callable[[dict[str, Any]], Message | None], most: int = ENOUGH
) -> list[Message]:
    """The last messages, at most so many, oldest first; empty when there is no transcript.

    `mark` stands in every line worth parsing; `message` makes of such a line's object a message, or nothing."""
    if not path:
        return []
    found: list[Message] = []
    for window in _WINDOWS:
        data = files.tail_bytes(path, window)
        cut = len(data) == window
        lines = data.split(b"\n")
        found = [said for line in (lines[1:] if cut else lines) for said in _said(line, mark, message)]
        if len(found) >= max(_FEW, most - ENOUGH) or not cut:
            break
    return found[-most:]


def commands(
    path: str,
    mark: bytes,
    message: Callable[[dict[str, Any]], Message | None],
    ran: Callable[[dict[str, Any]], list[Any]],
) -> list[str] | None:
    """The shell commands since a person last spoke, oldest first; None where the transcript does not tell.

    `ran` gives what an object's calls call their command, in order; what is no text is none."""
    try:
        lines = files.tail_bytes(path, _WINDOWS[1]).split(b"\n") if path else []
    except OSError:
        return None
    found: list[str] = []
    for line in reversed(lines):
        entry = _object(line, mark)
        if entry is None:
            continue
        said = message(entry)
        if said and said[0] == "user" and said[1].strip():
            return found[::-1]
        found += [command for command in reversed(ran(entry)) if isinstance(command, str)]
    return None


def _said(line: bytes, mark: bytes, message: Callable[[dict[str, Any]], Message | None]) -> list[Message]:
    entry = _object(line, mark)
    said = message(entry) if entry is not None else None
    return [said] if said and said[1].strip() else []


def _object(line: bytes, mark: bytes) -> dict[str, Any] | None:
    if mark not in line:
        return None
    try:
        entry = jsontext.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def inside(words: str, element: str) -> str:
    """What stands between the tags of this element; the text itself when there is none."""
    _, opened, rest = words.partition(f"<{element}>")
    return rest.partition(f"</{element}>")[0].strip() if opened else words


def texts(content: object) -> str:
    """The text blocks of a message's content, which may be a text itself."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
    return "\n\n".join([str(block.get("text") or "") for block in blocks]).strip()
