"""One server of events for a home, begun by a session's start where a variable asks for it; nobody waits for it.

Where it is found is a file that the server itself writes. When the port belongs to another program the new process
says so in the log and ends, and `pal doctor` tells the user."""

from __future__ import annotations

import os
import sys

from pal.base import files, jsontext, process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pal.base.home import Home

NAME = "events"  # of the server's file


def ensure(home: Home, env: Mapping[str, str], start: Callable[..., int] = process.detached) -> int:
    """Start the server unless it runs; the new process, 0 when there is none."""
    if _runs(home):
        return 0
    argv = [*process.isolated(sys.executable, home.launcher), "cli", "events", "serve", "--until-upgrade"]
    return start(argv, {**env, "PAL_HOME": home.root}, home.root)


def _runs(home: Home) -> bool:
    try:
        record = jsontext.loads(files.read_text(os.path.join(home.servers, NAME + ".json")) or "{}")
        return process.alive(int(record["pid"])) and _listens(int(record["port"]))
    except (OSError, ValueError, TypeError, KeyError):
        return False


def _listens(port: int) -> bool:
    """Whether anybody does: the number of a process that ended may be another's by now."""
    import _socket  # `socket` loads ten times as much

    asked = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        asked.settimeout(0.2)
        return bool(asked.connect_ex(("127.0.0.1", port)) == 0)
    finally:
        asked.close()
