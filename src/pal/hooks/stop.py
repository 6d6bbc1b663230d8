"""The end of a turn: file the reply, seed the handoff, capture the work, refresh what the next session will read.

Nothing is ever printed here: an agent would take it as a reason to go on."""

from __future__ import annotations

from pal.base import files
from pal.context import digests
from pal.hooks import conversation
from pal.hooks.isolate import all_of, attempt
from pal.hooks.turn import HookReply
from pal.memory import backup, exchange, failures, handoff, interaction, projects, sessions, work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput, Message


def run(turn: HookInput, frame: Frame) -> HookReply:
    """A subagent's end is not a turn; it has an event of its own."""
    if turn.subagent or not turn.session:
        return HookReply()
    home, now, who = frame.home, frame.now, turn.who
    messages = attempt(home, "transcript", lambda: conversation.of(turn), [("assistant", turn.reply, "")])
    done = conversation.work_of(messages)
    user, result = conversation.last_exchange(done)
    reply = turn.reply or conversation.last_exchange(messages)[1]
    all_of(
        home,
        [
            ("reply", lambda: _file_reply(turn, frame, reply)),
            ("handoff", lambda: handoff.snapshot(home, turn.cwd, user, result, who, now)),
            ("work", lambda: capture_work(turn, frame, done)),
            ("failures", lambda: capture_failures(turn, frame, messages)),
            ("digests", lambda: digests.refresh(home, frame.settings, now)),
            ("skills", lambda: _skills_changed(home) and frame.later("skills")),
            ("daily", lambda: backup.due(home, now) and frame.later("daily")),
            ("jobs", frame.revive),
            ("notify", lambda: _tell_person(turn, frame)),
        ],
    )
    return HookReply()


def _file_reply(turn: HookInput, frame: Frame, reply: str) -> None:
    if reply:
        exchange.remember_reply(frame.home, turn.who, reply, frame.now)
        interaction.reply_seen(frame.home, turn.who, reply, frame.now)


def capture_work(turn: HookInput, frame: Frame, messages: list[Message]) -> None:
    """The session's own note, its project's history and its row in the registry say what was done so far."""
    home, now, who = frame.home, frame.now, turn.who
    user, reply = conversation.last_exchange(messages)
    name = str(sessions.turn_done(home, who, reply or user, now, turn.event_id).get("name") or "")
    work.capture(home, who, turn.cwd, messages, name, now, frame.settings.zone)
    root = projects.root_of(turn.cwd)
    if root:
        projects.touch(home, root, who, name, reply or user, now)


def _skills_changed(home: Home) -> bool:
    return files.modified(home.skills) > files.modified(home.skill_index)


def _tell_person(turn: HookInput, frame: Frame) -> None:
    if turn.attended:
        from pal.hooks import notify

        notify.turn_ended(turn, frame)


def capture_failures(turn: HookInput, frame: Frame, messages: list[Message]) -> None:
    """What went before a low rating becomes a lesson the index knows."""
    if failures.capture(frame.home, turn.who, messages, frame.now, turn.read_transcript, frame.settings.zone):
        frame.later("index")
