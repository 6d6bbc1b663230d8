"""Hooks in the form `{"hooks": {event: [entry]}}`, where each entry stands in its event's list by itself (cold)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pal.base import files
from pal.base.errors import PalError
from pal.install import jsonedit
from pal.install.changes import JsonElement, Match
from pal.install.status import Registration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HOOKS = "hooks"
COMMAND = ("command",)


def ours(agent: str, event: str, fields: Sequence[str] = COMMAND) -> Match:
    """Our command for an event, from the launcher of any home or from an archive of any name."""
    return Match((f"hook.py {event} --agent={agent}", f"hook {event} --agent={agent}"), tuple(fields))


def element(
    path: str, agent: str, client_event: str, event: str, entry: dict[str, Any], fields: Sequence[str] = COMMAND
) -> JsonElement:
    """The change that enters one hook; `fields` are the members of an entry that hold a command."""
    return JsonElement(path, (HOOKS, client_event), entry, ours(agent, event, fields))


def registered(path: str, agent: str, events: Mapping[str, str], fields: Sequence[str] = COMMAND) -> list[Registration]:
    """Our entries as they stand in this file (`events`: the client's name for an event -> PAL's); of several `fields`
    the first is the one this system runs."""
    try:
        value = jsonedit.value((files.read_bytes(path) or b"").decode("utf-8"))
        hooks = {} if value is None else value.get(HOOKS, {})
        entries = [(event, entry) for event, listed in hooks.items() for entry in listed]
    except PalError as problem:
        raise PalError(f"{path} cannot be read: {problem}") from None
    except (AttributeError, TypeError, ValueError):
        raise PalError(f"{path} cannot be read: it is not UTF-8, or its hooks are not lists") from None
    except OSError as problem:
        raise PalError(f"{path} cannot be read: {problem.strerror}") from None
    found = []
    for client_event, entry in entries:
        event = events.get(client_event, client_event)
        if isinstance(entry, dict) and any(ours(agent, name, fields).fits(entry) for name in {event, *events.values()}):
            command = next((str(entry[field]) for field in fields if entry.get(field)), "")
            found.append(Registration(event, command, str(entry.get("shell", "")), client_event))
    return found
