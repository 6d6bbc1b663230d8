"""`pal memory`: rebuild what is made from the plain files, or count what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.cli.parser import actions, json_option
from pal.memory import counts, lessons
from pal.skills import index as skill_index

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal memory stats
pal memory reindex
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = (
        ("stats", "count sessions, ratings, learnings and failures"),
        ("reindex", "rebuild the search index and the skill index from the files"),
    )
    for action in actions(parser, table).values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "reindex":
        context.output.progress("Reading every remembered file ...")
        lessons.rebuild(context.home, context.now)
        skill_index.build(context.home)
        counts.recount(context.home, context.now)
    found = counts.read(context.home)
    if options.json:
        context.output.json(found)
        return 0
    if options.action == "reindex":
        context.output.line("Rebuilt the search index and the skill index.")
    elif not found:
        context.output.line("Nothing is remembered yet; the first session with an agent changes that.")
    context.output.table(sorted(found.items()))
    return 0
