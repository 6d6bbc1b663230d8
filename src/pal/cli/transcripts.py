"""A session's conversation as its agent wrote it down, for whoever exports it: found by the session's row, read by the
agent's own reader."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal import targets
from pal.memory import sessions

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.cli.context import Context
    from pal.hooks.turn import Message

MOST = 100_000  # messages


def reader(context: Context, folder: str = "") -> Callable[[str, str], list[Message]]:
    """`read(session, agent)`: the messages, empty when nothing is known. An unknown session of an agent is taken to be
    the one that agent had last in this folder."""

    def read(session: str, agent: str) -> list[Message]:
        row = sessions.get(context.home, session) if session else None
        row = row or _last_here(context, agent, os.path.realpath(folder or os.getcwd()))
        path = str((row or {}).get("transcript") or "")
        name = str((row or {}).get("agent") or "")
        if not path or name not in targets.NAMES or not os.path.isfile(path):
            return []
        messages: list[Message] = targets.conversation(name, path, MOST)
        return messages

    return read


def _last_here(context: Context, agent: str, folder: str) -> dict[str, Any] | None:
    for row in sessions.recent(context.home, sessions.MOST_ROWS):
        here = os.path.realpath(str(row.get("cwd") or os.sep)) == folder
        if here and row.get("transcript") and agent in ("", row.get("agent")):
            return row
    return None
