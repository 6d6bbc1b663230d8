"""Which client really runs a hook: some also run what is registered for another, and every event shall run PAL once.

Cursor and VS Code run what stands in Claude Code's settings; VS Code and Copilot CLI read one folder of hooks. Loaded
only where a payload or a variable shows that another client may be at work."""

from __future__ import annotations

import os

from pal.base import bare
from pal.base import home as homes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NOBODY = ("", "")
# Client -> the agents whose registrations it runs beside its own.
ALSO_RUN = {"cursor": ("claude",), "vscode": ("claude", "copilot"), "copilot": ("vscode",)}


def sides(agent: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> tuple[str, str]:
    """(whose turn it is, in whose form the answer goes), or NOBODY where that client runs a registration of its own."""
    if agent == "claude" and _in_cursor(payload, env):
        from pal.targets.cursor import facts as cursor

        # Without one Cursor still takes the answers that it promises to understand from Claude Code's hooks.
        return NOBODY if _registered(cursor, (cursor.HOOKS,), env) else (cursor.NAME, agent)
    if agent in ("claude", "copilot") and "hookEventName" in payload:
        from pal.targets.vscode import facts as vscode

        if _registered(vscode, vscode.HOOKS, env):
            return NOBODY
        if agent == "copilot":
            from pal.targets.claude import facts as claude

            if _registered(claude, (claude.SETTINGS,), env):
                return NOBODY  # that one runs there too, and one of the two shall answer
        return vscode.NAME, vscode.NAME
    if agent == "vscode" and "hookEventName" not in payload and "COPILOT_CLI" in env:
        return NOBODY
    return agent, agent


def _in_cursor(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Whether Cursor started this. Its variables reach a Claude Code in its terminal as well, which says so."""
    if "cursor_version" in payload or "conversation_id" in payload:
        return True
    if not ("CURSOR_VERSION" in env or "CURSOR_AGENT" in env):
        return False
    named = env.get("CLAUDE_CODE_SESSION_ID", "")
    return named != payload.get("session_id") if named else "CLAUDECODE" not in env


def _registered(facts: Any, names: tuple[str, ...], env: Mapping[str, str]) -> bool:
    """Whether a hook of ours for this agent stands in its file; False when that cannot be read."""
    named = next((env[name] for name in facts.FOLDER_VARIABLES if env.get(name)), "")
    folder = os.path.expanduser(named) if named else os.path.join(homes.user_folder(env), facts.FOLDER)
    try:
        data = bare.read_bytes(os.path.join(folder, *names)) or b""
    except OSError:
        return False
    return f"--agent={facts.NAME}".encode() in data
