"""The log of events, `hook-events.jsonl`: one event a line, appended in one write, rotated, read from its end.

Hooks write on every tool call, so that way goes without `os`. A fault here is logged and never reaches the caller."""

from __future__ import annotations

from pal.base import bare, clock, ids, jsontext
from pal.events import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pal.base.home import Home

    Event = dict[str, Any]

ROTATE_AT = 10 * 1024 * 1024  # bytes
OLD_FILES = 3
BEGIN = b'{"v": '


def event(kind: str, source: str, now: float, **fields: object) -> Event:
    """An event of this moment; fields that are empty or None are left out."""
    made: Event = {
        "v": schema.VERSION,
        "id": ids.sortable(now),
        "ts": clock.iso_ms(now),
        "type": kind,
        "source": source,
    }
    made.update({name: value for name, value in fields.items() if value is not None and value != ""})
    return made


def emit(home: Home, *events: Event) -> list[str]:
    """Keep the events that are sound, all in one write; what is wrong with the others is logged and returned."""
    lines, wrong = [], []
    for each in events:
        found = schema.faults(each)
        text = "" if found else jsontext.dumps(each) + "\n"
        if len(text) > schema.LINE_LIMIT or len(text.encode()) > schema.LINE_LIMIT:
            found = [f"it is longer than {schema.LINE_LIMIT} bytes"]
        if found:
            wrong += found
        else:
            lines.append(text)
    try:
        if lines and _append(home, "".join(lines).encode()) > ROTATE_AT:
            _rotate(home)
    except OSError as fault:
        wrong.append(f"they could not be written: {fault}")
    if wrong:
        from pal.base import log

        log.error(home, "events", f"{'; '.join(wrong)} ({', '.join(str(each.get('type')) for each in events)})")
    return wrong


def _append(home: Home, data: bytes) -> int:
    if not bare.WINDOWS:
        try:
            return bare.append(home.events, data)
        except (FileNotFoundError, IsADirectoryError):
            pass  # the folder is not there yet, or one stands in the file's place
    import os

    from pal.base import files, locks, records

    files.make_folder(home.state)
    if os.path.isdir(home.events):
        from pal.base import log

        log.error(
            home, "events", f"a folder stood in place of {home.events}; it is kept as {files.set_aside(home.events)}"
        )
    with locks.Lock(home.events):  # two writers who both go to the end on Windows may meet there
        records.add_lines(home.events, data.decode().rstrip("\n"), False)
    return os.path.getsize(home.events)


def _rotate(home: Home) -> None:
    from pal.base import rotation

    rotation.rotate(home.events, ROTATE_AT, OLD_FILES)


def paths(home: Home) -> list[str]:
    """The files of the log, oldest first, whether they are there or not."""
    return [f"{home.events}.{number}" for number in range(OLD_FILES, 0, -1)] + [home.events]


def parse(line: bytes) -> Event | None:
    """The event of one line. One that a full disk cut short has the next one glued to it, which is found."""
    for text in (line, line[max(0, line.rfind(BEGIN)) :]):
        try:
            value = jsontext.loads(text)
        except ValueError:
            continue
        if isinstance(value, dict) and value.get("type") in schema.TYPES:
            return value
    return None


def each(home: Home) -> Iterator[Event]:
    """Every event that is kept, oldest first; for commands and jobs."""
    for path in paths(home):
        try:
            with open(path, "rb") as stream:
                yield from (found for found in map(parse, stream) if found is not None)
        except FileNotFoundError:
            continue


def recent(home: Home, count: int, limit: int = 256 * 1024) -> list[Event]:
    """The last events, oldest first: at most `count`, from at most `limit` bytes of the newest file."""
    from pal.base import files

    data = files.tail_bytes(home.events, limit + 1)
    lines = data.split(b"\n")[1 if len(data) > limit else 0 :]
    found = [made for made in map(parse, lines) if made is not None]
    return found[-count:] if count else []


def open_calls(events: list[Event], session: str) -> list[Event]:
    """The starts of a session's tool calls that no end belongs to yet."""
    running: dict[str, Event] = {}
    for made in events:
        if made.get("session_id") != session:
            continue
        if made["type"] == "tool_start":
            running[str(made.get("call_id"))] = made
        elif made["type"] == "tool_end":
            running.pop(str(made.get("call_id")), None)
    return list(running.values())


def end_of(start: Event, now: float, ok: bool, error: str = "", **fields: object) -> Event:
    """The end of a call, with what its start said of it."""
    try:
        took = max(0.0, (now - clock.parse(start["ts"])) * 1000)
    except ValueError:
        took = 0.0
    kept = {name: start.get(name) for name in ("session_id", "agent", "tier", "trace_id", "tool", "call_id")}
    return event(
        "tool_end", start["source"], now, **kept, ok=ok, error_type=error, duration_ms=round(took, 1), **fields
    )
