"""State files: one JSON object each, changed under a lock, replaced whole, small enough for a hook to read.

`merge` is the usual way to write: it sets fields of one row, and a busy lock loses nothing, since the change waits in
the spill. A file that cannot be read as an object, twice, under its lock, is moved aside and reported, never lost."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, locks, log, records, spill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.base.home import Home


def read(home: Home, path: str) -> dict[str, Any]:
    """The object in the file; empty when it is missing or was unreadable (then it has been moved aside)."""
    try:
        return _parse(path)[0]
    except ValueError:
        with locks.Lock(path) as held:
            return _parse_or_set_aside(home, path)[0] if held else {}


def update(
    home: Home,
    path: str,
    change: Callable[[dict[str, Any]], None],
    now: float,
    keep: int | None = None,
    order: str = "last",
) -> dict[str, Any]:
    """Read, change, write, under the lock; gives what was written. locks.Busy when the wait ended.

    With `keep`, only that many rows stay, the greatest by their `order` field; older ones move to dated files."""
    files.make_folder(os.path.dirname(path))
    with locks.Lock(path) as held:
        if not held:
            raise locks.Busy("another process keeps " + path + " locked")
        value, before = _parse_or_set_aside(home, path)
        waiting = spill.waiting(home, path)
        for _, entry in waiting:
            _apply(value, entry)
        change(value)
        if keep is not None and len(value) > keep:
            _archive_oldest(home, path, value, keep, order, now)
        after = jsontext.dumps_rows(value).encode()
        if after != before:
            files.put(path, after)
        for name, _ in waiting:
            files.remove(name)
        return value


def merge(
    home: Home,
    path: str,
    key: str,
    fields: dict[str, Any],
    now: float,
    add: dict[str, int] | None = None,
    keep: int | None = None,
    order: str = "last",
    default: dict[str, Any] | None = None,
    once: dict[str, Any] | None = None,
) -> dict[str, Any] | None:
    """Set `fields` of the row `key` and add numbers to others; gives the new row, None when the change was spilled.

    `default` fields are set only where the row holds nothing yet. `once` fields mark what happened (an event's id): a
    row that already holds them all is left as it is. `keep` and `order` are those of `update`."""
    entry: dict[str, Any] = {"key": key, "set": fields}
    if add:
        entry["add"] = add
    if default:
        entry["default"] = default
    if once:
        entry["once"] = once
    try:
        row = update(home, path, lambda value: _apply(value, entry), now, keep, order).get(key)
    except locks.Busy:
        spill.leave(home, path, entry, now)
        return None
    return row if isinstance(row, dict) else None


def _apply(value: dict[str, Any], entry: dict[str, Any]) -> None:
    """Fold one change into the object: `set` replaces fields of a row, `default` fills them, `add` sums into them."""
    key = str(entry.get("key"))
    row = value.get(key)
    row = dict(row) if isinstance(row, dict) else {}
    once, default = entry.get("once"), entry.get("default")
    fields, sums = entry.get("set"), entry.get("add")
    if isinstance(once, dict):
        if all(row.get(name) == mark for name, mark in once.items()):
            return
        row.update(once)
    if isinstance(default, dict):
        for name, filler in default.items():
            row[name] = row.get(name) or filler
    if isinstance(fields, dict):
        row.update(fields)
    if isinstance(sums, dict):
        for name, number in sums.items():
            before = row.get(name)
            if isinstance(number, (int, float)):
                row[name] = (before if isinstance(before, (int, float)) else 0) + number
    value[key] = row


def _archive_oldest(home: Home, path: str, value: dict[str, Any], keep: int, order: str, now: float) -> None:
    ranked = sorted(value, key=lambda key: str(value[key].get(order, "")) if isinstance(value[key], dict) else "")
    name = os.path.basename(path).rsplit(".", 1)[0] + "-" + clock.iso(now)[:7] + ".jsonl"
    for key in ranked[: len(value) - keep]:
        row = value.pop(key)
        # Written before the shorter registry is: a crash in between repeats a row, it never loses one.
        records.append(home, os.path.join(home.archive_rows, name), {"key": key, "row": row}, now)


def _parse(path: str) -> tuple[dict[str, Any], bytes]:
    """The object in the file and its bytes, empty when it is missing; ValueError for anything else in its place."""
    try:
        data = files.read_bytes(path)
    except (IsADirectoryError, PermissionError) as problem:
        if os.path.isdir(path):
            raise ValueError("a folder stands in place of " + path) from problem
        raise
    if data is None:
        return {}, b""
    value = jsontext.loads(data)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object: " + path)
    return value, data


def _parse_or_set_aside(home: Home, path: str) -> tuple[dict[str, Any], bytes]:
    """Call it holding the lock. What cannot be parsed keeps its bytes under another name."""
    try:
        return _parse(path)
    except ValueError as problem:
        log.error(home, "state", f"{problem}; its bytes are kept in {files.set_aside(path)}")
        return {}, b""
