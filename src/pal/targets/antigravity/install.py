"""What PAL changes for Antigravity: a plugin of its own, and the permission to run PAL's command.

Answers `contract.Target`. The folder it all stands in belongs to other programs of the same maker too."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pal.base import files
from pal.base.errors import PalError
from pal.context import tier1
from pal.install import home_setup
from pal.install.changes import Block, Change, CopyTree, JsonElement, Match, WriteFile
from pal.install.status import Registration, Remark, numbers
from pal.targets import commands, mcp_entry, places, trees
from pal.targets.antigravity import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

NAME, TITLE, PROVEN, NEEDS = facts.NAME, facts.TITLE, facts.PROVEN, facts.NEEDS
_ASKED = "security.unprovenGuards"  # the setting that lists the agents whose guard is wanted before it is proven


def folder(env: Mapping[str, str]) -> str:
    return os.path.join(_shared(env), facts.OWN_FOLDER)


def program(env: Mapping[str, str]) -> str:
    return places.program_of(env, facts.PROGRAMS)


def plan(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> list[Change]:
    here = _plugin(env)
    manifest = {"name": "pal", "description": "One memory, one guard and the same skills in every coding agent"}
    command = home_setup.command(home)
    changes: list[Change] = [
        WriteFile(os.path.join(here, facts.MANIFEST), _json(manifest), 0o644),
        WriteFile(os.path.join(here, facts.HOOKS), _json({"pal": _hooks(home, env, python, settings)})),
        Block(_rule(env), tier1.render(home, settings, imports=False, env=env), header=facts.RULE_HEADER),
        JsonElement(
            os.path.join(folder(env), facts.SETTINGS),
            facts.ALLOWED,
            f"command({command})",
            Match((f"command({command})",)),
        ),
    ]
    for name, tree in ((facts.SKILLS, trees.skills(home)), (facts.AGENTS, trees.subagents(home, NAME))):
        if tree:
            changes.append(CopyTree(os.path.join(here, name), tree))
    return changes


def mcp(home: Home, env: Mapping[str, str], python: str) -> list[Change]:
    return [mcp_entry.member(os.path.join(_shared(env), facts.CONFIG, facts.SERVERS), home, python)]


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    rules = os.path.join(_plugin(env), facts.RULES)
    row = {"folder": rules, "prefix": "pal-", "suffix": ".md", "header": facts.RULE_HEADER, "owner": NAME}
    return {"blocks": [{"path": _rule(env), "owner": NAME, "imports": False}], "digests": [row]}


def registered(env: Mapping[str, str]) -> list[Registration]:
    path = os.path.join(_plugin(env), facts.HOOKS)
    try:
        hooks = json.loads((files.read_bytes(path) or b"{}").decode("utf-8")).get("pal", {})
        found = []
        for client_event, event, matcher, _ in (*facts.EVENTS, facts.TOOL_EVENT):
            for entry in hooks.get(client_event, []):
                for each in entry["hooks"] if matcher else [entry]:
                    found.append(Registration(event, str(each["command"])))
        return found
    except (AttributeError, LookupError, TypeError, ValueError):
        raise PalError(f"{path} cannot be read: it does not hold what PAL writes there") from None
    except OSError as problem:
        raise PalError(f"{path} cannot be read: {problem.strerror}") from None


def remarks(home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
    account = Remark("account", f"{TITLE} runs no hooks while it is signed in with an API key instead of an account")
    if _proven(env):
        return [account]
    if _guarded(env, settings):
        title = f"{TITLE}'s guard was asked for before any version was proven: should every tool call be refused"
        return [Remark("guard-unproven", f"{title}, take {NAME} out of {_ASKED} and install again"), account]
    title = (
        f"the guard is off in {TITLE}: what it takes as no objection differs between its versions, and a wrong answer "
        f"stops every tool call; none is proven. To have it all the same, add {NAME!r} to {_ASKED} in {home.settings}"
    )
    return [Remark("guard-off", title), account]


def _hooks(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> dict[str, list[dict[str, Any]]]:
    listed: dict[str, list[dict[str, Any]]] = {}
    for client_event, event, matcher, seconds in (
        *facts.EVENTS,
        *([facts.TOOL_EVENT] if _guarded(env, settings) else []),
    ):
        line = commands.line(NAME, python, home, [event, "--agent=" + NAME])
        entry = {"type": "command", "command": line, "timeout": seconds}
        listed[client_event] = [{"matcher": matcher, "hooks": [entry]}] if matcher else [entry]
    return listed


def _guarded(env: Mapping[str, str], settings: Settings) -> bool:
    asked = settings.get(_ASKED, [])
    return (isinstance(asked, list) and NAME in asked) or _proven(env)


def _proven(env: Mapping[str, str]) -> bool:
    """Whether the version that is here is one on which the guard's answers were seen to work."""
    found = program(env) if facts.GUARD_PROVEN else ""
    return bool(found) and numbers(places.version_of(found, env)) in [numbers(each) for each in facts.GUARD_PROVEN]


def _shared(env: Mapping[str, str]) -> str:
    return places.folder_of(env, facts.FOLDER_VARIABLES, facts.FOLDER)


def _plugin(env: Mapping[str, str]) -> str:
    return os.path.join(_shared(env), *facts.PLUGIN)


def _rule(env: Mapping[str, str]) -> str:
    return os.path.join(_plugin(env), facts.RULES, "pal.md")


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
