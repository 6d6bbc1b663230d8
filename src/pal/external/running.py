"""A server from its first to its last moment: where others find it, and how it ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

from pal.base import files, jsontext, process
from pal.base.home import Home
from pal.external.loopback import Server


def _record(home: Home, name: str) -> str:
    return os.path.join(home.servers, name + ".json")


def found(home: Home, name: str) -> dict[str, object]:
    """pid, port and url of the server of this name that runs; empty when none does."""
    try:
        record = jsontext.loads(files.read_text(_record(home, name)) or "{}")
        alive = isinstance(record, dict) and process.alive(int(record.get("pid") or 0))
    except (ValueError, TypeError):
        return {}
    return dict(record) if alive else {}


def serve(home: Home, name: str, server: Server, ready: Callable[[], object], ended: Callable[[], object]) -> None:
    """Serve until a signal or Ctrl-C; others find the server through a file while it runs."""

    def stop(*_: object) -> None:
        ended()
        threading.Thread(target=server.shutdown, daemon=True).start()  # waits for the loop below, so not here

    for number in {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGBREAK", signal.SIGTERM)}:
        signal.signal(number, stop)
    path = _record(home, name)
    files.make_folder(home.servers)
    record = {"pid": os.getpid(), "port": server.port, "url": server.url}
    files.write(path, jsontext.dumps(record) + "\n")
    try:
        ready()
        server.serve_forever(poll_interval=0.2)
    finally:
        ended()
        server.server_close()
        if (files.read_text(path) or "").strip() == jsontext.dumps(record):
            files.remove(path)
