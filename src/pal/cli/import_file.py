"""`pal import`: an export, a backup or a folder of another machine, taken in without overwriting anything."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import json_option

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context
    from pal.memory.moving.taking import Outcome

EXAMPLES = """
pal import ~/usb/pal-export-20260302081500.zip --dry-run
pal import ~/usb/pal-export-20260302081500.zip
"""
_SHOWN = 20  # names of each kind


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", default="", help="a zip or a folder (default: the newest one in PAL's home)")
    parser.add_argument("--dry-run", action="store_true", help="only say what would become of each file")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    from pal.memory.moving import packed, taking

    path = os.path.abspath(os.path.expanduser(options.path)) if options.path else taking.newest(context.home)
    asked = not options.path and not options.dry_run
    if asked and not context.output.confirm(f"Take in {path}?"):
        raise PalError(f"nothing was taken in; name the file to be sure: pal import {path}")
    context.output.progress(f"Reading {path} ...")
    entries = list(packed.entries(path))  # everything is looked at before anything is written
    done = taking.take(context.home, entries, context.now, options.dry_run)
    settle(context, path, done, options.dry_run)
    tell(context, done, options.dry_run, options.json)
    return 0


def settle(context: Context, path: str, done: Outcome, dry: bool) -> None:
    """What there is to do once files have been taken in."""
    from pal.memory import counts, search
    from pal.memory.moving import taking

    if not dry:
        taking.note(context.home, path, done, context.now)
        counts.recount(context.home, context.now)
        search.refresh(context.home, context.now)


def tell(context: Context, done: Outcome, dry: bool, as_json: bool) -> None:
    """Say what became of the files, to a person or to a program."""
    if as_json:
        context.output.json({"dry_run": dry, **done.shown()})
        return
    rows = (("new", done.new), ("united with yours", done.united), ("different; yours stays", done.aside))
    for label, names in rows:
        for name in names[:_SHOWN]:
            context.output.line(f"{label}: {name}")
        if len(names) > _SHOWN:
            context.output.line(f"{label}: and {len(names) - _SHOWN} more")
    would = "would be " if dry else ""
    context.output.line(
        f"{len(done.new)} files {would}new, {len(done.united)} united, {len(done.same)} the same here, "
        f"{len(done.aside)} {would}set aside, {len(done.left)} left out as another machine's own."
    )
    if done.aside and not dry:
        context.output.line(f"What differs is in {done.folder}; compare and copy what you want.")
