"""`pal analyze`: what keeps coming up in failures and insights, and what could be made of it. Reads, never writes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from pal.cli.parser import json_option
from pal.memory.tools import figures, frames, patterns

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context
    from pal.memory.tools.patterns import Pattern

EXAMPLES = """
pal analyze
pal analyze --days 30 --actionable
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--days", type=int, default=patterns.DAYS, metavar="N", help=f"how many days back (default {patterns.DAYS})"
    )
    parser.add_argument("--actionable", action="store_true", help="only what can be acted on and is no crystal yet")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    days = max(options.days, 1)
    found = patterns.find(context.home, context.now, context.zone, days)
    known = {pattern for pattern in found if frames.nearest_crystal(context.home, pattern.domain, pattern.principle)}
    if options.actionable:
        found = [pattern for pattern in found if pattern.actionable and pattern not in known]
    counted = figures.count(context.home, context.now, context.zone, days).as_row()
    rows = [{**pattern.facts(), "crystallised": pattern in known} for pattern in found]
    advice = [_advice(pattern) for pattern in found if pattern.is_candidate and pattern not in known]
    if options.json:
        context.output.json({"figures": counted, "patterns": rows, "recommendations": advice})
    else:
        _tell(context, counted, rows, advice)
    return 0


def _advice(pattern: Pattern) -> str:
    """What to do about a candidate."""
    if pattern.ready:
        sure = max(pattern.confidence, patterns.PROMOTED)
        return f"pal wisdom crystallise {pattern.domain} {shlex.quote(pattern.principle)} --confidence {sure}"
    if not pattern.actionable:
        return f"Look at {', '.join(pattern.sources[:2])}: it came up {pattern.occurrences} times, but says too little."
    return f'Put into words what to do about it, then crystallise that: "{pattern.principle}"'


def _tell(context: Context, counted: dict[str, Any], rows: list[dict[str, Any]], advice: list[str]) -> None:
    say = context.output.line
    rated = counted["ratings"]
    say(
        f"{counted['from']} to {counted['to']}: {figures.many(counted['sessions']['count'], 'session')}, "
        f"{figures.many(counted['learnings'], 'learning')}, {figures.many(counted['failures'], 'failure')}."
    )
    if rated["count"]:
        given = figures.many(rated["count"], "rating")
        say(f"{given}: {rated['average']} on average, {rated['low']} low, {rated['trend']}.")
    if not rows:
        say("Nothing came up in two sessions or more.")
        return
    say()
    cells = [
        (row["occurrences"], "crystal" if row["crystallised"] else row["kind"], row["domain"], row["principle"])
        for row in rows
    ]
    context.output.table(cells, ("sessions", "kind", "domain", "what keeps coming up"))
    if advice:
        say()
        for line in advice:
            say(f"- {line}")
