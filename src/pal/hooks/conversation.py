"""What a hook needs to know about a conversation: its last exchange, with a reply the transcript may not have yet."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.turn import HookInput, Message


def of(turn: HookInput) -> list[Message]:
    """The last messages, ending with the turn's final reply where the agent handed it over."""
    messages = turn.transcript()
    if turn.reply and (not messages or messages[-1][:2] != ("assistant", turn.reply)):
        messages = [*messages, ("assistant", turn.reply, "")]
    return messages


def last_exchange(messages: list[Message]) -> tuple[str, str]:
    """(what the user last asked, what was last replied to it); empty where there is none."""
    reply = ""
    for role, text, _ in reversed(messages):
        if role == "user":
            return text, reply
        reply = reply or text
    return "", reply
