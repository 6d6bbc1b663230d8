"""Runs a project's own check for a run and puts its outcome on record, with what the files were like right then."""

from __future__ import annotations

import os
import subprocess

from pal.base import clock, process, redaction, text
from pal.switchboard import active, runs, tree
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pal.switchboard.desk import Desk

WAIT = 1800.0  # seconds
TOO_LONG = 124  # the exit code that a shell gives for it


def perform(
    desk: Desk,
    words: Sequence[str],
    folder: str,
    env: Mapping[str, str],
    wait: float = WAIT,
    of: str = "",
    aside: bool = False,
) -> dict[str, Any]:
    """Run the command where it was asked for, its output on our own streams, with `aside` on the error stream alone:
    `{run, command, exit}`."""
    if not words:
        raise refused("E_EVIDENCE", "there is no command to run", "`pal sb wf check -- make test`")
    found = runs.current(desk, of)
    command = text.clip(redaction.scrub(" ".join(words)), 400)
    try:
        program = process.find_program(words[0], env) or words[0]
        stream = 2 if aside else None
        code = subprocess.run(
            [program, *words[1:]], cwd=folder, env=dict(env), timeout=wait, check=False, stdout=stream
        ).returncode
    except subprocess.TimeoutExpired:
        code = TOO_LONG
    except OSError as fault:
        raise refused(
            "E_EVIDENCE", f"{words[0]} cannot be run: {fault.strerror}", "name a program that is there"
        ) from None
    digest = tree.digest(tree.take(found.worktree or desk.workspace.root))
    active.note(desk.home, found.run_id, "check", "check", digest, command, code, clock.now())
    return {"run": found.run_id, "command": command, "exit": code, "folder": os.path.abspath(folder)}
