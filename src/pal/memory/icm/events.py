"""The lines of long-term memory: `icm/entries/<host>.jsonl`, one event a line, each machine appends to its own file.

An event is `{"v": 1, "op", "id", "hlc", …}`. Its `hlc` (milliseconds, counter, host) orders events of all machines: a
writer takes one that is later than everything it has seen of the entry, so a wrong clock never undoes a change."""

from __future__ import annotations

import os

from pal.base import files, jsontext, log, records
from pal.base.errors import PalError
from pal.memory.icm.entry import LONGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pal.base.home import Home

    Event = dict[str, Any]

VERSION = 1
ADD, UPDATE, FORGET, MERGE, TOUCH, SUPERSEDE = "add", "update", "forget", "merge", "touch", "supersede"
OPS = (ADD, UPDATE, FORGET, MERGE, TOUCH, SUPERSEDE)
_HOST_LENGTH = 8


def host(home: Home) -> str:
    """Eight hexadecimal digits that name this machine; made at the first write and never synced.

    A home that was copied to a machine of another name gets a new one there, so a file never has two writers."""
    machine = _machine()
    known = _hosts(home)
    if machine not in known:
        from pal.base import locks

        files.make_folder(home.state)
        with locks.Lock(home.hosts):
            known = _hosts(home)
            if machine not in known:
                known[machine] = os.urandom(_HOST_LENGTH // 2).hex()
                files.write(home.hosts, jsontext.dumps_rows(known), durable=True)
    return known[machine]


def _hosts(home: Home) -> dict[str, str]:
    try:
        value = jsontext.loads(files.read_bytes(home.hosts) or b"{}")
    except (OSError, ValueError):
        return {}
    found = value.items() if isinstance(value, dict) else ()
    return {name: of for name, of in found if isinstance(of, str) and len(of) == _HOST_LENGTH and of.isalnum()}


def _machine() -> str:
    uname = getattr(os, "uname", None)
    return str(uname().nodename if uname else os.environ.get("COMPUTERNAME", "")).split(".")[0] or "unnamed"


def stamp(now: float, of: str, seen: str = "") -> str:
    """An `hlc` of this moment on the host `of`, later than `seen`."""
    moment, count = int(now * 1000), 0
    parts = seen.split("-")
    if len(parts) == 3 and parts[0].isdigit():
        try:
            before = (int(parts[0]), int(parts[1], 16))
        except ValueError:
            before = (0, 0)
        if before >= (moment, count):
            moment, count = before[0], before[1] + 1
    return f"{moment:013d}-{count:04x}-{of}"


def host_of(hlc: str) -> str:
    """The machine that wrote the event with this `hlc`."""
    return hlc.rpartition("-")[2]


def append(home: Home, event: Event, now: float) -> bool:
    """Write one event; False when this machine just wrote an entry with the same hash. PalError when it is too long."""
    size = length(event)
    if size > LONGEST:
        raise PalError(
            f"this memory would take {size:,} bytes and at most {LONGEST:,} fit; shorten it, or store it in parts"
        )
    durable = event.get("importance") == "critical" or event["op"] == FORGET
    once = ("hash",) if event["op"] == ADD else ()
    return records.append(home, path(home, host_of(str(event["hlc"]))), event, now, durable, once)


def length(event: Event) -> int:
    """The bytes of an event's line."""
    return len(jsontext.dumps(event).encode("utf-8")) + 1


def append_all(home: Home, found: list[Event], now: float) -> None:
    """Write many events of this machine at once."""
    records.append_all(home, path(home, host(home)), found, now)


def settle(home: Home, now: float) -> None:
    """Fold in what writers left beside the files because they were busy."""
    for name in paths(home):
        records.settle(home, name, now)


def path(home: Home, of: str) -> str:
    """The file that the named machine writes."""
    return os.path.join(home.entries, of + ".jsonl")


def paths(home: Home) -> list[str]:
    """The files of all machines, sorted by name."""
    try:
        names = os.listdir(home.entries)
    except OSError:
        return []
    return [os.path.join(home.entries, name) for name in sorted(names) if name.endswith(".jsonl") and name[0] != "."]


def each(home: Home) -> Iterator[Event]:
    """Every event of every machine, file by file; torn and foreign lines are left out."""
    for name in paths(home):
        try:
            for record in records.each(name):
                if is_event(record):
                    yield record
        except OSError as problem:
            log.error(home, "memory", f"{name} cannot be read: {problem}")


def parse(line: bytes) -> Event | None:
    """The event in a line; None for a torn or foreign one."""
    try:
        record = jsontext.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and is_event(record) else None


def is_event(record: Event) -> bool:
    """True for a line that says what happened to which entry and when."""
    return (
        isinstance(record.get("id"), str)
        and record.get("op") in OPS
        and isinstance(record.get("hlc"), str)
        and bool(record["id"])
    )
