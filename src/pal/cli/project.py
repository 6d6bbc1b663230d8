"""`pal project`: the projects PAL has seen work in, and those tracked by what they must fulfil in the end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pal.base import state
from pal.base.errors import PalError
from pal.cli.parser import actions, json_option
from pal.cli.project_changes import ADDRESSED, CHANGES, change
from pal.cli.project_changes import configure as configure_changes
from pal.memory import projects
from pal.memory.tools import project_book, project_file

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

    Row = dict[str, Any]

EXAMPLES = """
pal project list
pal project show ~/work/site
pal project create shop --objectives "Orders are paid once; The cart survives a reload"
pal project complete-isc shop 2
pal project resume shop
"""
_LOOKING = (
    ("list", "list the projects"),
    ("show", "show what was done in a project, and what it must fulfil"),
    ("create", "track a project by criteria"),
    ("resume", "show what is open in a tracked project"),
    ("list-isc", "list the criteria of a project"),
    ("show-isc", "show one criterion"),
    ("set-path", "say where a project lies on this machine"),
    ("rm", "stop tracking a project; its page moves to the archive"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(parser, (*_LOOKING, *((name, text) for name, text, _ in CHANGES)))
    table["show"].add_argument(
        "folder", nargs="?", default=".", help="a folder of it, or its name (default: this folder)"
    )
    table["create"].add_argument("name", nargs="?", default="", help="what to call it (default: like its folder)")
    table["create"].add_argument("--path", default=".", metavar="DIR", help="its folder (default: this one)")
    table["create"].add_argument(
        "--objectives", default="", metavar="A;B", help="the first criteria, with semicolons between them"
    )
    for name in ("resume", "list-isc", "show-isc", "set-path", "rm"):
        table[name].add_argument("project", help=ADDRESSED)
    table["show-isc"].add_argument("criterion", help="its number")
    table["set-path"].add_argument("path", help="the folder it lies in here")
    configure_changes(table)
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "list":
        return _list(options, context)
    if options.action == "show":
        return _show(options, context)
    if options.action == "create":
        return _create(options, context)
    if options.action == "rm":
        place = project_book.remove(context.home, options.project, context.now)
        _said(options, context, {"archived": place}, f"No longer tracked; its page is kept in {place}")
        return 0
    slug = project_book.known(context.home, options.project)
    if options.action == "set-path":
        folder = project_book.bind(context.home, slug, os.path.expanduser(options.path), context.now)
        _said(options, context, {"slug": slug, "path": folder}, f"{slug} lies in {folder}")
        return 0
    if options.action == "resume":
        return _resume(options, context, slug)
    page = project_book.page_of(context.home, slug)
    if options.action == "show-isc":
        criterion = project_file.one(page, options.criterion)
        _said(options, context, criterion.facts(), f"{_line(criterion)}  ({criterion.status})")
        return 0
    if options.action == "list-isc":
        found = project_file.criteria(page) + project_file.settled(page)
        if options.json:
            context.output.json([criterion.facts() for criterion in found])
        elif not found:
            context.output.line(f'No criterion yet; `pal project add-isc {slug} "TEXT"` adds one.')
        for criterion in () if options.json else found:
            context.output.line(f"{criterion.status:<8}{_line(criterion)}")
        return 0
    row, text = change(options, context, slug)
    _said(options, context, row, text)
    return 0


def _said(options: argparse.Namespace, context: Context, row: Row, text: str) -> None:
    if options.json:
        context.output.json(row)
    else:
        context.output.line(text)


def _line(criterion: project_file.Criterion) -> str:
    return f"ISC-{criterion.number}  {criterion.text}"


def _list(options: argparse.Namespace, context: Context) -> int:
    rows: list[Row] = []
    bound = {str(path): slug for slug, path in state.read(context.home, context.home.bindings).items()}
    tracked = {slug: project_book.summary(context.home, slug) for slug in project_book.slugs(context.home)}
    for row in projects.active(context.home, os.getcwd(), context.now):
        own = tracked.pop(bound.get(row["root"], ""), None)
        rows.append({**row, **({"tracked": own} if own else {})})
    for own in tracked.values():
        rows.append({"name": own["name"], "root": own["path"], "touched": own["updated"], "tracked": own})
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line("No project yet; PAL notes one when an agent has worked in it.")
    else:
        cells = [
            (
                row.get("touched", ""),
                row.get("sessions", ""),
                _progress(row.get("tracked")),
                row.get("root") or row["name"],
            )
            for row in rows
        ]
        context.output.table(cells, ("touched", "sessions", "criteria", "root"))
    return 0


def _progress(tracked: Row | None) -> str:
    """`shop active 3/8`: its name, how it stands, how many criteria are met."""
    if not tracked:
        return ""
    return f"{tracked['slug']} {tracked['status']} {tracked['done']}/{tracked['done'] + tracked['open']}"


def _show(options: argparse.Namespace, context: Context) -> int:
    slug, root = "", ""
    folder = os.path.abspath(os.path.expanduser(options.folder))
    if not os.path.isdir(folder):
        slug = project_book.known(context.home, options.folder)
        root = str(state.read(context.home, context.home.bindings).get(slug) or "")
    else:
        root = projects.root_of(folder)
        slug = project_book.of_folder(context.home, folder)
    rows = projects.history(context.home, root)
    page = project_book.page_of(context.home, slug) if slug else ""
    if options.json:
        context.output.json({"root": root, "history": rows, **({"slug": slug, "page": page} if slug else {})})
        return 0
    if page:
        context.output.text(page)
    elif not rows:
        context.output.line(f"Nothing is noted for {root or folder} yet.")
    if rows:
        context.output.line(context.output.style(root, "bold"))
        context.output.table([(row.get("ts", ""), row.get("title", "")) for row in rows])
    return 0


def _create(options: argparse.Namespace, context: Context) -> int:
    path = os.path.abspath(os.path.expanduser(options.path))
    if not os.path.isdir(path):
        raise PalError(f"{path} is no folder; name the one the project lies in with --path.")
    slug, is_new = project_book.create(context.home, options.name, path, options.objectives.split(";"), context.now)
    row = project_book.summary(context.home, slug)
    _said(options, context, row, f"Tracking {slug} in {row['path']}" if is_new else f"{slug} is tracked already")
    return 0


def _resume(options: argparse.Namespace, context: Context, slug: str) -> int:
    row = project_book.summary(context.home, slug)
    page = project_book.page_of(context.home, slug)
    left = [criterion for criterion in project_file.criteria(page) if criterion.status == project_file.OPEN]
    if options.json:
        context.output.json({**row, "criteria": [criterion.facts() for criterion in left]})
        return 0
    say = context.output.line
    say(context.output.style(row["name"], "bold") + f"  {row['status']}, {row['done']} met, {row['open']} open")
    if not row["path"]:
        say(f"It is not known where it lies here; `pal project set-path {slug} DIR` says so.")
    if row["handoff"]:
        say(f"Handoff: {row['handoff']}")
    for title, lines in (
        ("Open", [_line(criterion)[:80] for criterion in left]),
        ("Next", row["next"]),
        ("Blocked by", row["blockers"]),
    ):
        if lines:
            say(f"{title}:")
        for line in lines:
            say(f"  {line}")
    return 0
