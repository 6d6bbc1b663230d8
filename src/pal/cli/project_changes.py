"""The actions of `pal project` that change a tracked project's page, and what each of them does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pal.base import clock
from pal.base.errors import PalError
from pal.memory.tools import figures, project_book, project_file
from pal.memory.tools.project_file import ACTIVE, ARCHIVED, COMPLETE, DONE, OPEN, PAUSED, RETIRED

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

    Row = dict[str, Any]

ADDRESSED = "a tracked project's name; `.` for the one this folder lies in"
CHANGES = (
    ("complete", "all is done: met criteria move to the changelog", ()),
    ("archive", "put a project away", ()),
    ("pause", "let a project rest", ()),
    ("unpause", "take a project up again", ()),
    ("add-next", "add a next step", ("text",)),
    ("rm-next", "strike a next step", ("index",)),
    ("add-blocker", "add what stands in the way", ("text",)),
    ("rm-blocker", "strike what stood in the way", ("index",)),
    ("add-decision", "record a decision and its reason", ("text", "rationale")),
    ("add-handoff", "say in a line where the work stands", ("text",)),
    ("update-section", "replace the text of a section", ("section", "text")),
    ("add-isc", "add a criterion", ("text",)),
    ("complete-isc", "a criterion is met", ("criterion",)),
    ("reopen-isc", "a criterion is open again", ("criterion",)),
    ("retire-isc", "a criterion is given up", ("criterion",)),
)
_STATUS = {"complete": COMPLETE, "archive": ARCHIVED, "pause": PAUSED, "unpause": ACTIVE}
_MARKS = {"complete-isc": DONE, "reopen-isc": OPEN, "retire-isc": RETIRED}
_SAID = {DONE: "met", OPEN: "open again", RETIRED: "given up"}
_LISTS = {"next": "next", "blocker": "blockers"}
_HELP = {
    "text": "what to write",
    "index": "its place in the list, from 1",
    "rationale": "why",
    "criterion": "its number",
}


def configure(table: dict[str, argparse.ArgumentParser]) -> None:
    """The arguments of each action."""
    for name, _, arguments in CHANGES:
        table[name].add_argument("project", help=ADDRESSED)
        for argument in arguments:
            if argument == "section":
                table[name].add_argument("section", choices=tuple(project_file.SECTIONS), help="which one")
            else:
                table[name].add_argument(argument, help=_HELP[argument], type=int if argument == "index" else str)


def change(options: argparse.Namespace, context: Context, slug: str) -> tuple[Row, str]:
    """Do what the action says to the project's page: what to print for a program, and for a person."""
    day = clock.day(context.now, context.zone)
    text = project_book.plain(getattr(options, "text", "") or "")
    verb, _, what = options.action.partition("-")
    if options.action == "add-isc":
        return _add_criterion(context, slug, text)
    if options.action in _MARKS:
        return _mark(options, context, slug, day)
    if options.action in _STATUS:
        return _status(options.action, context, slug, day)
    if verb == "add" and not text:
        raise PalError("There is nothing to write: the text is empty.")

    def edit(page: str) -> str:
        if what in _LISTS:
            return _listed(page, _LISTS[what], text, options)
        if what == "decision":
            reason = project_book.plain(options.rationale)
            return project_file.add_to_section(page, "decisions", f"- {day}: {text} (because {reason})")
        if what == "handoff":
            return project_file.set_field(page, "handoff", text)
        return project_file.set_section(page, options.section, project_book.prose(options.text))

    changed = project_book.change(context.home, slug, edit, context.now)
    return project_book.summary(context.home, slug), f"{slug}: written" if changed else f"{slug}: nothing changed"


def _listed(page: str, key: str, text: str, options: argparse.Namespace) -> str:
    """The page with a line added to, or struck from, one of the lists at its top."""
    lines = project_file.listed(page, key)
    if options.action.startswith("add-"):
        return page if text in lines else project_file.set_field(page, key, [*lines, text])
    if not 1 <= options.index <= len(lines):
        raise PalError(f"There is no line {options.index} in {key}; it has {len(lines)}.")
    return project_file.set_field(page, key, lines[: options.index - 1] + lines[options.index :])


def _add_criterion(context: Context, slug: str, text: str) -> tuple[Row, str]:
    if not text:
        raise PalError("A criterion needs a text: say what must be true in the end.")
    made: list[project_file.Criterion] = []

    def edit(page: str) -> str:
        after, criterion = project_file.add_criterion(page, text)
        made.append(criterion)
        return after

    project_book.change(context.home, slug, edit, context.now)
    announce = f"🎫 ISC-{made[-1].number}: {made[-1].text}"
    return {**made[-1].facts(), "slug": slug, "announce": announce}, announce


def _mark(options: argparse.Namespace, context: Context, slug: str, day: str) -> tuple[Row, str]:
    status = _MARKS[options.action]
    made: list[project_file.Criterion] = []

    def edit(page: str) -> str:
        after, criterion = project_file.mark(page, options.criterion, status, day)
        made.append(criterion)
        return after

    project_book.change(context.home, slug, edit, context.now)
    row = project_book.summary(context.home, slug)
    left = f"{row['open']} open"
    return {**made[-1].facts(), "slug": slug, "open": row["open"], "done": row["done"]}, (
        f"ISC-{made[-1].number} is {_SAID[status]}; {left}"
    )


def _status(action: str, context: Context, slug: str, day: str) -> tuple[Row, str]:
    def edit(page: str) -> str:
        if action == "complete":
            page = project_file.archive_done(page, day)
        return project_file.set_field(page, "status", _STATUS[action])

    project_book.change(context.home, slug, edit, context.now)
    row = project_book.summary(context.home, slug)
    left = (
        f", with {figures.many(row['open'], 'criterion', 'criteria')} open"
        if action == "complete" and row["open"]
        else ""
    )
    return row, f"{slug} is {row['status']}{left}"
