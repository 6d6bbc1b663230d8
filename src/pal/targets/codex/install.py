"""What PAL changes in Codex's folder: hooks and the trust they need, the block in AGENTS.md, skills, roles, a server.

Answers `contract.Target`. Hooks stand in hooks.json alone: Codex warns at every start when there are some in
config.toml too.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pal.base import files
from pal.base.errors import PalError
from pal.context import tier1
from pal.install import edits, tomltables, tomltree
from pal.install.changes import Block, Change, CopyTree, JsonElement, TomlTable
from pal.install.status import Registration, Remark
from pal.targets import commands, hook_groups, mcp_command, mcp_entry, places, trees
from pal.targets.codex import facts, trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

NAME = facts.NAME
TITLE = facts.TITLE
PROVEN = "0.171.0"
NEEDS = (("0.124.0", "hooks that run without a switch in its settings"),)
_TRUSTED = (
    f"{TITLE} runs only hooks that its settings trust, so PAL's are entered there; `pal uninstall --{NAME}` takes them "
    "out, and whoever changes such a hook must trust it anew"
)
EXPLAINED = ((facts.SETTINGS, _TRUSTED),)  # what a person is told when a file of this name was changed
SERVERS = "mcp_servers"


def folder(env: Mapping[str, str]) -> str:
    return places.folder_of(env, facts.FOLDER_VARIABLES, facts.FOLDER)


def program(env: Mapping[str, str]) -> str:
    return places.program_of(env, facts.PROGRAMS, facts.PROGRAM_PLACES)


def plan(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> list[Change]:
    hooks = [_hook(home, env, python, row) for row in facts.EVENTS]
    roles = trees.roles(home, NAME)
    return [
        *hooks,
        *_trust(hooks, env),
        Block(_instructions(env), tier1.render(home, settings, imports=False, env=env)),
        *trees.shared_skills(home, env),
        *([CopyTree(_at(env, facts.AGENTS), roles)] if roles else []),
    ]


def mcp(home: Home, env: Mapping[str, str], python: str) -> list[Change]:
    program, *args = mcp_command.words(home, python)
    table = (SERVERS, mcp_command.NAME)
    return [TomlTable(_at(env, facts.SETTINGS), table, {"command": program, "args": args}, match=mcp_entry.OURS)]


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    return {"blocks": [{"path": _instructions(env), "owner": NAME, "imports": False}], "digests": []}


def registered(env: Mapping[str, str]) -> list[Registration]:
    return hook_groups.registered(_at(env, facts.HOOKS), NAME, {row[0]: row[1] for row in facts.EVENTS})


def remarks(home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
    path = _at(env, facts.SETTINGS)
    found = [_strange(_at(env, facts.HOOKS))]
    try:
        value = tomltree.scan(_text(path)).root.value
    except PalError:
        value = {}  # the trust that is missing says so
    found += [_untrusted(env), *_switched_off(path, value)]
    return [remark for remark in found if remark]


def _hook(home: Home, env: Mapping[str, str], python: str, row: tuple[str, str, str, int]) -> JsonElement:
    client_event, event, matcher, seconds = row
    command = commands.line(NAME, python, home, [event, "--agent=" + NAME])
    entry: dict[str, Any] = {"type": "command", "command": command, "timeout": seconds}
    if event in facts.ROOMY:
        entry["additionalContextLimit"] = facts.ROOMY[event]
    return hook_groups.element(_at(env, facts.HOOKS), NAME, client_event, event, matcher, entry)


def _trust(hooks: list[JsonElement], env: Mapping[str, str]) -> list[TomlTable]:
    """The trust of our hooks where they will stand; none for a file that cannot be edited, as the edit itself says."""
    path = _at(env, facts.HOOKS)
    try:
        text = _text(path)
        for change in hooks:
            text = edits.put(text, change, None)[0]
    except PalError:
        return []
    return trust.changes(path, text, _at(env, facts.SETTINGS), env)


def _untrusted(env: Mapping[str, str]) -> Remark | None:
    hooks, settings = _at(env, facts.HOOKS), _at(env, facts.SETTINGS)
    try:
        wanted = trust.changes(hooks, _text(hooks), settings, env)
        text = _text(settings)
        missing = [each for each in wanted if tomltables.look(text, each, None)]
    except PalError as problem:
        return Remark("trust", f"{TITLE} may trust none of PAL's hooks: {problem}", f"mend {settings}")
    if not missing:
        return None
    title = f"{TITLE} does not trust {len(missing)} of PAL's {len(wanted)} hooks, so it skips them in silence"
    return Remark("trust", title, f"pal install --{NAME}")


def _strange(path: str) -> Remark | None:
    """What makes Codex load no hook of the whole file, ours included."""
    try:
        value = json.loads(_text(path) or "{}")
    except ValueError:
        title = f"{TITLE} loads no hooks from {path}: it takes neither comments nor commas too many"
        return Remark("hooks-file", title, "take them out of that file")
    extra = sorted(set(value) - set(facts.HOOK_KEYS)) if isinstance(value, dict) else []
    if not extra:
        return None
    return Remark("hooks-file", f"{TITLE} loads no hooks from {path}: it holds {', '.join(extra)}", "take that out")


def _switched_off(path: str, value: dict[str, Any]) -> list[Remark | None]:
    found: list[Remark | None] = []
    features, hooks = value.get("features"), value.get("hooks")
    if isinstance(features, dict) and False in (features.get("hooks"), features.get("codex_hooks")):
        title = f"{TITLE}'s hooks are switched off: nothing is remembered there and the guard is off"
        found.append(Remark("off", title, f"take `hooks = false` out of [features] in {path}"))
    if isinstance(hooks, dict) and set(hooks) & set(facts.TRUST_EVENTS):
        found.append(Remark("two-files", f"{TITLE} warns at every start that hooks stand in {path} too; both run"))
    return found


def _instructions(env: Mapping[str, str]) -> str:
    """The file of standing words that Codex reads."""
    instead = _at(env, facts.INSTRUCTIONS_INSTEAD)
    return instead if os.path.isfile(instead) else _at(env, facts.INSTRUCTIONS)


def _at(env: Mapping[str, str], name: str) -> str:
    return os.path.join(folder(env), name)


def _text(path: str) -> str:
    """The file's text; PalError when it cannot be had."""
    try:
        return (files.read_bytes(path) or b"").decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise PalError(f"{path} cannot be read as UTF-8") from None
