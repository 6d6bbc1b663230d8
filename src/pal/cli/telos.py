"""`pal telos`: which topics of the user's telos are answered, and what one of them says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import actions, json_option
from pal.context import telos

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal telos list
pal telos show goals
"""


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(parser, (("list", "list the topics, answered or not"), ("show", "print one topic")))
    table["show"].add_argument("topic", help="a topic, such as mission or goals")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    topics = telos.topics(context.home)
    if options.action == "show":
        return _show(options, context, topics)
    if options.json:
        context.output.json([topic.facts() for topic in topics])
        return 0
    for topic in topics:
        mark = context.output.style("answered", "green") if topic.answered else "open    "
        context.output.line(f"{mark}  {topic.name:<12}{topic.path}")
    if not all(topic.answered for topic in topics):
        context.output.line("\nThe files are yours to edit; what you write there reaches every agent.")
    return 0


def _show(options: argparse.Namespace, context: Context, topics: list[telos.Topic]) -> int:
    for topic in topics:
        if topic.name.casefold() == options.topic.casefold().removesuffix(".md"):
            if topic.text is None:
                raise PalError(f"{topic.path} is not there yet; `pal install` lays it out")
            if options.json:
                context.output.json({**topic.facts(), "text": topic.text})
            else:
                context.output.text(topic.text)
            return 0
    raise PalError(f"telos has no topic {options.topic!r}; `pal telos list` names them")
