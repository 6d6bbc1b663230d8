"""The plans folder against the board: new files get a card, changed ones are read again, moved ones are recognised.

A file that is not seen changes nothing but the mark `missing`; column and status are never touched here. What a killed
writer left half done (a file still to be moved) is finished."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, log
from pal.switchboard import columns, planfiles, plans, store
from pal.switchboard.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.switchboard.desk import Desk
    from pal.switchboard.store import Writing
    from pal.switchboard.workspace import Workspace

_FRESH = 0.3  # seconds; a file this young may still be written to
_REVIVED_WITHIN = 30 * 86400.0  # seconds after which a deleted plan's text is a new plan
_AT_ONCE = 200  # new or changed files registered in one transaction, so that others wait for milliseconds
_ROW = "plan_id, plan_file, moving_from, size, mtime_ns, missing_since, status, content_sha, home_file"

Seen = "dict[str, os.stat_result]"


class Found:
    """A plan file that the board does not know as it is: its path, stat, text, hash and facts."""

    __slots__ = ("facts", "file", "sha", "stat")

    def __init__(self, file: str, stat: os.stat_result, sha: str, facts: plans.Facts) -> None:
        self.file = file
        self.stat = stat
        self.sha = sha
        self.facts = facts


def scan(desk: Desk, settled: bool = False) -> list[str]:
    """Bring the board up to date with the folder; what could not be taken in, one sentence each.

    `settled` takes files of this very moment too: for a caller that has just written one. Nothing is locked unless
    something changed."""
    place = desk.workspace
    with store.Reading(place) as db:
        rows = db.execute(f"select {_ROW} from plans").fetchall()
    live = {row[1]: row for row in rows if row[6] != "deleted"}
    if any(row[2] for row in rows):
        settle(desk)
    seen, problems = _listed(place)
    changed = []
    for file, stat in seen.items():
        row = live.get(file)
        if row and row[3] == stat.st_size and row[4] == stat.st_mtime_ns and not row[5]:
            continue
        if not settled and 0 <= desk.now - stat.st_mtime < _FRESH:
            continue
        found, problem = _looked_at(place, file, stat)
        if found:
            changed.append(found)
        elif problem:
            problems.append(problem)
    gone = [row[0] for row in rows if row[6] == "active" and not row[5] and row[1] not in seen]
    gone = [plan_id for plan_id in gone if not _stands(place, plan_id, rows)]
    for at in range(0, max(len(changed), 1), _AT_ONCE):
        batch = changed[at : at + _AT_ONCE]
        if batch or gone:
            with store.Writing(desk) as write:
                for plan_id in gone:
                    _missing(write, plan_id)
                for one in batch:
                    problems += _take(write, desk, one, seen)
            gone = []
    return problems


def _stands(place: Workspace, plan_id: str, rows: list[tuple[Any, ...]]) -> bool:
    """Whether the file is there after all: unreadable, too big, or by another case of its letters is not missing."""
    file = next(row[1] for row in rows if row[0] == plan_id)
    return os.path.lexists(place.at(file))


def _listed(place: Workspace) -> tuple[dict[str, os.stat_result], list[str]]:
    """Every `*.md` in the folder and one level down. Links and what is no file are named as problems."""
    seen: dict[str, os.stat_result] = {}
    problems: list[str] = []
    folders = [(place.plans, True)]
    for folder, deeper in folders:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as fault:
            if not isinstance(fault, FileNotFoundError):
                problems.append(f"{place.relative(folder)} cannot be listed: {fault.strerror}")
            continue
        for entry in entries:
            if entry.name.startswith((".", files.TEMPORARY)):
                continue
            if entry.is_symlink():
                problems.append(f"{place.relative(entry.path)} is a link and is left alone")
            elif deeper and entry.is_dir():
                folders.append((entry.path, False))
            elif entry.name.endswith(".md"):
                stat = entry.stat()
                if stat.st_size > planfiles.LARGEST:
                    problems.append(f"{place.relative(entry.path)} is larger than a plan can be")
                elif stat.st_size:
                    seen[place.relative(entry.path)] = os.stat(entry.path) if not stat.st_ino else stat
    return seen, problems


def _looked_at(place: Workspace, file: str, stat: os.stat_result) -> tuple[Found | None, str]:
    try:
        text, sha, stat = planfiles.read(place.at(file))
    except (Refused, OSError) as fault:
        missing = isinstance(fault, Refused) and fault.code == "E_NOT_FOUND"  # it went in this moment
        return None, "" if missing else str(fault)
    return Found(file, stat, sha, plans.facts(text, file)), ""


def _take(write: Writing, desk: Desk, one: Found, seen: dict[str, os.stat_result]) -> list[str]:
    """Fold one file into the board. The key is the plan's id, not the path: a renamed file keeps its card."""
    db = write.db
    row = db.execute(
        f"select {_ROW} from plans where plan_file = ? and status != 'deleted' or moving_from = ?", (one.file, one.file)
    ).fetchone()
    if row:
        if row[6] == "active" and row[1] == one.file:
            _refresh(write, row[0], one, row[5])
        return []
    same = db.execute(f"select {_ROW}, updated_at from plans where content_sha = ? or home_file = ?"
                      " order by updated_at desc", (one.sha, one.file)).fetchall()  # fmt: skip
    for row in same:
        if row[6] == "active" and row[7] == one.sha and row[1] not in seen:
            db.execute("update plans set plan_file = ?, home_file = ? where plan_id = ?", (one.file, one.file, row[0]))
            write.event("edited", row[0], data={"renamed": [row[1], one.file]})
            _refresh(write, row[0], one, row[5])
            return []
        if row[6] == "completed":
            return [f"{one.file} is the file of a plan that is done; `plan restore {row[0][:8]}` takes it up again"]
        if row[6] == "deleted" and clock.age(row[9], desk.now) < _REVIVED_WITHIN:
            _revive(write, row[0], one)
            return []
    register(write, desk, one, columns.CREATED, "drop", "registered")
    return []


def register(
    write: Writing, desk: Desk, one: Found, column: str, source: str, kind: str, parent: str = ""
) -> tuple[str, str]:
    """A new card for a file; (plan id, session id)."""
    plan_id = os.urandom(16).hex()
    session_id = f"sess_{int(desk.now * 1000):013d}_{_chance()}"
    write.db.execute(
        "insert into plans (plan_id, session_id, topic, plan_file, home_file, column_id, status, source, parent_id,"
        " created_at, updated_at) values (?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?)",
        (plan_id, session_id, one.facts.title, one.file, one.file, column, source, parent, write.now, write.now),
    )
    _fill(write, plan_id, one)
    write.event(kind, plan_id, to_col=column, data={"source": source, **({"parent": parent} if parent else {})})
    return plan_id, session_id


def _chance() -> str:
    letters = "abcdefghijklmnopqrstuvwxyz234567"
    return "".join([letters[byte & 31] for byte in os.urandom(6)])


def _fill(write: Writing, plan_id: str, one: Found) -> None:
    """What the text says; a score that a person or an agent set by hand stays."""
    said = one.facts
    write.db.execute(
        "update plans set topic = ?, tags = ?, deps = ?, repo = ?, content_sha = ?, size = ?, mtime_ns = ?,"
        " missing_since = '', score = case when score_source = 'set' then score else ? end,"
        " score_source = case when score_source = 'set' then 'set' else ? end where plan_id = ?",
        (said.title, plans.stored_tags(said.tags), jsontext.dumps(said.deps), said.repo, one.sha, one.stat.st_size,
         one.stat.st_mtime_ns, said.score, said.source, plan_id),
    )  # fmt: skip


def _refresh(write: Writing, plan_id: str, one: Found, missing: str) -> None:
    before = write.db.execute("select content_sha, score from plans where plan_id = ?", (plan_id,)).fetchone()
    _fill(write, plan_id, one)
    if missing:
        write.event("found", plan_id)
    if before[0] != one.sha:
        write.db.execute("update plans set updated_at = ? where plan_id = ?", (write.now, plan_id))
        write.event("edited", plan_id, data={"sha": one.sha})
        after = write.db.execute("select score from plans where plan_id = ?", (plan_id,)).fetchone()[0]
        if after != before[1]:
            write.event("scored", plan_id, data={"from": before[1], "to": after})


def _revive(write: Writing, plan_id: str, one: Found) -> None:
    """A deleted plan whose file is back has its card back, in the column where it was."""
    write.db.execute(
        "update plans set status = 'active', plan_file = ?, home_file = ?, moving_from = '', rev = rev + 1,"
        " updated_at = ? where plan_id = ?",
        (one.file, one.file, write.now, plan_id),
    )
    _fill(write, plan_id, one)
    column = write.db.execute("select column_id from plans where plan_id = ?", (plan_id,)).fetchone()[0]
    write.event("restored", plan_id, to_col=column, reason="its file is back")


def _missing(write: Writing, plan_id: str) -> None:
    write.db.execute(
        "update plans set missing_since = ? where plan_id = ? and missing_since = ''", (write.now, plan_id)
    )
    write.event("missing", plan_id)


def settle(desk: Desk) -> None:
    """Finish the moves of files that rows speak of: each row says where its file is to be and where it comes from."""
    place = desk.workspace
    with store.Reading(place) as db:
        rows = db.execute("select plan_id, plan_file, moving_from from plans where moving_from != ''").fetchall()
    for plan_id, target, source in rows:
        carry(desk, plan_id, source, target)


def carry(desk: Desk, plan_id: str, source: str, target: str) -> None:
    """Move a plan's file to where its row says it is. Another process may have done it already, which is fine."""
    place = desk.workspace
    old, new = place.at(source), place.at(target)
    files.make_folder(os.path.dirname(new))
    if not os.path.lexists(new):
        try:
            files.replace(old, new)
        except FileNotFoundError:
            pass  # moved in this moment, or missing: the scan says so
        except (
            OSError
        ) as fault:  # somebody holds it open, or the folder is not ours to change: a later look tries again
            log.warning(desk.home, "switchboard", f"{source} could not be moved to {target}: {fault}")
            return
    with store.Writing(desk) as write:
        write.db.execute(
            "update plans set moving_from = '' where plan_id = ? and plan_file = ? and moving_from = ?",
            (plan_id, target, source),
        )
