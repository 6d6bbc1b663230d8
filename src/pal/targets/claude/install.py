"""What PAL changes in Claude Code's folder: hooks, the block in CLAUDE.md, skills, agents, a status line.

Answers `contract.Target`. Hooks take the nested form and one shell-form command an event: other programs read the
same settings file, and may ignore an `args` list.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pal.base import home as homes
from pal.base import process
from pal.base.errors import PalError
from pal.context import tier1
from pal.install import jsonedit, launcher
from pal.install.changes import Block, Change, CopyTree, JsonElement, JsonMember, Match
from pal.install.staging import Staging
from pal.install.status import Registration, Remark
from pal.targets import commands, hook_groups, mcp_entry, places, trees
from pal.targets.claude import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

NAME, TITLE, PROVEN, NEEDS = facts.NAME, facts.TITLE, facts.PROVEN, facts.NEEDS


def folder(env: Mapping[str, str]) -> str:
    return places.folder_of(env, facts.FOLDER_VARIABLES, facts.FOLDER)


def program(env: Mapping[str, str]) -> str:
    return places.program_of(env, facts.PROGRAMS, facts.PROGRAM_PLACES)


def plan(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> list[Change]:
    here = folder(env)
    changes: list[Change] = [_hook(home, here, python, row) for row in facts.EVENTS]
    status_line = launcher.command(python, home, ["statusline"], process.WINDOWS)
    if "shell" not in status_line:  # the client's status line cannot name one
        value = {"type": "command", **status_line}
        ours = Match(("hook.py statusline",), ("command",))
        changes.append(JsonMember(os.path.join(here, facts.SETTINGS), ("statusLine",), value, match=ours))
    changes.append(Block(_instructions(env), tier1.render(home, settings, env=env)))
    for name, tree in ((facts.SKILLS, trees.skills(home)), (facts.AGENTS, trees.subagents(home, NAME))):
        if tree:
            changes.append(CopyTree(os.path.join(here, name), tree))
    return changes


def mcp(home: Home, env: Mapping[str, str], python: str) -> list[Change]:
    user, here = homes.user_folder(env), folder(env)
    beside = here == os.path.join(user, facts.FOLDER)
    path = os.path.join(user if beside else here, facts.SERVERS)
    return [mcp_entry.member(path, home, python, first={"type": "stdio"})]


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    return {"blocks": [{"path": _instructions(env), "owner": NAME, "imports": True}], "digests": []}


def registered(env: Mapping[str, str]) -> list[Registration]:
    path = os.path.join(folder(env), facts.SETTINGS)
    return hook_groups.registered(path, NAME, {row[0]: row[1] for row in facts.EVENTS})


def remarks(home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
    path = os.path.join(folder(env), facts.SETTINGS)
    try:
        value = jsonedit.value(Staging().text(path))
    except PalError:
        return []  # said where the hooks are read
    if not (isinstance(value, dict) and value.get(facts.ALL_OFF) is True):
        return []
    title = f"{facts.ALL_OFF} is true in {path}, so {TITLE} runs no hooks: nothing is remembered and the guard is off"
    return [Remark("hooks-off", title, f"take {facts.ALL_OFF} out of {path}")]


def _hook(home: Home, here: str, python: str, row: tuple[str, str, str, int]) -> JsonElement:
    client_event, event, matcher, seconds = row
    command = commands.fields(NAME, python, home, [event, "--agent=" + NAME])
    entry = {"type": "command", **command, "timeout": seconds, **({"async": True} if event in facts.ASYNC else {})}
    return hook_groups.element(os.path.join(here, facts.SETTINGS), NAME, client_event, event, matcher, entry)


def _instructions(env: Mapping[str, str]) -> str:
    return os.path.join(folder(env), facts.INSTRUCTIONS)
