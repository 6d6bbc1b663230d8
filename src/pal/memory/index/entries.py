"""Reads long-term memory into documents: only what was appended since the last time, and the entries it concerns."""

from __future__ import annotations

import os

from pal.base import clock, files, log
from pal.memory.icm import entry as entries
from pal.memory.icm import events, fold
from pal.memory.index.documents import MEMORY, Document, date_words, name_stems
from pal.memory.terms import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection
    from typing import Any

    from pal.base.home import Home
    from pal.memory.icm.entry import Entry

    Place = tuple[str, str, int, int]  # entry, log, at, size

_SHOWN = 4096  # bytes at the beginning of a file and before the place read so far that show whether it is the same
SHOWN_STATUSES = (entries.ACTIVE, entries.DISPUTED, entries.SUPERSEDED)


class Foreign(Exception):
    """A file of events is not the one that was read before: the index must be built anew."""


def everything(home: Home, connection: Connection) -> list[Document]:
    """All entries as documents; where their events stand is noted in the index."""
    found: dict[str, list[Any]] = {}
    places: list[Place] = []
    for path in events.paths(home):
        name = home.relative(path)
        for event, at, size in _new(home, path, 0):
            found.setdefault(event["id"], []).append(event)
            places.append((event["id"], name, at, size))
        _note(connection, home, path, name, places[-1:])
    connection.executemany("insert into event values (?, ?, ?, ?)", places)
    made = {key: one for key, one in ((key, fold.one(found[key])) for key in sorted(found)) if one}
    fold.settle(made)
    return [document(one) for one in made.values() if one.status in SHOWN_STATUSES]


def appended(home: Home, connection: Connection) -> dict[str, Document | None]:
    """The entries that new lines concern, by id; None for one that is not to be found any more. Raises Foreign."""
    known = {row[0]: row[1:] for row in connection.execute("select path, done, mtime, head from log")}
    concerned: set[str] = set()
    for path in events.paths(home):
        name = home.relative(path)
        done, mtime, head = known.pop(name, (0, 0, ""))
        status = os.stat(path)
        if status.st_size == done and status.st_mtime_ns == mtime:
            continue
        if status.st_size < done or (done and _head(path, done) != head):
            raise Foreign(f"{path} is not the file that was read before")
        places = [(event["id"], name, at, size) for event, at, size in _new(home, path, done)]
        connection.executemany("insert into event values (?, ?, ?, ?)", places)
        _note(connection, home, path, name, places[-1:], done)
        concerned.update(place[0] for place in places)
    if known:
        raise Foreign(f"{min(known)} is gone")
    for name in list(concerned):  # members come and go with the head they were merged into
        concerned.update(
            row[0] for row in connection.execute("select ref from doc where head = ? and head != ''", (name,))
        )
    return {name: _settled(home, connection, name) for name in sorted(concerned)}


def _settled(home: Home, connection: Connection, name: str) -> Document | None:
    one = _folded(home, connection, name)
    if one is None:
        return None
    if one.merged_into:
        head = _folded(home, connection, one.merged_into)
        fold.settle({found.id: found for found in (one, head) if found})
    return document(one) if one.status in SHOWN_STATUSES else None


def _folded(home: Home, connection: Connection, name: str) -> Entry | None:
    about = []
    for path, at, size in connection.execute("select log, at, size from event where entry = ?", (name,)).fetchall():
        event = events.parse(_bytes(home.below(path), at, size))
        if event is not None and event["id"] == name:
            about.append(event)
    return fold.one(about) if about else None


def document(one: Entry) -> Document:
    """The document of an entry. Its topic, keywords and entities are its key; the last two are names it goes by."""
    made = Document(one.id, MEMORY, one.content)
    made.kind, made.project, made.session = one.kind, one.project, one.source.get("session", "")
    made.title, made.importance, made.uses = one.topic, one.importance, one.uses
    made.status, made.head, made.tier, made.pinned = one.status, one.superseded_by, one.source_tier, int(one.pinned)
    made.ts = _moment(one.ts)
    made.used = max(made.ts, _moment(one.updated), _moment(one.last_access))
    made.valid_from, made.valid_to = _moment(one.valid_from), _moment(one.valid_to)
    named = one.keywords + one.entities
    made.names = name_stems(named)
    key = " ".join(dict.fromkeys([*stems(" ".join((one.topic, one.kind, one.project, *named))), *made.names.split()]))
    made.streams = (" ".join(stems(one.content)), key, "", "", date_words(made.ts))
    return made


def _moment(stamp: str) -> float:
    try:
        return clock.parse(stamp)
    except ValueError:
        return 0.0


def _new(home: Home, path: str, done: int) -> Iterable[tuple[dict[str, Any], int, int]]:
    """(event, place, size) of each whole line behind `done`; a last line without its end counts if it is whole."""
    try:
        with open(path, "rb") as stream:
            stream.seek(done)
            at = done
            for line in stream:
                event = events.parse(line)
                if event is not None:
                    yield event, at, len(line)
                elif line.endswith(b"\n") and line.strip():
                    log.debug(home, "memory", f"{path} holds a line at {at} that is no event")
                at += len(line)
    except OSError as problem:
        log.error(home, "memory", f"{path} cannot be read: {problem}")


def _note(connection: Connection, home: Home, path: str, name: str, last: list[Place], done: int = 0) -> None:
    """Remember how far the file was read: to the end of its last event."""
    if last and last[0][1] == name:
        done = last[0][2] + last[0][3]
    query = "insert or replace into log values (?, ?, ?, ?)"
    mtime = os.stat(path).st_mtime_ns if os.path.getsize(path) == done else 0
    connection.execute(query, (name, done, mtime, _head(path, done)))


def _head(path: str, done: int) -> str:
    """A hash of the first and the last bytes read so far."""
    from hashlib import sha256

    first = _bytes(path, 0, min(done, _SHOWN))
    return sha256(first + _bytes(path, max(0, done - _SHOWN), min(done, _SHOWN))).hexdigest()[:32]


def _bytes(path: str, at: int, size: int) -> bytes:
    descriptor = files.open_to_read(path)
    try:
        os.lseek(descriptor, at, os.SEEK_SET)
        return os.read(descriptor, size)
    finally:
        os.close(descriptor)
