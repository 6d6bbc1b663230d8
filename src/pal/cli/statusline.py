"""`pal statusline`: one line for an agent's status bar; the agent hands its JSON in on stdin.

Input that cannot be used gives no line and exit 0."""

from __future__ import annotations

import sys

from pal.context import status_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
echo '{"session_id": "..."}' | pal statusline
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """No options: everything comes on stdin."""


def run(options: argparse.Namespace, context: Context) -> int:
    return run_bare(context)


def run_bare(context: Context) -> int:
    text = status_line.answer(context.home, sys.stdin.buffer.read(status_line.INPUT_LIMIT), context.now)
    if text:
        context.output.line(text)
    return 0
