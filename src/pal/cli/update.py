"""`pal update FILE`: show what a newer archive is, and after a yes let it install itself over this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import json_option
from pal.install import owners, update

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal update ~/Downloads/pal.pyz
pal update pal.pyz --yes
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the newer pal.pyz")
    parser.add_argument("--yes", action="store_true", help="install it without asking")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    new = update.inspect(options.file)
    old = update.installed(context.home)
    agents = owners.installed(context.home)
    if not agents:
        raise PalError(f"PAL is not installed in {context.home.root}; run `python {options.file} install` instead")
    if options.json:
        context.output.json({"installed": old and old.facts(), "new": new.facts(), "agents": agents})
        if not options.yes:
            return 0
    else:
        rows = [(name, each.version, each.sha256) for name, each in (("installed", old), ("new", new)) if each]
        context.output.table(rows, ("", "version", "sha256"))
    if old is not None and old.sha256 == new.sha256 and not options.json:
        context.output.line("They are the same file; nothing to do.")
        return 0
    if not options.yes:
        if not context.output.interactive:
            raise PalError("nothing was changed; compare the SHA-256 with the one published, then add --yes")
        if not context.output.confirm("Install it?"):
            context.output.line("Nothing was changed.")
            return 1
    context.output.flush()
    return update.hand_over(new, agents, context.home, context.env, quiet=options.json)
