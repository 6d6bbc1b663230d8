"""Starts the child that works on jobs: it outlives whoever asked for it, holds no stream of theirs, and is patient."""

from __future__ import annotations

from pal.base import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home


def child(home: Home, python: str, job: str, env: Mapping[str, str]) -> int:
    """Start a child for the job of this id; its pid, 0 when it did not start."""
    return process.detached([*process.isolated(python, home.launcher), "job", job], env, home.root, polite=True)
