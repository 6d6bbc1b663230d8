"""Starts the tool of a skill for `pal skill run`: by argv, in the folder and with the streams of the caller (cold)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from pal.base.errors import PalError
from pal.base.home import Home
from pal.skills.catalog import TOOLS, Skill

# Isolated: nothing of the folder the caller stands in, and nothing of PAL's, is found by the tool's imports.
FLAGS = ("-I", "-X", "utf8")


def command(skill: Skill, words: Sequence[str]) -> list[str]:
    """The argv for `[TOOL] [ARGS…]`; the tool may be left out when the skill has one."""
    if not skill.tools:
        raise PalError(f"the skill {skill.name} has no tools; follow its text (`pal skill show {skill.name}`)")
    rest = list(words)
    if rest and _plain(rest[0]) in skill.tools:
        tool = _plain(rest.pop(0))
    elif len(skill.tools) == 1:
        tool = skill.tools[0]
    else:
        known = ", ".join(skill.tools)
        raise PalError(f"say which tool of {skill.name}: {known}" + (f"; not {rest[0]!r}" if rest else ""))
    return [sys.executable, *FLAGS, os.path.join(skill.folder, TOOLS, tool + ".py"), *rest]


def run(skill: Skill, words: Sequence[str], home: Home, env: Mapping[str, str]) -> int:
    """Run the tool to its end and return its exit status; 130 when the person stopped it."""
    argv = command(skill, words)
    environment = {**env, "PAL_HOME": home.root, "PAL_SKILL": skill.folder}
    try:
        status = subprocess.run(argv, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 130
    except OSError as fault:
        raise PalError(f"the tool of {skill.name} could not be started: {fault.strerror or fault}") from None
    return status if status >= 0 else 128 - status


def _plain(word: str) -> str:
    """A tool's name with or without its ending; never a path."""
    return word[: -len(".py")] if word.endswith(".py") else word
