"""How PAL's MCP server is entered where an agent keeps its servers as JSON; made only when it is asked for (cold).

Agents with a form of their own (a list for `command`, TOML) take the words from `mcp_command`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pal.base import files
from pal.base.errors import PalError
from pal.install import jsonscan, tomltree
from pal.install.changes import Change, JsonMember, Match, TomlTable
from pal.targets import mcp_command

if TYPE_CHECKING:
    from pal.base.home import Home

SERVERS = "mcpServers"  # what most agents call the object of servers
OURS = Match(mcp_command.SAYS, ("command", "args"))


def member(
    path: str, home: Home, python: str, servers: str = SERVERS, first: dict[str, Any] | None = None
) -> JsonMember:
    """The change that enters the server: `first` are the members this agent wants before `command` and `args`.

    A server that somebody else called by our name is left alone."""
    program, *args = mcp_command.words(home, python)
    value = {**(first or {}), "command": program, "args": args}
    return JsonMember(path, (servers, mcp_command.NAME), value, match=OURS)


def standing(change: Change) -> list[str]:
    """The command of ours that stands where this change puts one, as the agent would start it; empty when none does."""
    if not isinstance(change, (JsonMember, TomlTable)) or change.match is None:
        return []
    try:
        text = files.read_text(change.path) or ""
        root = tomltree.scan(text).root if isinstance(change, TomlTable) else jsonscan.scan(text).root
    except (PalError, OSError, ValueError):
        return []  # whoever looks at the agent says that its file cannot be read
    value = root.value if root else None
    for key in change.keys:
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, dict) or not change.match.fits(value):
        return []
    parts = [value.get(field) or [] for field in change.match.fields]
    return [word for part in parts for word in (part if isinstance(part, list) else [part])]
