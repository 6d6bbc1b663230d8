"""opencode's conversations: it keeps them in a database of its own, so the plugin hands over the last messages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.hooks.turn import Message

ROLES = ("user", "assistant")


def handed_over(listed: Any) -> Callable[[str], list[Message]]:
    """A reader of the messages that a payload brought along. Every file is some other agent's; it reads none."""

    def recent(path: str) -> list[Message]:
        return [] if path else messages(listed)

    return recent


def messages(listed: Any) -> list[Message]:
    """The messages with words in them, oldest first."""
    found: list[Message] = []
    for entry in listed if isinstance(listed, list) else ():
        if not isinstance(entry, dict) or entry.get("role") not in ROLES:
            continue
        said, when = entry.get("text"), entry.get("time")
        if isinstance(said, str) and said.strip():
            found.append((entry["role"], unquoted(said) if entry["role"] == "user" else said, str(when or "")))
    return found


def unquoted(prompt: str) -> str:
    """A prompt without the quotes that `opencode run "two words"` puts around it."""
    inner = prompt[1:-1]
    whole = len(prompt) > 2 and prompt[0] == prompt[-1] == '"' and '"' not in inner and " " in inner
    return inner if whole else prompt
