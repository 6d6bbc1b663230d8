"""`pal migrate`: take over what was there before PAL; first it says what it would do, and the source always stays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base import home as homes
from pal.base.errors import PalError
from pal.cli.parser import json_option

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal migrate
pal migrate pai ~/before/MEMORY
pal migrate pai ~/before/MEMORY --apply
"""
EARLIER, PAI = "pal", "pai"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", default="", help="pal, pai, or an agent's memory (default: list them)")
    parser.add_argument("path", nargs="?", default="", help="its folder (default: where it usually stands)")
    parser.add_argument("--apply", action="store_true", help="do it; without this it only says what it would do")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    from pal.cli import import_file, memory_import
    from pal.memory.moving import earlier, taking

    found = sources(context)
    if not options.source:
        return _list(options, context, found)
    agents = memory_import.of_agents()
    if options.source not in (EARLIER, PAI, *agents):
        raise PalError(f"there is no source {options.source!r}; these are: {', '.join((EARLIER, PAI, *agents))}")
    path = os.path.abspath(os.path.expanduser(options.path)) if options.path else found.get(options.source, "")
    if not path:
        raise PalError(f"nothing of {options.source} was found; name its folder: pal migrate {options.source} FOLDER")
    if options.source in agents:
        options.form, options.path, options.dry_run = options.source, path, not options.apply
        code = memory_import.run(options, context)
    else:
        context.output.progress(f"Reading {path} ...")
        reader = earlier.earlier_pal if options.source == EARLIER else earlier.pai
        done = taking.take(context.home, list(reader(context.home, path)), context.now, not options.apply)
        import_file.settle(context, path, done, not options.apply)
        import_file.tell(context, done, not options.apply, options.json)
        code = 0
    if not options.apply and not options.json:
        context.output.line("Nothing was changed; --apply does it. The source stays as it is.")
    return code


def _list(options: argparse.Namespace, context: Context, found: dict[str, str]) -> int:
    if options.json:
        context.output.json([{"source": name, "path": path} for name, path in found.items()])
    elif not found:
        context.output.line(
            "Nothing from before was found; `pal migrate SOURCE FOLDER` takes it from a folder you name."
        )
    else:
        context.output.table(list(found.items()))
        context.output.line("`pal migrate SOURCE` says what it would take over, `--apply` does it.")
    return 0


def sources(context: Context) -> dict[str, str]:
    """What there is to take over on this machine: the source's name and its folder."""
    from pal import targets
    from pal.cli import memory_import
    from pal.memory.moving import earlier

    found: dict[str, str] = {}
    usual = os.path.join(homes.user_folder(context.env), homes.FOLDER)
    for folder in dict.fromkeys((context.home.root, usual)):
        if earlier.is_earlier_pal(folder):
            found.setdefault(EARLIER, folder)
    for name in targets.NAMES:
        folder = os.path.join(targets.installer(name).folder(context.env), "MEMORY")
        if earlier.is_pai(folder):
            found.setdefault(PAI, folder)
    for name, (_, place, _) in memory_import.of_agents().items():
        if os.path.isdir(place(context.env)):
            found[name] = place(context.env)
    return found
