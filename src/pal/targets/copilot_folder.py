"""What Copilot CLI and VS Code both read below `~/.copilot`: standing text and digests, one change for both (cold)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pal.context import tier1
from pal.install.changes import Block

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

INSTRUCTIONS = "instructions"
SUFFIX = ".instructions.md"
HEADER = '---\napplyTo: "**"\n---\n\n'  # always on; Copilot CLI needs none, and lists the file by name for any other


def standing(folder: str, home: Home, env: Mapping[str, str], settings: Settings) -> Block:
    """Tier 1 as a file of its own, for whoever loads the folder."""
    return Block(_standing(folder), tier1.render(home, settings, imports=False, env=env), header=HEADER)


def routes(folder: str, owner: str) -> dict[str, list[dict[str, Any]]]:
    """Where tiers 1 and 2 go in this folder, in the form `context.routes` reads."""
    here = os.path.join(folder, INSTRUCTIONS)
    digests = {"folder": here, "prefix": "pal-", "suffix": SUFFIX, "header": HEADER, "owner": owner}
    return {"blocks": [{"path": _standing(folder), "owner": owner, "imports": False}], "digests": [digests]}


def _standing(folder: str) -> str:
    return os.path.join(folder, INSTRUCTIONS, "pal" + SUFFIX)
