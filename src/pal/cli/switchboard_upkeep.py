"""The actions of `pal switchboard` that make a board, tell how it is, and mend it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.switchboard import registry, repair, scan, summary, upstream, workspace
from pal.switchboard.desk import Desk
from pal.switchboard.errors import Refused

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context

    Answer = tuple[Any, list[str]]

ACTIONS = (
    ("init", "make a board for this project; what stands there stays"),
    ("status", "show what the board holds, what runs and what waits"),
    ("doctor", "check the board, and with --fix mend it"),
    ("reconcile", "take in what changed on disk and finish what was cut short"),
    ("import", "take over the board of the original extension"),
)


def configure(table: dict[str, argparse.ArgumentParser]) -> list[argparse.ArgumentParser]:
    table["init"].add_argument("--isolated", action="store_true", help="a worktree gets a board of its own")
    table["init"].add_argument("--agent-files", action="store_true", help="tell agents: AGENTS.md, workflows, skills")
    table["doctor"].add_argument("--fix", action="store_true", help="mend what can be mended")
    table["import"].add_argument("--from-upstream", action="store_true", required=True, help="its `kanban.db`, once")
    return list(table.values())


def run(options: argparse.Namespace, context: Context, desk: Desk | None) -> Answer:
    if desk is None:
        return _init(options, context)
    answer = {"status": _status, "doctor": _doctor, "reconcile": _reconcile, "import": _import}
    return answer[options.action](options, desk)


def _init(options: argparse.Namespace, context: Context) -> Answer:
    place, new = workspace.init(context.home, options.root or os.getcwd(), context.now, options.isolated)
    desk = Desk(context.home, place, context.now)
    problems = scan.scan(desk, settled=True)
    said = "made" if new else "stands already"
    facts = {"root": place.root, "workspaceId": place.id, "new": new, "problems": problems}
    lines = [f"The board of {place.root} {said}; plans go into {place.relative(place.plans)}/.", *problems]
    if options.agent_files:
        from pal.install import agent_files

        done = agent_files.write(context.home, place.root, context.now)
        facts["agent_files"] = [{"path": path, "what": what} for path, what in done]
        lines += [f"  {what}: {path}" for path, what in done] or ["  The files for agents stand already."]
    return facts, lines


def _status(options: argparse.Namespace, desk: Desk) -> Answer:
    problems = scan.scan(desk)
    facts = {**summary.status(desk), "problems": problems}
    lines = [f"{facts['root']}: {summary.counted(facts) or 'no plan yet; `plan new TITLE` makes one'}"]
    lines += [f"  next: {each['topic']} ({each['sessionId']})" for each in facts["next"]]
    lines += [f"  runs: {run['workflow']} by {run['agent']}, step {run['step']}" for run in facts["runs"]]
    lines += [f"  {count} unread for {name}" for name, count in facts["unread"].items()]
    lines += [f"  {facts['expired']} messages expired unread" for _ in range(facts["expired"] > 0)]
    return facts, lines + [f"  {problem}" for problem in problems]


def _doctor(options: argparse.Namespace, desk: Desk) -> Answer:
    mended: dict[str, Any] = {}
    if options.fix:
        mended = {**repair.rebuild(desk), **repair.reconcile(desk)}
    try:
        found = repair.problems(desk)
    except Refused as fault:
        if fault.code != "E_DAMAGED" or options.fix:
            raise
        found = [{"rule": "database", "where": desk.workspace.board, "what": str(fault)}]
    own = desk.home.switchboard_workflows
    found += [{"rule": "workflow", "where": own, "what": wrong} for wrong in registry.check(desk.home)]
    lines = [f"{each['rule']}: {each['where']}: {each['what']}" for each in found]
    if mended.get("rebuilt"):
        lines.insert(0, f"The board was built again; the damaged file is kept as {mended['aside']}.")
    return {"problems": found, **({"mended": mended} if mended else {})}, lines or ["The board is sound."]


def _reconcile(options: argparse.Namespace, desk: Desk) -> Answer:
    done = repair.reconcile(desk)
    rows = (
        ("filed", "plans filed"),
        ("expired", "unread messages set aside"),
        ("forgotten", "finished ones forgotten"),
    )
    return done, [", ".join(f"{done[name]} {said}" for name, said in rows), *done["problems"]]


def _import(options: argparse.Namespace, desk: Desk) -> Answer:
    done = upstream.take_over(desk)
    lines = [f"Took over {done['taken']} plans from {done['source']}; {done['known']} were here already."]
    return done, lines + [f"  {each}" for each in done["left"]]
