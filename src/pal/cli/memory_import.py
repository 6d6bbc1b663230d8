"""`pal memory import --from FORM PATH`: take in what another memory remembers; the source stays as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base.errors import PalError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from pal.cli.context import Context

    # What it is, where it usually stands, its reader.
    Known = tuple[str, Callable[[Mapping[str, str]], str], Callable[[str], Iterator[Any]]]

EXAMPLES = """
pal memory import --from server-memory ~/memory.jsonl --dry-run
pal memory import --from transcripts-markdown ~/chats
pal memory import --from icm
"""


def configure(name: str, parser: argparse.ArgumentParser) -> None:
    table = known()
    # `from` is a word of the language: the option needs another name inside.
    parser.add_argument(
        "--from", dest="form", required=True, choices=sorted(table), metavar="FORM", help=_listed(table)
    )
    parser.add_argument("path", nargs="?", default="", help="the file or folder (default: where it usually stands)")
    parser.add_argument("--dry-run", action="store_true", help="only count what would be new")


def _listed(table: Mapping[str, Known]) -> str:
    return "; ".join(f"{name}: {about}" for name, (about, _, _) in table.items())


def known() -> dict[str, Known]:
    """Every form by name: those of other memory programs, and those of agents that keep a memory of their own."""
    from pal.memory.importing import forms

    return {**{form.name: (form.title, form.place, form.reader) for form in forms.FORMS}, **of_agents()}


def of_agents() -> dict[str, Known]:
    """The forms of the agents that keep a memory of their own."""
    from pal import targets

    table: dict[str, Known] = {}
    for package in targets.TARGETS.values():
        try:
            module = __import__(package + ".memories", fromlist=("read",))
        except ModuleNotFoundError:
            continue  # this agent keeps none
        table[module.FORM] = (module.ABOUT, module.place, module.read)
    return table


def run(options: argparse.Namespace, context: Context) -> int:
    from pal.memory import counts, search
    from pal.memory.importing import run as importing

    _, place, reader = known()[options.form]
    path = os.path.abspath(os.path.expanduser(options.path)) if options.path else place(context.env)
    if not path:
        raise PalError(f"say where the {options.form} memory stands: pal memory import --from {options.form} PATH")
    if not os.path.exists(path):
        raise PalError(f"there is no file or folder {path}")
    context.output.progress(f"Reading {path} ...")
    items = list(reader(path))

    def advance(done: int) -> None:
        context.output.advance(done, len(items), "read")

    done = importing.take(context.home, items, options.form, context.now, options.dry_run, advance)
    if not options.dry_run:
        context.output.progress("Indexing ...")
        counts.recount(context.home, context.now)
        search.refresh(context.home, context.now)
    if options.json:
        context.output.json({"source": path, "dry_run": options.dry_run, **done.shown()})
        return 0
    new = ", ".join(f"{count:,} {kind}" for kind, count in done.new.items()) or "nothing"
    would = "would be new" if options.dry_run else "new"
    context.output.line(f"{done.read:,} read from {path}: {new} {would}, {done.known:,} known already.")
    if done.empty:
        context.output.line(f"{done.empty:,} held nothing that may be kept.")
    return 0
