"""The end of a session: it is closed in the registry, and what it left open is captured."""

from __future__ import annotations

from pal.events import log, outlets
from pal.hooks import conversation, stop, switchboard, tool_calls
from pal.hooks.isolate import all_of, attempt
from pal.hooks.turn import HookReply
from pal.memory import sessions, work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput, Message


def run(turn: HookInput, frame: Frame) -> HookReply:
    """Never says anything."""
    if turn.subagent or not turn.session:
        return HookReply()
    home, now = frame.home, frame.now
    none: list[Message] = []
    messages = attempt(home, "transcript", lambda: conversation.of(turn), none)
    all_of(
        home,
        [
            ("events", lambda: _report(turn, frame)),
            ("failures", lambda: stop.capture_failures(turn, frame, messages)),
            ("work", lambda: complete(turn, frame, messages)),
            ("activity", lambda: work.forget_activity(home, turn.who, now)),
            ("sessions", lambda: sessions.close(home, turn.who, turn.source, now)),
            ("switchboard", lambda: switchboard.session_ended(turn, frame)),
            ("export", lambda: outlets.collector(frame.env) and frame.later("export")),
            ("notify", lambda: _give_tab_back(turn, frame)),
        ],
    )
    return HookReply()


def complete(turn: HookInput, frame: Frame, messages: list[Message]) -> None:
    """The session's note says what was done, and that it is done."""
    row = sessions.get(frame.home, turn.session)
    name = str(row.get("name") or "") if row else ""
    zone, done = frame.settings.zone, conversation.work_of(messages)
    if work.capture(frame.home, turn.who, turn.cwd, done, name, frame.now, zone, status="completed"):
        frame.later("index")


def _report(turn: HookInput, frame: Frame) -> None:
    tool_calls.close(turn, frame)
    fields = {"session_id": tool_calls.session_id(turn.session), "agent": turn.agent, "reason": turn.source[:200]}
    log.emit(frame.home, log.event("session_end", "hook", frame.now, **fields))


def _give_tab_back(turn: HookInput, frame: Frame) -> None:
    if turn.attended:
        from pal.hooks import notify

        notify.name_tab("", turn, frame.env)
