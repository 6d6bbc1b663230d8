"""The actions of `pal switchboard plan`: plans made, taken in, read, changed, removed and brought back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import actions
from pal.switchboard import board, cards, export, plans

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context
    from pal.switchboard.desk import Desk

    Answer = tuple[Any, list[str]]

ACTIONS = (("plan", "make, take in, read, change, remove or restore plans"),)
BEGINS = ("new", "import")  # parts that make a project's board when it has none
_PARTS = (
    ("new", "make a plan"),
    ("import", "take in a text with one plan or several"),
    ("list", "list plans"),
    ("show", "show one plan with its text"),
    ("edit", "replace a plan's text, if it is still the one that was read"),
    ("set", "set complexity, tags or dependencies"),
    ("rename", "give a plan another title"),
    ("rm", "remove a plan; `restore` brings it back"),
    ("restore", "bring back a plan that was removed or is done"),
)


def configure(table: dict[str, argparse.ArgumentParser]) -> list[argparse.ArgumentParser]:
    parts = actions(table["plan"], _PARTS, "part")
    parts["new"].add_argument("title", help="what the plan is called")
    parts["new"].add_argument("--body", default="", help="its text; - reads it from stdin")
    parts["new"].add_argument("--from", dest="source", default="", metavar="FILE", help="take the text from a file")
    parts["new"].add_argument("--parent", default="", metavar="ID", help="the plan it was split from")
    parts["import"].add_argument("file", help="a file; - reads stdin")
    parts["import"].add_argument("--dry-run", action="store_true", help="only say which plans there are")
    parts["list"].add_argument("--deleted", action="store_true", help="those in the trash")
    parts["list"].add_argument("--done", action="store_true", help="those that are done")
    for name in ("show", "edit", "set", "rename", "rm", "restore"):
        parts[name].add_argument("id", help="session id, plan id, six characters of one, or its file")
    parts["edit"].add_argument("file", help="the new text; - reads stdin")
    parts["edit"].add_argument("--sha", required=True, help="the hash that `plan show --json` gave")
    parts["set"].add_argument("--complexity", default=None, help="1 to 10, low, medium, high, unknown")
    parts["set"].add_argument("--tags", default=None, help="words between commas")
    parts["set"].add_argument("--after", action="append", default=None, metavar="ID", help="a plan it waits for")
    parts["set"].add_argument("--no-after", action="store_true", help="it waits for nothing")
    parts["rename"].add_argument("title", help="the new title")
    return list(parts.values())


def run(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    answer = {
        "new": _new, "import": _import, "list": _list, "show": _show, "edit": _edit, "set": _set, "rename": _rename,
        "rm": _rm, "restore": _restore,
    }  # fmt: skip
    return answer[options.part](options, desk)


def read(name: str) -> str:
    """A file's text, or stdin's for `-`."""
    return sys.stdin.read() if name == "-" else export.from_file(name)


def told(card: dict[str, Any]) -> str:
    """One plan in one line."""
    score = f"  complexity {card['score']}" if card["score"] else ""
    return f"{card['sessionId']}  {card['topic']}  ({card.get('label') or card['column']}){score}"


def _new(options: argparse.Namespace, desk: Desk) -> Answer:
    body = read(options.source) if options.source else sys.stdin.read() if options.body == "-" else options.body
    card = cards.create(desk, options.title, body, options.parent)
    said = "There is already" if card.get("duplicate") else "Made"
    return card, [f"{said} {told(card)}", f"  {card['planFile']}"]


def _import(options: argparse.Namespace, desk: Desk) -> Answer:
    text = read(options.file)
    if options.dry_run:
        found = [plans.facts(each, "").title for each in plans.split(text)]
        return {"plans": found}, [f"{len(found)} plans:", *[f"  {title}" for title in found]]
    made = cards.take_in(desk, text, "import")
    return {"plans": made}, [("Already here: " if card.get("duplicate") else "Made ") + told(card) for card in made]


def _list(options: argparse.Namespace, desk: Desk) -> Answer:
    status = "deleted" if options.deleted else "completed" if options.done else "active"
    found = board.listed(desk, status)
    return {"plans": found}, [told(card) for card in found] or ["None."]


def _show(options: argparse.Namespace, desk: Desk) -> Answer:
    card = board.find(desk, options.id)
    text, sha = cards.text(desk, card["planId"])
    lines = [told(card), f"  {card['planFile']}, revision {card['rev']}"]
    for name in ("tags", "deps"):
        lines += [f"  {name}: {', '.join(card[name])}"] if card[name] else []
    return {**card, "sha": sha, "text": text}, [*lines, "", text.rstrip()]


def _edit(options: argparse.Namespace, desk: Desk) -> Answer:
    card = cards.edit(desk, options.id, read(options.file), options.sha)
    return card, [f"Changed {told(card)}"]


def _set(options: argparse.Namespace, desk: Desk) -> Answer:
    deps = [] if options.no_after else options.after
    if options.complexity is None and options.tags is None and deps is None:
        raise PalError("say what to set: --complexity, --tags or --after; `pal switchboard plan set --help`")
    card = cards.change(desk, options.id, options.complexity, options.tags, deps)
    return card, [f"Set {told(card)}"]


def _rename(options: argparse.Namespace, desk: Desk) -> Answer:
    card = cards.rename(desk, options.id, options.title)
    return card, [f"Renamed {told(card)}", f"  {card['planFile']}"]


def _rm(options: argparse.Namespace, desk: Desk) -> Answer:
    card = cards.remove(desk, options.id)
    return card, [f"Removed {card['topic']}; `pal switchboard plan restore {card['planId'][:8]}` brings it back."]


def _restore(options: argparse.Namespace, desk: Desk) -> Answer:
    card = cards.restore(desk, options.id)
    return card, [f"Restored {told(card)}"]
