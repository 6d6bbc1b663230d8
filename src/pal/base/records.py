"""Logs of one JSON object a line (`*.jsonl`): append-only, safe with many writers, read from the end.

A writer that cannot get the lock in time leaves its line under `state/spill/`; the next writer of that file folds it
in. A torn last line (a writer was killed, a disk was full) is fenced off by the next writer and skipped by readers."""

from __future__ import annotations

import os

from pal.base import files, jsontext, locks, log, spill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from pal.base.home import Home

TAIL_BYTES = 64 * 1024
_AT_ONCE = 1000  # records in one write
_RECENT = 200  # records; an event fired twice comes twice within seconds


def append(
    home: Home, path: str, record: dict[str, Any], now: float, durable: bool = False, once: tuple[str, ...] = ()
) -> bool:
    """Add one record. It is on disk, or in the spill, when this returns; OSError when neither could be written.

    False, and nothing written, when a recent record has the same values in all the fields that `once` names."""
    line = jsontext.dumps(record)
    files.make_folder(os.path.dirname(path))
    with locks.Lock(path) as held:
        if not held:
            spill.leave(home, path, {"line": line, "once": list(once)}, now)
            return True
        if os.path.isdir(path):
            log.error(home, "records", f"a folder stood in place of {path}; it is kept as {files.set_aside(path)}")
        waiting = spill.waiting(home, path)
        recent = tail(path, _RECENT) if once or waiting else []
        lines = _left_over(waiting, recent)
        fresh = not (once and _holds(recent, record, once))
        if fresh:
            lines.append(line)
        if lines:
            add_lines(path, "\n".join(lines), durable)
        for name, _ in waiting:
            files.remove(name)
        return fresh


def append_all(home: Home, path: str, found: Sequence[dict[str, Any]], now: float) -> None:
    """Add many records under one lock, safely on the disk; OSError when they could not be written."""
    files.make_folder(os.path.dirname(path))
    with locks.Lock(path) as held:
        if not held:
            raise locks.Busy("another process keeps " + path + " locked")
        for at in range(0, len(found), _AT_ONCE):
            part = found[at : at + _AT_ONCE]
            add_lines(path, "\n".join([jsontext.dumps(record) for record in part]), at + _AT_ONCE >= len(found))


def settle(home: Home, path: str, now: float) -> None:
    """Fold in what writers of this file had to leave in the spill; nothing while somebody else holds its lock."""
    if not spill.any_for(home, path):
        return
    with locks.Lock(path, 0) as held:
        if held:
            waiting = spill.waiting(home, path)
            lines = _left_over(waiting, tail(path, _RECENT))
            if lines:
                add_lines(path, "\n".join(lines), True)
            for name, _ in waiting:
                files.remove(name)


def _left_over(waiting: list[tuple[str, dict[str, Any]]], recent: list[dict[str, Any]]) -> list[str]:
    """The spilled lines the file does not hold yet: a writer may have died after it folded them in."""
    lines = []
    for _, entry in waiting:
        line = str(entry.get("line") or "")
        record = _record(line.encode("utf-8", "backslashreplace"))
        if record is not None:
            once = entry.get("once")
            named = [str(name) for name in once] if isinstance(once, list) else []
            if not _holds(recent, record, named or list(record)):
                lines.append(line)
                if named:
                    recent.append(record)
    return lines


def _holds(recent: list[dict[str, Any]], record: dict[str, Any], names: Sequence[str]) -> bool:
    return any(all(old.get(name) == record.get(name) for name in names) for old in recent)


def add_lines(path: str, line: str, durable: bool) -> None:
    """Append whole lines, all of them or none; the caller holds the lock. A torn last line gets its end first."""
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | files.BINARY, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        data = line.encode("utf-8") + b"\n"
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                data = b"\n" + data
        if os.write(descriptor, data) != len(data):
            os.ftruncate(descriptor, size)  # a full disk took half a line: better none of it
            raise OSError("no room to append to " + path)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tail(path: str, count: int, limit: int = TAIL_BYTES) -> list[dict[str, Any]]:
    """The last records, oldest first: at most `count`, from at most `limit` bytes; foreign lines are skipped."""
    try:
        data = files.tail_bytes(path, limit + 1)  # the byte before tells whether the first line is whole
    except OSError:
        if not os.path.isdir(path):
            raise
        return []  # the next writer moves the folder away
    lines = data.split(b"\n")
    if len(data) > limit:
        lines = lines[1:]
    found: list[dict[str, Any]] = []
    for line in reversed(lines):
        if len(found) >= count:
            break
        record = _record(line)
        if record is not None:
            found.append(record)
    found.reverse()
    return found


def each(path: str) -> Iterator[dict[str, Any]]:
    """Every record from the first; for commands and jobs, never for a hook."""
    if not os.path.isfile(path):
        return
    with open(path, "rb") as stream:
        for line in stream:
            record = _record(line)
            if record is not None:
                yield record


def _record(line: bytes) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        value = jsontext.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
