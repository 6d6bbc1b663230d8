"""What PAL changes in Copilot CLI's folder: a hooks file, instructions with the digests, skills, subagents, a server.

Answers `contract.Target`. VS Code reads the same folder: what both load is one change that both own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pal.base import files, jsontext, process
from pal.base.errors import PalError
from pal.install import jsonedit
from pal.install.changes import Change, CopyTree, JsonElement, JsonMember
from pal.install.status import Registration, Remark
from pal.targets import commands, copilot_folder, flat_hooks, mcp_entry, places, trees
from pal.targets.copilot import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

NAME = facts.NAME
TITLE = facts.TITLE
PROVEN = "1.0.102"
NEEDS = ((".".join(map(str, facts.DIRECT_CONTEXT)), "what a hook says at a prompt to the model"),)
_FIELDS = facts.FIELDS_ON_WINDOWS if process.WINDOWS else facts.FIELDS


def folder(env: Mapping[str, str]) -> str:
    return places.folder_of(env, facts.FOLDER_VARIABLES, facts.FOLDER)


def program(env: Mapping[str, str]) -> str:
    return places.program_of(env, facts.PROGRAMS, facts.PROGRAM_PLACES)


def plan(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> list[Change]:
    here, hooks = folder(env), _hooks(env)
    changes: list[Change] = [JsonMember(hooks, ("version",), facts.HOOKS_VERSION)]
    changes += [_hook(hooks, home, python, row) for row in _rows(env)]
    changes.append(copilot_folder.standing(here, home, env, settings))
    changes += _skills(home, env)
    tree = trees.subagents(home, NAME)
    if tree:
        changes.append(CopyTree(os.path.join(here, facts.AGENTS), tree))
    return changes


def mcp(home: Home, env: Mapping[str, str], python: str) -> list[Change]:
    path = os.path.join(folder(env), facts.SERVERS)
    entry = mcp_entry.member(path, home, python, first={"type": "local"})
    return [entry._replace(value={**entry.value, "tools": ["*"]})]


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    return copilot_folder.routes(folder(env), NAME)


def registered(env: Mapping[str, str]) -> list[Registration]:
    events = {row[0]: row[1] for row in (*facts.EVENTS, facts.TRANSFORMED)}
    return flat_hooks.registered(_hooks(env), NAME, events, _FIELDS)


def remarks(home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
    """Where its hooks are switched off: in its settings, or in PAL's own file."""
    found = []
    for path in (os.path.join(folder(env), facts.SETTINGS), _hooks(env)):
        try:
            value = jsonedit.value((files.read_bytes(path) or b"").decode("utf-8"))
        except (OSError, ValueError, PalError):
            continue
        if isinstance(value, dict) and value.get("disableAllHooks") is True:
            title = f"{TITLE}'s hooks are switched off: nothing is remembered there and the guard is off"
            found.append(Remark("off", title, f"take `disableAllHooks` out of {path}"))
    return found


def _rows(env: Mapping[str, str]) -> tuple[tuple[str, str, str, int], ...]:
    """The events to register; one of them only for a version that is old, or may be: each costs the turn its time."""
    version = _version(env)
    return facts.EVENTS if version >= facts.DIRECT_CONTEXT else (*facts.EVENTS, facts.TRANSFORMED)


def _version(env: Mapping[str, str]) -> tuple[int, ...]:
    """The version in the package that the program belongs to; empty for a program that came another way."""
    found = os.path.dirname(os.path.realpath(program(env) or os.curdir))
    try:
        value = jsontext.loads(files.read_bytes(os.path.join(found, "package.json")) or b"")
        parts = value["version"].split(".") if value.get("name") == facts.PACKAGE else []
        return tuple([int(part) for part in parts])
    except (OSError, ValueError, KeyError, AttributeError):
        return ()


def _hook(path: str, home: Home, python: str, row: tuple[str, str, str, int]) -> JsonElement:
    client_event, event, matcher, seconds = row
    entry: dict[str, Any] = {"type": "command"}
    if matcher:
        entry["matcher"] = matcher
    entry[_FIELDS[0]] = commands.line(NAME, python, home, [event, "--agent=" + NAME])
    entry["timeoutSec"] = seconds
    return flat_hooks.element(path, NAME, client_event, event, entry, _FIELDS)


def _skills(home: Home, env: Mapping[str, str]) -> list[CopyTree]:
    """In the folder that several agents share, or in its own where that one is not read."""
    if not env.get(facts.HOME_VARIABLE):
        return trees.shared_skills(home, env)
    tree = trees.skills(home)
    return [CopyTree(os.path.join(folder(env), facts.SKILLS), tree)] if tree else []


def _hooks(env: Mapping[str, str]) -> str:
    return os.path.join(folder(env), *facts.HOOKS)
