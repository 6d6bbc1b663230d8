"""After a tool ran: how the call ended, and which file the session changed, for the note it leaves behind."""

from __future__ import annotations

from pal.hooks import switchboard, tool_calls
from pal.hooks.isolate import all_of
from pal.hooks.turn import HookReply
from pal.memory import work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput

FAILED = "post-tool-failure"


def run(turn: HookInput, frame: Frame) -> HookReply:
    """Never says anything. A tool that failed changed no file."""
    changed = turn.changed_file if turn.session and turn.event != FAILED else ""
    all_of(
        frame.home,
        [
            ("events", lambda: tool_calls.ended(turn, frame, "tool_error" if turn.event == FAILED else "", turn.took)),
            ("activity", lambda: _note(turn, frame, changed)),
        ],
    )
    switchboard.after_tool(turn, frame)
    return HookReply()


def _note(turn: HookInput, frame: Frame, changed: str) -> None:
    if changed:
        work.note_activity(frame.home, turn.who, work.EDITED, turn.tool, changed, frame.now)
