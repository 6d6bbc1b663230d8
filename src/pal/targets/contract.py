"""What every agent's `install` module answers: where the agent is, and what PAL changes there.

A target describes; `install.run` acts. Nothing here writes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from pal.base.home import Home
    from pal.base.settings import Settings
    from pal.install.changes import Plan
    from pal.install.status import Registration, Remark
else:
    Protocol = object  # a form for the type checker only; hooks load this package and pay for no `typing`


class Target(Protocol):
    """One agent's install side; a module with these names is one."""

    NAME: str
    TITLE: str
    PROVEN: str  # the version of the real program that PAL's tests run against; "" when only contract tests do
    NEEDS: tuple[tuple[str, str], ...]  # (a version, what that PAL uses came with it), lowest first

    def folder(self, env: Mapping[str, str]) -> str:
        """The agent's own folder: PAL's variable, else the agent's, else its default (absolute)."""

    def program(self, env: Mapping[str, str]) -> str:
        """The agent's program; empty when it is not found."""

    def plan(self, home: Home, env: Mapping[str, str], python: str, settings: Settings) -> Plan:
        """Every change to the agent's files, for hooks that `python` runs."""

    def mcp(self, home: Home, env: Mapping[str, str], python: str) -> Plan:
        """The further changes that register PAL's MCP server; made when `--mcp` asks, kept until uninstall."""

    def routes(self, home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        """Where its standing text and digests go, in the form `context.routes` reads: `blocks` and `digests`."""

    def registered(self, env: Mapping[str, str]) -> list[Registration]:
        """PAL's hook commands as they stand in the agent's settings; PalError when those cannot be read."""

    def remarks(self, home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
        """What else doctor should say of it while PAL is installed there: trust missing, a guard that is off."""
