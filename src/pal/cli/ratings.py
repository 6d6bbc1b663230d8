"""`pal ratings`: the ratings the user gave, and where they are going."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.cli.parser import actions, json_option
from pal.memory import ratings

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal ratings list --count 5
pal ratings trend
"""
NONE_YET = "No rating yet: type `8` or `8/10, well done` to an agent after its reply."


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser, (("list", "list the newest ratings"), ("trend", "show the averages of a day, a week, a month"))
    )
    table["list"].add_argument("--count", type=int, default=20, metavar="N", help="how many (default 20)")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "trend":
        return _trend(options, context)
    rows = ratings.recent(context.home, max(options.count, 1))
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line(NONE_YET)
    else:
        columns = ("ts", "rating", "agent", "context")
        cells = [[row.get(column, "") for column in columns] for row in reversed(rows)]
        context.output.table(cells, ("when", "rating", "agent", "comment"))
    return 0


def _trend(options: argparse.Namespace, context: Context) -> int:
    trend = ratings.trend(context.home, context.now)
    if options.json:
        context.output.json(trend)
    elif not trend.get("count"):
        context.output.line(NONE_YET)
    else:
        periods = [(name, trend[name] if trend.get(name) is not None else "-") for name in ("today", "week", "month")]
        context.output.table([*periods, ("trend", trend.get("trend", "")), ("ratings", trend["count"])])
    return 0
