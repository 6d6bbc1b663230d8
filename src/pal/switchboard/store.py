"""`board.db`, read and written: one real SQLite file, no copy in memory, nothing renamed over it.

Writers go one at a time, by an operating-system lock beside the file; readers take none. Every commit raises the
board's revision, and its events go on to `events.jsonl`, from which a lost board is built again."""

from __future__ import annotations

import os
import time

from pal.base import clock, files, jsontext, locks, records, redaction, text
from pal.switchboard import replay, schema, workspace
from pal.switchboard.errors import Refused, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.desk import Desk
    from pal.switchboard.workspace import Workspace

_READER_WAITS = 5.0  # seconds; a commit holds readers off for milliseconds
_LOOKS = 0.001  # seconds between two tries to read
_LONGEST_REASON = 800  # characters of what an event keeps of a sentence
_PATIENT, _URGENT = 0.012, 0.0005  # seconds between two tries for the lock: at first, and after long
_LONG = 0.15  # seconds of waiting after which a writer is urgent


class Reading:
    """`with Reading(workspace, wait) as db:` gives a connection that reads one moment; nothing is written inside it.

    A missing file is made first, from the events when there are any; what cannot be read is an error, never an empty
    board."""

    __slots__ = ("_db", "_wait", "_workspace")

    def __init__(self, workspace: Workspace, wait: float = _READER_WAITS) -> None:
        self._workspace = workspace
        self._wait = wait
        self._db: Connection | None = None

    def __enter__(self) -> Connection:
        path = self._workspace.board
        if not os.path.exists(path):
            with Lock(self._workspace, self._wait):
                _opened(self._workspace, self._wait).close()
        try:
            self._db = schema.connect(path, 0.0)
            version = _begun(self._db, self._wait)
        except schema.errors() as fault:
            self.__exit__(None, None, None)
            raise damaged(self._workspace, fault) from None
        if version == 0:  # its maker died, or is at it
            self._db.close()
            with Lock(self._workspace, self._wait):
                self._db = _opened(self._workspace, self._wait)
        return self._db

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
        if isinstance(fault, schema.errors()):
            raise damaged(self._workspace, fault) from fault


def _begun(db: Connection, wait: float) -> int:
    """Begin to read, all of one moment; the file's version.

    SQLite's own waiting sleeps longer and longer, and beside busy writers the gaps are short: who looks often gets in.
    """
    until = time.monotonic() + wait
    while True:
        try:
            db.execute("begin")
            return int(db.execute("pragma user_version").fetchone()[0])
        except schema.errors() as fault:
            if "locked" not in str(fault) or time.monotonic() >= until:
                raise
            db.execute("rollback")
            time.sleep(_LOOKS)


def exists(workspace: Workspace) -> bool:
    """Whether there is a database already; hooks ask, since they make none."""
    return os.path.exists(workspace.board)


class Writing:
    """`with Writing(desk) as write:` is one short transaction under the lock: re-read, check, write, `write.event`.

    What the block raises takes everything back. No file is read, hashed or moved inside it, no program started."""

    __slots__ = ("_before", "_desk", "_lock", "db", "now")

    db: Connection

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = Lock(desk.workspace, desk.wait)
        self._before = 0
        self.now = clock.iso_ms(desk.now)

    def __enter__(self) -> Writing:
        self._lock.__enter__()
        try:
            self.db = _opened(self._desk.workspace, self._desk.wait)
            self.db.execute("begin immediate")
            self._before = self.db.total_changes
        except BaseException as fault:
            self._lock.__exit__()
            if isinstance(fault, schema.errors()):
                raise damaged(self._desk.workspace, fault) from None
            raise
        return self

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        try:
            if fault is not None or self.db.total_changes == self._before:
                self.db.execute("rollback")
            else:
                self.db.execute("update meta set value = value + 1 where key = 'board_rev'")
                self.db.execute("commit")
                _copy_events(self._desk.workspace, self.db)
        except schema.errors() as trouble:
            raise damaged(self._desk.workspace, trouble) from trouble
        finally:
            self.db.close()
            self._lock.__exit__()
        if isinstance(fault, schema.errors()):
            raise damaged(self._desk.workspace, fault) from fault

    def event(
        self,
        kind: str,
        plan_id: str = "",
        from_col: str = "",
        to_col: str = "",
        reason: str = "",
        data: dict[str, Any] | None = None,
        idem: str | None = None,
    ) -> int:
        """Record what happens in this transaction; its number. The reason is scrubbed and cut."""
        short = text.clip(redaction.scrub(reason), _LONGEST_REASON)
        made = self.db.execute(
            "insert into events (plan_id, ts, actor, session, kind, from_col, to_col, reason, data, idem)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (plan_id, self.now, self._desk.actor, self._desk.session, kind, from_col, to_col, short,
             jsontext.dumps(data or {}), idem),
        )  # fmt: skip
        return int(made.lastrowid or 0)


def revision(place: Workspace) -> int:
    """A number that grows with every commit: as long as it is the same, nothing changed."""
    with Reading(place) as db:
        return int(db.execute("select value from meta where key = 'board_rev'").fetchone()[0])


class Lock:
    """The writers' lock, or E_LOCKED when the wait ended and E_READONLY where nothing can be written."""

    __slots__ = ("_lock", "_wait", "_workspace")

    def __init__(self, place: Workspace, wait: float) -> None:
        self._workspace = place
        self._wait = wait
        self._lock = locks.Lock(place.board, 0.0)

    def __enter__(self) -> Lock:
        folder = self._workspace.folder
        if not os.path.isdir(folder):
            raise refused("E_NOT_WORKSPACE", f"the board in {self._workspace.root} is gone", "make it: `init`")
        if not files.writable(folder):
            raise refused("E_READONLY", f"{folder} cannot be written", "make the folder writable")
        began = time.monotonic()
        while not self._lock.__enter__():
            waited = time.monotonic() - began
            if waited >= self._wait:
                raise refused("E_LOCKED", f"somebody else is writing to {self._workspace.board}", "try again")
            # Who has waited longest tries most often, so that nobody is overtaken for long.
            time.sleep(max(_URGENT, _PATIENT * (1 - waited / _LONG)))
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.__exit__()


def _opened(place: Workspace, wait: float) -> Connection:
    """A connection to write with; the file is made or brought up to date first. Call it holding the lock."""
    db = schema.connect(place.board, wait)
    try:
        schema.durable(db)
        version = db.execute("pragma user_version").fetchone()[0]
        if version > schema.VERSION:
            raise refused("E_READONLY", f"{place.board} was written by a newer PAL", "update this one: `pal update`")
        if version == 0:
            _make(place, db)
    except BaseException:
        db.close()
        raise
    return db


def _make(place: Workspace, db: Connection) -> None:
    workspace.identify(place)
    db.execute("begin immediate")
    for statement in schema.statements(schema.TABLES):
        db.execute(statement)
    db.execute("insert into meta values ('workspace_id', ?), ('board_rev', 1)", (place.id,))
    replay.roles(db)
    replay.events(db, place)
    db.execute(f"pragma user_version = {schema.VERSION}")
    db.execute("commit")


def _copy_events(place: Workspace, db: Connection) -> None:
    """Append the events that `events.jsonl` does not hold yet: also those of a writer that died after its commit."""
    try:
        last = records.tail(place.events, 1)
        known = last[0].get("id") if last else 0
        rows = db.execute(replay.LINES, (known if isinstance(known, int) else 0,)).fetchall()
        if rows:
            lines = "\n".join([jsontext.dumps(replay.line(row)) for row in rows])
            records.add_lines(place.events, lines, durable=False)
    except OSError:
        return  # the board itself is written; the next writer appends these too


def damaged(place: Workspace, fault: BaseException) -> Refused:
    """What to tell of something SQLite raised."""
    said = str(fault)
    if "locked" in said or "busy" in said:
        return refused("E_LOCKED", f"somebody else is writing to {place.board}", "try again")
    if "full" in said:
        return refused("E_READONLY", f"the disk of {place.board} is full", "make room; nothing was changed")
    if "readonly" in said or "unable to open" in said:
        return refused("E_READONLY", f"{place.board} cannot be written", "make the folder writable")
    return refused("E_DAMAGED", f"{place.board} cannot be read ({said})", "`pal switchboard doctor --fix` rebuilds it")
