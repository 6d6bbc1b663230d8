"""The argument parser of one verb, with the few options that many verbs share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from pal.base.errors import PalError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pal.cli.output import Output


class Usage(PalError):
    """A command line that cannot be understood: exit code 2 instead of 1."""

    usage = True


class Parser(argparse.ArgumentParser):
    """argparse, except that help goes through `Output` and a mistake is raised instead of ending the process."""

    def __init__(self, *args: Any, output: Output | None = None, **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        kwargs.setdefault("allow_abbrev", False)  # an abbreviation that works today is ambiguous tomorrow
        super().__init__(*args, **kwargs)
        self.output = output

    def error(self, message: str) -> NoReturn:
        raise Usage(f"{message}; see `{self.prog} --help`")

    def _print_message(self, message: str, file: Any = None) -> None:
        if message and self.output is not None:
            self.output.text(message)


def json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the facts as JSON")


def actions(
    parser: argparse.ArgumentParser, table: Sequence[tuple[str, str]], chosen: str = "action"
) -> dict[str, argparse.ArgumentParser]:
    """Sub-commands from (name, summary) rows; the chosen one is `options.action`, or another name below an action."""
    output = parser.output if isinstance(parser, Parser) else None
    group = parser.add_subparsers(dest=chosen, metavar=chosen.upper(), title=f"{chosen}s", required=True)
    return {
        name: group.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", output=output)
        for name, text in table
    }
