"""What a hook needs to know about a conversation: its last exchange, with a reply the transcript may not have yet, and
its work, which a good rating and the thanks for it are no part of."""

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


def work_of(messages: list[Message]) -> list[Message]:
    """The messages without the exchanges at their end in which the user only praised; all if there is nothing else."""
    end = len(messages)
    while end:
        asked = next((at for at in range(end - 1, -1, -1) if messages[at][0] == "user"), -1)
        if asked < 0 or not _only_praises(messages[asked][1]):
            return messages[:end]
        end = asked
    return messages


def _only_praises(text: str) -> bool:
    """Decided by the words alone for most prompts; the tables of ratings are loaded for the rest."""
    text = text.strip()
    if len(text) > 300 or not (text[:1].isdigit() or len(text.split()) <= 4):
        return False
    from pal.memory import failures, ratings

    rating = ratings.parse(text)
    return rating is not None and rating.value > failures.LOW  # what follows a low one mends something
