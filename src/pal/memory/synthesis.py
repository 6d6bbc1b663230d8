"""Reads the periodic reports on what patterns were seen (`synthesis/YYYY-MM/YYYY-MM-DD_<period>.md`)."""

from __future__ import annotations

import os

from pal.base import files, frontmatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home


def latest(home: Home) -> str:
    """The newest report without its header; empty when there is none."""
    for month in _names(home.synthesis):
        for name in _names(os.path.join(home.synthesis, month)):
            if name.endswith(".md"):
                return frontmatter.parse(files.read_text(os.path.join(home.synthesis, month, name)) or "")[1].strip()
    return ""


def _names(folder: str) -> list[str]:
    """The newest name first: they begin with their date."""
    try:
        return sorted((name for name in os.listdir(folder) if name[0] != "."), reverse=True)
    except OSError:
        return []
