"""How a hook's command is written: one table of agent, shell and form (cold).

On POSIX every agent hands the command to `sh` or a relative of it. On Windows the shells differ, and few agents let an
entry name one. A path that a shell cannot take safely is written by its short name, and refused where it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base import process
from pal.base.errors import PalError
from pal.install import launcher

if TYPE_CHECKING:
    from pal.base.home import Home

ANY, POWERSHELL = "any of its shells", "PowerShell"


class Form:
    """What is known of an agent's shell: the one on Windows, and whether an entry can name another."""

    __slots__ = ("names_shell", "windows")

    def __init__(self, windows: str, names_shell: bool = False) -> None:
        self.windows = windows
        self.names_shell = names_shell


TABLE = {
    "claude": Form(ANY, names_shell=True),  # Git Bash where there is one, else PowerShell; `shell` names one
    "codex": Form(ANY),  # `commandWindows`; which shell takes it was not seen
    "cursor": Form(POWERSHELL),
    "copilot": Form(POWERSHELL),  # an entry's own field for it
    "vscode": Form(ANY),  # `windows`; which shell takes it was not seen
    "antigravity": Form(ANY),
    "gemini": Form(POWERSHELL),
}


def fields(agent: str, python: str, home: Home, words: list[str], windows: bool = process.WINDOWS) -> dict[str, str]:
    """`command`, and `shell` where the entry of this agent may and must name one. PalError for a path that the shell it
    will meet cannot take."""
    form = TABLE[agent]
    written = launcher.command(python, home, words, windows)
    shell = written.get("shell", "")
    if not shell or form.names_shell:
        return written
    if form.windows == POWERSHELL:
        return {"command": written["command"]}
    raise PalError(
        f"{python} or {home.root} cannot be written so that {form.windows} takes it, and it has no short name; "
        "name a Python or a home without spaces and signs in PAL_PYTHON or PAL_HOME"
    )


def line(agent: str, python: str, home: Home, words: list[str], windows: bool = process.WINDOWS) -> str:
    """The command alone, for an agent whose entry names no shell."""
    return fields(agent, python, home, words, windows)["command"]
