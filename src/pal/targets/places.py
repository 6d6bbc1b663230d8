"""Where agents keep their files and programs: what every target's `install` asks in the same way (cold)."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from pal.base import home as homes
from pal.base import process

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VERSION_PATIENCE = 5.0  # seconds for an agent to say its version
AGENTS_VARIABLE = "PAL_AGENTS_DIR"
AGENTS_FOLDER = ".agents"  # below the user's folder; several agents read skills there


def folder_of(env: Mapping[str, str], variables: Sequence[str], *default: str) -> str:
    """The folder that the first of these variables names that is set, else the default below the user's (absolute)."""
    for variable in variables:
        if env.get(variable):
            return os.path.abspath(os.path.expanduser(env[variable]))
    return os.path.join(homes.user_folder(env), *default)


def program_of(env: Mapping[str, str], programs: Sequence[str], places: Sequence[str] = ()) -> str:
    """The first of these programs on PATH, else in one of these places below the user's folder; "" without one."""
    for name in programs:
        found = process.find_program(name, env)
        if found:
            return found
    for place in places:
        path = os.path.join(homes.user_folder(env), *place.split("/"))
        if os.path.isfile(path):
            return path
    return ""


def agents_folder(env: Mapping[str, str]) -> str:
    """The folder that agents of several makers share."""
    return folder_of(env, (AGENTS_VARIABLE,), AGENTS_FOLDER)


def version_of(program: str, env: Mapping[str, str]) -> str:
    """The first line in which a program says its version; "" when it says none in time."""
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=dict(env),
            timeout=VERSION_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.decode("utf-8", "replace").split("\n")
    return lines[0].strip() if done.returncode == 0 else ""
