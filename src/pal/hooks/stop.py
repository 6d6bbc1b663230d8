"""The end of a turn: file the reply, seed the handoff, capture the work, refresh what the next session will read.

Nothing is ever printed here, as an agent would take it as a reason to go on; but for the gate, if a person wants it,
and once for a workflow whose end was announced and not reported."""

from __future__ import annotations

from pal.base import files
from pal.context import digests
from pal.events import outlets
from pal.hooks import conversation, switchboard, tool_calls
from pal.hooks.isolate import all_of, attempt
from pal.hooks.turn import HookReply
from pal.memory import backup, excerpt, exchange, failures, handoff, interaction, projects, sessions, work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput, Message


def run(turn: HookInput, frame: Frame) -> HookReply:
    """A subagent's end is not a turn; it has an event of its own."""
    if turn.subagent or not turn.session:
        return HookReply()
    if turn.late:
        from pal.hooks import stop_deferred

        if stop_deferred.handed_over(turn, frame):
            return HookReply()
    home, now, who = frame.home, frame.now, turn.who
    if turn.spoken and not turn.reply:
        since = now - interaction.since_prompt(home, turn.session, now)
        turn.reply = attempt(home, "reply", lambda: exchange.reply_since(home, turn.session, since), "")
    messages = attempt(home, "transcript", lambda: conversation.of(turn), [("assistant", turn.reply, "")])
    done = conversation.work_of(messages)
    user, result = conversation.last_exchange(done)
    reply = turn.reply or conversation.last_exchange(messages)[1]
    early = attempt(home, "switchboard", lambda: switchboard.unreported(turn, frame, reply), None)
    if early:
        return early
    if frame.settings.flag("qualityGate.claims", False):
        from pal.hooks import quality_gate

        unfinished = attempt(home, "quality-gate", lambda: quality_gate.send_back(turn, frame, reply), None)
        if unfinished:
            return unfinished  # the turn goes on; its real end files everything
    row: dict[str, Any] = {}
    row = attempt(home, "sessions", lambda: sessions.turn_done(home, who, result or user, now, turn.event_id), row)
    failed = attempt(home, "failures", lambda: capture_failures(turn, frame, messages), False)
    all_of(
        home,
        [
            ("events", lambda: tool_calls.close(turn, frame)),
            ("reply", lambda: _file_reply(turn, frame, reply)),
            ("handoff", lambda: handoff.snapshot(home, turn.cwd, user, result, who, now)),
            ("work", lambda: _capture_work(turn, frame, done, str(row.get("name") or ""))),
            # What a low rating taught is looked into first: the job that does so renews the digests as well.
            ("digests", lambda: failed or digests.refresh(home, frame.settings, now)),
            ("skills", lambda: _skills_changed(home) and frame.later("skills")),
            ("daily", lambda: backup.due(home, now) and frame.later("daily")),
            ("learn", lambda: _learn(turn, frame, messages, row, failed)),
            ("export", lambda: outlets.collector(frame.env) and frame.later("export")),
            ("jobs", frame.revive),
            ("notify", lambda: _tell_person(turn, frame)),
        ],
    )
    return HookReply()


def _file_reply(turn: HookInput, frame: Frame, reply: str) -> None:
    if reply:
        exchange.remember_reply(frame.home, turn.who, reply, frame.now)
        interaction.reply_seen(frame.home, turn.who, reply, frame.now)


def _capture_work(turn: HookInput, frame: Frame, messages: list[Message], name: str) -> None:
    """The session's own note and its project's history say what was done so far."""
    home, now, who = frame.home, frame.now, turn.who
    user, reply = conversation.last_exchange(messages)
    work.capture(home, who, turn.cwd, messages, name, now, frame.settings.zone)
    root = projects.root_of(turn.cwd)
    if root:
        projects.touch(home, root, who, name, reply or user, now)


def _learn(turn: HookInput, frame: Frame, messages: list[Message], row: dict[str, Any], failed: bool) -> None:
    """Hand over what there is to learn from; the job decides what comes of it."""
    payload = excerpt.handover(row, turn.who, turn.cwd, messages, frame.settings, frame.env, turn.event_id, failed)
    if payload:
        frame.later("learn", payload)


def _skills_changed(home: Home) -> bool:
    return files.modified(home.skills) > files.modified(home.skill_index)


def _tell_person(turn: HookInput, frame: Frame) -> None:
    if turn.attended:
        from pal.hooks import notify

        notify.turn_ended(turn, frame)


def capture_failures(turn: HookInput, frame: Frame, messages: list[Message]) -> bool:
    """What went before a low rating becomes a lesson the index knows; whether there was one."""
    if failures.capture(frame.home, turn.who, messages, frame.now, turn.read_transcript, frame.settings.zone):
        frame.later("index")
        return True
    return False
