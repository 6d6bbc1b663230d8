"""What PAL changes in opencode's folder: the plugin, the block in AGENTS.md, the digests, skills, subagents.

Answers `contract.Target`. opencode starts no hook commands itself: its plugin does, with the words written into it.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pal.base import assets, files, process
from pal.base import home as homes
from pal.base.errors import PalError
from pal.base.home import Home
from pal.context import tier1
from pal.install import block, jsonedit, launcher
from pal.install.changes import Block, Change, CopyTree, JsonElement, JsonMember, Match, WriteFile
from pal.install.status import Registration, Remark
from pal.targets import mcp_command, places, trees
from pal.targets.opencode import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.settings import Settings

NAME, TITLE, PROVEN, NEEDS = facts.NAME, facts.TITLE, facts.PROVEN, facts.NEEDS
TEMPLATE = "targets/opencode/pal.js"
_BLANK = "{{hook}}"
_HOOK = "const HOOK = "  # begins the plugin's line with the command
_OURS = f"--agent={NAME}"


def folder(env: Mapping[str, str]) -> str:
    if not env.get(facts.FOLDER_VARIABLE) and env.get(facts.CONFIG_VARIABLE):
        return os.path.join(os.path.abspath(env[facts.CONFIG_VARIABLE]), facts.FOLDER)
    return places.folder_of(env, (facts.FOLDER_VARIABLE,), facts.CONFIG, facts.FOLDER)


def program(env: Mapping[str, str]) -> str:
    return places.program_of(env, facts.PROGRAMS, facts.PROGRAM_PLACES)


def plan(home: Home, env: Mapping[str, str], python: str, settings: Settings) -> list[Change]:
    here, config = folder(env), _config(env)
    changes: list[Change] = [
        WriteFile(os.path.join(here, facts.PLUGINS, facts.PLUGIN), _plugin(home, python), 0o644),
        _loaded(config, home, env, home.digests, "*.md"),
    ]
    if _reads_elsewhere(env):
        if not _holds_block(_elsewhere(env)):
            changes.append(_loaded(config, home, env, home.docs, tier1.NAME))
    else:
        changes.append(Block(_instructions(env), tier1.render(home, settings, imports=False, env=env)))
    changes += _permission(config, home, env)
    changes += trees.shared_skills(home, env)
    tree = trees.subagents(home, NAME, facts.SUBAGENT)
    if tree:
        changes.append(CopyTree(os.path.join(here, facts.AGENTS), tree))
    return changes


def mcp(home: Home, env: Mapping[str, str], python: str) -> list[Change]:
    value = {"type": "local", "command": mcp_command.words(home, python), "enabled": True}
    ours = Match(mcp_command.SAYS, ("command",))
    return [JsonMember(_config(env), ("mcp", mcp_command.NAME), value, match=ours)]


def routes(home: Home, env: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    if _reads_elsewhere(env):
        return {"blocks": [], "digests": []}
    return {"blocks": [{"path": _instructions(env), "owner": NAME, "imports": False}], "digests": []}


def registered(env: Mapping[str, str]) -> list[Registration]:
    """One registration an event for each plugin of ours; two plugins would run every event twice."""
    found = []
    for text in _plugins(env):
        words = _words(text)
        if words:
            home = Home(os.path.dirname(words[-1]))
            for event in facts.EVENTS:
                entry = launcher.command(words[0], home, [event, _OURS], process.WINDOWS)
                found.append(Registration(event, entry["command"], entry.get("shell", "")))
    return found


def remarks(home: Home, env: Mapping[str, str], settings: Settings) -> list[Remark]:
    if env.get(facts.PURE, "") in ("", "0"):
        return []
    title = f"{facts.PURE} is set, so {TITLE} loads no plugins: nothing is remembered there and the guard is off"
    return [Remark("pure", title, f"unset {facts.PURE}")]


def _plugin(home: Home, python: str) -> bytes:
    words = json.dumps(launcher.arguments(python, home), ensure_ascii=False)
    return assets.read(TEMPLATE).replace(_BLANK.encode(), words.encode("utf-8", "surrogateescape"))


def _plugins(env: Mapping[str, str]) -> list[str]:
    """The text of each plugin of ours, in either folder that is searched and whatever its name is."""
    found = []
    for name in facts.PLUGIN_FOLDERS:
        where = os.path.join(folder(env), name)
        try:
            listed = sorted(each for each in os.listdir(where) if each.endswith((".js", ".ts")))
            texts = [(files.read_bytes(os.path.join(where, each)) or b"").decode("utf-8", "replace") for each in listed]
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as problem:
            raise PalError(f"{where} cannot be read: {problem.strerror}") from None
        found += [text for text in texts if _OURS in text]
    return found


def _words(plugin: str) -> list[str]:
    """The command's words up to the event, as they stand in the plugin."""
    for line in plugin.splitlines():
        if line.startswith(_HOOK):
            try:
                words = json.loads(line[len(_HOOK) :])
            except ValueError:
                return []
            return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else []
    return []


def _loaded(config: str, home: Home, env: Mapping[str, str], where: str, name: str) -> JsonElement:
    """The entry of `instructions` that loads these files; recognised from whichever home it names."""
    return JsonElement(
        config, ("instructions",), f"{_readable(where, env)}/{name}", Match((f"{home.relative(where)}/{name}",))
    )


def _permission(config: str, home: Home, env: Mapping[str, str]) -> list[Change]:
    """PAL's folder may be read from any project; where the user wrote one rule for all folders, that rule stands."""
    value = _value(config)
    rules = value.get("permission", {}) if isinstance(value, dict) else {}
    if not isinstance(rules, dict) or not isinstance(rules.get("external_directory", {}), dict):
        return []
    keys = ("permission", "external_directory", f"{_readable(home.root, env)}/**")
    return [JsonMember(config, keys, "allow")]


def _config(env: Mapping[str, str]) -> str:
    """The settings file to edit: the last that lists instructions already, else the last there is."""
    present = [path for path in (os.path.join(folder(env), name) for name in facts.SETTINGS) if os.path.lexists(path)]
    for path in reversed(present):
        value = _value(path)
        if isinstance(value, dict) and "instructions" in value:
            return path
    return present[-1] if present else os.path.join(folder(env), facts.NEW_SETTINGS)


def _value(path: str) -> Any:
    """What a settings file says; None for one that cannot be read, which the edit itself will complain of."""
    try:
        return jsonedit.value((files.read_bytes(path) or b"").decode("utf-8"))
    except (OSError, ValueError, PalError):
        return None


def _readable(path: str, env: Mapping[str, str]) -> str:
    """With forward slashes, and `~` for the user's folder: such settings travel between machines."""
    user = homes.user_folder(env)
    if path.startswith(user + os.sep):
        path = "~" + path[len(user) :]
    return path.replace("\\", "/")


def _instructions(env: Mapping[str, str]) -> str:
    return os.path.join(folder(env), facts.INSTRUCTIONS)


def _elsewhere(env: Mapping[str, str]) -> str:
    return os.path.join(homes.user_folder(env), *facts.INSTRUCTIONS_ELSEWHERE.split("/"))


def _reads_elsewhere(env: Mapping[str, str]) -> bool:
    """Whether the user's standing words are in the file that is read for want of AGENTS.md."""
    return not _own_words(_instructions(env)) and bool(_own_words(_elsewhere(env)))


def _own_words(path: str) -> str:
    """What the user wrote in a file, without PAL's block."""
    text = _text(path)
    try:
        return block.remove(text).strip()
    except PalError:
        return text  # half a block; the edit will say so


def _holds_block(path: str) -> bool:
    try:
        return block.inside(_text(path)) is not None
    except PalError:
        return False


def _text(path: str) -> str:
    try:
        return (files.read_bytes(path) or b"").decode("utf-8", "replace")
    except OSError:
        return ""
