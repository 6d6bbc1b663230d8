"""`pal switchboard`, `pal sb`: a project's plans, board, messages, workflows and archive. This module knows the actions
and finds the board; what each does stands beside it, by subject."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.cli import (
    serve,
    switchboard_archive,
    switchboard_board,
    switchboard_plans,
    switchboard_talk,
    switchboard_upkeep,
    switchboard_workflows,
)
from pal.cli.parser import actions, json_option
from pal.switchboard import workspace
from pal.switchboard.desk import Desk
from pal.switchboard.errors import Refused

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context

EXAMPLES = """
pal switchboard init                                   # a board for this project
pal switchboard plan new "Fix the login" --body "…"
pal switchboard board --column planned
pal switchboard move sess_17… coded                    # to whoever its complexity asks for
pal switchboard send status_update "half way" --to user
pal switchboard archive search login                   # `pal sb` is short for all of this
"""
SUBJECTS: tuple[Any, ...] = (
    switchboard_upkeep,
    switchboard_plans,
    switchboard_board,
    switchboard_talk,
    switchboard_archive,
    switchboard_workflows,
)
_PAGE = ("serve", "open the board in a browser; the same as `pal serve`")
_OPENS_NONE = ("init",)  # actions that may stand where there is no board
_TALKS = ("send", "inbox", "reconcile")  # actions that pass messages on, and so must know what none may name


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(parser, [*[row for subject in SUBJECTS for row in subject.ACTIONS], _PAGE])
    serve.configure(table[_PAGE[0]])
    for subject in SUBJECTS:
        for leaf in subject.configure({name: table[name] for name, _ in subject.ACTIONS}):
            json_option(leaf)
            leaf.add_argument("--root", default="", metavar="FOLDER", help="the project (default: found from here)")


def run(options: argparse.Namespace, context: Context) -> int:
    try:
        if options.action == _PAGE[0]:
            return serve.run(options, context)
        subject = next(each for each in SUBJECTS if options.action in dict(each.ACTIONS))
        made = _first_plan(options, context)
        opened = None if options.action in _OPENS_NONE else desk(context, options.root, options.action in _TALKS)
        facts, lines = subject.run(options, context, opened)
    except Refused as fault:
        if options.json:
            context.output.json({"error": fault.shown()})
        context.output.error(f"{fault.code}: {fault}")
        return fault.exit
    if options.json:
        context.output.json(facts)
    else:
        for line in [*made, *lines]:
            context.output.line(line)
    return 0


def _first_plan(options: argparse.Namespace, context: Context) -> list[str]:
    """A project's first plan makes its board, where the project is plain to see: a named folder or a repository."""
    if getattr(options, "part", "") not in switchboard_plans.BEGINS or getattr(options, "dry_run", False):
        return []
    if workspace.find(context.env, os.getcwd(), options.root):
        return []
    root = options.root or context.env.get(workspace.ROOT, "") or workspace.repository(context.env, os.getcwd())
    if not root:
        return []
    place, _ = workspace.init(context.home, os.path.expanduser(root), context.now)
    return [f"Made a board for {place.root}."]


def desk(context: Context, root: str = "", talks: bool = True) -> Desk:
    """Who types, at the board of the folder it is typed in."""
    found = workspace.need(context.home, context.env, os.getcwd(), root, context.now)
    author = context.author
    kept = private(context) if talks else ()
    return Desk(context.home, found, context.now, author["session"], author["agent"], private=kept)


def private(context: Context) -> tuple[str, ...]:
    """Folders in which agents keep what only they should read."""
    from pal import targets

    found = []
    for name in targets.NAMES:
        folder = targets.installer(name).folder(context.env)
        found += [os.path.join(folder, each) for each in ("memory", "memories", "projects", "sessions")]
    return tuple(dict.fromkeys(found))
