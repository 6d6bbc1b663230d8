"""A stop whose transcript does not hold the turn's reply yet: it is handed to a job that waits for it.

Some agents write their transcript a little later than they say that the turn is over. Filed then, the turn would get no
reply, or that of the turn before; one that never comes is filed nowhere."""

from __future__ import annotations

import time

from pal.base import clock
from pal.hooks.isolate import attempt
from pal.memory import interaction, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput, Message

JOB = "stop-deferred"
PATIENCE = 15.0  # seconds
EVERY = 0.2
_SLACK = 0.01  # seconds; times are kept to the millisecond
_FIELDS = ("agent", "session", "cwd", "folder", "event_id", "transcript_path", "attended", "process")


def handed_over(turn: HookInput, frame: Frame) -> bool:
    """True when the reply is not there yet; the job goes on with this stop then."""
    if turn.reply:
        return False
    since = attempt(frame.home, JOB, lambda: interaction.since_prompt(frame.home, turn.session, frame.now), 0.0)
    prompted = frame.now - since if since else 0.0
    if _answered(turn, frame, prompted):
        return False
    payload = {**{name: getattr(turn, name) for name in _FIELDS}, "prompted": prompted}

    def hand_over() -> bool:
        frame.later(JOB, payload)
        return True

    return attempt(frame.home, JOB, hand_over, False)


def finish(
    turn: HookInput,
    payload: dict[str, Any],
    frame: Frame,
    sleep: Callable[[float], object] = time.sleep,
    patience: float = PATIENCE,
) -> bool:
    """Do what the stop would have done, once the reply is there; False when it did not come in time.

    `turn` is an empty one of the agent's; the payload is what `handed_over` left."""
    from pal.hooks import session_end, stop

    for name in _FIELDS:
        setattr(turn, name, payload[name])
    waited = 0.0
    while not _answered(turn, frame, payload["prompted"]):
        if waited >= patience:
            return False
        sleep(EVERY)
        waited += EVERY
    turn.late = False
    stop.run(turn, frame)
    row = sessions.get(frame.home, turn.session)
    if row and row.get("status") == "completed":  # the session was closed while this waited
        attempt(frame.home, "work", lambda: session_end.complete(turn, frame, turn.transcript()), None)
    return True


def _answered(turn: HookInput, frame: Frame, prompted: float) -> bool:
    """Whether the transcript holds the reply; what it holds up to there is what the turn says from now on."""
    none: list[Message] = []
    messages = up_to_reply(attempt(frame.home, "transcript", turn.transcript, none), prompted)
    if messages:
        turn.read_transcript = lambda path: messages
    return bool(messages)


def up_to_reply(messages: list[Message], prompted: float) -> list[Message]:
    """The messages up to the reply to the prompt of this moment (0: to the last one); empty while there is none."""
    asked = [at for at, message in enumerate(messages) if message[0] == "user" and _moment(message) >= prompted]
    if not asked:
        return []
    if prompted and len(asked) > 1:
        messages = messages[: asked[1]]  # the user went on meanwhile
    return messages if messages[-1][0] == "assistant" else []


def _moment(message: Message) -> float:
    try:
        return clock.parse(message[2]) + _SLACK
    except ValueError:
        return float("inf")  # one without a time may be any
