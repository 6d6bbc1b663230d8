"""`pal memory scan`: secrets and private passages in old data, found and taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base.errors import PalError

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal memory scan
pal memory scan --fix
"""


def configure(name: str, parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fix", action="store_true", help="write a backup, then take the secrets out of the files")


def run(options: argparse.Namespace, context: Context) -> int:
    from pal.memory import backup, cleaning

    home, output = context.home, context.output
    output.progress(f"Reading {home.memory} ...")
    found = list(cleaning.scan(home))
    saved, busy = "", []
    if found and options.fix:
        output.progress("Writing a backup ...")
        saved = backup.run(home, context.now)
        busy = [path for path, _ in found if not cleaning.fix(path)]
        cleaning.forget_index(home)
    if options.json:
        rows = [{"file": home.relative(path), "kinds": kinds} for path, kinds in found]
        output.json({"found": rows, "fixed": bool(saved) and not busy, "backup": saved})
    else:
        output.table(
            [
                (home.relative(path), ", ".join(f"{kind} {count}" for kind, count in kinds.items()))
                for path, kinds in found
            ]
        )
        if not found:
            output.line("No secrets were found in what is remembered.")
        elif saved:
            output.line(f"They are taken out. The files as they were are in {saved}; delete it when all is well.")
            output.line("Give out new ones: they may also stand in older backups and in the versions a sync keeps.")
    if busy:
        raise PalError(f"another process keeps {busy[0]} locked; run `pal memory scan --fix` again")
    if found and not options.fix:
        raise PalError(f"{len(found)} files hold secrets; `pal memory scan --fix` takes them out")
    return 0
