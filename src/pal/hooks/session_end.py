"""The end of a session: it is closed in the registry, and what it left open is captured."""

from __future__ import annotations

from pal.hooks import conversation, stop
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
            ("failures", lambda: stop.capture_failures(turn, frame, messages)),
            ("work", lambda: _complete(turn, frame, messages)),
            ("activity", lambda: work.forget_activity(home, turn.who, now)),
            ("sessions", lambda: sessions.close(home, turn.who, turn.source, now)),
            ("notify", lambda: _give_tab_back(turn, frame)),
        ],
    )
    return HookReply()


def _complete(turn: HookInput, frame: Frame, messages: list[Message]) -> None:
    row = sessions.get(frame.home, turn.session)
    name = str(row.get("name") or "") if row else ""
    zone, done = frame.settings.zone, conversation.work_of(messages)
    if work.capture(frame.home, turn.who, turn.cwd, done, name, frame.now, zone, status="completed"):
        frame.later("index")


def _give_tab_back(turn: HookInput, frame: Frame) -> None:
    if turn.attended:
        from pal.hooks import notify

        notify.name_tab("", turn, frame.env)
