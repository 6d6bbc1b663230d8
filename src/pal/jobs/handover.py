"""What one event leaves for later: gathered while the hook works; at the end it is kept, and one child is started.

The child goes on with whatever waits, so a second one would only take time from the agent that waits for the hook."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.base.home import Home


class Handover:
    """The jobs of one hook run."""

    __slots__ = ("_asked", "_home", "_now", "_revived", "_rounds")

    def __init__(self, home: Home, now: float) -> None:
        self._home = home
        self._now = now
        self._rounds: set[str] = set()
        self._asked: list[tuple[str, dict[str, Any], bool, str]] = []
        self._revived: list[str] = []

    def later(self, name: str, payload: dict[str, Any] | None = None) -> None:
        """Ask for a job. One without a payload is a round of upkeep: done once, however often it is asked for. One
        whose payload names a `session` is left out while that session's last one still waits."""
        if payload is not None:
            self._asked.append((name, payload, False, str(payload.get("session") or "")))
        elif name not in self._rounds:
            self._rounds.add(name)
            self._asked.append((name, {}, True, ""))

    def revive(self) -> None:
        """Offer again what has lost its process."""
        import os

        if not os.path.isdir(self._home.jobs) or not any(name[0] != "." for name in os.listdir(self._home.jobs)):
            return
        from pal.jobs import queue

        self._revived += queue.orphans(self._home, self._now)

    def start(self, spawn: Callable[[str], int]) -> None:
        """Keep what was asked for and start the child with `spawn(id)`, which gives its pid or 0; OSError when the jobs
        cannot be kept. Nothing when there is nothing to do."""
        if not self._asked and not self._revived:
            return
        from pal.jobs import queue  # most events leave nothing to do

        ready = self._revived + (queue.keep_all(self._home, self._asked, self._now) if self._asked else [])
        if ready and not spawn(ready[0]):
            from pal.base import log

            log.error(self._home, "jobs", f"no process could be started for {ready[0]}; it is offered again later")
