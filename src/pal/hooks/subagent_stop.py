"""A subagent is done: noted for the session it worked for, never counted as a turn."""

from __future__ import annotations

from pal.events import log
from pal.hooks.isolate import all_of
from pal.hooks.turn import HookReply
from pal.memory import work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """Never says anything. An agent without a name is the client's own (a compaction), nobody's work."""
    if turn.agent_type and turn.session:
        fields = {"session_id": turn.session[:200], "agent": turn.agent_type[:200], "ok": True}
        all_of(
            frame.home,
            [
                ("events", lambda: log.emit(frame.home, log.event("agent_end", "hook", frame.now, **fields))),
                ("activity", lambda: _note(turn, frame)),
            ],
        )
    return HookReply()


def _note(turn: HookInput, frame: Frame) -> None:
    work.note_activity(frame.home, turn.who, work.SUBAGENT, turn.agent_type, "", frame.now)
