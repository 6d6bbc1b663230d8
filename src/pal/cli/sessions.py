"""`pal sessions`: the registry of past sessions, whichever agent they ran in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pal.base.errors import PalError
from pal.cli.parser import actions, json_option
from pal.memory import projects, sessions

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal sessions list --count 10
pal sessions list --here --status active
pal sessions show 3f2a9c10-...
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(parser, (("list", "list the newest sessions"), ("show", "show one session")))
    table["list"].add_argument("--count", type=int, default=20, metavar="N", help="how many (default 20)")
    table["list"].add_argument("--agent", default="", metavar="NAME", help="only those of one agent")
    table["list"].add_argument("--status", choices=("active", "completed"), help="only those that are so")
    table["list"].add_argument("--here", action="store_true", help="only those of this folder and below")
    table["show"].add_argument("session", help="a session's id, or the beginning of it")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "show":
        return _show(options, context)
    rows = [row for row in sessions.recent(context.home, sessions.MOST_ROWS) if _wanted(row, options)]
    rows = rows[: max(options.count, 1)]
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line("No such session yet; one begins with the first prompt to an agent.")
    else:
        columns = ("last", "agent", "status", "name", "session")
        context.output.table([[row.get(column, "") for column in columns] for row in rows], columns)
    return 0


def _wanted(row: dict[str, Any], options: argparse.Namespace) -> bool:
    here = projects.folder_key(os.getcwd())
    cwd = str(row.get("cwd") or "")
    return (
        (not options.agent or row.get("agent") == options.agent)
        and (not options.status or row.get("status") == options.status)
        and (not options.here or cwd == here or cwd.startswith(here.rstrip("/\\") + os.sep))
    )


def _show(options: argparse.Namespace, context: Context) -> int:
    found = sessions.get(context.home, options.session)
    if found:
        found = {"session": options.session, **found}
    if not found:
        near = [row for row in sessions.recent(context.home, 1000) if str(row["session"]).startswith(options.session)]
        if len(near) > 1:
            raise PalError(f"{len(near)} sessions begin with {options.session!r}; type more of the id")
        found = near[0] if near else None
    if not found:
        raise PalError(f"no session {options.session!r} is known; `pal sessions list` shows them")
    if options.json:
        context.output.json(found)
    else:
        context.output.table([(f"{key}:", value) for key, value in found.items()])
    return 0
