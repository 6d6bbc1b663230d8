"""The board as it is read: columns with their cards, one card by any of its names, and what happened to it.

The view `board` (active plans) and the completed rows are the only sources; a card whose column nobody defined stays
visible in a lane of its own."""

from __future__ import annotations

import os

from pal.base import jsontext
from pal.switchboard import columns, scan, schema, store, workspace
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.desk import Desk
    from pal.switchboard.workspace import Workspace

    Row = tuple[Any, ...]
    Card = dict[str, Any]

PREFIX = 6  # characters of an id that may stand for all of it
COMPLETED_SHOWN = 100
_AT = {name: number for number, name in enumerate(schema.PLAN)}
PICK = f"select {', '.join(schema.PLAN)} from"
_MET = (columns.REVIEWED, columns.DONE)  # where a plan that others wait for has done its part


def state(
    desk: Desk, column: str = "", complexity: str = "", tag: str = "", done: int = 0, scanning: bool = True
) -> dict[str, dict[str, Any]]:
    """Columns in order, each `{id, label, items}`, newest first: what `get_kanban_state` answers.

    `column` narrows to one (`coded` to all lanes of coding), `complexity` is a word, a number or `3..6`; `done` says
    how many completed cards to add, which a question for that column gets unasked. A hook does not scan."""
    if scanning:
        scan.scan(desk)
    lowest, highest = scores(complexity)
    with store.Reading(desk.workspace, desk.wait) as db:
        shown = columns.defined(db)
        rows = db.execute(f"{PICK} board order by updated_at desc, plan_id").fetchall()
        standing = _standing(db)
        strays = sorted({row[_AT["column_id"]] for row in rows} - {each.id for each in shown})
        shown += [columns.Column(stray, f"Unmapped ({stray})", 0, "", "unmapped") for stray in strays]
        if column:
            shown = columns.several(shown, column)
            if not shown:
                raise columns.unknown([*columns.defined(db)], column)
            done = done or (COMPLETED_SHOWN if shown[0].id == columns.DONE else 0)
        if done:
            rows += db.execute(
                f"{PICK} plans where status = 'completed' order by completed_at desc, plan_id limit ?", (done,)
            ).fetchall()
    answer: dict[str, dict[str, Any]] = {each.id: {"id": each.id, "label": each.label, "items": []} for each in shown}
    wanted = " ".join(tag.lower().split())
    for row in rows:
        place = answer.get(row[_AT["column_id"]])
        tagged = not wanted or f",{wanted}," in row[_AT["tags"]]
        if place is not None and tagged and lowest <= row[_AT["score"]] <= highest:
            place["items"].append(_item(row, standing))
    return answer


def scores(words: str) -> tuple[int, int]:
    """The range of scores that `3..6`, `7`, `low` or `unknown` names; everything for nothing."""
    said = words.strip().lower()
    if not said:
        return 0, 10
    bands = {"unknown": (0, 0), "low": (1, 4), "medium": (5, 6), "high": (7, 10)}
    if said in bands:
        return bands[said]
    first, dots, last = said.partition("..")
    if first.strip().isdigit() and (not dots or last.strip().isdigit()):
        return int(first), int(last) if dots else int(first)
    raise refused("E_TARGET", f"{words!r} is no complexity", "say low, medium, high, unknown, 7 or 3..6")


def _item(row: Row, standing: dict[str, tuple[str, str]]) -> Card:
    """One card in a column: what the original showed, and what a program needs to move it safely."""
    shown = card(row)
    kept = ("topic", "sessionId", "createdAt", "complexity", "tags", "score", "rev", "planFile", "missing", "updatedAt")
    item = {name: shown[name] for name in (*kept, "planId", "status")}
    unmet = [dep for dep in shown["deps"] if _unmet(dep, standing)]
    return {**item, "blockedBy": unmet} if unmet else item


def card(row: Row) -> Card:
    """A row of `schema.PLAN` for programs."""
    at = dict(zip(schema.PLAN, row))
    return {
        "planId": at["plan_id"],
        "sessionId": at["session_id"],
        "topic": at["topic"],
        "planFile": at["plan_file"],
        "column": at["column_id"],
        "status": at["status"],
        "score": at["score"],
        "complexity": columns.band(at["score"]),
        "scoreSource": at["score_source"],
        "tags": [each for each in at["tags"].split(",") if each],
        "deps": jsontext.loads(at["deps"]),
        "repo": at["repo"],
        "parent": at["parent_id"],
        "createdAt": at["created_at"],
        "updatedAt": at["updated_at"],
        "completedAt": at["completed_at"],
        "missing": bool(at["missing_since"]),
        "sha": at["content_sha"],
        "rev": at["rev"],
    }


def find(desk: Desk, id: str, scanning: bool = True) -> Card:
    """The card that a session id, a plan id, six characters of either, or a plan's path names."""
    if scanning:
        scan.scan(desk)
    with store.Reading(desk.workspace, desk.wait) as db:
        row = pick(db, desk.workspace, id)
        label = next((each.label for each in columns.defined(db) if row and each.id == row[_AT["column_id"]]), "")
    if row is None:
        raise _not_found(desk, id)
    return {**card(row), "label": label or row[_AT["column_id"]]}


def pick(db: Connection, place: Workspace, id: str) -> Row | None:
    """The row, live ones before deleted; None for no match, E_AMBIGUOUS for several."""
    said = id.strip()
    if not said:
        return None
    forms = _paths(place, said)
    rows = db.execute(
        f"{PICK} plans where plan_id = ? or session_id = ? or plan_file in ({','.join('?' * len(forms))})",
        (said, said, *forms),
    ).fetchall()
    if not rows and len(said) >= PREFIX and said.replace("_", "").isalnum():
        begin, end = said, said[:-1] + chr(ord(said[-1]) + 1)
        rows = db.execute(
            f"{PICK} plans where plan_id >= ? and plan_id < ? or session_id >= ? and session_id < ?"
            " or substr(session_id, -6) = ?",
            (begin, end, begin, end, said),
        ).fetchall()
    live = [row for row in rows if row[_AT["status"]] != "deleted"] or rows
    if len(live) > 1:
        names = [f"{row[_AT['session_id']]} ({row[_AT['topic']]})" for row in live[:10]]
        raise refused("E_AMBIGUOUS", f"{id!r} names {len(live)} plans", f"say which: {', '.join(names)}",
                      candidates=[row[_AT["session_id"]] for row in live])  # fmt: skip
    return live[0] if live else None


def _paths(place: Workspace, said: str) -> list[str]:
    if not said.endswith(".md"):
        return [said]
    whole = os.path.normpath(os.path.join(place.root, said))
    return [place.relative(whole), place.relative(os.path.join(place.plans, said))] if "\0" not in said else [said]


def _not_found(desk: Desk, id: str) -> Exception:
    """Say where else it is, and where it was looked for; nothing is guessed."""
    searched = [desk.workspace.root]
    for other in workspace.others(desk.home, desk.workspace):
        if not store.exists(other):
            continue
        searched.append(other.root)
        try:
            with store.Reading(other) as db:
                row = pick(db, other, id)
        except Exception:  # another project's board may be damaged or busy; that is not this caller's trouble
            continue
        if row:
            return refused(
                "E_NOT_FOUND", f"no plan {id!r} here; {other.root} has it: {row[_AT['topic']]}",
                f"name that project: --root {other.root}", workspace=other.root, searched=searched,
            )  # fmt: skip
    return refused(
        "E_NOT_FOUND", f"no plan {id!r}; looked in {', '.join(searched)}", "`pal switchboard board` lists the plans",
        searched=searched,
    )  # fmt: skip


def listed(desk: Desk, status: str) -> list[Card]:
    """Every plan that is active, completed or deleted, newest first."""
    scan.scan(desk)
    with store.Reading(desk.workspace, desk.wait) as db:
        labels = {each.id: each.label for each in columns.defined(db)}
        rows = db.execute(f"{PICK} plans where status = ? order by updated_at desc, plan_id", (status,)).fetchall()
    return [{**card(row), "label": labels.get(row[_AT["column_id"]], row[_AT["column_id"]])} for row in rows]


def need(db: Connection, desk: Desk, plan_id: str) -> Row:
    """The row of a plan that was found a moment ago, read again inside a transaction."""
    row = db.execute(f"{PICK} plans where plan_id = ?", (plan_id,)).fetchone()
    if row is None:
        raise refused("E_NOT_FOUND", f"the plan {plan_id} is gone", "`pal switchboard board` lists the plans")
    return row  # type: ignore[no-any-return]


def _standing(db: Connection) -> dict[str, tuple[str, str]]:
    """Every name of every plan → (status, column)."""
    found: dict[str, tuple[str, str]] = {}
    for plan_id, session_id, file, status, column in db.execute(
        "select plan_id, session_id, plan_file, status, column_id from plans"
    ):
        for name in (plan_id, session_id, file.rpartition("/")[2]):
            found[name] = (status, column)
    return found


def _unmet(dep: str, standing: dict[str, tuple[str, str]]) -> bool:
    status, column = standing.get(dep.rpartition("/")[2], ("", ""))
    return status == "active" and column not in _MET


def unmet(db: Connection, deps: list[str]) -> list[str]:
    """The plans, among those a plan waits for, whose work is not done. One that nobody knows holds nothing up."""
    standing = _standing(db) if deps else {}
    return [dep for dep in deps if _unmet(dep, standing)]


def log(desk: Desk, id: str, limit: int = 200) -> list[dict[str, Any]]:
    """What happened to a plan, oldest first, at most the last `limit` events."""
    plan_id = find(desk, id)["planId"]
    with store.Reading(desk.workspace, desk.wait) as db:
        rows = db.execute(
            "select id, ts, actor, session, kind, from_col, to_col, reason, data from events where plan_id = ?"
            " order by id desc limit ?", (plan_id, limit),
        ).fetchall()  # fmt: skip
    names = ("id", "at", "actor", "session", "kind", "from", "to", "reason", "data")
    rows.reverse()
    return [{**dict(zip(names, row)), "data": jsontext.loads(row[8])} for row in rows]


def counts(desk: Desk, scanning: bool = True) -> dict[str, int]:
    """How many cards each column holds, completed ones included."""
    if scanning:
        scan.scan(desk)
    with store.Reading(desk.workspace, desk.wait) as db:
        held = dict(db.execute("select column_id, count(*) from plans where status != 'deleted' group by column_id"))
        order = [each.id for each in columns.defined(db)]
    return {**{name: held.pop(name, 0) for name in order}, **held}
