"""`pal debug`: switch the debug log on and off, read it, and see what an agent is told and how big it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base import files, log, settings, text
from pal.cli.parser import actions, json_option
from pal.context import prompt, session
from pal.context.describe import describe

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context

EXAMPLES = """
pal debug on
pal debug log --lines 40
pal debug context --cwd ~/work/site
pal debug context --prompt "the tests fail"
"""
SOURCES = ("startup", "resume", "fork", "clear", "compact")


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("status", "say whether debug lines are logged, and where"),
            ("on", "log debug lines"),
            ("off", "log errors only"),
            ("log", "print the end of the log"),
            ("context", "print what a session or a prompt is told, section by section, with sizes"),
        ),
    )
    for name in ("status", "on", "off", "context"):
        json_option(table[name])
    table["log"].add_argument("--lines", type=int, default=40, metavar="N", help="how many (default 40)")
    table["context"].add_argument("--source", choices=SOURCES, default="startup", help="how the session began")
    table["context"].add_argument("--cwd", default=".", metavar="DIR", help="the session's folder (default: this one)")
    table["context"].add_argument("--prompt", metavar="TEXT", help="show what this prompt would be told instead")


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "context":
        return _context(options, context)
    if options.action == "log":
        tail = (files.read_text(context.home.log) or "").splitlines()[-max(options.lines, 1) :]
        context.output.text("\n".join(tail) if tail else "The log is empty.")
        return 0
    if options.action == "on":
        files.write(context.home.debug_flag, "")
        log.debug(context.home, "debug", "switched on")
    elif options.action == "off":
        files.remove(context.home.debug_flag)
    on = os.path.exists(context.home.debug_flag)
    if options.json:
        context.output.json({"debug": on, "log": context.home.log})
    else:
        context.output.line(f"Debug lines are {'on' if on else 'off'}. Log: {context.home.log}")
    return 0


def _context(options: argparse.Namespace, context: Context) -> int:
    cwd = os.path.abspath(os.path.expanduser(options.cwd))
    values = settings.load(context.home)
    if options.prompt is not None:
        sections = prompt.parts(context.home, values, options.prompt, cwd, "", context.now)
    else:
        sections = session.sections(context.home, values, cwd, options.source, context.now, context.env)
    facts: list[dict[str, Any]] = [
        {"name": each.name, "units": text.units(each.text), "cap": each.cap, "text": each.text} for each in sections
    ]
    parts = describe(context.home, values, cwd, context.now, context.env, options.prompt or "")
    if options.json:
        rows = [{"part": part, "units": units, "cap": cap, "on": on} for part, units, cap, on in parts]
        context.output.json({"sections": facts, "parts": rows})
        return 0
    for fact in facts:
        heading = f"== {fact['name']}: {fact['units']} of at most {fact['cap']} UTF-16 units"
        context.output.line(context.output.style(heading, "bold"))
        context.output.text(fact["text"])
    context.output.line()
    table = [(part, units, cap, "" if on else "switched off") for part, units, cap, on in parts]
    context.output.table(table, ("part", "units", "cap", ""))
    context.output.line(f"{len(facts)} sections said, {sum(fact['units'] for fact in facts)} UTF-16 units in all.")
    return 0
