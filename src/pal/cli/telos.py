"""`pal telos`: which topics of the user's telos are answered, what they say, and a way to answer one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import actions, json_option
from pal.context import telos, telos_edit

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal telos
pal telos show goals
pal telos set mission "Make tools that small teams can trust."
pal telos append goals "2027-06-30: the first ten customers pay"
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("list", "list the topics in the order of an interview, answered or not"),
            ("show", "print one topic"),
            ("set", "answer a topic"),
            ("append", "add a line to a topic"),
            ("edit", "open a topic in your editor"),
        ),
    )
    for name in ("show", "set", "append", "edit"):
        table[name].add_argument("topic", help="a topic, such as mission or goals")
    for name in ("set", "append"):
        table[name].add_argument("text", help="what to write; `-` reads it from stdin")
    table["set"].add_argument("--replace", action="store_true", help="take the place of the answer; a copy is kept")
    for action in table.values():
        json_option(action)


def run_bare(context: Context) -> int:
    return _list(context, False)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "list":
        return _list(context, options.json)
    topic = _topic(options.topic, context)
    if options.action == "show":
        return _show(topic, options, context)
    if options.action == "edit":
        return _edit(topic, options, context)
    said = sys.stdin.read() if options.text == "-" else options.text
    copy = ""
    if options.action == "set":
        copy = telos_edit.put(context.home, topic, said, context.now, options.replace)
    else:
        telos_edit.append(context.home, topic, said, context.now)
    if options.json:
        context.output.json({**_topic(topic.name, context).facts(), "copy": copy})
    else:
        context.output.line(f"Written to {topic.path}.")
        if copy:
            context.output.line(f"What it said before is kept in {copy}.")
    return 0


def _list(context: Context, as_json: bool) -> int:
    topics = telos.topics(context.home)
    if as_json:
        context.output.json([topic.facts() for topic in topics])
        return 0
    for topic in topics:
        mark = context.output.style("answered", "green") if topic.answered else "open    "
        context.output.line(f"{mark}  {topic.name:<12}{topic.path}")
    unanswered = [topic.name for topic in topics if not topic.answered]
    if unanswered:
        answered, first = len(topics) - len(unanswered), unanswered[0].lower()
        context.output.line(
            f'\n{answered} of {len(topics)} answered; next: `pal telos set {first} "…"`, or let your agent ask you.'
        )
    return 0


def _topic(name: str, context: Context) -> telos.Topic:
    wanted = name.casefold().removesuffix(".md")
    for topic in telos.topics(context.home):
        if topic.name.casefold() == wanted:
            return topic
    raise PalError(f"telos has no topic {name!r}; `pal telos list` names them")


def _show(topic: telos.Topic, options: argparse.Namespace, context: Context) -> int:
    if topic.text is None:
        raise PalError(f"{topic.path} is not there yet; `pal install` lays it out")
    if options.json:
        context.output.json({**topic.facts(), "text": topic.text})
    else:
        context.output.text(topic.text)
    return 0


def _edit(topic: telos.Topic, options: argparse.Namespace, context: Context) -> int:
    """Only a person at a terminal has an editor; everybody else is told which file it is."""
    import shlex
    import subprocess

    from pal.base import process
    from pal.install import scaffold

    editor = context.env.get("VISUAL") or context.env.get("EDITOR") or ""
    if options.json or not context.output.interactive:
        if options.json:
            context.output.json(topic.facts())
        else:
            context.output.line(topic.path)
        return 0
    default = ["notepad"] if process.WINDOWS else [process.find_program("nano", context.env) or "vi"]
    scaffold.lay_out(context.home)
    words = shlex.split(editor, posix=not process.WINDOWS) or default
    context.output.flush()
    try:
        return subprocess.run([*words, topic.path], check=False).returncode
    except OSError as fault:
        raise PalError(f"{words[0]} could not be started ({fault.strerror}); the file is {topic.path}") from None
