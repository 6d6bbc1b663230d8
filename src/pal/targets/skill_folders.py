"""Which agent reads which folder of skills, so that each client lists a skill of PAL's once (cold).

The rule: `~/.agents/skills` for every agent that reads it, Claude Code's folder for Claude Code alone, a plugin's own
folder inside the plugin. Who reads several of these lists a name once, or doctor says that it may be listed twice."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal import targets
from pal.install.status import Remark
from pal.targets import places, trees

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home

SHARED, OWN = "shared", "own"


class Row:
    """One agent: the folder PAL fills for it, what it reads besides its own (agents whose folder it also reads, or
    SHARED), whether it lists a name once all the same, and how that is known."""

    __slots__ = ("also", "filled", "known", "merges")

    def __init__(self, filled: str, also: tuple[str, ...], merges: bool, known: str) -> None:
        self.filled = filled
        self.also = also
        self.merges = merges
        self.known = known


TABLE = {
    "claude": Row(OWN, (), False, "seen"),
    "codex": Row(SHARED, (SHARED,), False, "seen"),
    "copilot": Row(SHARED, (SHARED,), False, "seen"),
    "gemini": Row(SHARED, (SHARED,), False, "seen"),
    "opencode": Row(SHARED, (SHARED, "claude"), True, "seen"),
    "vscode": Row(SHARED, (SHARED, "claude", "copilot"), True, "its source: a duplicate name is skipped"),
    # Others' folders are read while its setting to include their things is on; whether it then merges is not known.
    "cursor": Row(SHARED, (SHARED, "claude", "codex"), False, "its documentation"),
    "antigravity": Row(OWN, (), False, "a plugin's own folder"),
}


def folder(agent: str, env: Mapping[str, str]) -> str:
    """The agent's own folder of skills; where VS Code has none, the one that it shares with Copilot CLI."""
    facts, own = targets.facts(agent), targets.installer(agent).folder(env)
    if agent == "vscode":
        own = places.folder_of(env, facts.FOLDER_VARIABLES, facts.FOLDER)
    elif agent == "antigravity":
        own = os.path.join(places.folder_of(env, facts.FOLDER_VARIABLES, facts.FOLDER), *facts.PLUGIN)
    elif agent == "gemini":
        own = os.path.dirname(own)  # skills stand beside its extensions
    return os.path.join(own, trees.SKILLS)


def read_by(agent: str, env: Mapping[str, str]) -> list[str]:
    """Every folder of skills below the user's that this agent lists."""
    shared = os.path.join(places.agents_folder(env), trees.SKILLS)
    also = [shared if name == SHARED else folder(name, env) for name in TABLE[agent].also]
    return list(dict.fromkeys([folder(agent, env), *also]))


def filled_for(agent: str, env: Mapping[str, str]) -> str:
    """The folder that PAL fills so that this agent has its skills."""
    return folder(agent, env) if TABLE[agent].filled == OWN else os.path.join(places.agents_folder(env), trees.SKILLS)


def listed_twice(agent: str, home: Home, env: Mapping[str, str]) -> list[str]:
    """Skills of PAL's that stand in more than one folder of those the agent lists without merging them."""
    if TABLE[agent].merges:
        return []
    names = {name.partition("/")[0] for name in trees.skills(home)}
    there = [{name for name in names if os.path.isdir(os.path.join(path, name))} for path in read_by(agent, env)]
    return sorted(name for name in names if sum(name in listed for listed in there) > 1)


def remarks(agent: str, home: Home, env: Mapping[str, str]) -> list[Remark]:
    """What doctor says of skills that a client may list twice."""
    doubled = listed_twice(agent, home, env)
    if not doubled:
        return []
    title = targets.installer(agent).TITLE
    said = f"{title} may list {len(doubled)} skill(s) twice, {', '.join(doubled[:3])} among them"
    return [Remark("skills", f"{said}: it reads {' and '.join(read_by(agent, env))}")]
