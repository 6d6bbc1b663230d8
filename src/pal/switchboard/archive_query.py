"""Read-only SQL over the archive. What a statement may do is decided by SQLite's own authorizer, never by its words, so
that a text which says `import` can be looked for and nothing can be written, attached or read from elsewhere."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.switchboard.desk import Desk

SECONDS = 2.0
MOST_ROWS = 1000
MOST_BYTES = 1024 * 1024  # of the answer
_STEPS = 5000  # virtual machine steps between two looks at the clock
_RECURSIVE = 33  # SQLITE_RECURSIVE, which Python names only from 3.11 on
_ALLOWED = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, _RECURSIVE))
# Tables that SQLite itself brings along and that tell of more than the archive, or read files.
_FOREIGN = frozenset(("dbstat", "sqlite_dbpage", "sqlite_stmt", "bytecode", "tables_used", "fsdir", "zipfile"))
_FUNCTIONS_REFUSED = frozenset(
    ("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zeroblob", "randomblob")
)
_LONGEST_STATEMENT = 20_000


def query(desk: Desk, sql: str, limit: int = 100) -> dict[str, Any]:
    """One SELECT over plans, plan_revisions, conversations and fts: `{columns, rows, truncated}`; E_SQL otherwise."""
    limit = max(1, min(limit, MOST_ROWS))
    if len(sql) > _LONGEST_STATEMENT or "\0" in sql or not sql.strip():
        raise refused("E_SQL", "that is no statement", "give one SELECT of at most 20,000 characters")
    if not os.path.exists(desk.workspace.archive):
        return {"columns": [], "rows": [], "truncated": False, "note": "nothing is archived yet"}
    # The mode is the file's: even what an authorizer let through could not write.
    db = sqlite3.connect(Path(desk.workspace.archive).as_uri() + "?mode=ro", uri=True, timeout=5.0)
    try:
        db.execute("pragma trusted_schema = off")
        _limit(db)
        if db.execute("select 1 from sqlite_master where name = 'fts'").fetchone():
            db.execute("select 1 from fts limit 1").fetchone()  # opened here, by statements of its own
        until = time.monotonic() + SECONDS
        db.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        db.set_authorizer(_authorize)
        answer = db.execute(sql)
        if answer.description is None:
            raise refused("E_SQL", "that reads nothing", "give one SELECT")
        return _answer(answer, limit)
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as fault:
        raise _said(fault) from None
    finally:
        db.close()


def _limit(db: sqlite3.Connection) -> None:
    """A value no longer than the answer may be, where this Python can say so (3.11)."""
    if hasattr(db, "setlimit"):
        db.setlimit(getattr(sqlite3, "SQLITE_LIMIT_LENGTH", 0), 16 * MOST_BYTES)


def _authorize(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    if action == sqlite3.SQLITE_PRAGMA and first == "data_version" and second is None:
        return sqlite3.SQLITE_OK  # FTS5 asks whether its file changed; it tells nothing else
    if action not in _ALLOWED:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ and not _readable(str(first).lower()):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and str(second).lower() in _FUNCTIONS_REFUSED:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _readable(table: str) -> bool:
    """The file holds nothing but the archive, and a name may be one that the statement gives itself (WITH)."""
    return table not in _FOREIGN and not table.startswith("pragma_")


def _answer(answer: Any, limit: int) -> dict[str, Any]:
    rows: list[list[Any]] = []
    size, truncated = 0, False
    for row in answer:
        values = [value.hex() if isinstance(value, bytes) else value for value in row]
        size += sum(len(value) if isinstance(value, str) else 8 for value in values)
        if len(rows) == limit or size > MOST_BYTES:
            truncated = True
            break
        rows.append(values)
    return {"columns": [name[0] for name in answer.description], "rows": rows, "truncated": truncated}


def _said(fault: Exception) -> Exception:
    words = str(fault)
    if "interrupted" in words:
        return refused("E_SQL", f"the query took longer than {SECONDS:.0f} seconds", "narrow it")
    if "not authorized" in words or "prohibited" in words:
        return refused("E_SQL", f"the archive is read only: {words}", "give one SELECT over plans or conversations")
    if "one statement" in words:
        return refused("E_SQL", "there is more than one statement", "give one SELECT")
    return refused("E_SQL", f"SQLite says: {words}", "the tables are plans, plan_revisions, conversations and fts")
