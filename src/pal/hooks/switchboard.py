"""Where Switchboard meets a turn: what a prompt is told, which tool calls a workflow does not allow, what tools did.

Nearly every event has nothing to do with it, and learns that from one look at a word or a file name."""

from __future__ import annotations

from pal.base import bare
from pal.base.home import PROJECT_BOARD
from pal.hooks.isolate import attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput, HookReply

OFF = "PAL_SB_ENFORCE"  # "0" in the user's own environment: nothing is stopped, everything is still noted
_SENDS = "send_message"
_LONGEST = 400  # characters of a command in a run's notes
_FILES = 20  # of one call


def told(turn: HookInput, frame: Frame, context: str) -> str:
    """The context of a prompt, with what Switchboard has to say to it."""
    if not turn.human or turn.subagent or not turn.prompt:
        return context
    from pal.switchboard import detect  # which a tool call has no use for

    if not detect.concerned(turn.prompt) and not bare.exists(frame.home.switchboard_active):
        return context
    return attempt(frame.home, "switchboard", lambda: _told(turn, frame, context), context)


def _told(turn: HookInput, frame: Frame, context: str) -> str:
    from pal.base.text import units
    from pal.context import budget
    from pal.switchboard import preflight

    room = budget.LIMIT - units(context) - 200
    said = preflight.told(
        frame.home, frame.env, turn.prompt, turn.folder or turn.cwd, turn.session, turn.agent, frame.now,
        min(room, preflight.ROOM),
    )  # fmt: skip
    block = budget.block([budget.Section("switchboard", "", said, room)], room) if said else ""
    return "\n\n".join(filter(None, (context, block)))


def before_tool(turn: HookInput, frame: Frame, reply: HookReply) -> HookReply:
    """The reply, turned into a refusal where a workflow or the board does not allow the call."""
    if reply.permission == "deny":
        return reply
    running = bare.exists(frame.home.switchboard_active)
    if not running and not _names_board(turn.tool_input) and not turn.tool.endswith(_SENDS):
        return reply
    reason = attempt(frame.home, "switchboard", lambda: _refusal(turn, frame, running), "")
    if reason:
        reply.permission, reply.reason = "deny", f"PAL Switchboard: {reason}"
    return reply


def _names_board(tool_input: dict[str, Any]) -> bool:
    return any(isinstance(value, str) and PROJECT_BOARD in value for value in tool_input.values())


def _refusal(turn: HookInput, frame: Frame, running: bool) -> str:
    from pal.switchboard import active, guarding

    folder = turn.folder or turn.cwd
    row = active.of(frame.home, turn.session, frame.now) if running else None
    said = ""
    if frame.env.get(OFF) != "0":
        ours = "pal" in turn.tool.lower()
        said = guarding.on_message(turn.tool, turn.tool_input) if ours and turn.tool.endswith(_SENDS) else ""
        said = said or guarding.on_board(turn.tool, turn.tool_input, folder)
        if not said and row is not None:
            said = guarding.in_run(frame.home, row, turn.tool, turn.tool_input, folder)
    if not said and row is not None:
        _note(turn, frame, row, "pre")
    return said


def after_tool(turn: HookInput, frame: Frame) -> None:
    """Note what a tool did in a run. Nothing is read where nobody follows a workflow."""
    if turn.session and bare.exists(frame.home.switchboard_active):
        attempt(frame.home, "switchboard", lambda: _after(turn, frame), None)


def _after(turn: HookInput, frame: Frame) -> None:
    from pal.switchboard import active

    row = active.of(frame.home, turn.session, frame.now)
    if row is not None:
        _note(turn, frame, row, "post")


def _note(turn: HookInput, frame: Frame, row: dict[str, Any], when: str) -> None:
    """One line a file or command: before a call that may run, and once more for the file that a call changed."""
    from pal.guard import tools
    from pal.switchboard import active, guarding

    def add(kind: str, target: str) -> None:
        active.note(frame.home, row["run"], when, kind, turn.tool, target, None, frame.now)

    kind = tools.kind_of(turn.tool)
    if when == "post":
        if turn.changed_file and turn.event == "post-tool":
            add("edit", turn.changed_file)
    elif kind in (tools.SHELL, tools.POWERSHELL):
        from pal.base.redaction import scrub

        command = tools.command_of(turn.tool, turn.tool_input)
        add("read" if guarding.only_reads(command) else "shell", scrub(command)[:_LONGEST])
    elif kind in (tools.READ, tools.SEARCH, tools.WRITE, tools.EDIT):
        for operation, path in tools.files_of(kind, turn.tool_input)[:_FILES]:
            add("edit" if operation == "write" else "read", path)


def unreported(turn: HookInput, frame: Frame, reply: str) -> HookReply | None:
    """Sends a turn on, once a run, that announces the end of a workflow whose last step was never reported."""
    if turn.continued or not bare.exists(frame.home.switchboard_active):
        return None
    from pal.hooks.turn import HookReply as Reply
    from pal.switchboard import active

    row = active.of(frame.home, turn.session, frame.now) if active.MARKER in reply else None
    if row is None or row.get("reminded"):
        return None
    active.put(frame.home, turn.session, {**row, "reminded": True}, frame.now)
    answer = Reply()
    answer.permission = "continue"
    answer.reason = (
        f"You announced the end of {row.get('workflow')}, but step {int(row.get('step') or 0) + 1} of {row.get('of')} "
        f"({row.get('name')}) of run {row.get('run')} is not reported. Report it with `complete_workflow_phase` or "
        "`pal sb wf step`, or stop the run and say why."
    )
    return answer


def session_ended(turn: HookInput, frame: Frame) -> None:
    """A run does not outlive its session."""
    if not bare.exists(frame.home.switchboard_active):
        return
    from pal.switchboard import active, runs, store, workspace
    from pal.switchboard.desk import Desk

    row = active.rows(frame.home).get(turn.session)
    if row is None:
        return
    active.drop(frame.home, str(row.get("run")), frame.now)
    place = workspace.Workspace(str(row.get("root") or ""))
    if store.exists(place):
        runs.leave(Desk(frame.home, place, frame.now, turn.session, turn.agent, 0.25), turn.session)
