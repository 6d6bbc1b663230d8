"""Runs: one session follows one workflow, step by step. Started, found, stopped and given up here; `steps` goes on.

A run keeps the rules it was started with, so that no file that changes meanwhile loosens or tightens a gate."""

from __future__ import annotations

import os

from pal.base import clock, jsontext, redaction, text
from pal.switchboard import active, board, definition, planfiles, shape, store, tree
from pal.switchboard.errors import Refused, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.definition import Step, Workflow
    from pal.switchboard.desk import Desk
    from pal.switchboard.store import Writing

FIELDS = (
    "run_id", "host_session", "agent", "workflow", "def_sha", "args", "plan_id", "target_path", "worktree", "step",
    "state", "started_at", "seen_at", "snapshot",
)  # fmt: skip
PICK = f"select {', '.join(FIELDS)} from runs"
ACTIVE, COMPLETED, STOPPED, EXPIRED = "active", "completed", "stopped", "expired"
SAME = 10.0  # seconds in which the same words from the same session are one start
_LONGEST_ARGS = 2_000  # characters
_HOOK_WAITS = 1.0  # seconds for git where an agent waits for a hook
_WORDS = 8  # of the arguments that may name a plan
_AROUND = ".,;:!?()[]\"'`<>"


class Run:
    """One row of `runs`, its JSON read."""

    __slots__ = (*FIELDS, "steps")

    run_id: str
    host_session: str
    agent: str
    workflow: str
    def_sha: str
    args: str
    plan_id: str
    target_path: str
    worktree: str
    step: int
    state: str
    started_at: str
    seen_at: str
    snapshot: dict[str, Any]
    steps: list[Step]

    def __init__(self, row: tuple[Any, ...]) -> None:
        for name, value in zip(FIELDS, row):
            setattr(self, name, value)
        self.snapshot = jsontext.loads(self.snapshot) if isinstance(self.snapshot, str) else self.snapshot
        self.steps = definition.steps_of(self.rules)

    @property
    def rules(self) -> dict[str, Any]:
        rules: dict[str, Any] = self.snapshot.get("rules", {})
        return rules

    @property
    def next(self) -> Step | None:
        """The step to do now."""
        return self.steps[self.step] if self.state == ACTIVE and self.step < len(self.steps) else None


def facts(run: Run) -> dict[str, Any]:
    """A run for programs."""
    step = run.next
    return {
        "run": run.run_id, "workflow": run.workflow, "state": run.state, "step": run.step, "of": len(run.steps),
        "next": {"phase": step.number, "name": step.name, "evidence": list(step.evidence)} if step else None,
        "session": run.host_session, "agent": run.agent, "plan": run.plan_id, "target": run.target_path,
        "args": run.args, "startedAt": run.started_at, "seenAt": run.seen_at, "definition": run.def_sha,
        "mayWrite": run.rules.get("writes", []),
    }  # fmt: skip


def start(
    desk: Desk, workflow: Workflow, args: str = "", target: str = "", force: bool = False, folder: str = ""
) -> tuple[Run, bool]:
    """(the run, whether it is new). The same start twice is one run; a plan named later is pinned to the run that waits
    for one. E_BUSY while this session follows another workflow, unless forced or that one has no gates."""
    args = text.clip(redaction.scrub(" ".join(args.split())), _LONGEST_ARGS)
    plan_id, path = _target(desk, target or args, bool(target)) if target or workflow.target else ("", "")
    worktree = tree.top(folder or desk.workspace.root)
    if desk.workspace.root.startswith(worktree.rstrip(os.sep) + os.sep):
        worktree = desk.workspace.root  # a board of its own below the top of a repository
    snapshot = {
        "rules": workflow.rules(),
        "tree": tree.take(worktree, tree.GIT_WAITS if desk.wait > 1 else _HOOK_WAITS),
        "plan": _shape_of(desk, path),
    }
    with store.Writing(desk) as write:
        expire(desk, write)
        row = write.db.execute(
            f"{PICK} where host_session = ? and (host_session != '' or agent = ?) and state = 'active'"
            " order by started_at desc limit 1",
            (desk.session, desk.actor),
        ).fetchone()
        standing = Run(row) if row else None
        same = standing if standing and standing.workflow == workflow.name else None
        if same and path and not same.target_path:
            _pin(write, same, plan_id, path, snapshot["plan"])
            run, new = same, False
        elif same and _again(same, args, desk.now, force):
            run, new = same, False
        else:
            if standing:
                if not (force or workflow.force or standing.rules.get("free")):
                    raise _busy(standing)
                _end(write, standing, STOPPED, f"{workflow.name} was started instead")
            run, new = _insert(write, desk, workflow, args, plan_id, path, worktree, snapshot), True
    if new and standing:
        announce(desk, standing)
    announce(desk, run)
    return run, new


def _again(run: Run, args: str, now: float, force: bool) -> bool:
    """Whether a second start of the same workflow is the first one once more."""
    return not force and (run.args == args or not args or clock.age(run.started_at, now) < SAME)


def _busy(run: Run) -> Refused:
    return refused(
        "E_BUSY", f"this session follows {run.workflow} (step {run.step + 1} of {len(run.steps)})",
        f"go on with it, stop it (`stop_workflow`, `pal sb wf stop {run.run_id}`), or start with force",
        run=run.run_id, workflow=run.workflow, step=run.step, of=len(run.steps),
    )  # fmt: skip


def _insert(
    write: Writing, desk: Desk, workflow: Workflow, args: str, plan_id: str, path: str, worktree: str, snapshot: Any
) -> Run:
    identity = "run_" + os.urandom(5).hex()
    values = (
        identity, desk.session, desk.actor, workflow.name, workflow.sha, args, plan_id, path, worktree, 0,
        ACTIVE, write.now, write.now, jsontext.dumps(snapshot),
    )  # fmt: skip
    write.db.execute(f"insert into runs ({', '.join(FIELDS)}) values ({','.join('?' * len(FIELDS))})", values)
    write.event("run_started", plan_id, reason=args, data={"run": identity, "workflow": workflow.name})
    return Run(values)


def _pin(write: Writing, run: Run, plan_id: str, path: str, seen: Any) -> None:
    run.plan_id, run.target_path = plan_id, path
    run.snapshot["plan"] = seen
    write.db.execute(
        "update runs set plan_id = ?, target_path = ?, snapshot = ?, seen_at = ? where run_id = ?",
        (plan_id, path, jsontext.dumps(run.snapshot), write.now, run.run_id),
    )


def pin(desk: Desk, run: Run, said: str) -> None:
    """Settle which plan a run is about, for the step that does so."""
    plan_id, path = _target(desk, said, True)
    seen = _shape_of(desk, path)
    with store.Writing(desk) as write:
        _pin(write, run, plan_id, path, seen)
    announce(desk, run)


def _target(desk: Desk, said: str, named: bool) -> tuple[str, str]:
    """(plan id, path below the project) of the plan that these words name; E_NOT_FOUND for a name that nothing has."""
    words = [said] if named else [word.strip(_AROUND) for word in said.split()[:_WORDS]]
    for word in words:
        plan_like = word.startswith("sess_") or word.endswith(".md") or (len(word) >= 8 and word.isalnum())
        if not word or not (named or plan_like):
            continue
        try:
            card = board.find(desk, word, scanning=False)
            return card["planId"], card["planFile"]
        except Refused as fault:
            if fault.code not in ("E_NOT_FOUND", "E_AMBIGUOUS") or (fault.code == "E_AMBIGUOUS" and named):
                raise
        path = os.path.join(desk.workspace.root, word)
        if word.endswith(".md") and os.path.isfile(path) and _inside(desk, path):
            return "", desk.workspace.relative(os.path.realpath(path)) if os.path.islink(path) else (
                desk.workspace.relative(os.path.normpath(path))
            )
    if named:
        raise refused("E_NOT_FOUND", f"there is no plan {said!r}", "name it by session id or path; `pal sb board`")
    return "", ""


def _inside(desk: Desk, path: str) -> bool:
    from pal.switchboard import rights

    return bool(rights.within(path, desk.workspace.root))


def _shape_of(desk: Desk, path: str) -> dict[str, Any] | None:
    if not path:
        return None
    try:
        return shape.of(planfiles.read(desk.workspace.at(path))[0])
    except Refused:
        return None


def current(desk: Desk, run: str = "", workflow: str = "") -> Run:
    """The run that is meant: by its id, else this session's, else the only one of that workflow. E_STEP for none."""
    with store.Reading(desk.workspace, desk.wait) as db:
        if run:
            row = db.execute(f"{PICK} where run_id = ?", (run,)).fetchone()
            if row is None:
                raise refused("E_NOT_FOUND", f"there is no run {run!r}", "`pal sb wf state` lists them")
            return _matching(Run(row), workflow)
        rows = _open(db, desk)
    found = [Run(row) for row in rows]
    if desk.session and [each for each in found if each.host_session == desk.session]:
        found = [each for each in found if each.host_session == desk.session]
    elif workflow:
        found = [each for each in found if each.workflow == workflow]
    if len(found) > 1:
        raise refused("E_AMBIGUOUS", f"{len(found)} runs are under way", "say which: "
                      + ", ".join(f"{each.run_id} ({each.workflow})" for each in found))  # fmt: skip
    if not found:
        raise refused(
            "E_STEP", "no workflow is being followed here", "start one: `start_workflow`, `pal sb wf start NAME`"
        )
    return _matching(found[0], workflow)


def _open(db: Connection, desk: Desk) -> list[tuple[Any, ...]]:
    since = clock.iso_ms(desk.now - active.LEASE)
    return db.execute(f"{PICK} where state = 'active' and seen_at > ? order by started_at", (since,)).fetchall()


def _matching(run: Run, workflow: str) -> Run:
    if workflow and run.workflow != workflow:
        raise refused("E_STEP", f"the run {run.run_id} follows {run.workflow}, not {workflow}", "name the right one")
    return run


def listing(desk: Desk, every: bool = False, limit: int = 50) -> list[Run]:
    """The runs under way, or with `every` the last ones too, newest first."""
    with store.Reading(desk.workspace, desk.wait) as db:
        condition = "" if every else "where state = 'active'"
        rows = db.execute(f"{PICK} {condition} order by started_at desc limit ?", (limit,)).fetchall()
    return [Run(row) for row in rows]


def stop(desk: Desk, run: str = "", reason: str = "") -> Run:
    """End a run early; always allowed. One that is over already stays as it is."""
    found = current(desk, run)
    if found.state == ACTIVE:
        with store.Writing(desk) as write:
            _end(write, found, STOPPED, reason)
    announce(desk, found)
    return found


def leave(desk: Desk, session: str) -> None:
    """A session ended: what it followed is given up."""
    with store.Writing(desk) as write:
        for row in write.db.execute(f"{PICK} where host_session = ? and state = 'active'", (session,)).fetchall():
            _end(write, Run(row), EXPIRED, "the session ended")


def expire(desk: Desk, write: Writing) -> None:
    """Give up the runs nobody has worked on for longer than the lease, whoever started them."""
    since = clock.iso_ms(desk.now - active.LEASE)
    for row in write.db.execute(f"{PICK} where state = 'active' and seen_at <= ?", (since,)).fetchall():
        _end(write, Run(row), EXPIRED, "nobody worked on it for twelve hours")


def _end(write: Writing, run: Run, state: str, reason: str) -> None:
    changed = write.db.execute(
        "update runs set state = ?, seen_at = ? where run_id = ? and state = 'active'", (state, write.now, run.run_id)
    )
    if changed.rowcount:
        run.state = state
        write.event(f"run_{state}", run.plan_id, reason=reason, data={"run": run.run_id, "workflow": run.workflow})


def announce(desk: Desk, run: Run) -> None:
    """Let hooks know of an active run; for a run that is over there is nothing to know. The board holds the truth, so a
    home that cannot be written costs the rail before a write, not the run."""
    step = run.next
    row = {
        "run": run.run_id, "workflow": run.workflow, "root": desk.workspace.root, "worktree": run.worktree,
        "step": run.step, "of": len(run.steps), "name": step.name if step else "", "writes": run.rules["writes"],
        "denied": run.rules["denied"], "target": run.target_path, "answers": run.rules.get("answers", False),
    }  # fmt: skip
    try:
        if run.state == ACTIVE:
            active.put(desk.home, run.host_session, row, desk.now)
        else:
            active.drop(desk.home, run.run_id, desk.now)
    except OSError as fault:
        from pal.base import log

        log.warning(desk.home, "switchboard", f"hooks do not know of {run.run_id}: {fault}")
