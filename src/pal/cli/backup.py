"""`pal backup`: save what is the user's to a zip now, or list the ones kept."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base import clock
from pal.cli.parser import actions, json_option
from pal.memory import backup

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal backup now
pal backup list
"""


def configure(parser: argparse.ArgumentParser) -> None:
    for action in actions(
        parser, (("now", "write a backup at once"), ("list", "list the backups kept, newest first"))
    ).values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "now":
        path = backup.run(context.home, context.now)
        if options.json:
            context.output.json({"path": path})
        else:
            context.output.line(f"Saved to {path}")
        return 0
    kept = listing(context.home.backups)
    if options.json:
        context.output.json([{"path": path, "bytes": size, "time": time} for path, size, time in kept])
    elif not kept:
        context.output.line("No backup yet; `pal backup now` writes one.")
    else:
        context.output.table([(time, f"{size / 1024:.0f} kB", path) for path, size, time in kept])
    return 0


def listing(folder: str) -> list[tuple[str, int, str]]:
    """(path, bytes, time) of each backup, newest first."""
    try:
        entries = [entry for entry in os.scandir(folder) if entry.name.endswith(".zip") and entry.is_file()]
    except FileNotFoundError:
        return []
    entries.sort(key=lambda entry: (entry.stat().st_mtime, entry.name), reverse=True)
    return [(entry.path, entry.stat().st_size, clock.iso(entry.stat().st_mtime)) for entry in entries]
