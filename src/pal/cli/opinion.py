"""`pal opinion`: what PAL believes of how its user likes things, how sure it is, and what speaks for and against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pal.cli.parser import actions, json_option
from pal.memory.tools import opinion_book

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal opinion list
pal opinion add "Prefers small commits" --category workflow
pal opinion confirm prefers-small
pal opinion evidence prefers-small --against "Asked for one big commit"
"""
_SAID = {
    "confirm": "Confirmed",
    "contradict": "Contradicted",
    "evidence": "Weighed",
    "undo": "Taken back",
    "remove": "Forgotten",
}
_STEPS = {"confirm": opinion_book.CONFIRMATION, "contradict": opinion_book.CONTRADICTION}


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("list", "list the opinions, the surest first"),
            ("show", "show one opinion with its evidence"),
            ("add", "add an opinion, at 50 percent"),
            ("confirm", "the user confirmed it: 10 percent more"),
            ("contradict", "the user contradicted it: 20 percent less"),
            ("evidence", "something speaks for it (2 percent more) or against it (5 less)"),
            ("undo", "take the last step back"),
            ("remove", "forget an opinion; the archive keeps it"),
        ),
    )
    table["add"].add_argument("statement", help="one sentence that says what the user prefers")
    table["add"].add_argument(
        "--category", choices=opinion_book.CATEGORIES, help="what it is about (else by its words)"
    )
    for name in ("show", "confirm", "contradict", "evidence", "undo", "remove"):
        table[name].add_argument("opinion", help="an opinion's id, the beginning of it, or its statement")
    for name in ("confirm", "contradict"):
        table[name].add_argument("--because", default="", metavar="TEXT", help="what the user said")
    sides = table["evidence"].add_mutually_exclusive_group(required=True)
    sides.add_argument("--for", dest="supporting", metavar="TEXT", help="what speaks for it")
    sides.add_argument("--against", dest="counter", metavar="TEXT", help="what speaks against it")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "list":
        return _list(options, context)
    row, said = _done(options, context)
    if options.json:
        context.output.json(row)
    elif options.action == "show":
        _show(row, context)
    else:
        context.output.line(f"{said}: {row['statement']} ({row['id']}, {row['confidence']:.0%})")
    return 0


def _done(options: argparse.Namespace, context: Context) -> tuple[dict[str, Any], str]:
    """The opinion an action was about, and what was done to it."""
    home, now, zone = context.home, context.now, context.zone
    if options.action == "show":
        return opinion_book.find(opinion_book.load(home), options.opinion), ""
    if options.action == "add":
        row, is_new = opinion_book.add(home, options.statement, now, zone, options.category or "", "said by hand")
        return row, "Added" if is_new else "Known already"
    if options.action in _STEPS:
        row, counted = opinion_book.weigh(home, options.opinion, _STEPS[options.action], options.because, now, zone)
        return row, _SAID[options.action] if counted else "Counted before"
    if options.action == "evidence":
        kind = opinion_book.SUPPORTING if options.supporting else opinion_book.COUNTER
        said = options.supporting or options.counter
        row, counted = opinion_book.weigh(home, options.opinion, kind, said, now, zone)
        return row, _SAID[options.action] if counted else "Counted before"

    def act(book: opinion_book.Book) -> dict[str, Any]:
        row = opinion_book.find(book.rows, options.opinion)
        if options.action == "undo":
            book.undo(row)
        else:
            book.remove(row)
        return row

    row = opinion_book.edit(home, act, now, zone)
    return row, _SAID[options.action]


def _list(options: argparse.Namespace, context: Context) -> int:
    rows = opinion_book.load(context.home)
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line("No opinion yet; two like notes make one (`pal relationship note`, `pal reflect`).")
    else:
        cells = [(f"{row['confidence']:.0%}", row.get("category", ""), row["id"], row["statement"]) for row in rows]
        context.output.table(cells, ("sure", "category", "id", "opinion"))
    return 0


def _show(row: dict[str, Any], context: Context) -> None:
    context.output.line(context.output.style(row["statement"], "bold"))
    facts = [(f"{key}:", row.get(key, "")) for key in ("id", "category", "created", "updated")]
    context.output.table([("confidence:", f"{row['confidence']:.0%}"), *facts])
    cells = [(piece.get("date"), piece.get("type"), piece.get("source")) for piece in opinion_book.evidence(row)]
    if cells:
        context.output.line()
        context.output.table(cells, ("day", "evidence", "source"))
