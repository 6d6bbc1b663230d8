"""Who works at which board, and when: what every function of Switchboard is handed first."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.switchboard.workspace import Workspace

WAIT = 5.0  # seconds a command or a tool waits for others to finish their writes
PERSON = "user"  # the human's name and mailbox


class Desk:
    """One caller at one board, for the length of one call."""

    __slots__ = ("home", "host", "name", "now", "private", "session", "wait", "workspace")

    def __init__(
        self,
        home: Home,
        workspace: Workspace,
        now: float,
        session: str = "",
        host: str = "",
        wait: float = WAIT,
        name: str = "",
        private: tuple[str, ...] = (),
    ) -> None:
        self.home = home
        self.workspace = workspace
        self.now = now
        self.session = session  # the host's id of the conversation; empty for a person
        self.host = host  # the agent or surface the call came through
        self.wait = wait
        self.name = name  # what the caller is called where no session tells
        self.private = private  # folders of agents' own memories, which no message may hand around

    @property
    def actor(self) -> str:
        """Who an event says it was: the host and its session, else the person."""
        return self.name or self.host or PERSON
