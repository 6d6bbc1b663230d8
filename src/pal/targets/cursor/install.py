"""What PAL changes in Cursor's folder: hooks, skills, agents, rules for versions that load them.

Answers `contract.Target`. The client reads Claude Code's hooks as well; see `shadow` for how an event runs PAL once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pal.install.changes import Change, CopyTree, JsonMember
from pal.install.status import Registration, Remark
from pal.targets import commands, flat_hooks, mcp_entry, places, trees
from pal.targets.cursor import facts

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
    hooks = os.path.join(here, facts.HOOKS)
    changes: list[Change] = [JsonMember(hooks, ("version",), facts.HOOKS_VERSION)]
    for client_event, event, seconds in facts.EVENTS:
        line = commands.line(NAME, python, home, [event, "--agent=" + NAME])
        entry = {"type": "command", "command": line, "timeout": seconds}
        changes.append(flat_hooks.element(hooks, NAME, client_event, event, entry))
    changes += trees.shared_skills(home, env)
    tree = trees.subagents(home, NAME)
    if tree:
        changes.append(CopyTree(os.path.join(here, facts.AGENTS), tree))
    return changes


def mcp(home: Home, env: Mapping[str, str], python: str) -> list[Change]:
    return [mcp_entry.member(os.path.join(folder(env), facts.SERVERS), home, python)]


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    rules = os.path.join(folder(env), facts.RULES)
    row = {"folder": rules, "prefix": "pal-", "suffix": facts.RULE_SUFFIX, "header": facts.RULE_HEADER, "owner": NAME}
    return {"blocks": [], "digests": [row]}


def registered(env: Mapping[str, str]) -> list[Registration]:
    events = {row[0]: row[1] for row in facts.EVENTS}
    return flat_hooks.registered(os.path.join(folder(env), facts.HOOKS), NAME, events)


def remarks(home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
    return []
