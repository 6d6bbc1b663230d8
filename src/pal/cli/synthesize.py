"""`pal synthesize`: write the report over the last week or month; its numbers are counted, a model may add words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base.asking import nobody
from pal.cli.asking import asker
from pal.cli.parser import json_option
from pal.memory.tools import figures, synthesis_report

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal synthesize
pal synthesize monthly --no-model
pal synthesize weekly --dry-run
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "period", nargs="?", choices=tuple(synthesis_report.PERIODS), default="weekly", help="default: weekly"
    )
    parser.add_argument("--no-model", action="store_true", help="ask no model for the opening paragraph")
    parser.add_argument("--dry-run", action="store_true", help="print the report and write nothing")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    home, now, zone = context.home, context.now, context.zone
    ask = nobody if options.no_model else asker(context)
    if not options.no_model:
        context.output.progress("Counting, and asking a model for a few words if one is at hand ...")
    body, path = "", ""
    if options.dry_run:
        body = synthesis_report.draft(home, options.period, ask, now, zone)[1]
    else:
        path = synthesis_report.write(home, options.period, ask, now, zone)
    if options.json:
        counted = figures.count(home, now, zone, synthesis_report.PERIODS[options.period])
        said = {"text": body} if options.dry_run else {"path": path}
        context.output.json({"period": options.period, **said, "figures": counted.as_row()})
    elif path:
        context.output.line(f"Written to {path}")
    else:
        context.output.text(body)
    return 0
