"""One message of the agent's, from agents whose stop brings no reply: the last one of a turn is what was replied."""

from __future__ import annotations

from pal.hooks.isolate import attempt
from pal.hooks.turn import HookReply
from pal.memory import exchange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """Never says anything. The stop that follows files what was kept here."""
    if turn.reply and turn.session and not turn.subagent:
        attempt(frame.home, "reply", lambda: exchange.remember_reply(frame.home, turn.who, turn.reply, frame.now), None)
    return HookReply()
