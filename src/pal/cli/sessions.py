"""`pal sessions`: the registry of past sessions, whichever agent they ran in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import actions, json_option
from pal.memory import sessions

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal sessions list --count 10
pal sessions show 3f2a9c10-...
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(parser, (("list", "list the newest sessions"), ("show", "show one session")))
    table["list"].add_argument("--count", type=int, default=20, metavar="N", help="how many (default 20)")
    table["show"].add_argument("session", help="a session's id, or the beginning of it")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "show":
        return _show(options, context)
    rows = sessions.recent(context.home, max(options.count, 1))
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line("No session yet; start an agent and type a prompt.")
    else:
        columns = ("last", "agent", "status", "name", "session")
        context.output.table([[row.get(column, "") for column in columns] for row in rows], columns)
    return 0


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
