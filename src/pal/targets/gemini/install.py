"""What PAL changes in Gemini CLI's folder: one extension, with its hooks, its context files and its subagents.

Answers `contract.Target`. Another program keeps its files in the same folder and reads its GEMINI.md, so PAL touches
neither that nor, unless its MCP server is asked for, the settings.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pal import __version__
from pal.base import files
from pal.base.errors import PalError
from pal.context import semi_static, tier1
from pal.install import jsonedit
from pal.install.changes import Block, Change, CopyTree, WriteFile
from pal.install.status import Registration, Remark
from pal.targets import commands, hook_groups, mcp_entry, places, trees
from pal.targets.gemini import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

NAME, TITLE, PROVEN, NEEDS = facts.NAME, facts.TITLE, facts.PROVEN, facts.NEEDS
_DESCRIPTION = "One memory, one guard and the same skills in every coding agent"


def folder(env: Mapping[str, str]) -> str:
    return os.path.join(_shared(env), facts.EXTENSIONS)


def program(env: Mapping[str, str]) -> str:
    return places.program_of(env, facts.PROGRAMS)


def plan(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> list[Change]:
    here = _extension(env)
    before, after = facts.DIGEST
    # Of these files it loads those that are there; lines that import others are refused outside the extension.
    told = [facts.CONTEXT, *(before + source.slug + after for source in semi_static.SOURCES)]
    manifest = {"name": facts.EXTENSION, "version": __version__, "description": _DESCRIPTION, "contextFileName": told}
    changes: list[Change] = [
        WriteFile(os.path.join(here, facts.MANIFEST), _json(manifest), 0o644),
        WriteFile(os.path.join(here, *facts.HOOKS), _json({"hooks": _hooks(home, python)})),
        Block(_context(env), tier1.render(home, settings, imports=False, env=env)),
        *trees.shared_skills(home, env),
    ]
    tree = trees.subagents(home, NAME, ())
    if tree:
        changes.append(CopyTree(os.path.join(here, facts.AGENTS), tree))
    return changes


def mcp(home: Home, env: Mapping[str, str], python: str) -> list[Change]:
    return [mcp_entry.member(_settings(env), home, python)]


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    before, after = facts.DIGEST
    row = {"folder": _extension(env), "prefix": before, "suffix": after, "header": "", "owner": NAME}
    return {"blocks": [{"path": _context(env), "owner": NAME, "imports": False}], "digests": [row]}


def registered(env: Mapping[str, str]) -> list[Registration]:
    """Our hooks in the extension, and any that stand in the settings: those would run every event twice."""
    events = {row[0]: row[1] for row in facts.EVENTS}
    places_of_hooks = (os.path.join(_extension(env), *facts.HOOKS), _settings(env))
    return [entry for path in places_of_hooks for entry in hook_groups.registered(path, NAME, events)]


def remarks(home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
    found = []
    if _off(_value(_settings(env)), "hooksConfig", "enabled"):
        title = f"hooks are switched off in {_settings(env)}: {TITLE} remembers nothing and its guard is off"
        found.append(Remark("hooks-off", title, "set hooksConfig.enabled to true there"))
    overrides = _value(os.path.join(folder(env), facts.ENABLEMENT)).get(facts.EXTENSION)
    rules = overrides.get("overrides") if isinstance(overrides, dict) else None
    if isinstance(rules, list) and any(isinstance(rule, str) and rule.startswith("!") for rule in rules):
        title = f"PAL's extension is switched off in {TITLE}, at least for some folders"
        found.append(Remark("disabled", title, f"{facts.PROGRAMS[0]} extensions enable {facts.EXTENSION}"))
    return found


def _hooks(home: Home, python: str) -> dict[str, list[dict[str, Any]]]:
    listed = {}
    for client_event, event, matcher, milliseconds in facts.EVENTS:
        line = commands.line(NAME, python, home, [event, "--agent=" + NAME])
        entry = {"type": "command", "name": facts.EXTENSION, "command": line, "timeout": milliseconds}
        listed[client_event] = [{"matcher": matcher, "hooks": [entry]} if matcher else {"hooks": [entry]}]
    return listed


def _shared(env: Mapping[str, str]) -> str:
    if not env.get(facts.FOLDER_VARIABLE) and env.get(facts.HOME_VARIABLE):
        return os.path.join(os.path.abspath(os.path.expanduser(env[facts.HOME_VARIABLE])), facts.FOLDER)
    return places.folder_of(env, (facts.FOLDER_VARIABLE,), facts.FOLDER)


def _extension(env: Mapping[str, str]) -> str:
    return os.path.join(folder(env), facts.EXTENSION)


def _context(env: Mapping[str, str]) -> str:
    return os.path.join(_extension(env), facts.CONTEXT)


def _settings(env: Mapping[str, str]) -> str:
    return os.path.join(_shared(env), facts.SETTINGS)


def _value(path: str) -> dict[str, Any]:
    """What a JSON file of the client's says; {} for one that is not there or cannot be read."""
    try:
        value = jsonedit.value((files.read_bytes(path) or b"").decode("utf-8"))
    except (OSError, ValueError, PalError):
        return {}
    return value if isinstance(value, dict) else {}


def _off(value: dict[str, Any], *keys: str) -> bool:
    found: Any = value
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found is False


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
