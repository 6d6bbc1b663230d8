"""Reads the memory that Claude Code keeps of each project: `projects/<project>/memory/*.md` in its folder (cold).

A fact a file, with a header of name, description and type; MEMORY.md lists them. Nothing is ever written there."""

from __future__ import annotations

import os

from pal.base.errors import PalError
from pal.memory.importing import pages
from pal.targets.claude import facts, install

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pal.memory.importing.items import Memory

FORM = "claude-code"
ABOUT = "the memory folders of Claude Code's projects (Markdown)"


def place(env: Mapping[str, str]) -> str:
    """The folder of all its projects."""
    return os.path.join(install.folder(env), "projects")


def read(path: str) -> Iterator[Memory]:
    """Every fact below a folder of projects, of one project, or in one memory folder."""
    if not os.path.isdir(path):
        raise PalError(f"there is no folder {path}")
    found = False
    for folder, folders, _ in os.walk(path):
        folders.sort()
        if os.path.basename(folder) == "memory":
            folders.clear()
            found = True
            yield from pages.fact_files(folder, os.path.basename(os.path.dirname(folder)).strip("-"), facts.NAME)
    if not found:
        yield from pages.fact_files(path, "", facts.NAME)
