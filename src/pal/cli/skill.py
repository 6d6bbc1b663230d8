"""`pal skill`: what skills there are, what one says, its tools, and whether it is as the format wants it."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from pal.base import files, settings
from pal.base.errors import PalError
from pal.cli import linking
from pal.cli.parser import actions, json_option
from pal.install import scaffold
from pal.skills import catalog, checks, index, started, triggers, used

if TYPE_CHECKING:
    from pal.cli.context import Context

EXAMPLES = """
pal skill list
pal skill run presentation --help
pal skill new weekly-report --tool collect
pal skill match --json "please sum up this article"
"""
_MARKS = {"": "ok", checks.WARNING: "warning", checks.ERROR: "error"}


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("list", "list the skills: whose they are, how often they were used"),
            ("show", "print the text of one skill"),
            ("run", "start a tool of a skill; what follows goes to the tool"),
            ("match", "show which skills a prompt is offered, and why"),
            ("new", "lay out a skill of your own"),
            ("link", "give every agent the skills as they are now"),
            ("enable", "offer a skill again, and give it to agents"),
            ("disable", "offer a skill no more, and take it from agents"),
            ("doctor", "check a skill, or all of them, against the public format"),
        ),
    )
    for name in ("show", "run", "enable", "disable"):
        table[name].add_argument("skill", help="a skill's name")
    table["run"].add_argument(
        "words", nargs=argparse.REMAINDER, metavar="[TOOL] [ARGS]", help="its tool, and its words"
    )
    table["match"].add_argument("prompt", help="what a user would type")
    table["new"].add_argument("skill", help="its name: lower-case words with hyphens between")
    table["new"].add_argument("--description", default="", metavar="TEXT", help="what it does, and “Use when …”")
    table["new"].add_argument("--triggers", default="", metavar="A,B", help="words a prompt for it has")
    table["new"].add_argument("--tool", default="", metavar="NAME", help="also begin a tool in Python")
    table["link"].add_argument("skill", nargs="?", help="say only what became of this skill")
    table["doctor"].add_argument("skill", nargs="?", help="a skill's name")
    table["doctor"].add_argument("--all", action="store_true", help="every skill")
    for name, action in table.items():
        if name != "run":
            json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    chosen = {
        "list": _list, "show": _show, "run": _run, "match": _match, "new": _new, "link": _link,
        "enable": _switch, "disable": _switch, "doctor": _doctor,
    }  # fmt: skip
    return chosen[options.action](options, context)


def _list(options: argparse.Namespace, context: Context) -> int:
    found = catalog.skills(context.home)
    if options.json:
        context.output.json([skill.facts() for skill in found])
        return 0
    if not found:
        context.output.line(
            "No skills yet; `pal install` brings the shipped ones, `pal skill new NAME` begins your own."
        )
        return 0
    rows = [
        (skill.name, "off" if skill.disabled else skill.origin, skill.uses or "", skill.description) for skill in found
    ]
    context.output.table(rows, ("skill", "whose", "uses", "description"))
    edited = [skill.name for skill in found if skill.origin == catalog.EDITED]
    if edited:
        context.output.line(f"\nEdited by you, so no install overwrites it: {', '.join(edited)}.")
    return 0


def _show(options: argparse.Namespace, context: Context) -> int:
    skill = catalog.find(context.home, options.skill)
    text = files.read_text(os.path.join(skill.folder, index.MAIN_FILE)) or ""
    used.note(context.home, skill.name, context.now)
    if options.json:
        context.output.json({**skill.facts(), "text": text})
    else:
        context.output.text(text)
    return 0


def _run(options: argparse.Namespace, context: Context) -> int:
    skill = catalog.find(context.home, options.skill)
    context.output.flush()
    status = started.run(skill, options.words, context.home, context.env)
    used.note(context.home, skill.name, context.now)
    return status


def _match(options: argparse.Namespace, context: Context) -> int:
    """The same function that the hook calls, over an index that is up to date."""
    index.refresh(context.home)
    found = triggers.match(context.home, options.prompt)
    if options.json:
        context.output.json(
            [{"name": name, "score": points, "triggers": matched} for name, _, matched, points in found]
        )
    else:
        context.output.text(triggers.offers(found) or "No skill fits.")
    return 0


def _new(options: argparse.Namespace, context: Context) -> int:
    listed = [item.strip() for item in options.triggers.split(",") if item.strip()]
    folder = catalog.begin(context.home, options.skill, options.description.strip(), listed, options.tool)
    index.build(context.home)
    if options.json:
        context.output.json({"name": options.skill, "folder": folder})
    else:
        context.output.line(f"Begun: {os.path.join(folder, index.MAIN_FILE)}")
        context.output.line(
            f"Write it, then `pal skill doctor {options.skill}` checks it and `pal skill link {options.skill}` "
            "gives it to your agents."
        )
    return 0


def _link(options: argparse.Namespace, context: Context) -> int:
    if options.skill:
        catalog.find(context.home, options.skill)
    return linking.link(context, options.skill or "", options.json)


def _switch(options: argparse.Namespace, context: Context) -> int:
    on = options.action == "enable"
    disabled = settings.load(context.home).texts(index.DISABLED)
    name = options.skill.strip().lstrip("/")
    if not (on and name in disabled):
        name = catalog.find(context.home, name).name
    wanted = [each for each in disabled if each != name] + ([] if on else [name])
    if sorted(wanted) == sorted(disabled):
        if options.json:
            context.output.json({"skill": name, "enabled": on, "changed": []})
        else:
            context.output.line(f"{name} is {'on' if on else 'off'} already.")
        return 0
    scaffold.lay_out(context.home)
    scaffold.set_value(context.home, index.DISABLED, wanted)
    index.build(context.home)
    if not options.json:
        context.output.line(f"{name} is {'on' if on else 'off'} now.")
    return linking.link(context, name, options.json)


def _doctor(options: argparse.Namespace, context: Context) -> int:
    if bool(options.skill) == options.all:
        raise PalError("name one skill, or use --all")
    skills = [catalog.find(context.home, options.skill)] if options.skill else catalog.skills(context.home)
    shipped = catalog.shipped()
    rows = [(skill, checks.findings(skill.folder, skill.name in shipped)) for skill in skills]
    worst = {skill.name: next((level for level, _ in found), "") for skill, found in rows}
    if options.json:
        context.output.json(
            [
                {"name": skill.name, "findings": [{"level": level, "text": text} for level, text in found]}
                for skill, found in rows
            ]
        )
    else:
        for skill, found in rows:
            said = "; ".join(text for _, text in found)
            context.output.line(f"{_MARKS[worst[skill.name]]:<8} {skill.name}" + (f": {said}" if said else ""))
        if options.all:
            counts = [sum(level == wanted for level in worst.values()) for wanted in _MARKS]
            context.output.line(f"{counts[0]} in order, {counts[1]} with warnings, {counts[2]} with errors.")
    return 1 if checks.ERROR in worst.values() else 0
