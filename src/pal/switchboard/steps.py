"""A step is reported: its order, what it must show, and that nothing was written which the workflow does not allow.

What is refused leaves the run where it was, with the one thing to do next; what was skipped is on record for good."""

from __future__ import annotations

import os

from pal.base import clock, jsontext, redaction, text
from pal.switchboard import active, evidence, rights, runs, store, tree
from pal.switchboard.errors import Refused, refused
from pal.switchboard.evidence import Gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pal.switchboard.definition import Step
    from pal.switchboard.desk import Desk
    from pal.switchboard.runs import Run

_LISTED = 20  # files of a violation that are named
_KEPT = 500  # tool calls of a run on the board
_REASON = 400  # characters
_STEP = "insert into run_steps (run_id, step, ts, evidence, skip_reason) values (?, ?, ?, ?, ?)"
_SKIPPED = 8  # characters of a reason that says something


def complete(
    desk: Desk, number: int, notes: str = "", files: Sequence[str] = (), skip: str = "", run: str = "",
    workflow: str = "", accept: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Report step `number`: what the run is like now, what was shown, what comes next.

    `skip` says why the steps before it are passed over; `accept` lets writes stand that the workflow does not allow,
    which is for a person to say."""
    found = runs.current(desk, run, workflow)
    step, passed = _due(found, number, skip)
    now = tree.take(found.worktree or desk.workspace.root)
    changed = tree.differing(found.snapshot.get("tree", {}), now, found.worktree or desk.workspace.root)
    log = active.notes(desk.home, found.run_id)
    strange = _violations(desk, found, changed or [], log)
    if strange and not accept:
        raise _violated(desk, found, step, strange)
    gate = Gate(desk, found, notes, files, log, now, changed)
    shown = _shown(gate, step, passed)
    if changed is None:
        shown.setdefault("unverified", []).append("which files changed: the project is too big to look at in time")
    if strange:
        shown["accepted"] = strange
    _record(desk, found, step, passed, shown, skip, log, strange)
    runs.announce(desk, found)
    return {**runs.facts(found), "shown": shown, **_after(desk, found, step)}


def _due(run: Run, number: int, skip: str) -> tuple[Step, list[Step]]:
    """(the step, those before it that go with it or are skipped)."""
    if run.state != runs.ACTIVE:
        raise refused("E_STEP", f"the run {run.run_id} is {run.state}", f"start {run.workflow} again if it is wanted")
    if not 1 <= number <= len(run.steps):
        last = run.steps[-1]
        raise refused(
            "E_STEP", f"{run.workflow} has {len(run.steps)} steps, the last is {last.number} ({last.name})",
            f"the step to report now is {run.step + 1}",
        )  # fmt: skip
    if number <= run.step:
        raise refused("E_STEP", f"step {number} is done already", f"the step to report now is {run.step + 1}")
    passed = run.steps[run.step : number - 1]
    gated = [step for step in passed if not step.turbo and not run.rules.get("free")]
    if gated and len(skip.strip()) < _SKIPPED:
        names = ", ".join(f"{step.number} ({step.name})" for step in gated)
        raise refused(
            "E_STEP", f"step {names} comes first", f"report step {run.step + 1}, or say why it is skipped",
            expected=run.step + 1,
        )  # fmt: skip
    return run.steps[number - 1], passed


def _shown(gate: Gate, step: Step, passed: list[Step]) -> dict[str, Any]:
    """What this step shows, and with it the steps before that a turbo mark lets close together."""
    shown: dict[str, Any] = {}
    for each in [*[step for step in passed if step.turbo], step]:
        for kind in each.evidence:
            if kind == "notes" and gate.run.rules.get("turbo_all"):
                kind = "none"
            for name, value in evidence.KINDS[kind](gate).items():
                shown[name] = [*shown.get(name, []), *value] if isinstance(value, list) else value
    return shown


def _violations(desk: Desk, run: Run, changed: list[str], log: list[dict[str, Any]]) -> list[str]:
    """Changed files that the workflow does not allow, except those this session had no hand in.

    Somebody else may work in the same folder. Where PAL saw this session's tools, and neither an edit of that file nor
    a command that may have written it was among them, the change is theirs."""
    worktree = run.worktree or desk.workspace.root
    place = rights.Place(desk.workspace.root, worktree, run.rules.get("writes", []), run.target_path)
    accepted = set(run.snapshot.get("accepted", []))
    shell = any(row.get("kind") == "shell" for row in log)
    own = {str(row.get("target")) for row in log if row.get("kind") == "edit"}
    found = []
    for path in changed:
        whole = os.path.join(worktree, path)
        if path in accepted or place.may_write(whole):
            continue
        if not log or shell or whole in own or any(os.path.basename(each) == os.path.basename(path) for each in own):
            found.append(path)
    return found


def _violated(desk: Desk, run: Run, step: Step, strange: list[str]) -> Refused:
    with store.Writing(desk) as write:
        write.event("violation", run.plan_id, data={"run": run.run_id, "step": step.number, "files": strange[:_LISTED]})
    place = rights.Place(desk.workspace.root, run.worktree, run.rules.get("writes", []), run.target_path)
    named = ", ".join(strange[:_LISTED]) + (f" and {len(strange) - _LISTED} more" if len(strange) > _LISTED else "")
    return refused(
        "E_VIOLATION", f"{run.workflow} may write {place.said()}, and these changed since it began: {named}",
        "take the changes back if they are yours, and tell the user; a person can let them stand with "
        f"`pal sb wf step {step.number} --run {run.run_id} --accept`", files=strange[:_LISTED],
    )  # fmt: skip


def _record(
    desk: Desk, run: Run, step: Step, passed: list[Step], shown: dict[str, Any], skip: str, log: list[dict[str, Any]],
    strange: list[str],
) -> None:  # fmt: skip
    reason = text.clip(redaction.scrub(skip.strip()), _REASON)
    if strange:
        run.snapshot["accepted"] = sorted({*run.snapshot.get("accepted", []), *strange})
    with store.Writing(desk) as write:
        row = write.db.execute("select step, state from runs where run_id = ?", (run.run_id,)).fetchone()
        if row != (run.step, runs.ACTIVE):
            raise refused(
                "E_STEP", f"the run {run.run_id} went on meanwhile", "look at its state: `get_workflow_state`"
            )
        for each in passed:
            why = f"with step {step.number}" if each.turbo else reason or "free"
            write.db.execute(_STEP, (run.run_id, each.number, write.now, "{}", why))
        write.db.execute(_STEP, (run.run_id, step.number, write.now, jsontext.dumps(shown), ""))
        run.step = step.number
        run.state = runs.COMPLETED if step.number == len(run.steps) else runs.ACTIVE
        run.seen_at = write.now
        write.db.execute("update runs set step = ?, state = ?, seen_at = ?, snapshot = ? where run_id = ?",
                         (run.step, run.state, run.seen_at, jsontext.dumps(run.snapshot), run.run_id))  # fmt: skip
        _fold(write.db, run, log)
        data = {"run": run.run_id, "workflow": run.workflow, "step": step.number, "name": step.name}
        write.event("run_step", run.plan_id, reason=reason, data=data)
        if run.state == runs.COMPLETED:
            write.event("run_completed", run.plan_id, data=data)


def _fold(db: Any, run: Run, log: list[dict[str, Any]]) -> None:
    """The board's copy of what the run's tools did, for whoever looks at the run later."""
    known = db.execute("select max(ts) from tool_log where run_id = ?", (run.run_id,)).fetchone()[0] or ""
    calls = [(clock.iso_ms(float(row.get("ts") or 0)), row) for row in log]
    db.executemany(
        "insert into tool_log (run_id, step, tool, target, exit, ts) values (?, ?, ?, ?, ?, ?)",
        [
            (run.run_id, run.step, f"{row.get('kind')}:{row.get('tool')}", str(row.get("target")), row.get("exit"), at)
            for at, row in calls if at > known
        ],
    )  # fmt: skip
    db.execute(
        "delete from tool_log where run_id = ? and id not in"
        " (select id from tool_log where run_id = ? order by id desc limit ?)",
        (run.run_id, run.run_id, _KEPT),
    )


def _after(desk: Desk, run: Run, step: Step) -> dict[str, Any]:
    """What follows a step: the way on, or at the end the report of what was skipped and the card's move."""
    if run.state != runs.COMPLETED:
        return {}
    with store.Reading(desk.workspace, desk.wait) as db:
        rows = db.execute("select step, evidence, skip_reason from run_steps where run_id = ? order by step",
                          (run.run_id,)).fetchall()  # fmt: skip
    skipped = [
        {"step": number, "name": run.steps[number - 1].name, "reason": reason} for number, _, reason in rows if reason
    ]
    unverified = [words for _, shown, _ in rows for words in jsontext.loads(shown or "{}").get("unverified", [])]
    answer: dict[str, Any] = {"skipped": skipped, "unverified": unverified}
    if run.rules.get("moves") and run.plan_id:
        answer["moved"] = _moved(desk, run)
    return answer


def _moved(desk: Desk, run: Run) -> dict[str, Any]:
    """The card goes on only from where an unworked plan stands; anybody may have moved it meanwhile."""
    from pal.switchboard import board, columns, moves

    try:
        card = board.find(desk, run.plan_id, scanning=False)
        if card["column"] != columns.CREATED:
            return {"changed": False, "column": card["column"]}
        return moves.move(desk, run.plan_id, str(run.rules["moves"]), rev=card["rev"], reason=f"{run.workflow} is done")
    except Refused as fault:
        return {"changed": False, "note": str(fault)}  # the run is done all the same


def history(desk: Desk, run: Run) -> list[dict[str, Any]]:
    """The steps reported so far, with what each showed or why it was skipped."""
    with store.Reading(desk.workspace, desk.wait) as db:
        rows = db.execute("select step, ts, evidence, skip_reason from run_steps where run_id = ? order by step",
                          (run.run_id,)).fetchall()  # fmt: skip
    names = {step.number: step.name for step in run.steps}
    return [
        {"step": number, "name": names[number], "at": at, "shown": jsontext.loads(shown or "{}"), "skipped": why}
        for number, at, shown, why in rows
    ]
