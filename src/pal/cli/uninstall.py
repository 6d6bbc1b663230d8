"""`pal uninstall`: take PAL out of agents and leave every byte of theirs as it was; the user's own stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal import targets
from pal.base.errors import PalError
from pal.cli import agents
from pal.cli.parser import json_option
from pal.install import run as installer

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal uninstall              from every agent PAL is installed in
pal uninstall --dry-run    show what would go, and remove nothing
pal uninstall --purge      and, after a backup, everything PAL remembers
"""
WORD = "forget"


def configure(parser: argparse.ArgumentParser) -> None:
    agents.flags(parser)
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.add_argument("--purge", action="store_true", help="also remove telos, memory and settings, after a backup")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    if not options.dry_run:
        for name in agents.unrecorded(context):
            python = targets.installer(name).registered(context.env)[0].python
            installer.adopt(context.home, context.now, agents.side(name, context, python))
    owning = agents.installed(context.home)
    wanted = agents.named(options) or owning
    if options.all:
        wanted = owning  # also those of a newer PAL
    chosen = [name for name in wanted if name in owning]
    if options.purge:
        _ask_for_the_word(context, [name for name in owning if name not in chosen])
    titles = [targets.installer(name).TITLE if name in targets.NAMES else name for name in chosen]
    done = installer.uninstall(context.home, context.now, chosen, titles, options.dry_run)
    saved = installer.purge(context.home, context.now) if options.purge and not options.dry_run else ""
    if options.json:
        context.output.json({**done.facts(), "saved": saved})
        return 0
    output = context.output
    if done.diff:
        output.text(done.diff)
    for note in done.notes:
        output.line(f"note: {note}")
    if not chosen:
        output.line("PAL is installed in no agent here; nothing to take out.")
    elif options.dry_run:
        output.table([(what, path) for path, what in done.changed])
        output.line(f"{len(done.changed)} file(s) would change; nothing was touched.")
    else:
        output.line(f"PAL is out of {', '.join(titles)}; what it changed there is as it was.")
        for path, what in done.outside:
            output.line(f"  {what:<7}  {path}")
    if saved:
        output.line(f"Everything PAL remembered is gone from {context.home.root}. The last backup: {saved}")
    elif chosen and not options.dry_run and not done.remaining:
        output.line(f"Your telos, memory, settings, own skills and backups stay in {context.home.root}.")
    return 0


def _ask_for_the_word(context: Context, others: list[str]) -> None:
    if others:
        raise PalError(f"PAL is still installed for {', '.join(others)}; purge with --all, or without naming agents")
    if not context.output.interactive:
        raise PalError("--purge removes what PAL remembers, so it asks a person: run it on a terminal")
    question = f"This removes {context.home.root} after a backup beside it. Type `{WORD}` to go on:"
    if context.output.ask(question) != WORD:
        raise PalError("nothing was removed")
