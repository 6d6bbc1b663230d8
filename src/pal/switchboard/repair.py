"""Is the board sound, and if not, make it so: the invariants by number, the disk scan, and a board built again from its
plans and events."""

from __future__ import annotations

import os
import subprocess

from pal.base import files
from pal.switchboard import columns, filing, mailbox, scan, schema, store, workspace
from pal.switchboard.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.desk import Desk

_COPIES = 3  # of damaged databases that are kept
_TWO_CARDS = "select plan_file from plans where status != 'deleted' group by plan_file having count(*) > 1"
_TWO_RUNS = "select host_session from runs where state = 'active' group by host_session, agent having count(*) > 1"
_STEPS = "select run_id from runs where step != (select count(*) from run_steps where run_steps.run_id = runs.run_id)"
_STATUS = """
select session_id from board where column_id = 'COMPLETED'
union all select session_id from plans where status = 'completed' and column_id != 'COMPLETED'"""
_STATES = """
select msg_id from messages where state not in ('new', 'claimed', 'done', 'failed', 'expired')
or state = 'claimed' and (lease_until = '' or claimed_by = '') or state = 'new' and claimed_by != ''"""
_CHECKS = (
    ("I2", _STATUS, "its status and its column disagree"),
    ("I4", _TWO_CARDS, "two cards have this file"),
    ("I6", _TWO_RUNS, "more than one run is active"),
    ("I7", _STEPS, "its step is not the number of its recorded steps"),
    ("I8", _STATES, "its state contradicts itself"),
)


def problems(desk: Desk) -> list[dict[str, str]]:
    """What is wrong, each `{rule, where, what}`: invariants, the disk, git and copies of this workspace."""
    found = [{"rule": "file", "where": desk.workspace.plans, "what": each} for each in scan.scan(desk)]
    with store.Reading(desk.workspace, desk.wait) as db:
        for rule, statement, what in _CHECKS:
            found += [{"rule": rule, "where": str(where), "what": what} for (where,) in db.execute(statement)]
        found += _events_disagree(db)
        known = {each.id for each in columns.defined(db)} | {columns.INTERN}
        found += [
            {"rule": "I5", "where": session, "what": f"it stands in {column}, which nobody defined; move it"}
            for session, column in db.execute("select session_id, column_id from board") if column not in known
        ]  # fmt: skip
        found += [{"rule": "file", "where": file, "what": "its file is missing; put it back or `plan rm` the card"}
                  for (file,) in db.execute("select plan_file from board where missing_since != ''")]  # fmt: skip
        check = db.execute("pragma quick_check(1)").fetchone()[0]
        if check != "ok":
            found.append({"rule": "database", "where": desk.workspace.board, "what": str(check)})
    found += _unfiled(desk)
    found += [{"rule": "copy", "where": root, "what": "this folder has the same workspace id; one of them is a copy"}
              for root in workspace.copies(desk.home, desk.workspace)]  # fmt: skip
    if _tracked(desk):
        found.append({"rule": "git", "where": desk.workspace.board,
                      "what": "git tracks it, so a reset would lose moves: git rm --cached it"})  # fmt: skip
    return found


def _events_disagree(db: Connection) -> list[dict[str, str]]:
    """I1 and I3: each card stands where its last event put it."""
    latest = "select max(id) from events where to_col != '' group by plan_id"
    last = dict(db.execute(f"select plan_id, to_col from events where id in ({latest})"))
    return [
        {"rule": "I3", "where": session, "what": f"it stands in {column}, its events say {last.get(plan) or 'nothing'}"}
        for plan, session, column in db.execute("select plan_id, session_id, column_id from plans")
        if last.get(plan) != column
    ]


def _unfiled(desk: Desk) -> list[dict[str, str]]:
    return [{"rule": "file", "where": session, "what": "it is done, its file is not in the archive yet: `reconcile`"}
            for _, session in _done_in_place(desk)]  # fmt: skip


def _done_in_place(desk: Desk) -> list[tuple[str, str]]:
    with store.Reading(desk.workspace, desk.wait) as db:
        return db.execute(
            "select plan_id, session_id from plans where status = 'completed' and plan_file = home_file"
        ).fetchall()


def _tracked(desk: Desk) -> bool:
    try:
        done = subprocess.run(
            ["git", "-C", desk.workspace.root, "ls-files", "--error-unmatch", desk.workspace.board],
            capture_output=True, timeout=5, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def reconcile(desk: Desk) -> dict[str, Any]:
    """Take the disk in and finish what killed writers left: `{problems, filed, messages, expired, forgotten}`."""
    said = scan.scan(desk, settled=True)
    filed = [plan for plan, _ in _done_in_place(desk)]
    for plan in filed:
        filing.file_away(desk, plan)
    with store.Reading(desk.workspace, desk.wait) as db:
        deleted = db.execute("select plan_id from plans where status = 'deleted' and plan_file = home_file").fetchall()
    for (plan,) in deleted:
        if os.path.lexists(desk.workspace.at(_file_of(desk, plan))):
            filing.throw_away(desk, plan)
    dropped = mailbox.collect(desk)
    return {"problems": said + dropped, "filed": len(filed), **mailbox.tidy(desk)}


def _file_of(desk: Desk, plan: str) -> str:
    with store.Reading(desk.workspace, desk.wait) as db:
        return str(db.execute("select plan_file from plans where plan_id = ?", (plan,)).fetchone()[0])


def rebuild(desk: Desk) -> dict[str, Any]:
    """Set a damaged database aside and build the board again from its events and plans; messages and agents come along
    as far as the damaged file still tells them. A sound database is left alone."""
    try:
        with store.Reading(desk.workspace, desk.wait) as db:
            if db.execute("pragma integrity_check(1)").fetchone()[0] == "ok":
                return {"rebuilt": False, "aside": "", "saved": 0}
    except Refused as fault:
        if fault.code != "E_DAMAGED":
            raise
    with store.Lock(desk.workspace, desk.wait):
        aside = _set_aside(desk)
    scan.scan(desk, settled=True)
    return {"rebuilt": True, "aside": aside, "saved": _salvage(desk, aside)}


def _set_aside(desk: Desk) -> str:
    """The damaged file under a name of its own, the newest few kept; its journal goes with it."""
    folder = desk.workspace.folder
    name = files.set_aside(desk.workspace.board)
    journal = desk.workspace.board + "-journal"
    if os.path.exists(journal):
        files.replace(journal, os.path.join(folder, name + "-journal"))
    old = sorted(each for each in os.listdir(folder) if each.startswith("board.db.corrupt-") and "journal" not in each)
    for each in old[:-_COPIES]:
        files.remove(os.path.join(folder, each))
    return os.path.join(folder, name)


def _readable(path: str, table: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """(the columns, the rows) of a table as far as they can be read: what comes before the damage counts."""
    names: list[str] = []
    rows: list[tuple[Any, ...]] = []
    try:
        db = schema.connect(path, 1.0)
    except schema.errors():
        return names, rows
    try:
        found = db.execute(f"select * from {table}")
        names = [each[0] for each in found.description]
        for row in found:
            rows.append(row)
    except schema.errors():
        pass
    finally:
        db.close()
    return names, rows


def _salvage(desk: Desk, aside: str) -> int:
    """Rows of the damaged file that can still be read and that no event tells."""
    saved = 0
    for table in ("messages", "agents", "runs", "run_steps"):
        names, rows = _readable(aside, table)
        if rows:
            with store.Writing(desk) as write:
                write.db.executemany(f"insert or ignore into {table} ({', '.join(names)})"
                                     f" values ({','.join('?' * len(names))})", rows)  # fmt: skip
                saved += len(rows)
    return saved
