"""`pal install`: put PAL into agents, show what that changes, or find that nothing has to change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal import targets
from pal.base import settings
from pal.base.errors import PalError
from pal.cli import agents
from pal.cli.parser import json_option
from pal.context import digests, tier1
from pal.install import home_setup, interpreter
from pal.install import run as installer

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pal.cli.context import Context
    from pal.cli.output import Output

EXAMPLES = """
pal install              every agent found on this machine
pal install --all        every agent PAL knows
pal install --dry-run    show the changes as diffs, make none
"""


def configure(parser: argparse.ArgumentParser) -> None:
    agents.flags(parser)
    parser.add_argument("--mcp", action="store_true", help="also register PAL's MCP server where the agent keeps such")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    chosen = agents.named(options) or agents.detected(context)
    if not chosen:
        known = ", ".join(f"--{name} ({targets.installer(name).TITLE})" for name in targets.NAMES)
        raise PalError(f"no agent was found on this machine; name one: {known}")
    for name in chosen:
        target = targets.installer(name)
        if not agents.present(target, context):
            context.output.error(f"{target.TITLE} was not found on this machine; installing for it all the same")
    done = perform(context, chosen, options.dry_run, options.mcp)
    if options.json:
        context.output.json(done.facts())
    else:
        report(context.output, done)
    for refusal in done.refused:
        context.output.error(refusal)
    return 1 if done.refused else 0


def perform(context: Context, names: Sequence[str], dry_run: bool = False, mcp: bool = False) -> installer.Outcome:
    """Install for these agents, or see what that would change; with `mcp` PAL's server is registered in them too."""
    context.output.progress("Preparing PAL for this machine's Python ...")
    python = interpreter.choose(context.env)
    sides = [agents.side(name, context, python.path, mcp) for name in names if name in targets.NAMES]

    def refresh() -> None:
        values = settings.load(context.home)
        tier1.refresh(context.home, values)
        digests.refresh(context.home, values, context.now)

    done = installer.install(context.home, context.env, context.now, python, sides, refresh, dry_run)
    done.notes += _explained(done)
    return done


def _explained(done: installer.Outcome) -> list[str]:
    """What a person is to be told of changes that speak for themselves to nobody, as their agent's target puts it."""
    changed = {os.path.basename(path) for path, _ in done.outside}
    targets_here = [targets.installer(name) for name in done.agents if name in targets.NAMES]
    return [why for target in targets_here for name, why in getattr(target, "EXPLAINED", ()) if name in changed]


def report(output: Output, done: installer.Outcome) -> None:
    """What a person wants to know afterwards: what changed, what was left alone, what to do next."""
    titles = ", ".join(done.titles)
    if done.diff:
        output.text(done.diff)
    for note in done.notes:
        output.line(f"note: {note}")
    if not done.changed:
        output.line(f"PAL is installed for {titles}; nothing to change.")
        return
    if done.dry_run:
        output.table([(what, path) for path, what in done.changed])
        output.line(f"{len(done.changed)} file(s) would change for {titles}; nothing was touched.")
        return
    output.line(output.style(f"PAL is installed for {titles}.", "bold"))
    for path, what in done.outside:
        output.line(f"  {what:<7}  {path}")
    inside = len(done.changed) - len(done.outside)
    if inside:
        output.line(f"  and {inside} file(s) in {done.home.root}")
    output.line(f"  python   {done.python}")
    output.line()
    output.line("Next: start a session; PAL speaks up by itself. Rate a reply by typing a number from 1 to 10.")
    output.line(f"Tell PAL who you are in {done.home.telos}. `{home_setup.command(done.home)} doctor` checks the rest.")
