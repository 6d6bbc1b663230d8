"""`pal subagent`: the helpers an agent can send out, one merged file each, in the form every agent reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal import targets
from pal.base.errors import PalError
from pal.cli import linking
from pal.cli.parser import actions, json_option
from pal.skills import subagents
from pal.skills.checks import ERROR

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal subagent list
pal subagent new log-reader --description "Reads long logs. Use when a log is too long to read whole."
pal subagent link
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("list", "list the subagents"),
            ("new", "lay out a subagent of your own"),
            ("link", "give every agent the subagents as they are now"),
            ("doctor", "check a subagent, or all of them"),
        ),
    )
    table["new"].add_argument("subagent", help="its name: lower-case words with hyphens between")
    table["new"].add_argument("--description", default="", metavar="TEXT", help="what it does, and “Use when …”")
    table["link"].add_argument("subagent", nargs="?", help="say only what became of this one")
    table["doctor"].add_argument("subagent", nargs="?", help="a subagent's name")
    table["doctor"].add_argument("--all", action="store_true", help="every subagent")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "list":
        return _list(options, context)
    if options.action == "new":
        return _new(options, context)
    if options.action == "doctor":
        return _doctor(options, context)
    if options.subagent:
        subagents.find(context.home, options.subagent)
    return linking.link(context, options.subagent or "", options.json)


def _list(options: argparse.Namespace, context: Context) -> int:
    found = subagents.subagents(context.home)
    if options.json:
        context.output.json([each.facts() for each in found])
    elif not found:
        context.output.line("No subagents yet; `pal install` brings the shipped ones.")
    else:
        rows = [(each.name, each.origin, ", ".join(each.platforms) or "all", each.description) for each in found]
        context.output.table(rows, ("subagent", "whose", "agents", "description"))
    return 0


def _new(options: argparse.Namespace, context: Context) -> int:
    blocks = [(name, targets.facts(name).SUBAGENT) for name in targets.NAMES if _header_lines(name)]
    path = subagents.begin(context.home, options.subagent, options.description.strip(), blocks)
    if options.json:
        context.output.json({"name": options.subagent, "path": path})
    else:
        context.output.line(f"Begun: {path}")
        context.output.line(f"Write it, then `pal subagent link {options.subagent}` gives it to your agents.")
    return 0


def _header_lines(name: str) -> bool:
    return bool(getattr(targets.facts(name), "SUBAGENT", ()))


def _doctor(options: argparse.Namespace, context: Context) -> int:
    if bool(options.subagent) == options.all:
        raise PalError("name one subagent, or use --all")
    if options.subagent:
        chosen = [subagents.find(context.home, options.subagent)]
    else:
        chosen = subagents.subagents(context.home)
    rows = [(each.name, subagents.findings(each.path, targets.NAMES)) for each in chosen]
    if options.json:
        context.output.json(
            [
                {"name": name, "findings": [{"level": level, "text": text} for level, text in found]}
                for name, found in rows
            ]
        )
    else:
        for name, found in rows:
            said = "; ".join(text for _, text in found)
            context.output.line(f"{found[0][0] if found else 'ok':<8} {name}" + (f": {said}" if said else ""))
    return 1 if any(level == ERROR for _, found in rows for level, _ in found) else 0
