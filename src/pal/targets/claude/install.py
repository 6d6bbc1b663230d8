"""What PAL changes in Claude Code's folder: hooks, the block in CLAUDE.md, skills, agents, a status line.

Answers `contract.Target`. Hooks take the nested form and one shell-form command an event: other programs read the
same settings file, and may ignore an `args` list.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pal.base import assets, files, process
from pal.base import home as homes
from pal.base.errors import PalError
from pal.context import tier1
from pal.install import jsonedit, launcher
from pal.install.changes import Block, Change, CopyTree, JsonElement, JsonMember, Match
from pal.install.status import Registration
from pal.targets.claude import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

NAME = facts.NAME
TITLE = facts.TITLE


def folder(env: Mapping[str, str]) -> str:
    for variable in facts.FOLDER_VARIABLES:
        if env.get(variable):
            return os.path.abspath(os.path.expanduser(env[variable]))
    return os.path.join(homes.user_folder(env), facts.FOLDER)


def program(env: Mapping[str, str]) -> str:
    for name in facts.PROGRAMS:
        found = process.find_program(name, env)
        if found:
            return found
    for place in facts.PROGRAM_PLACES:
        path = os.path.join(homes.user_folder(env), *place.split("/"))
        if os.path.isfile(path):
            return path
    return ""


def plan(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> list[Change]:
    here = folder(env)
    changes: list[Change] = [_hook(home, here, python, row) for row in facts.EVENTS]
    status_line = launcher.command(python, home, ["statusline"], process.WINDOWS)
    if "shell" not in status_line:  # the client's status line cannot name one
        value = {"type": "command", **status_line}
        ours = Match(("hook.py statusline",), ("command",))
        changes.append(JsonMember(os.path.join(here, facts.SETTINGS), ("statusLine",), value, match=ours))
    changes.append(Block(_instructions(env), tier1.render(home, settings, env=env)))
    for name, own in ((facts.SKILLS, home.skills), (facts.AGENTS, home.agents)):
        shipped = {asset[len(name) + 1 :]: assets.read(asset) for asset in assets.names(name + "/")}
        tree = {**shipped, **_contents(own)}
        if tree:
            changes.append(CopyTree(os.path.join(here, name), tree))
    return changes


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    return {"blocks": [{"path": _instructions(env), "owner": NAME, "imports": True}], "digests": []}


def registered(env: Mapping[str, str]) -> list[Registration]:
    path = os.path.join(folder(env), facts.SETTINGS)
    try:
        text = (files.read_bytes(path) or b"").decode("utf-8")
        value = jsonedit.value(text)
        hooks = {} if value is None else value.get("hooks", {})
        groups = [(event, group) for event, listed in hooks.items() for group in listed]
        entries = [(event, entry) for event, group in groups for entry in group.get("hooks", [])]
    except PalError as problem:
        raise PalError(f"{path} cannot be read: {problem}") from None
    except (AttributeError, TypeError, ValueError):
        raise PalError(f"{path} cannot be read: it is not UTF-8, or its hooks are not lists of groups") from None
    except OSError as problem:
        raise PalError(f"{path} cannot be read: {problem.strerror}") from None
    events = {row[0]: row[1] for row in facts.EVENTS}
    found = []
    for client_event, entry in entries:
        event = events.get(client_event, client_event)
        if isinstance(entry, dict) and any(_ours(name).fits(entry) for name in {event, *events.values()}):
            found.append(Registration(event, str(entry.get("command")), str(entry.get("shell", ""))))
    return found


def _hook(home: Home, here: str, python: str, row: tuple[str, str, str, int]) -> JsonElement:
    client_event, event, matcher, seconds = row
    command = launcher.command(python, home, [event, "--agent=" + NAME], process.WINDOWS)
    entry = {"type": "command", **command, "timeout": seconds}
    group = {"matcher": matcher, "hooks": [entry]} if matcher else {"hooks": [entry]}
    return JsonElement(os.path.join(here, facts.SETTINGS), ("hooks", client_event), group, _ours(event))


def _ours(event: str) -> Match:
    """Our command for an event, from the launcher of any home or from an archive of any name."""
    says = (f"hook.py {event} --agent={NAME}", f"hook {event} --agent={NAME}")
    return Match(says, ("command",), "hooks")


def _instructions(env: Mapping[str, str]) -> str:
    return os.path.join(folder(env), facts.INSTRUCTIONS)


def _contents(own: str) -> dict[str, bytes]:
    """The files below one of the user's folders, by name with `/`; links are followed, hidden files left out."""
    found = {}
    for path, folders, names in os.walk(own, followlinks=True):
        folders[:] = sorted(each for each in folders if each[0] != "." and each != "__pycache__")
        inside = os.path.relpath(path, own).replace(os.sep, "/")
        if inside.count("/") > _DEEPEST:
            folders.clear()  # a link to a folder above would lead round for ever
        for name in sorted(names):
            data = files.read_bytes(os.path.join(path, name)) if name[0] != "." else None
            if data is not None:
                found[name if inside == "." else f"{inside}/{name}"] = data
    return found


_DEEPEST = 8  # folders below a skill
