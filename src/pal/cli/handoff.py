"""`pal handoff`: leave, read or list the notes that the next session in a folder is told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.cli.parser import actions, json_option
from pal.memory import handoff

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal handoff note --title "Parser half done" --text "Tests 3 and 7 fail; see parse.py"
pal handoff note --title "Parser done" --text "All tests pass" --done
pal handoff show
pal handoff close
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("show", "show the note of a folder"),
            ("note", "leave a note for the next session in a folder"),
            ("close", "the work a folder's note speaks of is done"),
            ("list", "list the notes of every folder"),
        ),
    )
    for name in ("show", "note", "close"):
        table[name].add_argument("--cwd", default=".", metavar="DIR", help="the folder (default: this one)")
    table["note"].add_argument("--title", required=True, help="one line that names the work")
    table["note"].add_argument("--text", required=True, help="what is done, what is left, what to watch")
    table["note"].add_argument("--done", action="store_true", help="the work is complete")
    table["note"].add_argument("--waiting-on", default="", metavar="WHAT", help="who or what must answer first")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "list":
        return _list(options, context)
    cwd = os.path.abspath(os.path.expanduser(options.cwd))
    if options.action == "note":
        handoff.note(
            context.home,
            cwd,
            options.title,
            options.text,
            context.author,
            context.now,
            done=options.done,
            waiting_on=options.waiting_on,
        )
    closed = options.action == "close" and handoff.close(context.home, cwd, context.now)
    note = handoff.for_folder(context.home, cwd, context.now)
    if options.json:
        context.output.json(note)
    elif options.action == "close":
        context.output.line(f"Closed for {cwd}." if closed else f"Nothing is open for {cwd}.")
    elif options.action == "note":
        context.output.line(f"Noted for {cwd}.")
    elif not note:
        context.output.line(f"No note for {cwd}.")
    else:
        context.output.table([(f"{key}:", value) for key, value in note.items() if value and key != "age"])
    return 0


def _list(options: argparse.Namespace, context: Context) -> int:
    rows = handoff.listing(context.home)
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line("No notes yet.")
    else:
        columns = ("timestamp", "status", "folder", "title")
        context.output.table([[row.get(column, "") for column in columns] for row in rows], columns)
    return 0
