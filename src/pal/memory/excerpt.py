"""What a stop hands over for learning: what is due in this session, and its last messages as cleaned, short text.

The stop hook calls it, so it reads no file and decides by the session's row and the messages at hand."""

from __future__ import annotations

from pal.base import redaction, text
from pal.memory.spoken import vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pal.base.settings import Settings

    Messages = Sequence[tuple[str, str, str]]  # role, text, time; oldest first

SESSION, NAME, FEELING, PRINCIPLE = "session", "name", "feeling", "principle"
FEWEST_MESSAGES, FEWEST_ASKED, FEWEST_CHARACTERS = 6, 3, 2000  # of a session worth a summary
NEW_MESSAGES = 10  # after which it is worth another
_MOST = 24  # messages
_ASKED, _REPLIED, _LAST_REPLY = 400, 200, 800  # UTF-16 units of a message
_ROOM = 9000  # characters of all of them
_SHORTEST, _LONGEST = 5, 500  # characters of a prompt that may say how the reply was felt
_COMMANDS = ("/", "$", "\\", "{", "!", "#")
_CALLS_A_DAY = 60  # questions to a model where the settings say nothing

# Words of liking and dislike. They decide nothing: the rules do that, and a model where the rules are not sure.
_FELT = vocabulary(
    "amazing angry annoyed annoying awesome awful bad beautiful better best brilliant broke broken clever confused "
    "confusing cool correct damn disappointed disappointing excellent exactly fail failed fantastic finally fine "
    "forgot frustrated frustrating fuck fucking good great happy hate helpful horrible ignored impressed impressive "
    "incorrect joke kidding lazy love lovely mess missed neat nice nope perfect pointless poor ridiculous sad "
    "seriously shit sloppy slow smart sorry stop stupid sucks superb terrible thank thanks thx ugh unacceptable "
    "unhappy useless waste weak well wonderful worse worst wow wrong wtf yay"
)


def handover(
    row: Mapping[str, Any],
    who: Mapping[str, Any],
    cwd: str,
    messages: Messages,
    settings: Settings,
    env: Mapping[str, str],
    event: str = "",
    failed: bool = False,
) -> dict[str, Any]:
    """The payload of the job, empty when nothing is due. `row` is the session's in the registry; `failed` says that a
    low rating has just been filed."""
    askable = env.get("PAL_INFERENCE_DISABLED") != "1" and settings.number("inference.daily_calls", _CALLS_A_DAY) > 0
    parts = due(row, messages, settings, askable)
    if failed:
        parts.append(PRINCIPLE)
    if not parts:
        return {}
    payload: dict[str, Any] = {
        "session": who.get("session", ""),
        "agent": who.get("agent", ""),
        "cwd": cwd,
        "event": event,
        "parts": parts,
        "count": counted(row, messages),
        "messages": cleaned(messages) if parts != [FEELING] else [],
    }
    if FEELING in parts:
        said, before = judged(messages)
        payload["felt"] = [_short(said, _LONGEST), _short(before, _LONGEST)]
    return payload


def due(row: Mapping[str, Any], messages: Messages, settings: Settings, askable: bool = True) -> list[str]:
    """What is worth doing for this session now."""
    parts = []
    if settings.flag("learning.sessions", True) and _worth_reading(row, messages):
        parts.append(SESSION)
    if askable and settings.flag("learning.sessionNames", True) and not row.get("upgraded") and row.get("prompts"):
        parts.append(NAME)
    if askable and settings.flag("learning.sentiment", True):
        said, before = judged(messages)
        if before and is_unsure(said):
            parts.append(FEELING)
    return parts


def counted(row: Mapping[str, Any], messages: Messages) -> int:
    """How long the session is, in messages. A transcript is read from its end only, so turns count as well."""
    turns = row.get("turns")
    return max(len(messages), 2 * turns if isinstance(turns, int) else 0)


def is_new(row: Mapping[str, Any], count: int) -> bool:
    """Whether enough was said since the session was last read."""
    learned = row.get("learned")
    return not isinstance(learned, int) or count - learned >= NEW_MESSAGES


def _worth_reading(row: Mapping[str, Any], messages: Messages) -> bool:
    if len(messages) < FEWEST_MESSAGES or not is_new(row, counted(row, messages)):
        return False
    asked = sum(role == "user" for role, _, _ in messages)
    return asked >= FEWEST_ASKED and sum(len(said) for _, said, _ in messages) >= FEWEST_CHARACTERS


def judged(messages: Messages) -> tuple[str, str]:
    """(what the user said last, the reply it was said about); empty where there is none."""
    last = next((at for at in range(len(messages) - 1, -1, -1) if messages[at][0] == "user"), -1)
    for role, said, _ in reversed(messages[: max(last, 0)]):
        if role == "assistant" and said.strip():
            return messages[last][1].strip(), said
    return "", ""


def is_unsure(said: str) -> bool:
    """Whether a prompt may say how its writer liked the reply, so that asking a model is worth a call."""
    if not _SHORTEST <= len(said) <= _LONGEST or said.startswith(_COMMANDS) or "\n\n" in said:
        return False
    return "!!" in said or said.isupper() or not _FELT.isdisjoint(text.words(said))


def cleaned(messages: Messages) -> list[list[str]]:
    """The last messages as [role, text], oldest first: scrubbed, cut short, nine thousand characters at most."""
    kept: list[list[str]] = []
    room = _ROOM
    replied = False
    for role, said, _ in reversed(messages[-_MOST:]):
        limit = _ASKED if role == "user" else _REPLIED if replied else _LAST_REPLY
        replied = replied or role == "assistant"
        said = _short(said, limit)
        room -= len(said)
        if room < 0:
            break
        if said:
            kept.append([role, said])
    kept.reverse()
    return kept


def _short(said: str, limit: int) -> str:
    return text.clip(redaction.scrub(said[: limit * 4]).strip(), limit)
