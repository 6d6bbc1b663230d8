"""The agent card: how other agents learn what PAL can do, and under which terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pal import __version__
from pal.external.a2a.wire import TAKEN, VERSION
from pal.external.tools import Tool

PATH = "/.well-known/agent-card.json"
_TIERS = "Writes to memory need a token for the tier trusted; without one they wait for review (external)."


def card(url: str, tools: Sequence[Tool]) -> dict[str, Any]:
    """The card of a server at this address; its skills mirror the list of MCP tools."""
    return {
        "name": "PAL",
        "description": "The memory and the skills that a user's coding agents share.",
        "version": __version__,
        "supportedInterfaces": [{"url": f"{url}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": VERSION}],
        "capabilities": {
            "streaming": True,
            "pushNotifications": False,
            "extendedAgentCard": False,
            "extensions": [
                {
                    "uri": "urn:pal:memory-acl:v1",
                    "description": _TIERS,
                    "required": False,
                    "params": {"tiers": ["trusted", "external", "readonly"]},
                },
                {
                    "uri": "urn:pal:events:v1",
                    "description": "Every call is an event at its start and one at its end; values are never in them.",
                    "required": False,
                },
            ],
        },
        "defaultInputModes": list(TAKEN),
        "defaultOutputModes": list(TAKEN),
        "skills": [
            {"id": tool.name, "name": tool.title, "description": tool.description, "tags": [tool.name.split("/")[0]]}
            for tool in tools
        ],
        "securitySchemes": {"memory-acl": {"httpAuthSecurityScheme": {"scheme": "Bearer", "description": _TIERS}}},
    }
