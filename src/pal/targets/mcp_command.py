"""The command that agents start PAL's MCP server with, the same in every agent's settings (cold)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base import process

if TYPE_CHECKING:
    from pal.base.home import Home

NAME = "pal"  # of the server, in the settings of every agent
# How a server of ours is recognised, from whichever home or Python; the second is how earlier versions started it.
SAYS = ("hook.py cli mcp", "pal.pyz mcp")


def words(home: Home, python: str) -> list[str]:
    """Program and arguments. The launcher starts the server from the tuned engine, several times sooner than the whole
    archive would, and falls back on the archive by itself."""
    return [*process.isolated(python, home.launcher), "cli", "mcp"]
