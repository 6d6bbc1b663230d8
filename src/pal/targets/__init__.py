"""The agents PAL knows: one package each, listed here and nowhere else.

The hot path takes a package's `turn`, the installer its `install` (which answers `contract.Target`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.targets.contract import Target

TARGETS = {
    "claude": "pal.targets.claude",
}
NAMES = tuple(TARGETS)


def facts(name: str) -> Any:
    """The data of one agent of the table."""
    return __import__(TARGETS[name] + ".facts", fromlist=("NAME",))


def turn(name: str) -> Any:
    """The module that parses and renders the turns of one agent of the table."""
    return __import__(TARGETS[name] + ".turn", fromlist=("parse",))


def installer(name: str) -> Target:
    """The install side of one agent of the table."""
    target: Target = __import__(TARGETS[name] + ".install", fromlist=("plan",))
    return target
