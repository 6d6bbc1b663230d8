"""`pal version`: which PAL this is, and what runs it."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING

from pal import __version__
from pal.cli.parser import json_option

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal version
pal version --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    python = platform.python_version()
    if options.json:
        context.output.json({"version": __version__, "python": python, "executable": sys.executable})
    else:
        context.output.line(f"pal {__version__} (Python {python})")
    return 0
