"""After a tool ran: which file the session changed, for the note it leaves behind."""

from __future__ import annotations

from pal.hooks.isolate import attempt
from pal.hooks.turn import HookReply
from pal.memory import work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """Never says anything. A tool that wrote no file leaves nothing."""
    if turn.changed_file and turn.session:
        attempt(
            frame.home,
            "activity",
            lambda: work.note_activity(frame.home, turn.who, work.EDITED, turn.tool, turn.changed_file, frame.now),
            None,
        )
    return HookReply()
