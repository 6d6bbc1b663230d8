"""What every verb is handed: the home it works on, the environment, the clock and the streams."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.cli.output import Output


class Context:
    """One command's surroundings; tests build it with a home of their own and a fixed clock."""

    __slots__ = ("env", "home", "now", "output")

    def __init__(self, home: Home, env: Mapping[str, str], now: float, output: Output) -> None:
        self.home = home
        self.env = env
        self.now = now
        self.output = output

    @property
    def zone(self) -> str:
        """The user's time zone, in which days are named."""
        from pal.base import settings

        return settings.load(self.home).zone

    @property
    def author(self) -> dict[str, str]:
        """Who a record written by a typed command belongs to: the session around it when an agent runs it."""
        from pal import targets

        for name in targets.NAMES:
            session = self.env.get(targets.facts(name).SESSION_VARIABLE)
            if session:
                return {"session": session, "agent": name}
        return {"session": "", "agent": self.env.get("PAL_AGENT", "")}
