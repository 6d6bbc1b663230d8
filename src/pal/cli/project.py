"""`pal project`: the projects PAL has seen work in, and what was done in one of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.cli.parser import actions, json_option
from pal.memory import projects

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal project list
pal project show ~/work/site
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(parser, (("list", "list active projects"), ("show", "show what was done in a project")))
    table["show"].add_argument("folder", nargs="?", default=".", help="a folder of the project (default: this one)")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "list":
        rows = projects.active(context.home, os.getcwd(), context.now)
        if options.json:
            context.output.json(rows)
        elif not rows:
            context.output.line("No project yet; PAL notes one when an agent has worked in it.")
        else:
            columns = ("touched", "sessions", "root")
            context.output.table([[row.get(column, "") for column in columns] for row in rows], columns)
        return 0
    root = projects.root_of(os.path.abspath(os.path.expanduser(options.folder)))
    rows = projects.history(context.home, root)
    if options.json:
        context.output.json({"root": root, "history": rows})
    elif not rows:
        context.output.line(f"Nothing is noted for {root} yet.")
    else:
        context.output.line(context.output.style(root, "bold"))
        context.output.table([(row.get("ts", ""), row.get("title", "")) for row in rows])
    return 0
