"""`pal reflect`: turn what the relationship notes of the last days repeat into opinions, with a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.cli.parser import json_option
from pal.memory.tools import reflect

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context
    from pal.memory.tools.reflect import Reflection

EXAMPLES = """
pal reflect
pal reflect --days 30 --dry-run
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=int, default=reflect.DAYS, metavar="N", help="how many days back (default 7)")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    found = reflect.run(context.home, context.now, context.zone, max(options.days, 1), options.dry_run)
    if options.json:
        context.output.json(found.as_row())
    elif not found.notes:
        context.output.line(f"No notes from {found.first_day} to {found.last_day}; `pal relationship note` adds one.")
    else:
        _tell(found, context, options.dry_run)
    return 0


def _tell(found: Reflection, context: Context, dry: bool) -> None:
    say = context.output.line
    say(f"{len(found.notes)} notes from {found.first_day} to {found.last_day}.")
    for row in found.created:
        say(f"  new, {row['confidence']:.0%}: {row['statement']}")
    for row in found.moved:
        say(f"  {row['from']:.0%} to {row['confidence']:.0%}: {row['statement']}")
    if not found.changed:
        say("  No opinion moved.")
    if dry:
        say("Nothing was written.")
    elif found.report:
        say(f"Report: {found.report}")
