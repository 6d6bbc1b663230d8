"""Looks at a newer `pal.pyz` before anything of it runs, and lets it install itself in a process of its own (cold).

Code of the old version must not lay out files of the new one, so `hand_over` starts the new archive. No network.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Mapping, Sequence

from pal.base.errors import PalError
from pal.base.home import Home

PACKAGE = "pal/__init__.py"
MAIN = "__main__.py"


class Archive:
    """A whole archive of PAL: where it is, its version, the SHA-256 of its bytes."""

    __slots__ = ("path", "sha256", "version")

    def __init__(self, path: str, version: str, sha256: str) -> None:
        self.path = path
        self.version = version
        self.sha256 = sha256

    def facts(self) -> dict[str, str]:
        return {"path": self.path, "version": self.version, "sha256": self.sha256}


def inspect(path: str) -> Archive:
    """Read an archive without running it; PalError when it is not a whole one of PAL."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        with zipfile.ZipFile(io.BytesIO(data)) as contents:
            broken = contents.testzip()
            names = set(contents.namelist())
            package = contents.read(PACKAGE).decode("utf-8") if PACKAGE in names else ""
    except FileNotFoundError:
        raise PalError(f"there is no file {path}") from None
    except OSError as fault:
        raise PalError(f"{path} cannot be read: {fault.strerror or fault}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise PalError(f"{path} is not a whole archive; get a new copy of it") from None
    if broken:
        raise PalError(f"{path} is damaged at {broken}; get a new copy of it")
    version = _version(package)
    if MAIN not in names or not version:
        raise PalError(f"{path} is an archive, but not one of PAL")
    return Archive(os.path.abspath(path), version, hashlib.sha256(data).hexdigest())


def installed(home: Home) -> Archive | None:
    """The archive now in the home; None when there is none that can be read."""
    try:
        return inspect(home.archive)
    except PalError:
        return None


def hand_over(new: Archive, agents: Sequence[str], home: Home, env: Mapping[str, str], quiet: bool = False) -> int:
    """Let the new archive install itself for these agents; its exit code. Unless quiet, its words go to our stdout."""
    command = [sys.executable, "-X", "utf8", new.path, "install", *(f"--{agent}" for agent in agents)]
    stdout = subprocess.DEVNULL if quiet else None
    return subprocess.run(command, env={**env, "PAL_HOME": home.root}, stdout=stdout, check=False).returncode


def _version(source: str) -> str:
    """The text given to `__version__` in a module, read without running it."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return ""
    for statement in body:
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
            and [target.id for target in statement.targets if isinstance(target, ast.Name)] == ["__version__"]
        ):
            return statement.value.value
    return ""
