"""Folds events into entries. The order of files and lines does not matter: the same set of events is the same state.

Fields go to the newest writer, sets only grow, a machine's count of uses is the greatest it told, and what was
forgotten stays so until somebody says otherwise later."""

from __future__ import annotations

from pal.base import jsontext
from pal.memory.icm import events
from pal.memory.icm.entry import ACTIVE, FORGOTTEN, STATUSES, SUPERSEDED, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pal.base.home import Home

    Event = dict[str, Any]

_TEXTS = (
    "content", "hash", "importance", "kind", "project", "raw_excerpt", "source_agent", "source_tier", "topic",
    "valid_from", "valid_to",
)  # fmt: skip
_SETS = ("entities", "evidence", "keywords", "related", "supersedes")
_MAPS = ("slot", "source")


def load(home: Home) -> dict[str, Entry]:
    """Every entry by id, those that were forgotten or superseded too; reads all files, so never in a hook."""
    return fold(events.each(home))


def fold(found: Iterable[Event]) -> dict[str, Entry]:
    """The entries these events make, in the order of their ids."""
    by_id: dict[str, list[Event]] = {}
    for event in found:
        by_id.setdefault(event["id"], []).append(event)
    entries = {}
    for name in sorted(by_id):
        entry = one(by_id[name])
        if entry is not None:
            entries[name] = entry
    settle(entries)
    return entries


def one(about: list[Event]) -> Entry | None:
    """The entry that the events of one id make; None when none of them brought its text."""
    if len(about) > 1:
        about = sorted(about, key=_order)
    entry = Entry(about[0]["id"])
    for event in about:
        _apply(entry, event)
    return entry if entry.content else None


def settle(entries: dict[str, Entry]) -> None:
    """What entries say of each other: a member of a cluster is alive again when its head was forgotten."""
    for entry in entries.values():
        if entry.merged_into and entry.status == ACTIVE:
            head = entries.get(entry.merged_into)
            if head is not None and head.status != FORGOTTEN:
                entry.status = SUPERSEDED
                entry.superseded_by = head.id


def _order(event: Event) -> tuple[str, str, str]:
    return event["hlc"], event["op"], jsontext.dumps(event)


def _apply(entry: Entry, event: Event) -> None:
    op, hlc = event["op"], event["hlc"]
    if op == events.TOUCH:
        count, at = event.get("n"), event.get("at")
        if isinstance(count, int) and not isinstance(count, bool) and count > 0:
            host = events.host_of(hlc)
            entry.access[host] = max(entry.access.get(host, 0), count)
        if isinstance(at, str) and at > entry.last_access:
            entry.last_access = at
        return
    entry.hlc = hlc
    if op == events.FORGET:
        entry.status = FORGOTTEN
    elif op == events.SUPERSEDE:
        entry.status, entry.superseded_by = SUPERSEDED, str(event.get("by") or "")
    elif op == events.MERGE:
        entry.merged_into = str(event.get("into") or "")
    else:
        if op == events.ADD and not entry.ts:
            entry.ts = _text(event.get("ts"))
        _set_fields(entry, event)
    if op != events.ADD:
        entry.updated = _text(event.get("ts"))


def _set_fields(entry: Entry, event: Event) -> None:
    for name in _TEXTS:
        value = event.get(name)
        if isinstance(value, str):
            setattr(entry, name, value)
    for name in _SETS:
        value = event.get(name)
        if isinstance(value, list):
            kept: list[str] = getattr(entry, name)
            kept += [item for item in dict.fromkeys(value) if isinstance(item, str) and item and item not in kept]
    for name in _MAPS:
        value = event.get(name)
        if isinstance(value, dict):
            setattr(entry, name, {key: str(item) for key, item in value.items()})
    sure, pinned, status = event.get("confidence"), event.get("pinned"), event.get("status")
    if isinstance(sure, (int, float)) and not isinstance(sure, bool):
        entry.confidence = min(1.0, max(0.0, float(sure)))
    if isinstance(pinned, bool):
        entry.pinned = pinned
    if status in STATUSES:
        entry.status = status
    elif event["op"] == events.ADD:
        entry.status = ACTIVE


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
