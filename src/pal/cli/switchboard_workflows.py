"""The actions of `pal switchboard` for workflows and their runs, and the one that takes all of it out of a project."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import actions
from pal.switchboard import active, card, checks, registry, runs, steps
from pal.switchboard.errors import refused

if TYPE_CHECKING:
    from typing import Any

    from pal.cli.context import Context
    from pal.switchboard.desk import Desk

    Answer = tuple[Any, list[str]]

NAMES = ("wf", "workflow")
ACTIONS = (
    ("wf", "follow a workflow: list, show, start, step, check, stop, state"),
    ("workflow", "the same as wf"),
    ("purge", "take Switchboard out of this project; says what would go until --yes"),
)
_PARTS = (
    ("list", "list the workflows and how to ask for them"),
    ("show", "print a workflow's text"),
    ("start", "begin a run for this session"),
    ("step", "report a step; what it asks for is checked"),
    ("check", "run the project's own check and put its outcome on record"),
    ("stop", "end a run early"),
    ("state", "show where a run stands, or with --all the last runs"),
    ("status", "the same as state"),
)


def configure(table: dict[str, argparse.ArgumentParser]) -> list[argparse.ArgumentParser]:
    leaves = [leaf for name in NAMES for leaf in _configured(table[name])]
    table["purge"].add_argument("--yes", action="store_true", help="do it; what stood in the board is kept as a zip")
    table["purge"].add_argument("--agent-files", action="store_true", help="only the files for agents; the board stays")
    return [*leaves, table["purge"]]


def _configured(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    parts = actions(parser, _PARTS, "part")
    for name in ("show", "start"):
        parts[name].add_argument("name", help="the workflow, such as challenge")
    parts["start"].add_argument("words", nargs="*", metavar="WORDS", help="what came with it")
    parts["start"].add_argument("--plan", default="", metavar="ID", help="the plan it is about: session id or path")
    parts["start"].add_argument("--force", action="store_true", help="in place of what this session follows now")
    parts["step"].add_argument("number", type=int, help="which one")
    parts["step"].add_argument(
        "--notes", default="", metavar="TEXT", help="what was done and found; - reads it from stdin"
    )
    parts["step"].add_argument(
        "--file", action="append", default=[], metavar="PATH", help="a file it left; repeat for more"
    )
    parts["step"].add_argument("--skip", default="", metavar="REASON", help="why the steps before it are passed over")
    parts["step"].add_argument(
        "--accept", action="store_true", help="let writes stand that it does not allow (people only)"
    )
    parts["stop"].add_argument("id", nargs="?", default="", help="the run (default: this session's)")
    parts["stop"].add_argument("--reason", default="", metavar="TEXT", help="why")
    parts["check"].add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="what to run, after --")
    for name in ("state", "status"):
        parts[name].add_argument("id", nargs="?", default="", help="the run (default: this session's)")
        parts[name].add_argument("--all", action="store_true", help="the last runs of every session")
    for name in ("step", "check"):
        parts[name].add_argument("--run", default="", metavar="ID", help="the run (default: this session's)")
    return list(parts.values())


def run(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    if options.action == "purge":
        return _purge(options, context, desk)
    part = {
        "list": _list, "show": _show, "start": _start, "step": _step, "check": _check, "stop": _stop, "state": _state,
        "status": _state,
    }  # fmt: skip
    return part[options.part](options, context, desk)


def _list(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    every = registry.every(desk.home)
    facts = [
        {"name": each.name, "summary": each.summary, "steps": [step.name for step in each.steps],
         "aliases": ["/" + alias for alias in each.aliases], "source": each.source}
        for each in every
    ]  # fmt: skip
    width = max(len(each.name) for each in every)
    lines = [f"/{each.name.ljust(width)}  {each.summary}" for each in every]
    return {"workflows": facts}, [*lines, "", "/sb-NAME works where an agent has a command of that name itself."]


def _show(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    flow = registry.load(desk.home, options.name)
    body, theirs = registry.wording(desk.workspace.root, flow)
    facts = {"name": flow.name, "summary": flow.summary, "text": body, "source": theirs or flow.path or flow.source,
             "definition": flow.sha, **flow.rules()}  # fmt: skip
    return facts, body.strip().split("\n")


def _start(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    flow = registry.load(desk.home, options.name)
    found, new = runs.start(desk, flow, " ".join(options.words), options.plan, options.force, os.getcwd())
    text = card.render(desk.home, flow, found, desk.workspace.root, 20_000)
    return {**runs.facts(found), "new": new}, text.split("\n")


def _step(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    if options.accept and context.author["session"]:
        raise refused(
            "E_VIOLATION", "only a person lets such changes stand", "tell the user which files changed and why"
        )
    if options.notes == "-":
        import sys

        options.notes = sys.stdin.read()
    answer = steps.complete(
        desk, options.number, options.notes, options.file, options.skip, options.run, accept=options.accept
    )
    lines = [f"{answer['workflow']}: step {answer['step']} of {answer['of']} is done."]
    lines += [f"Not verified: {words}" for words in answer["shown"].get("unverified", [])]
    if answer["state"] == runs.COMPLETED:
        lines += [f"Skipped: {each['step']} ({each['name']}): {each['reason']}" for each in answer["skipped"]]
        moved = answer.get("moved") or {}
        lines += [f"The card moved to {moved['label']}."] if moved.get("changed") else []
        lines.append("The run is complete.")
    else:
        lines.append(card.next_call(runs.current(desk, answer["run"])))
    return answer, lines


def _check(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    words = options.command[1:] if options.command[:1] == ["--"] else options.command
    _judged(context, words)
    context.output.flush()
    done = checks.perform(desk, words, os.getcwd(), context.env, of=options.run, aside=options.json)
    if done["exit"]:
        raise refused("E_EVIDENCE", f"{done['command']} ended with {done['exit']}", "mend it and run it again", **done)
    return done, [f"{done['command']} passed; it is on record for {done['run']}."]


def _judged(context: Context, words: list[str]) -> None:
    """What the guard would stop in a shell is not run from here either."""
    import shlex

    from pal.base import bare
    from pal.base import home as homes
    from pal.base import settings as settings_file
    from pal.guard import decide
    from pal.guard import settings as guard_settings
    from pal.guard.model import ALLOW

    here, command = os.getcwd(), " ".join(shlex.quote(word) for word in words)
    values = settings_file.load(context.home)
    guard = guard_settings.load(values, context.home.root, (here, here), bare.WINDOWS, bare.CASE_INSENSITIVE)
    verdict = decide.decide("Bash", {"command": command}, here, homes.user_folder(context.env), guard)
    if verdict.rule and verdict.decision != ALLOW:
        said = decide.reason(verdict, command, "").partition(" [PAL rule")[0]
        raise PalError(f"{said} [PAL rule {verdict.rule}]")


def _stop(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    found = runs.stop(desk, options.id, options.reason)
    return runs.facts(found), [f"{found.workflow} ({found.run_id}) is {found.state}."]


def _state(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    if options.all:
        every = runs.listing(desk, every=True)
        lines = [
            f"{each.run_id}  {each.workflow}  {each.state}  {each.step}/{len(each.steps)}  {each.started_at}"
            for each in every
        ]
        return {"runs": [runs.facts(each) for each in every]}, lines or ["No workflow was ever followed here."]
    found = runs.current(desk, options.id)
    done = steps.history(desk, found)
    lines = [f"{found.workflow} ({found.run_id}) is {found.state}, step {found.step} of {len(found.steps)} is done."]
    for each in done:
        lines.append(
            f"  {each['step']}. {each['name']}" + (f" (skipped: {each['skipped']})" if each["skipped"] else "")
        )
    if found.next:
        lines.append(card.next_call(found))
    return {**runs.facts(found), "steps": done}, lines


def _purge(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    from pal.install import agent_files, apply

    root, folder = desk.workspace.root, desk.workspace.folder
    owner = agent_files.owner(root)
    if not options.yes:
        rows = [path for path, _ in apply.preview_undo(owner, context.home).rows]
        going = rows if options.agent_files else [*rows, folder]
        lines = [f"would go: {path}" for path in going] or ["Nothing of Switchboard's is here."]
        return {"root": root, "would_remove": going}, [*lines, "`pal sb purge --yes` does it."]
    done = agent_files.take_out(context.home, root, context.now)
    facts: dict[str, Any] = {"root": root, "changed": [{"path": path, "what": what} for path, what in done]}
    lines = [f"{what}: {path}" for path, what in done]
    if not options.agent_files:
        for run in runs.listing(desk):
            active.drop(context.home, run.run_id, context.now)
        facts["kept"] = agent_files.remove_board(context.home, folder, context.now)
        lines.append(f"The board is gone; all that stood in it is kept in {facts['kept']}.")
    return facts, lines or ["Nothing of Switchboard's was here."]
