"""The board of the original extension, taken over once: its `kanban.db` is read, its plans get cards in their columns,
and nothing of it is changed. What only its DuckDB archive knows is named, since no Python reads that alone."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from pal.switchboard import columns, planfiles, plans, scan, store
from pal.switchboard.errors import Refused, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.switchboard.desk import Desk

DATABASE, DUCKDB = "kanban.db", ".duckdb"
_WANTED = ("topic", "plan_file", "kanban_column", "status", "session_id")
_FORMER = {"CODED": columns.LEAD}  # one lane there was split later


def take_over(desk: Desk) -> dict[str, Any]:
    """`{source, taken, known, left}`: how many plans came, how many stood here already, what stays behind and why."""
    place = desk.workspace
    source = os.path.join(place.folder, DATABASE)
    if not os.path.isfile(source):
        raise refused("E_NOT_FOUND", f"there is no {DATABASE} in {place.folder}", "nothing is to be taken over")
    rows, left, taken, known = _rows(source), [], 0, 0
    left += [f"{name}: an archive in DuckDB's own format; export its tables as JSON to keep them"
             for name in sorted(os.listdir(place.folder)) if name.endswith(DUCKDB)]  # fmt: skip
    scan.scan(desk, settled=True)
    for row in rows:
        found = _found(desk, row)
        if isinstance(found, str):
            left.append(found)
        elif _put(desk, row, found):
            taken += 1
        else:
            known += 1
    return {"source": source, "taken": taken, "known": known, "left": left}


def _rows(source: str) -> list[dict[str, Any]]:
    try:
        db = sqlite3.connect(Path(source).as_uri() + "?mode=ro", uri=True, timeout=5.0)
        try:
            names = {row[1] for row in db.execute("pragma table_info(plans)")}
            picked = [name for name in _WANTED if name in names]
            if len(picked) < len(_WANTED):
                raise refused("E_DAMAGED", f"{source} is no board of the extension", "nothing is to be taken over")
            return [dict(zip(picked, row)) for row in db.execute(f"select {', '.join(picked)} from plans")]
        finally:
            db.close()
    except sqlite3.Error as fault:
        raise refused("E_DAMAGED", f"{source} cannot be read: {fault}", "close the editor and try again") from None


def _found(desk: Desk, row: dict[str, Any]) -> scan.Found | str:
    """The plan's file inside this project, or why it stays behind."""
    if row["status"] not in ("active", "completed"):
        return f"{row['topic']}: {row['status']} there"
    path = os.path.realpath(os.path.join(desk.workspace.root, str(row["plan_file"]).replace("\\", "/")))
    top = os.path.realpath(desk.workspace.folder)
    if not path.startswith(top + os.sep):
        return f"{row['topic']}: its file {row['plan_file']} lies outside {desk.workspace.folder}"
    try:
        text, sha, stat = planfiles.read(path)
    except (Refused, OSError) as fault:
        return f"{row['topic']}: {fault}"
    return scan.Found(desk.workspace.relative(path), stat, sha, plans.facts(text, path))


def _put(desk: Desk, row: dict[str, Any], one: scan.Found) -> bool:
    """The card in the column it had. One that has moved here since stays where it is."""
    said = columns.normal(str(row["kanban_column"])).upper()
    column = _FORMER.get(said) or said
    done = row["status"] == "completed" or column == columns.DONE
    column = columns.DONE if done else column
    with store.Writing(desk) as write:
        session = str(row["session_id"])
        standing = write.db.execute(
            "select plan_id, rev, column_id from plans where session_id = ? or plan_file = ? and status != 'deleted'",
            (session, one.file),
        ).fetchone()
        if standing and (standing[1] > 1 or standing[2] != columns.CREATED):
            return False
        if standing:
            plan_id = standing[0]
        else:
            plan_id, _ = scan.register(write, desk, one, columns.CREATED, "import", "registered")
        if session:
            write.db.execute("update plans set session_id = ? where plan_id = ?", (session, plan_id))
        if done or column != columns.CREATED:
            write.db.execute(
                "update plans set column_id = ?, status = ?, completed_at = ?, rev = rev + 1 where plan_id = ?",
                (column, "completed" if done else "active", write.now if done else "", plan_id),
            )
            kind = "completed" if done else "moved"
            write.event(kind, plan_id, columns.CREATED, column, "as it stood in the extension")
    return True
