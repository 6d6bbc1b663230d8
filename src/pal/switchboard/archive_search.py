"""Looking through the archive by words: FTS5 where SQLite has it, a plain comparison where not, and it says which."""

from __future__ import annotations

import os

from pal.base import text as texts
from pal.switchboard import archive, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.desk import Desk

MOST = 100
_SNIPPET = 200  # characters
_TOKENS = 24  # words of an FTS5 snippet, about as long
_MOST_WORDS = 16
_KINDS = {
    "plan": "select topic, completed_at, plan_file, body from plans where plan_id = ?",
    "conversation": "select title, exported_at, file_path_original, content from conversations where id = ?",
}


def search(desk: Desk, query: str, limit: int = 10) -> dict[str, Any]:
    """`{hits, method}`: each hit `{kind, id, title, date, file, snippet}`, best first, of plans and conversations
    that hold every word of the question."""
    limit = max(1, min(limit, MOST))
    words = [word for word in query.split() if any(char.isalnum() for char in word)][:_MOST_WORDS]
    if not words or not os.path.exists(desk.workspace.archive):
        return {"hits": [], "method": "none"}
    with archive.Writing(desk) as db:  # the lock is held for the length of one short question
        full = archive.has_fts(db)
        found = _by_index(db, words, limit) if full else None
        if found is None:
            full, found = False, _by_comparison(db, words, limit)
        hits = [_hit(db, kind, ref, snippet, words) for kind, ref, snippet in found]
    return {"hits": [hit for hit in hits if hit], "method": "fts5" if full else "like"}


def _by_index(db: Connection, words: list[str], limit: int) -> list[tuple[str, str, str]] | None:
    """Each word quoted, so that nothing in it is an operator; None where FTS5 cannot answer."""
    quoted = ['"' + word.replace('"', '""') + '"' for word in words]
    try:
        return db.execute(
            f"select kind, ref, snippet(fts, 4, '', '', '…', {_TOKENS}) from fts where fts match ?"
            " order by bm25(fts, 0, 0, 4, 2, 1), ref limit ?", (" AND ".join(quoted), limit),
        ).fetchall()  # fmt: skip
    except schema.errors():
        return None


def _by_comparison(db: Connection, words: list[str], limit: int) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for kind, table, key, fields, order in (
        ("plan", "plans", "plan_id", ("topic", "tags", "body"), "archived_at"),
        ("conversation", "conversations", "id", ("title", "topic", "content"), "exported_at"),
    ):
        joined = " || ' ' || ".join(fields)
        tests = " and ".join([f"({joined}) like ? escape '\\'"] * len(words))
        rows = db.execute(f"select {key} from {table} where {tests} order by {order} desc limit ?",
                          (*[_pattern(word) for word in words], limit))  # fmt: skip
        found += [(kind, ref, "") for (ref,) in rows]
    return found[:limit]


def _pattern(word: str) -> str:
    for special in ("\\", "%", "_"):
        word = word.replace(special, "\\" + special)
    return f"%{word}%"


def _hit(db: Connection, kind: str, ref: str, snippet: str, words: list[str]) -> dict[str, Any] | None:
    row = db.execute(_KINDS[kind], (ref,)).fetchone()
    if row is None:
        return None
    shown = snippet or _around(row[3], words)
    return {"kind": kind, "id": ref, "title": row[0], "date": row[1], "file": row[2],
            "snippet": texts.clip(" ".join(shown.split()), _SNIPPET)}  # fmt: skip


def _around(body: str, words: list[str]) -> str:
    lowered = body.lower()
    at = min((found for found in (lowered.find(word.lower()) for word in words) if found >= 0), default=0)
    begin = max(0, at - _SNIPPET // 4)
    return ("…" if begin else "") + body[begin : begin + 2 * _SNIPPET]
