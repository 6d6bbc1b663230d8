"""What stands on this machine: PAL's home, the interpreter and engine hooks use, and each agent's registration (cold).

`pal status` prints these facts; doctor judges them. An agent's own side comes in as an `Agent`, made by whoever
knows the targets.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from pal import __version__
from pal.base import files
from pal.base.home import Home
from pal.install import engine, update
from pal.install.interpreter import Interpreter


class Registration:
    """One hook command of ours as it stands in an agent's settings."""

    __slots__ = ("command", "event", "shell")

    def __init__(self, event: str, command: str, shell: str = "") -> None:
        self.event = event
        self.command = command
        self.shell = shell

    @property
    def python(self) -> str:
        """The program the command starts; empty when the command is not written as ours are."""
        words = split(self.command)
        return words[0] if words else ""

    @property
    def script(self) -> str:
        """The launcher or archive it runs."""
        return next((word for word in split(self.command)[1:] if word.endswith((".py", ".pyz"))), "")


class Agent:
    """One agent as found: its program and folder, our registrations there, and what differs from the plan."""

    __slots__ = ("drift", "folder", "installed", "name", "problem", "program", "registered", "title", "version")

    def __init__(
        self,
        name: str,
        title: str,
        folder: str,
        program: str = "",
        version: str = "",
        installed: bool = False,
        registered: Sequence[Registration] = (),
        drift: Sequence[str] = (),
        problem: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.folder = folder
        self.program = program
        self.version = version
        self.installed = installed
        self.registered = list(registered)
        self.drift = list(drift)
        self.problem = problem

    @property
    def found(self) -> bool:
        return bool(self.program) or os.path.isdir(self.folder)

    def facts(self) -> dict[str, object]:
        return {
            "name": self.name,
            "title": self.title,
            "found": self.found,
            "program": self.program,
            "version": self.version,
            "folder": self.folder,
            "registered": bool(self.registered),
            "installed": self.installed,
            "drifted": self.drift,
            "problem": self.problem,
        }


class Engine:
    """The tuned archive the launcher names, and whether hooks can run from it."""

    __slots__ = ("name", "path", "problem", "tag")

    def __init__(self, home: Home) -> None:
        self.name, self.tag, self.path, self.problem = "", "", "", ""
        try:
            launcher = files.read_text(home.launcher)
        except OSError as fault:
            launcher, self.problem = None, f"{home.launcher} cannot be read: {fault.strerror}"
        if launcher is None:
            self.problem = self.problem or f"the launcher {home.launcher} is gone"
            return
        self.name = engine.current(home)
        self.tag = _between(launcher, 'cache_tag == "', '"')
        if not self.name:
            self.problem = f"the launcher {home.launcher} was changed and names no engine"
            return
        self.path = os.path.join(home.engine, self.name)
        try:
            data = files.read_bytes(self.path)
        except OSError as fault:
            self.problem = f"the engine {self.path} cannot be read: {fault.strerror}"
            return
        if data is None:
            self.problem = f"the engine {self.path} is gone"
        elif hashlib.sha256(data).hexdigest()[:12] != self.name.partition(".")[0]:
            self.problem = f"the engine {self.path} is damaged"


def facts(
    home: Home, interpreter: Interpreter | None, agents: Sequence[Agent], counts: Mapping[str, int]
) -> dict[str, Any]:
    """Everything `pal status --json` prints."""
    standing = Engine(home)
    installed = update.installed(home)
    return {
        "version": __version__,
        "home": home.root,
        "installed": installed.facts() if installed else None,
        "interpreter": {"path": interpreter.path, "version": interpreter.version} if interpreter else None,
        "engine": {"name": standing.name, "tag": standing.tag, "problem": standing.problem},
        "agents": [agent.facts() for agent in agents],
        "counts": dict(counts),
    }


def split(command: str) -> list[str]:
    """The words of a hook command up to its first `;`, quotes taken off, as either shell would read them."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    if "\\" in command and "'" not in command:
        lexer.escape = ""  # Windows' paths
    try:
        words = list(lexer)
    except ValueError:
        return []
    words = [word for word in words if word not in ("&", ".", "exec")]
    return words[: words.index(";")] if ";" in words else words


def _between(text: str, before: str, after: str) -> str:
    found = text.partition(before)[2]
    return found.partition(after)[0] if after in found else ""
