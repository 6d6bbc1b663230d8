"""Hooks in the form that several agents read: `{"hooks": {Event: [{"matcher": …, "hooks": [entry]}]}}` (cold).

Each event gets one group of its own with one entry, put after everybody else's; entries are known by what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pal.base import files
from pal.base.errors import PalError
from pal.install import jsonedit
from pal.install.changes import JsonElement, Match
from pal.install.status import Registration

if TYPE_CHECKING:
    from collections.abc import Mapping

HOOKS = "hooks"  # the object of events, and the list of entries in each group


def ours(agent: str, event: str) -> Match:
    """Our command for an event, from the launcher of any home or from an archive of any name."""
    says = (f"hook.py {event} --agent={agent}", f"hook {event} --agent={agent}")
    return Match(says, ("command",), HOOKS)


def element(path: str, agent: str, client_event: str, event: str, matcher: str, entry: dict[str, Any]) -> JsonElement:
    """The change that enters one hook; without a matcher its group has none."""
    group = {"matcher": matcher, HOOKS: [entry]} if matcher else {HOOKS: [entry]}
    return JsonElement(path, (HOOKS, client_event), group, ours(agent, event))


def registered(path: str, agent: str, events: Mapping[str, str]) -> list[Registration]:
    """Our entries as they stand in this file (`events`: the client's name for an event -> PAL's)."""
    try:
        text = (files.read_bytes(path) or b"").decode("utf-8")
        value = jsonedit.value(text)
        hooks = {} if value is None else value.get(HOOKS, {})
        groups = [(event, group) for event, listed in hooks.items() for group in listed]
        entries = [(event, entry) for event, group in groups for entry in group.get(HOOKS, [])]
    except PalError as problem:
        raise PalError(f"{path} cannot be read: {problem}") from None
    except (AttributeError, TypeError, ValueError):
        raise PalError(f"{path} cannot be read: it is not UTF-8, or its hooks are not lists of groups") from None
    except OSError as problem:
        raise PalError(f"{path} cannot be read: {problem.strerror}") from None
    found = []
    for client_event, entry in entries:
        event = events.get(client_event, client_event)
        if isinstance(entry, dict) and any(ours(agent, name).fits(entry) for name in {event, *events.values()}):
            found.append(Registration(event, str(entry.get("command")), str(entry.get("shell", "")), client_event))
    return found
