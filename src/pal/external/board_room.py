"""One server's view of boards: which project it was started for, on whose behalf, and how a transcript is read. Light,
since every server has one and most have no board."""

from __future__ import annotations

import os

from pal.switchboard import workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from pal.base.home import Home
    from pal.external.tools import Call
    from pal.switchboard.desk import Desk

    Message = tuple[str, str, str]
    Caller = tuple[str, str, tuple[str, ...]]


def _nobody() -> Caller:
    return "", "", ()


def _nothing(session: str, host: str) -> Sequence[Message]:
    return []


class Room:
    """Where the tools of a board find it. `caller` gives the session and the agent that started the server, and the
    folders that no message may name; `transcript` a session's messages. Both are asked when they are needed."""

    __slots__ = ("_caller", "cwd", "env", "home", "known", "root", "transcript")

    def __init__(
        self,
        home: Home,
        env: Mapping[str, str],
        cwd: str,
        root: str = "",
        caller: Callable[[], Caller] = _nobody,
        transcript: Callable[[str, str], Sequence[Message]] = _nothing,
    ) -> None:
        self.home = home
        self.env = env
        self.cwd = cwd
        self.root = root
        self.transcript = transcript
        self._caller = caller
        self.known: Caller | None = None

    def standing(self) -> bool:
        """Whether there is a board to offer tools for."""
        return workspace.find(self.env, self.cwd, self.root) is not None

    def desk(self, arguments: Mapping[str, Any], call: Call) -> Desk:
        """Who asks, at the board that the arguments name or the server stands at."""
        from pal.base import clock
        from pal.memory.acl import tiers
        from pal.switchboard.desk import Desk

        if self.known is None:
            session, host, private = self._caller()
            # A server process without a session of its client stands for one conversation itself.
            self.known = session or f"mcp_{os.getpid()}_{os.urandom(4).hex()}", host, private
        session, host, private = self.known
        now = clock.now()
        found = workspace.need(self.home, self.env, self.cwd, arguments.get("workspace") or self.root, now)
        host = host or (tiers.clean(call.agent) if call.agent else "")
        return Desk(self.home, found, now, call.session or session, host, private=private)
