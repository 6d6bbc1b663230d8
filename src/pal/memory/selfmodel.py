"""Reads what PAL has come to know of its user and its own one priority (`self-model/current.md`)."""

from __future__ import annotations

from pal.base import files, frontmatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home


def text(home: Home) -> str:
    """The current model without its header; empty when there is none."""
    return frontmatter.parse(files.read_text(home.self_model) or "")[1].strip()
