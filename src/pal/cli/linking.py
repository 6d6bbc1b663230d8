"""Gives agents the skills and subagents as the home has them now: an install where PAL is already, told short."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal import targets
from pal.cli import agents, install

if TYPE_CHECKING:
    from pal.cli.context import Context


def link(context: Context, name: str, as_json: bool) -> int:
    """Install again for these agents; says what became of the skill or subagent of this name, or of all of them."""
    names = [each for each in agents.installed(context.home) if each in targets.NAMES]
    if not names:
        if as_json:
            context.output.json({"agents": [], "changed": [], "notes": []})
        else:
            context.output.line("PAL is in no agent yet; `pal install` brings it there, with every skill.")
        return 0
    done = install.perform(context, names)
    changed = [(path, what) for path, what in done.outside if _about(path, name)]
    notes = [note for note in done.notes if _about(note.partition(": ")[0], name)]
    if as_json:
        rows = [{"path": path, "what": what} for path, what in changed]
        context.output.json({"agents": done.agents, "changed": rows, "notes": notes})
        return 1 if done.refused else 0
    for path, what in changed:
        context.output.line(f"{what:<7}  {path}")
    for note in notes:
        context.output.line(f"note: {note}")
    if not changed:
        context.output.line(f"Nothing to change for {', '.join(done.titles)}.")
    for refusal in done.refused:
        context.output.error(refusal)
    return 1 if done.refused else 0


def _about(path: str, name: str) -> bool:
    parts = path.replace(os.sep, "/").split("/")
    return not name or name in parts or any(part.partition(".")[0] == name for part in parts)
