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
from pal.base.home import Home, system_path
from pal.install import engine, update
from pal.install.interpreter import Interpreter


class Registration:
    """One hook command of ours as it stands in an agent's settings."""

    __slots__ = ("command", "event", "place", "shell")

    def __init__(self, event: str, command: str, shell: str = "", place: str = "") -> None:
        self.event = event
        self.command = command
        self.shell = shell
        self.place = place  # the agent's own event, where it has several for one of PAL's

    @property
    def python(self) -> str:
        """The program the command starts; empty when the command is not written as ours are."""
        words = split(self.command)
        return system_path(words[0]) if words else ""

    @property
    def script(self) -> str:
        """The launcher or archive it runs."""
        return next((word for word in split(self.command)[1:] if word.endswith((".py", ".pyz"))), "")


class Remark:
    """What a target has to say of its agent beyond the changes it made: an id, whether somebody must act, and how."""

    __slots__ = ("fix", "id", "title")

    def __init__(self, id: str, title: str, fix: str = "") -> None:
        self.id = id
        self.title = title
        self.fix = fix  # with one it is a warning, without it a note


class Agent:
    """One agent as found: its program and folder, our registrations there, and what differs from the plan."""

    __slots__ = (
        "drift", "folder", "here", "installed", "name", "needs", "problem", "program", "proven", "registered",
        "remarks", "standing_down", "title", "version",
    )  # fmt: skip

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
        self.here: bool | None = None  # whether the client was found; None: by its program and folder
        self.proven = ""  # the version PAL's tests run; empty when no version was run
        self.needs: Sequence[tuple[str, str]] = ()  # (a version, what that PAL uses came with it)
        self.remarks: list[Remark] = []
        self.standing_down: list[str] = []  # titles of agents whose hooks the client runs too, and whose copy is silent

    @property
    def found(self) -> bool:
        return bool(self.program) or os.path.isdir(self.folder) if self.here is None else self.here

    def lacking(self) -> list[tuple[str, str]]:
        """(version, what it brings) for each the client is too old for; nothing when it tells no version."""
        have = numbers(self.version)
        return [(version, brings) for version, brings in self.needs if have and have < numbers(version)]

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
            "proven": self.proven,
            "lacking": [{"version": version, "brings": brings} for version, brings in self.lacking()],
            "remarks": [remark.title for remark in self.remarks],
            "standing_down": self.standing_down,
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


def numbers(version: str) -> tuple[int, ...]:
    """The first version in a program's own words, as numbers that compare: `2.1.332 (Claude Code)` is (2, 1, 332)."""
    for word in version.replace("v", " ").replace(",", " ").split():
        digits = word.partition("-")[0].partition("+")[0].split(".")
        if len(digits) > 1 and all(part.isascii() and part.isdigit() for part in digits):
            return tuple(int(part) for part in digits)
    return ()


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
