"""`pal statusline`: one line for an agent's status bar, made from the session's name and the trend of its ratings.

The agent runs it several times a turn with its JSON on stdin, so it imports little, and input it cannot use gives
no line and exit 0.
"""

from __future__ import annotations

import os
import sys

from pal.base import jsontext, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from pal.base.home import Home
    from pal.cli.context import Context

EXAMPLES = """
echo '{"session_id": "..."}' | pal statusline
"""
ARROWS = {"up": "rising", "down": "falling", "stable": "steady"}
INPUT_LIMIT = 1 << 20  # bytes; an agent's status JSON has about one thousand


def configure(parser: argparse.ArgumentParser) -> None:
    """No options: everything comes on stdin."""


def run(options: argparse.Namespace, context: Context) -> int:
    return run_bare(context)


def run_bare(context: Context) -> int:
    if not os.path.isdir(context.home.root):
        return 0  # PAL was removed; a status bar is no reason to bring its folder back
    try:
        text = line(context.home, jsontext.loads(sys.stdin.buffer.read(INPUT_LIMIT)), context.now)
    except (OSError, ValueError):
        return 0
    if text:
        context.output.line(text)
    return 0


def line(home: Home, payload: object, now: float) -> str:
    """What the status bar shows for the client's JSON; empty when there is nothing to say."""
    from pal.memory import ratings, sessions

    if not isinstance(payload, dict):
        return ""
    session = sessions.get(home, str(payload.get("session_id") or "")) or {}
    parts = [str(session.get("name") or "") or _folder(payload)]
    trend = ratings.trend(home, now, settings.load(home).zone)
    if trend.get("count"):
        parts.append(f"ratings {trend.get('month')} {ARROWS.get(str(trend.get('trend')), '')}".rstrip())
    return " | ".join(part for part in parts if part)


def _folder(payload: dict[str, object]) -> str:
    cwd = payload.get("cwd")
    return os.path.basename(cwd.rstrip("/\\")) if isinstance(cwd, str) else ""
