"""`pal relationship`: note a fact, an opinion or a pattern about the user, or read what was noted lately."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import actions, json_option
from pal.memory.tools import relationship_notes
from pal.memory.tools.relationship_notes import BELIEF, OPINION, SESSION, WORLD

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal relationship note --opinion "Prefers tabs" --confidence 0.85
pal relationship note --world "The shop ships on Friday" --session "Wrote the parser"
pal relationship list --days 7
"""
_OPTIONS = (
    ("world", WORLD, "a fact of the user's world"),
    ("opinion", OPINION, "an opinion or preference of theirs"),
    ("belief", BELIEF, "a belief of theirs, or a pattern in how they work"),
    ("session", SESSION, "what was done, for later sessions in this folder"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(parser, (("note", "add notes to today's page"), ("list", "list the notes of the last days")))
    for name, kind, text in _OPTIONS:
        table["note"].add_argument(
            f"--{name}", f"-{kind[0].lower()}", action="append", default=[], metavar="TEXT", help=f"{text}; repeatable"
        )
    table["note"].add_argument("--confidence", "-c", type=float, metavar="0-1", help="of its opinions and beliefs")
    table["note"].add_argument(
        "--cwd", default=".", metavar="DIR", help="the folder it was noted in (default: this one)"
    )
    table["list"].add_argument("--days", type=int, default=2, metavar="N", help="how many days back (default 2)")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "note":
        return _note(options, context)
    notes = relationship_notes.noted(context.home, context.now, context.zone, max(options.days, 1))
    if options.json:
        context.output.json([note.facts() for note in notes])
    elif not notes:
        context.output.line("Nothing was noted on these days.")
    else:
        sure = ("" if note.confidence is None else f"{note.confidence:.0%}" for note in notes)
        cells = [(f"{note.day} {note.time}", note.kind, number, note.text) for note, number in zip(notes, sure)]
        context.output.table(cells, ("when", "kind", "sure", "note"))
    return 0


def _note(options: argparse.Namespace, context: Context) -> int:
    said = [(kind, text, options.confidence) for name, kind, _ in _OPTIONS for text in getattr(options, name)]
    if not said:
        raise PalError("There is nothing to note; give --world, --opinion, --belief or --session with a text.")
    if options.confidence is not None and not 0 <= options.confidence <= 1:
        raise PalError(f"A confidence goes from 0 to 1, not {options.confidence:g}.")
    cwd = os.path.abspath(os.path.expanduser(options.cwd))
    kept = relationship_notes.append(context.home, said, context.author, context.now, context.zone, cwd)
    if options.json:
        context.output.json([note.facts() for note in kept])
    elif not kept:
        context.output.line("Noted today already.")
    else:
        page = relationship_notes.page(context.home, kept[0].day)
        context.output.line(f"Noted {len(kept)} on {kept[0].day}: {page}")
    return 0
