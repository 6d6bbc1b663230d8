"""`pal memory sync`: the same memory on several machines, through a git repository that all of them reach."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from pal.base import clock, files
from pal.base.errors import PalError

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal memory sync init ~/Dropbox/pal-memory.git
pal memory sync init git@github.com:user/my-memory.git
pal memory sync
pal memory sync status
"""
_STEPS = ("init", "status")


def configure(name: str, parser: argparse.ArgumentParser) -> None:
    if name == "sync":
        parser.add_argument("step", nargs="?", default="", help="init begins, status tells; without one: sync now")
        parser.add_argument("remote", nargs="?", default="", help="a folder all machines reach, or a git address")
        return
    for word, text in (("base", "the version both come from"), ("ours", "our version; the result is written here")):
        parser.add_argument(word, help=text)
    parser.add_argument("theirs", help="their version")
    parser.add_argument("name", help="the file's name, which tells its kind")


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "merge-file":
        return _merge_file(options)
    if options.step and options.step not in _STEPS:
        from pal.cli.parser import Usage

        raise Usage(f"there is no step {options.step!r}; `pal memory sync`, `… sync init REMOTE` or `… sync status`")
    if options.step == "init":
        return _begin(options, context)
    return _tell(options, context) if options.step else _sync(options, context)


def _begin(options: argparse.Namespace, context: Context) -> int:
    from pal.memory.sync import exchange

    context.output.progress("Preparing the repository ...")
    remote = exchange.start(context.home, context.env, _driver(context), options.remote)
    if options.json:
        context.output.json({"remote": remote, "folder": context.home.memory})
    elif remote:
        context.output.line(f"{context.home.memory} now syncs with {remote}; `pal memory sync` does it.")
    else:
        context.output.line(
            f"{context.home.memory} now keeps its versions; `pal memory sync init REMOTE` adds other machines."
        )
    return 0


def _driver(context: Context) -> str:
    """The command git runs to unite two versions: ours, and git's own union where PAL has gone."""
    import shlex

    from pal.base import assets
    from pal.install import interpreter

    archive = context.home.archive if os.path.isfile(context.home.archive) else assets.running()
    if os.path.isdir(archive):
        archive = os.path.join(archive, "pal.py")
    python = interpreter.choose(context.env).path if os.path.isfile(context.home.archive) else sys.executable
    words = " ".join(shlex.quote(word.replace("\\", "/").replace("%", "%%")) for word in (python, archive))
    return f"{words} memory merge-file %O %A %B %P || git merge-file -q --union %A %O %B"


def _sync(options: argparse.Namespace, context: Context) -> int:
    from pal.memory import counts, search
    from pal.memory.sync import exchange

    outcome = exchange.run(context.home, context.env, context.now, context.output.progress)
    if outcome.received:
        counts.recount(context.home, context.now)
        search.refresh(context.home, context.now)
    if options.json:
        context.output.json(outcome.shown())
    else:
        told = [f"{outcome.saved} files had changed here", f"{len(outcome.received)} came from elsewhere"]
        if outcome.restored:
            told.append(f"{outcome.restored} that were missing here are back")
        context.output.line(", ".join(told) + ("; all is sent." if outcome.sent else "."))
    if outcome.problem:
        raise PalError(outcome.problem)
    return 0


def _tell(options: argparse.Namespace, context: Context) -> int:
    from pal.memory.sync import exchange

    found = exchange.status(context.home, context.env, context.now)
    if options.json:
        context.output.json(found)
    elif not found["initialised"]:
        context.output.line("Not synced yet; `pal memory sync init REMOTE` begins it.")
    else:
        last = found["last"]
        context.output.table(
            [
                ("remote", found["remote"] or "none; `pal memory sync init REMOTE` names one"),
                ("last change sent or saved", clock.iso(last) if last else "never"),
                ("changed here since", f"{found['changed']} files"),
                ("waiting to be sent", f"{found['ahead']} changes"),
                ("fetched and not united yet", f"{found['behind']} changes"),
            ]
        )
    return 0


def _merge_file(options: argparse.Namespace) -> int:
    from pal.memory.sync import merging

    base, ours, theirs = (files.read_bytes(path) for path in (options.base, options.ours, options.theirs))
    if ours is None or theirs is None:
        raise PalError(f"{options.ours if ours is None else options.theirs} is not there to be merged")
    files.write(options.ours, merging.merged(options.name, base or None, ours, theirs)[0])
    return 0
