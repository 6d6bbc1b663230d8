"""What stands on disk after a client's turn: read once the processes that the client left behind have written it."""

from __future__ import annotations

import time
from pathlib import Path


def state(machine) -> Path:
    """The folder of PAL's state on this machine."""
    return machine.home / ".pal" / "memory" / "state"


def wait_for(path: Path, says: str = "", within: float = 30.0) -> str:
    """The text of a file once it says this."""
    deadline = time.monotonic() + within
    while True:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text and says in text:
            return text
        assert time.monotonic() < deadline, f"{path} does not say {says!r}: {text}"
        time.sleep(0.05)


def errors(machine) -> list[str]:
    """What hooks and jobs logged as errors; on a busy machine a hook may also say that it took long."""
    log = state(machine) / "debug.log"
    rows = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [row for row in rows if "] ERROR " in row]
