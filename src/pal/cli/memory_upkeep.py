"""`pal memory prune, consolidate, stats, reindex`: keep what is remembered small, and count it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.cli import memory_entries
from pal.memory import counts

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal memory prune
pal memory prune --yes
pal memory consolidate --topic facts-shop
pal memory consolidate --yes
pal memory stats
pal memory reindex
"""


def configure(name: str, parser: argparse.ArgumentParser) -> None:
    if name in ("prune", "consolidate"):
        parser.add_argument("--yes", action="store_true", help="do it; without this only show what would be done")
    if name == "consolidate":
        parser.add_argument("--topic", default="", metavar="TOPIC", help="only this topic")
        parser.add_argument("--project", default="", metavar="NAME", help="only this project")


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "prune":
        return _prune(options, context)
    if options.action == "consolidate":
        return _consolidate(options, context)
    if options.action == "reindex":
        return _reindex(options, context)
    return _stats(options, context)


def _prune(options: argparse.Namespace, context: Context) -> int:
    from pal.memory.icm import entry, upkeep

    found = upkeep.faded(context.home, context.now)
    if options.yes:
        upkeep.prune(context.home, found, context.now)
        memory_entries.refresh(context)
    if options.json:
        rows = [{**one.shown(), "weight": round(entry.weight(one, context.now), 3)} for one in found]
        context.output.json({"archived": options.yes, "memories": rows})
        return 0
    if not found:
        context.output.line("No memory has faded.")
        return 0
    cells = [(one.id, f"{entry.weight(one, context.now):.3f}", one.ts[:10], one.content) for one in found]
    context.output.table(cells, ("id", "weight", "since", "text"))
    said = "Archived {}; `pal memory update ID --status active` brings one back." if options.yes else ""
    said = said or "{} would be archived; `pal memory prune --yes` does it."
    context.output.line(said.format(f"{len(found)} {'memory' if len(found) == 1 else 'memories'}"))
    return 0


def _consolidate(options: argparse.Namespace, context: Context) -> int:
    from pal.memory.icm import upkeep

    found = upkeep.clusters(context.home, options.topic, options.project)
    if options.yes:
        upkeep.consolidate(context.home, found, context.now)
        memory_entries.refresh(context)
    if options.json:
        rows = [{"head": one.head.shown(), "members": [member.shown() for member in one.members]} for one in found]
        context.output.json({"consolidated": options.yes, "clusters": rows})
        return 0
    if not found:
        context.output.line("No two memories of a topic say the same.")
    for one in found:
        context.output.line(f"{context.output.style(one.head.id, 'bold')}  {one.head.content}")
        context.output.table([(f"  {member.id}", member.content) for member in one.members])
    if found:
        done = "stands for them now; `pal memory forget ID` of a head brings its members back."
        context.output.line(f"The first of each {done if options.yes else 'would stand for the rest; add --yes.'}")
    return 0


def _reindex(options: argparse.Namespace, context: Context) -> int:
    from pal.memory import search
    from pal.skills import index as skill_index

    context.output.progress("Reading every remembered file ...")
    search.rebuild(context.home, context.now)
    skill_index.build(context.home)
    counts.recount(context.home, context.now)
    found = counts.read(context.home)
    if options.json:
        context.output.json(found)
        return 0
    context.output.line("Rebuilt the search index and the skill index.")
    context.output.table(sorted(found.items()))
    return 0


def _stats(options: argparse.Namespace, context: Context) -> int:
    from pal.memory.icm import events, upkeep

    home = context.home
    found = {**counts.read(home), **upkeep.count(home)}
    if found:
        found["entries bytes"] = sum(os.path.getsize(path) for path in events.paths(home))
        found["index bytes"] = os.path.getsize(home.index) if os.path.isfile(home.index) else 0
    if options.json:
        context.output.json(found)
        return 0
    if not found:
        context.output.line("Nothing is remembered yet; the first session with an agent changes that.")
    context.output.table(sorted(found.items()))
    return 0
