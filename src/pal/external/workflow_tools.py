"""The workflows' tools for agents: start, report a step, look, stop. Names and arguments are those of the protocol.

Each calls the function that the command and the hook call, so a run begun by a prompt goes on here."""

from __future__ import annotations

from typing import Any

from pal.base import clock
from pal.external.board_room import Room
from pal.external.board_tools import NUMBER, TEXT, Arguments, answered, described
from pal.external.tools import Tool
from pal.switchboard import card, registry, runs, steps
from pal.switchboard.desk import Desk
from pal.switchboard.errors import Refused, refused

_MADE_UP = "mcp_"  # begins the session of a server whose client names none
_RECENT = 600.0  # seconds in which a run that a prompt began is taken up by a server that knows no session
_ROOM = 8_000  # units of a workflow's text in an answer
_ARTIFACTS: dict[str, Any] = {"type": "array", "maxItems": 50}  # paths, or objects with one


def tools(room: Room) -> list[Tool]:
    """The four tools, for this server's board."""
    return [
        Tool(name, title, words, described(properties, required), answered(room, change, act), None, hints)
        for name, title, words, properties, required, change, hints, act in _ROWS
    ]


def _start(room: Room, desk: Desk, said: Arguments) -> Any:
    workflow = registry.load(desk.home, said["name"])
    context, target = said.get("initialContext") or "", said.get("target") or ""
    host = _begun_by_a_prompt(desk, workflow.name) if desk.session.startswith(_MADE_UP) else None
    if host is not None:
        desk = Desk(desk.home, desk.workspace, desk.now, host.host_session, host.agent, desk.wait, private=desk.private)
    run, new = runs.start(desk, workflow, context, target, bool(said.get("force")), room.cwd)
    text = card.render(desk.home, workflow, run, desk.workspace.root, _ROOM)
    return {**runs.facts(run), "new": new, "instructions": text}


def _begun_by_a_prompt(desk: Desk, workflow: str) -> runs.Run | None:
    """The one run of this workflow that a hook began a moment ago, for a client that does not say whose turn it is."""
    found = [
        run for run in runs.listing(desk)
        if run.workflow == workflow and not run.host_session.startswith(_MADE_UP)
        and clock.age(run.started_at, desk.now) < _RECENT
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def _complete(room: Room, desk: Desk, said: Arguments) -> Any:
    if said.get("accept"):
        raise refused(
            "E_VIOLATION", "only a person lets such changes stand", "tell the user which files changed and why"
        )
    named = [each if isinstance(each, str) else str(each.get("path") or "") for each in said.get("artifacts") or []]
    workflow = registry.canonical(desk.home, said["workflow"]) if said.get("workflow") else ""
    files = [path for path in named if path]
    answer = steps.complete(
        desk,
        said["phase"],
        said.get("notes") or "",
        files,
        said.get("skipReason") or "",
        said.get("run") or "",
        workflow,
    )
    run = runs.current(desk, answer["run"])
    return {**answer, "then": card.next_call(run)}


def _state(room: Room, desk: Desk, said: Arguments) -> Any:
    try:
        run = runs.current(desk, said.get("run") or "")
    except Refused as fault:
        if fault.code != "E_STEP":
            raise
        return {"state": "none", "then": fault.hint}
    return {**runs.facts(run), "steps": steps.history(desk, run), "then": card.next_call(run)}


def _stop(room: Room, desk: Desk, said: Arguments) -> Any:
    return runs.facts(runs.stop(desk, said.get("run") or "", said.get("reason") or ""))


_ROWS: tuple[Any, ...] = (
    (
        "start_workflow", "Start a workflow",
        "Begin accuracy, improve-plan, challenge, chat, archive or export, when the user names it. target: a plan.",
        {"name": TEXT, "initialContext": TEXT, "target": TEXT, "force": {"type": "boolean"}}, ("name",), True,
        {"destructiveHint": False}, _start,
    ),
    (
        "complete_workflow_phase", "Report a step",
        "Close the step that is next. notes say what was done, artifacts name files; PAL checks it.",
        {"workflow": TEXT, "phase": {**NUMBER, "minimum": 1}, "run": TEXT, "notes": TEXT, "artifacts": _ARTIFACTS,
         "skipReason": TEXT},
        ("phase",), True, {"destructiveHint": False}, _complete,
    ),
    (
        "get_workflow_state", "Show the run", "Where this session's workflow stands.", {"run": TEXT}, (), False,
        {"readOnlyHint": True}, _state,
    ),
    (
        "stop_workflow", "Stop a workflow", "End this session's workflow early.", {"run": TEXT, "reason": TEXT}, (),
        True, {"destructiveHint": False}, _stop,
    ),
)  # fmt: skip
