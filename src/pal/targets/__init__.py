"""The agents PAL knows: one package each, listed here and nowhere else.

The hot path takes a package's `turn`, the installer its `install` (which answers `contract.Target`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.targets.contract import Target

TARGETS = {
    "claude": "pal.targets.claude",
    "opencode": "pal.targets.opencode",
    "cursor": "pal.targets.cursor",
    "copilot": "pal.targets.copilot",
    "vscode": "pal.targets.vscode",
    "codex": "pal.targets.codex",
    "antigravity": "pal.targets.antigravity",
    "gemini": "pal.targets.gemini",
}
NAMES = tuple(TARGETS)
CALLS = ("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "call_id", "callId", "callID")
MARKS = frozenset(("CURSOR_VERSION", "CURSOR_AGENT", "COPILOT_CLI"))  # variables of clients that run others' hooks


def facts(name: str) -> Any:
    """The data of one agent of the table."""
    return __import__(TARGETS[name] + ".facts", fromlist=("NAME",))


def turn(name: str) -> Any:
    """The module that parses and renders the turns of one agent of the table."""
    return __import__(TARGETS[name] + ".turn", fromlist=("parse",))


def call_of(payload: Mapping[str, Any]) -> str:
    """The id that an agent gives a tool call, whatever it calls it; empty when it gives none."""
    return next((str(payload[name]) for name in CALLS if payload.get(name)), "")


def took(payload: Mapping[str, Any]) -> float | None:
    """The milliseconds that a tool call took, where the agent tells."""
    told = payload.get("duration_ms", payload.get("duration"))
    return float(told) if isinstance(told, (int, float)) and not isinstance(told, bool) and 0 <= told < 1e9 else None


def conversation(name: str, path: str, most: int) -> Any:
    """The last messages of a transcript of one agent of the table, at most so many, oldest first (cold). None for an
    agent that keeps no such file."""
    reader = __import__(TARGETS[name] + ".transcript", fromlist=("recent",))
    return reader.recent(path, most) if hasattr(reader, "recent") else []


def sides(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> tuple[str, str]:
    """(whose turn a hook registered for this agent is, in whose form it is answered); see `shadow`."""
    if "hookEventName" in payload or "cursor_version" in payload or not MARKS.isdisjoint(env):
        from pal.targets import shadow

        return shadow.sides(name, payload, env)
    return name, name


def installer(name: str) -> Target:
    """The install side of one agent of the table."""
    target: Target = __import__(TARGETS[name] + ".install", fromlist=("plan",))
    return target
