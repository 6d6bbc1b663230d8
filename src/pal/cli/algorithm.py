"""`pal algorithm`: look back on a task that was worked on by criteria, and see how such tasks go."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base import records
from pal.cli.parser import actions, json_option
from pal.memory.tools import algorithm, figures

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal algorithm reflect --task "Search page" --criteria 8 --passed 7 --failed 1 --sentiment 8 --q1 "Measure first"
pal algorithm list
pal algorithm stats
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("reflect", "look back on a task"),
            ("list", "list the newest reflections"),
            ("stats", "show how tasks go: criteria that passed, satisfaction"),
        ),
    )
    reflect = table["reflect"]
    reflect.add_argument("--task", required=True, help="what was asked, in one line")
    for name, text in (
        ("criteria", "how many there were"),
        ("passed", "how many passed"),
        ("failed", "how many failed"),
    ):
        reflect.add_argument(f"--{name}", type=int, default=0, metavar="N", help=text)
    reflect.add_argument("--sentiment", type=int, metavar="1-10", help="how satisfied the user was")
    for name, text in algorithm.QUESTIONS:
        reflect.add_argument(f"--{name}", default="", metavar="TEXT", help=text)
    table["list"].add_argument("--count", type=int, default=20, metavar="N", help="how many (default 20)")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "reflect":
        return _reflect(options, context)
    if options.action == "stats":
        return _stats(options, context)
    rows = algorithm.recent(context.home, max(options.count, 1))
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line("No reflection yet; `pal algorithm reflect --help` shows how to leave one.")
    else:
        cells = [
            (
                row.get("ts"),
                f"{row.get('criteria_passed')}/{row.get('criteria_count')}",
                row.get("sentiment"),
                row.get("task"),
            )
            for row in reversed(rows)
        ]
        context.output.table(cells, ("when", "passed", "mood", "task"))
    return 0


def _reflect(options: argparse.Namespace, context: Context) -> int:
    row, is_new = algorithm.reflect(
        context.home,
        options.task,
        options.criteria,
        options.passed,
        options.failed,
        options.sentiment,
        {name: getattr(options, name) for name, _ in algorithm.QUESTIONS},
        os.getcwd(),
        context.author,
        context.now,
    )
    if options.json:
        context.output.json(row)
    else:
        context.output.line(f"Kept: {row['task']}" if is_new else f"Kept already: {row['task']}")
    return 0


def _stats(options: argparse.Namespace, context: Context) -> int:
    found = figures.performance(list(records.each(context.home.algorithm)))
    if options.json:
        context.output.json(found)
    elif not found["reflections"]:
        context.output.line("No reflection yet; `pal algorithm reflect --help` shows how to leave one.")
    else:
        share = "-" if found["pass_rate"] is None else f"{found['pass_rate']:.0%}"
        context.output.table(
            [
                ("reflections", found["reflections"]),
                ("criteria passed", f"{found['passed']} of {found['criteria']} ({share})"),
                ("satisfaction", found["sentiment"] if found["sentiment"] is not None else "-"),
            ]
        )
        for said in found["observations"]:
            context.output.line(f"- {said}")
    return 0
