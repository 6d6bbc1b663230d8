"""A subagent is done: noted for the session it worked for, never counted as a turn."""

from __future__ import annotations

from pal.hooks.isolate import attempt
from pal.hooks.turn import HookReply
from pal.memory import work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """Never says anything. An agent without a name is the client's own (a compaction), nobody's work."""
    if turn.agent_type and turn.session:
        attempt(
            frame.home,
            "activity",
            lambda: work.note_activity(frame.home, turn.who, work.SUBAGENT, turn.agent_type, "", frame.now),
            None,
        )
    return HookReply()
