"""What PAL changes for VS Code: a hooks file and instructions in `~/.copilot`, and one of the editor's settings.

Answers `contract.Target`. The client runs Claude Code's and Copilot CLI's hooks as well; see `shadow`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pal.base import home as homes
from pal.base import process
from pal.install.changes import Change, JsonMember
from pal.install.status import Registration, Remark
from pal.targets import commands, copilot_folder, flat_hooks, mcp_entry, places, trees
from pal.targets.vscode import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

NAME, TITLE, PROVEN, NEEDS = facts.NAME, facts.TITLE, facts.PROVEN, facts.NEEDS
_FIELDS = facts.COMMANDS_ON_WINDOWS if process.WINDOWS else facts.COMMANDS


def folder(env: Mapping[str, str]) -> str:
    """The user's settings of the first edition that is here; of the first of all where none is."""
    there = _settings(env)
    return next((path for path in there if os.path.isdir(path)), there[0])


def program(env: Mapping[str, str]) -> str:
    return places.program_of(env, facts.PROGRAMS)


def plan(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> list[Change]:
    here = _shared(env)
    hooks = os.path.join(here, *facts.HOOKS)
    changes: list[Change] = [JsonMember(hooks, ("version",), facts.HOOKS_VERSION)]
    for client_event, event, seconds in facts.EVENTS:
        line = commands.line(NAME, python, home, [event, "--agent=" + NAME])
        entry = {"type": "command", **dict.fromkeys(facts.COMMANDS, line), "timeout": seconds}
        changes.append(flat_hooks.element(hooks, NAME, client_event, event, entry, _FIELDS))
    changes.append(copilot_folder.standing(here, home, env, settings))
    changes += trees.shared_skills(home, env)
    loaded = _from_the_user(os.path.join(here, copilot_folder.INSTRUCTIONS), env)
    for path in _editions(env):
        changes.append(JsonMember(os.path.join(path, facts.SETTINGS), (facts.INSTRUCTION_FOLDERS, loaded), True))
    return changes


def mcp(home: Home, env: Mapping[str, str], python: str) -> list[Change]:
    first = {"type": "stdio"}
    paths = [os.path.join(path, facts.SERVERS) for path in _editions(env)]
    return [mcp_entry.member(path, home, python, "servers", first) for path in paths]


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    return copilot_folder.routes(_shared(env), NAME)


def registered(env: Mapping[str, str]) -> list[Registration]:
    events = {row[0]: row[1] for row in facts.EVENTS}
    return flat_hooks.registered(os.path.join(_shared(env), *facts.HOOKS), NAME, events, _FIELDS)


def remarks(home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
    if _editions(env):
        return []
    title = f"{TITLE} was never started for this user, so it is not told yet where PAL's instructions are"
    return [Remark("settings", title, f"start {TITLE} once, then run `pal install --{NAME}`")]


def _shared(env: Mapping[str, str]) -> str:
    return places.folder_of(env, facts.FOLDER_VARIABLES, facts.FOLDER)


def _settings(env: Mapping[str, str]) -> list[str]:
    if env.get(facts.SETTINGS_VARIABLE):
        return [places.folder_of(env, (facts.SETTINGS_VARIABLE,))]
    return [os.path.join(homes.settings_folder(env), edition, facts.USER) for edition in facts.EDITIONS]


def _editions(env: Mapping[str, str]) -> list[str]:
    """The settings folders that are here; an edition that was never started has none, and none is made."""
    return [path for path in _settings(env) if os.path.isdir(path)]


def _from_the_user(path: str, env: Mapping[str, str]) -> str:
    """The path as the setting wants it: from the user's folder with `~`, else whole; forward slashes."""
    user = homes.user_folder(env)
    path = "~" + path[len(user) :] if path.startswith(user + os.sep) else path
    return path.replace(os.sep, "/")
