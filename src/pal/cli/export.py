"""`pal export`: what is the user's in one zip, to be taken in on another machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.cli.parser import json_option

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal export
pal export ~/usb --dry-run
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", default="", help="a file or a folder (default: PAL's home)")
    parser.add_argument("--dry-run", action="store_true", help="only list what would go along")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    from pal.memory.moving import exporting

    if options.dry_run:
        names = [name for name, _ in exporting.contents(context.home)]
        if options.json:
            context.output.json({"files": names})
        else:
            for name in names:
                context.output.line(name)
            context.output.line(f"{len(names)} files would go along.")
        return 0
    context.output.progress("Packing ...")
    path, count = exporting.run(context.home, options.path, context.now)
    if options.json:
        context.output.json({"path": path, "files": count})
    else:
        context.output.line(f"Wrote {count} files to {path}; on the other machine: pal import FILE")
    return 0
