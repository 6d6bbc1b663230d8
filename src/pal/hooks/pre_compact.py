"""Before a compaction: keep the last exchange, so that the session can be told it once its context is gone."""

from __future__ import annotations

from pal.hooks import conversation
from pal.hooks.isolate import attempt
from pal.hooks.turn import HookReply
from pal.memory import exchange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """Never says anything."""
    if not turn.subagent:
        attempt(frame.home, "exchange", lambda: _keep(turn, frame), None)
    return HookReply()


def _keep(turn: HookInput, frame: Frame) -> None:
    messages = turn.transcript()
    user, assistant = conversation.last_exchange(messages)
    if user or assistant:
        exchange.keep(frame.home, turn.who, turn.source, user, assistant, turn.custom, frame.now)
