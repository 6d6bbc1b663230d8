"""`archive.db`: finished plans with their texts and histories, and exported conversations. A copy is made in one
transaction; made again it becomes a new revision and the former text stays."""

from __future__ import annotations

import os

from pal.base import clock, jsontext, locks
from pal.switchboard import board, planfiles, schema, store
from pal.switchboard.errors import Refused, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.desk import Desk
    from pal.switchboard.workspace import Workspace

VERSION = 1
TABLES = """
create table plans (
    plan_id text primary key, session_id text not null, topic text not null, plan_file text not null,
    column_id text not null, status text not null, score integer not null, tags text not null, deps text not null,
    repo text not null, workspace_id text not null, created_at text not null, updated_at text not null,
    completed_at text not null, archived_at text not null, days_to_completion integer not null,
    revision integer not null, body text not null, body_sha text not null, events text not null
);
create table plan_revisions (
    plan_id text not null, revision integer not null, archived_at text not null, body text not null,
    body_sha text not null, primary key (plan_id, revision)
);
create table conversations (
    id text primary key, exported_at text not null, conversation_date text not null, topic text not null,
    title text not null, content text not null, content_sha text not null unique, tags text not null,
    project text not null, metadata text not null, file_path_original text not null, host text not null,
    session_id text not null, messages integer not null
);
"""
FTS = "create virtual table fts using fts5(kind unindexed, ref unindexed, title, topic, body)"
_AT = {name: number for number, name in enumerate(schema.PLAN)}
_DAY = 86400.0
_READERS = 5.0  # seconds SQLite itself waits for a reader to let go


class Writing:
    """`with Writing(desk) as db:` is one transaction on the archive, under its own lock; a fault takes it back."""

    __slots__ = ("_db", "_lock", "_place")

    def __init__(self, desk: Desk) -> None:
        self._place = desk.workspace
        self._lock = locks.Lock(desk.workspace.archive, desk.wait)
        self._db: Connection | None = None

    def __enter__(self) -> Connection:
        if not self._lock.__enter__():
            raise refused("E_LOCKED", f"somebody else is writing to {self._place.archive}", "try again")
        try:
            self._db = db = schema.connect(self._place.archive, _READERS)
            schema.durable(db)
            if db.execute("pragma user_version").fetchone()[0] == 0:
                _make(db)
            db.execute("begin immediate")
            return db
        except BaseException as fault:
            self._close()
            if isinstance(fault, schema.errors()):
                raise _damaged(self._place, fault) from None
            raise

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        try:
            if self._db is not None:
                self._db.execute("commit" if fault is None else "rollback")
        except schema.errors() as trouble:
            raise _damaged(self._place, trouble) from trouble
        finally:
            self._close()
        if isinstance(fault, schema.errors()):
            raise _damaged(self._place, fault) from fault

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
        self._lock.__exit__()


def _damaged(place: Workspace, fault: BaseException) -> Refused:
    found = store.damaged(place, fault)
    if found.code != "E_DAMAGED":
        return found
    return refused("E_DAMAGED", f"{place.archive} cannot be read ({fault})", "move it aside; a new one is made")


def _make(db: Connection) -> None:
    db.execute("begin immediate")
    for statement in schema.statements(TABLES):
        db.execute(statement)
    try:
        db.execute(FTS)
    except schema.errors():
        pass  # an SQLite without FTS5: `search` compares texts one by one and says so
    db.execute(f"pragma user_version = {VERSION}")
    db.execute("commit")


def has_fts(db: Connection) -> bool:
    return bool(db.execute("select 1 from sqlite_master where name = 'fts'").fetchone())


def index(db: Connection, kind: str, ref: str, title: str, topic: str, body: str) -> None:
    """Put a text into the search index, in place of its former one."""
    if has_fts(db):
        db.execute("delete from fts where kind = ? and ref = ?", (kind, ref))
        db.execute("insert into fts (kind, ref, title, topic, body) values (?, ?, ?, ?, ?)",
                   (kind, ref, title, topic, body))  # fmt: skip


def add(desk: Desk, id: str) -> dict[str, Any]:
    """Copy a plan, its text and events: `{planId, revision, changed, days}`. The same text again changes nothing."""
    card = board.find(desk, id, scanning=False)
    try:
        body, sha, _ = planfiles.read(desk.workspace.at(card["planFile"]))
    except Refused as fault:
        if fault.code != "E_NOT_FOUND":
            raise
        body, sha = "", ""  # a plan whose file is missing leaves at least its history
    events = jsontext.dumps(board.log(desk, card["planId"], limit=1000))
    with store.Reading(desk.workspace, desk.wait) as source:
        row = board.need(source, desk, card["planId"])
    days = _days(row)
    values = {name: row[_AT[name]] for name in (
        "plan_id", "session_id", "topic", "plan_file", "column_id", "status", "score", "tags", "deps", "repo",
        "created_at", "updated_at", "completed_at",
    )}  # fmt: skip
    values.update(workspace_id=desk.workspace.id, archived_at=clock.iso_ms(desk.now), body=body, body_sha=sha,
                  events=events, days_to_completion=days)  # fmt: skip
    with Writing(desk) as db:
        before = db.execute("select revision, body, body_sha, archived_at, completed_at from plans where plan_id = ?",
                            (card["planId"],)).fetchone()  # fmt: skip
        if before and before[2] == sha and before[4] == values["completed_at"]:
            return {"planId": card["planId"], "revision": before[0], "changed": False, "days": days}
        values["revision"] = before[0] + 1 if before else 1
        if before:
            db.execute("insert or ignore into plan_revisions values (?, ?, ?, ?, ?)",
                       (card["planId"], before[0], before[3], before[1], before[2]))  # fmt: skip
        names = ", ".join(values)
        db.execute(f"insert or replace into plans ({names}) values ({','.join('?' * len(values))})",
                   list(values.values()))  # fmt: skip
        index(db, "plan", card["planId"], row[_AT["topic"]], row[_AT["tags"]].replace(",", " "), body)
    return {"planId": card["planId"], "revision": values["revision"], "changed": True, "days": days}


def _days(row: tuple[Any, ...]) -> int:
    try:
        span = clock.parse(row[_AT["completed_at"]]) - clock.parse(row[_AT["created_at"]])
    except ValueError:
        return 0
    return max(0, round(span / _DAY))


def stats(desk: Desk) -> dict[str, Any]:
    """What the archive holds."""
    if not os.path.exists(desk.workspace.archive):
        return {"plans": 0, "revisions": 0, "conversations": 0, "bytes": 0, "fts": None}
    with Writing(desk) as db:
        numbers = [db.execute(f"select count(*) from {table}").fetchone()[0]
                   for table in ("plans", "plan_revisions", "conversations")]  # fmt: skip
        full = has_fts(db)
    size = os.path.getsize(desk.workspace.archive)
    return {"plans": numbers[0], "revisions": numbers[1], "conversations": numbers[2], "bytes": size, "fts": full}
