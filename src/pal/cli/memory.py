"""`pal memory`: what is remembered for long, as a table of actions; each module below serves the rows that name it.

A module has EXAMPLES, `configure(name, parser)` for each of its actions and `run(options, context)`, in which
`options.action` is the chosen one. What it needs beyond the parser, it imports when it runs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context

EXAMPLES = """
pal memory search "which port does the dev server use"
pal memory store "The dev server listens on port 5173" --topic facts-shop --keyword port
pal memory forget 01J8ZC4T
"""
# Name, module, summary.
ACTIONS = (
    ("search", "memory_search", "find what is remembered about a question"),
    ("why", "memory_search", "explain a hit, or what was put before an agent"),
    ("store", "memory_entries", "remember a text for long"),
    ("show", "memory_entries", "show one memory with all its fields"),
    ("list", "memory_entries", "list memories, the newest first"),
    ("update", "memory_entries", "change a memory's text or fields"),
    ("forget", "memory_entries", "never show a memory again"),
    ("supersede", "memory_entries", "let a newer memory stand for an older one"),
    ("pin", "memory_entries", "keep a memory from fading"),
    ("prune", "memory_upkeep", "archive memories that have faded away"),
    ("consolidate", "memory_upkeep", "let one memory stand for those that say the same"),
    ("pending", "memory_pending", "list what others offered and nobody decided on yet"),
    ("promote", "memory_pending", "take an offered memory in"),
    ("reject", "memory_pending", "remove an offered memory for good"),
    ("explain", "memory_pending", "show how far memory vouches for an offered one"),
    ("sync", "memory_sync", "share the memory with your other machines through git"),
    ("import", "memory_import", "take in what another memory remembers"),
    ("scan", "memory_scan", "find secrets in what is remembered, and take them out"),
    ("merge-file", "memory_sync", "unite two versions of a file; git calls this"),
    ("stats", "memory_upkeep", "count what is remembered"),
    ("reindex", "memory_upkeep", "rebuild the search index and the skill index from the files"),
)


def run_quickly(argv: list[str], context: Context) -> int | None:
    """Answer a plain `search`, which agents run often, before any parser is loaded; None for everything else."""
    if argv[:1] != ["search"]:
        return None
    from pal.cli import memory_search

    return memory_search.run_quickly(argv[1:], context)


def configure(parser: argparse.ArgumentParser) -> None:
    from pal.cli.parser import actions, json_option

    table = actions(parser, [(name, summary) for name, _, summary in ACTIONS])
    for name, module, _ in ACTIONS:
        found = _module(module)
        table[name].epilog = "examples:" + "".join(
            f"\n  {line}" for line in found.EXAMPLES.strip().splitlines() if f" {name} " in f"{line} "
        )
        found.configure(name, table[name])
        json_option(table[name])


def run(options: argparse.Namespace, context: Context) -> int:
    code: int = _module({name: module for name, module, _ in ACTIONS}[options.action]).run(options, context)
    return code


def _module(name: str) -> Any:
    return __import__(f"pal.cli.{name}", fromlist=("run",))
