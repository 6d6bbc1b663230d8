"""Session start: note the session, bring tier 1 up to date, and give the agent what it should know."""

from __future__ import annotations

from pal.base import settings as settings_file
from pal.context import session as session_context
from pal.context import tier1
from pal.hooks.isolate import all_of, attempt
from pal.hooks.turn import HookReply
from pal.memory import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """The session's context; nothing for a subagent, whose parent was told already."""
    if turn.subagent:
        return HookReply()
    home, settings, now = frame.home, frame.settings, frame.now
    context = attempt(
        home,
        "context",
        lambda: session_context.render(home, settings, turn.cwd, turn.session, turn.source, now, frame.env),
        "",
    )
    all_of(
        home,
        [
            ("sessions", lambda: sessions.open(home, turn.who, turn.cwd, turn.source, now)),
            ("settings", lambda: settings_file.remember(home, settings)),
            ("tier1", lambda: tier1.refresh(home, settings)),
        ],
    )
    return HookReply(context)
