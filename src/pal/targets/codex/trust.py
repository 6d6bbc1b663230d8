"""The trust that Codex wants for every hook before it runs it: entries in its settings, worked out as it does (cold).

An entry names a hook by the path of its file, its event, and its place in the file, and holds a hash of what the hook
says. A hook without one is skipped in silence. The form has no public contract; the tests compare with the client."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from pal.base import home as homes
from pal.install import jsonedit
from pal.install.changes import TomlTable
from pal.targets import hook_groups
from pal.targets.codex import facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TABLES = ("hooks", "state")
HASH = "trusted_hash"


def changes(hooks: str, text: str, settings: str, env: Mapping[str, str]) -> list[TomlTable]:
    """The entries that make Codex run every hook of ours in this text of its hooks file, in its settings file."""
    return [
        TomlTable(settings, (*TABLES, f"{path}:{place}"), {HASH: trusted}, only_if_absent=False)
        for place, trusted in _ours(text)
        for path in _names(hooks, env)
    ]


def _ours(text: str) -> Iterator[tuple[str, str]]:
    """(event and place, hash) of every hook of ours."""
    value = jsonedit.value(text) or {}
    for client_event, event, _, _ in facts.EVENTS:
        match = hook_groups.ours(facts.NAME, event)
        for row, group in enumerate(value.get(hook_groups.HOOKS, {}).get(client_event, [])):
            for column, entry in enumerate(group.get(hook_groups.HOOKS, [])):
                if match.fits(entry):
                    place = f"{facts.TRUST_EVENTS[client_event]}:{row}:{column}"
                    yield place, hash_of(client_event, group.get("matcher"), entry)


def hash_of(client_event: str, matcher: str | None, entry: Mapping[str, Any]) -> str:
    """The hash that Codex keeps of a hook it trusts."""
    usual, most = facts.CLAMPED.get(client_event, (facts.DEFAULT_TIMEOUT, 0))
    seconds = max(1, int(entry.get("timeout", usual)))
    hook = {
        "async": bool(entry.get("async", False)),
        "command": entry["command"],
        "timeout": min(seconds, most) if most else seconds,
        "type": "command",
    }
    hook.update({key: entry[key] for key in ("statusMessage", "additionalContextLimit") if entry.get(key) is not None})
    whole: dict[str, Any] = {"event_name": facts.TRUST_EVENTS[client_event], "hooks": [hook]}
    if matcher and client_event not in facts.NO_MATCHER:
        whole["matcher"] = matcher
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _names(hooks: str, env: Mapping[str, str]) -> list[str]:
    """How Codex calls the file: its own default folder as it is, a folder that a variable names without links."""
    folder, name = os.path.split(hooks)
    real = os.path.join(os.path.realpath(folder), name)
    default = os.path.join(homes.user_folder(env), facts.FOLDER)
    return [hooks, real] if folder == default and real != hooks else [real]
