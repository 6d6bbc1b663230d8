"""What Switchboard has to say to a prompt: the card of the workflow it asks for, the plans of the column it names, or
one line about the workflow that is under way. Nothing is made here: a project without a board stays one."""

from __future__ import annotations

from pal.base.errors import PalError
from pal.switchboard import active, detect, workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.base.home import Home
    from pal.switchboard.detect import Found
    from pal.switchboard.workspace import Workspace

WAIT = 0.25  # seconds a hook waits for somebody who is writing to the board
ROOM = 7_500  # units of what a prompt is told of its workflow


def told(
    home: Home, env: Mapping[str, str], prompt: str, cwd: str, session: str, agent: str, now: float, room: int = ROOM
) -> str:
    """The text for this prompt; empty for nearly every one."""
    row = active.of(home, session, now)
    place = workspace.find(env, cwd)
    found = detect.find(prompt, _names(home)) if detect.concerned(prompt) else None
    if row is not None and row.get("answers"):
        _answered(home, row, session, agent, now)
        row = None
    if found is not None and (place is not None or found.own):
        return _started(home, found, place, cwd, session, agent, now, room)
    if row is not None:
        from pal.switchboard import card

        active.touch(home, session, row, now)
        return card.reminder(row)
    if place is None or found is not None:
        return ""
    return _column(home, prompt, place, session, agent, now)


def _names(home: Home) -> tuple[str, ...]:
    from pal.base import bare

    if not bare.exists(home.switchboard_workflows):
        return detect.BUILT_IN
    from pal.switchboard import registry

    return registry.names(home)


def _started(
    home: Home, found: Found, place: Workspace | None, cwd: str, session: str, agent: str, now: float, room: int
) -> str:
    from pal.switchboard import card, registry, runs, store
    from pal.switchboard.desk import Desk
    from pal.switchboard.errors import Refused

    if found.retired:
        return f"`{found.name}` is not run here: {registry.RETIRED}."
    try:
        workflow = registry.load(home, found.name)
    except PalError as fault:
        return f"The workflow {found.name} cannot be followed, tell the user: {fault}."
    run, trouble = None, ""
    if place is None:
        trouble = "this project has no board (`pal sb init` makes one, when the user wants it)"
    elif not store.exists(place):
        trouble = (
            "the board has no database yet (start it with `start_workflow` or `pal sb wf start " + found.name + "`)"
        )
    else:
        desk = Desk(home, place, now, session, agent, WAIT)
        try:
            run, _ = runs.start(desk, workflow, found.args, folder=cwd)
        except Refused as fault:
            if fault.code == "E_BUSY":
                return f"{found.name} was not started. {fault}. Tell the user."
            trouble = f"{fault} (call `start_workflow` first)"
    text = card.render(home, workflow, run, place.root if place else "", room, trouble)
    if found.others:
        text += f"\n\nNot started: {', '.join(found.others)}. One prompt starts one workflow; tell the user."
    return text


def _answered(home: Home, row: dict[str, Any], session: str, agent: str, now: float) -> None:
    """A workflow that is over with its answer: the person has read it and says something else."""
    from pal.switchboard import steps
    from pal.switchboard.desk import Desk
    from pal.switchboard.errors import Refused

    desk = Desk(home, workspace.Workspace(str(row.get("root"))), now, session, agent, WAIT)
    try:
        steps.complete(desk, int(row["of"]), run=str(row["run"]), skip="it was answered", accept=True)
    except Refused:
        active.drop(home, str(row["run"]), now)


def _column(home: Home, prompt: str, place: Workspace, session: str, agent: str, now: float) -> str:
    from pal.switchboard import questions

    if not questions.may_ask(prompt):
        return ""
    from pal.switchboard.desk import Desk
    from pal.switchboard.errors import Refused

    try:
        return questions.answer(Desk(home, place, now, session, agent, WAIT), prompt)
    except Refused:
        return ""  # the agent asks the tool itself, which says what is wrong
