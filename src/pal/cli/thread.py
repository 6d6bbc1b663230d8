"""`pal thread`: what to come back to, in a folder or anywhere, until it is settled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.cli.parser import actions, json_option
from pal.memory.tools import threads

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal thread add "Ask Ann about the licence" --context "Before the release"
pal thread list
pal thread resolve 3f2a
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("list", "list the open threads"),
            ("add", "open a thread"),
            ("resolve", "settle a thread"),
            ("reopen", "open a settled thread again"),
        ),
    )
    table["add"].add_argument("title", help="one line that says what to come back to")
    table["add"].add_argument("--context", default="", help="what one must know to take it up again")
    for name in ("resolve", "reopen"):
        table[name].add_argument("thread", help="a thread's id, or the beginning of it")
    table["list"].add_argument("--all", action="store_true", help="settled ones too")
    table["list"].add_argument("--here", action="store_true", help="only those of this folder")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "list":
        return _list(options, context)
    if options.action == "add":
        row = threads.add(context.home, options.title, options.context, os.getcwd(), context.author, context.now)
    else:
        status = threads.RESOLVED if options.action == "resolve" else threads.OPEN
        row = threads.settle(context.home, options.thread, status, context.now)
    if options.json:
        context.output.json(row)
    else:
        context.output.line(f"{row['id']}  {row['status']}: {row['title']}")
    return 0


def _list(options: argparse.Namespace, context: Context) -> int:
    rows = threads.listing(context.home, os.getcwd() if options.here else "")
    rows = [row for row in rows if options.all or row["status"] == threads.OPEN]
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line("No open thread." if not options.all else "No thread yet.")
    else:
        cells = [(row["id"], row["status"], str(row.get("created"))[:10], row["title"]) for row in rows]
        context.output.table(cells, ("id", "status", "since", "thread"))
    return 0
