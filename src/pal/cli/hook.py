"""`pal hook EVENT --agent=NAME`: the help of what agents run; `app` answers the event itself before any verb loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal import targets
from pal.base.errors import PalError
from pal.hooks.turn import EVENTS

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal hook session-start --agent=NAME < payload.json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Answer one event of an agent: its JSON on stdin, the answer on stdout, always exit 0.\n"
        "Install registers this with each agent; a person runs it to see what an agent would be told."
    )
    parser.add_argument("event", choices=EVENTS, metavar="EVENT", help=", ".join(EVENTS))
    parser.add_argument("--agent", required=True, choices=targets.NAMES, help="who is asking")


def run(options: argparse.Namespace, context: Context) -> int:
    raise PalError(f"the {options.event} event reached the commands; start it as `pal hook`, from pal.pyz itself")
