"""`pal ratings`: the ratings the user gave, and where they are going."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.cli import plot
from pal.cli.parser import actions, json_option
from pal.memory import ratings
from pal.memory.tools import figures

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal ratings list --count 5
pal ratings trend --days 14
"""
_DAYS, _MOST_DAYS = 30, 36  # in the plot; more do not fit a terminal of 80
NONE_YET = "No rating yet: type `8` or `8/10, well done` to an agent after its reply."


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser, (("list", "list the newest ratings"), ("trend", "show the averages of a day, a week, a month"))
    )
    table["list"].add_argument("--count", type=int, default=20, metavar="N", help="how many (default 20)")
    table["trend"].add_argument(
        "--days", type=int, default=_DAYS, metavar="N", help=f"days in the plot (default {_DAYS}, at most {_MOST_DAYS})"
    )
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
    trend = ratings.trend(context.home, context.now, context.zone)
    days = min(max(options.days, 1), _MOST_DAYS)
    by_day = figures.rated_by_day(context.home, context.now, context.zone, days)
    if options.json:
        context.output.json({**trend, "days": [{"day": day, "average": mean} for day, mean in by_day]})
    elif not trend.get("count"):
        context.output.line(NONE_YET)
    else:
        periods = [(name, trend[name] if trend.get(name) is not None else "-") for name in ("today", "week", "month")]
        context.output.table([*periods, ("trend", trend.get("trend", "")), ("ratings", trend["count"])])
        context.output.line()
        for line in plot.columns([mean for _, mean in by_day], 10, context.output.shows(plot.BLOCKS)):
            context.output.line(line)
        first, last = by_day[0][0][5:], by_day[-1][0][5:]
        context.output.line(f"      {first}{last.rjust(2 * days - len(first))}" if days > 5 else f"      {first}")
    return 0
