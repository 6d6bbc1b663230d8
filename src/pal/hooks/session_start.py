"""Session start: note the session, bring tier 1 up to date, and give the agent what it should know."""

from __future__ import annotations

from pal.base import settings as settings_file
from pal.context import session as session_context
from pal.context import tier1
from pal.events import log, outlets
from pal.hooks.isolate import all_of, attempt
from pal.hooks.turn import HookReply
from pal.memory import sessions
from pal.memory.acl import waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """The session's context; nothing for a subagent, whose parent was told already."""
    if turn.subagent:
        return HookReply()
    home, settings, now = frame.home, frame.settings, frame.now
    if attempt(home, "pending", lambda: waiting.anything(home), False):
        from pal.memory.acl import review

        # What memory vouches for by now goes in first: the user is asked about the rest.
        attempt(home, "pending", lambda: review.promote_waiting(home, now), None)
    context = attempt(
        home,
        "context",
        lambda: session_context.render(
            home, settings, turn.cwd, turn.session, turn.source, now, frame.env, turn.untold, turn.room
        ),
        "",
    )
    all_of(
        home,
        [
            ("events", lambda: report(turn, frame)),
            ("sessions", lambda: sessions.open(home, turn.who, turn.cwd, turn.source, now)),
            ("settings", lambda: settings_file.remember(home, settings)),
            ("tier1", lambda: tier1.refresh(home, settings)),
            ("event server", lambda: _serve_events(frame)),
        ],
    )
    return HookReply(context)


def report(turn: HookInput, frame: Frame) -> None:
    """A session began, or goes on after it was closed; a compaction in its middle is neither."""
    if turn.session and turn.source != "compact":
        fields = {"session_id": turn.session[:200], "agent": turn.agent, "cwd": turn.cwd[:500]}
        log.emit(frame.home, log.event("session_start", "hook", frame.now, **fields))


def _serve_events(frame: Frame) -> None:
    if outlets.served(frame.env):
        from pal.hooks import event_server

        event_server.ensure(frame.home, frame.env)
