"""A card moves: to a column, a role, a custom agent, or on by complexity. One short transaction decides and records;
what follows from it (the file of a finished plan, a message to whoever takes over) comes after the commit."""

from __future__ import annotations

from pal.base import jsontext
from pal.base import settings as settings_file
from pal.switchboard import board, columns, dispatch, filing, schema, store
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.columns import Column
    from pal.switchboard.desk import Desk
    from pal.switchboard.store import Writing

    Row = tuple[Any, ...]

_AT = {name: number for number, name in enumerate(schema.PLAN)}
_LONGEST_FEEDBACK = 8000  # characters


class Aim:
    """Where a target leads this card: the column, what decided it, and what there is to say about that."""

    __slots__ = ("by", "column", "note")

    def __init__(self, column: Column, by: str = "target", note: str = "") -> None:
        self.column = column
        self.by = by
        self.note = note


def move(
    desk: Desk, id: str, target: str, rev: int | None = None, reason: str = "", force: bool = False
) -> dict[str, Any]:
    """Move a card and say where it is now. With `rev` it must stand where the caller saw it (E_STALE), unless forced;
    a plan whose work others hold up is not coded (E_DEPS), unless forced. Backward moves are legal."""
    plan_id = board.find(desk, id)["planId"]
    with store.Writing(desk) as write:
        row = board.need(write.db, desk, plan_id)
        _movable(row)
        aim = aimed(desk, write.db, row, target)
        if rev is not None and rev != row[_AT["rev"]] and not force:
            raise _stale(write.db, row, rev)
        if aim.column.id == row[_AT["column_id"]]:
            return _reply(board.need(write.db, desk, plan_id), row[_AT["column_id"]], aim, changed=False)
        waiting = board.unmet(write.db, jsontext.loads(row[_AT["deps"]])) if aim.column.kind == "coded" else []
        if waiting and not force:
            raise refused("E_DEPS", f"{row[_AT['topic']]!r} waits for {', '.join(waiting)}",
                          "finish those first, or force the move", waiting=waiting)  # fmt: skip
        event = _put(write, desk, row, aim.column, reason, aim.by)
        after = board.need(write.db, desk, plan_id)
    reply = _reply(after, row[_AT["column_id"]], aim, changed=True)
    if aim.column.id == columns.DONE:
        return {**reply, **filing.file_away(desk, plan_id)}
    return {**reply, **dispatch.hand_over(desk, plan_id, event, aim.column)}


def _movable(row: Row) -> None:
    status = row[_AT["status"]]
    if status != "active":
        hint = f"take it up again first: `plan restore {row[_AT['plan_id']][:8]}`"
        raise refused("E_STATUS", f"{row[_AT['topic']]!r} is {status}", hint, status=status)


def _stale(db: Connection, row: Row, rev: int) -> Exception:
    last = db.execute(
        "select actor, ts from events where plan_id = ? and to_col != '' order by id desc limit 1", (row[0],)
    ).fetchone() or ("", "")
    return refused(
        "E_STALE", f"{row[_AT['topic']]!r} is in {row[_AT['column_id']]} at revision {row[_AT['rev']]}, not {rev}: "
        f"{last[0]} moved it at {last[1]}", "look again, or force the move", column=row[_AT["column_id"]],
        rev=row[_AT["rev"]], who=last[0], when=last[1],
    )  # fmt: skip


def aimed(desk: Desk, db: Connection, row: Row, target: str) -> Aim:
    """What the words mean for this card: first the ways to go on, then columns and roles, then custom agents."""
    every = columns.defined(db)
    word = columns.cleaned(target)
    if word == "next":
        current = next((each for each in every if each.id == row[_AT["column_id"]]), every[0])
        if current.kind != "review":
            return Aim(columns.following(every, current), "next")
        word = "coded"
    if word in ("coded", "team"):
        usable = _usable(db)
        legacy = settings_file.load(desk.home).text("switchboard.routing") == "legacy"
        role, by, note = columns.route(row[_AT["score"]], usable, legacy)
        return Aim(next(each for each in every if each.role == role), by, note)
    found = columns.named(every, target)
    if found is None:
        raise columns.unknown(every, target)
    return Aim(found, "target")


def _usable(db: Connection) -> Any:
    visible = {role for (role,) in db.execute("select role from roles where visible = 1")}
    held = {role for (role,) in db.execute("select distinct role from agents")}
    return lambda role: role in visible and (role != "intern" or role in held)


def _put(write: Writing, desk: Desk, row: Row, column: Column, reason: str, by: str) -> int:
    """The row and its event, in one transaction."""
    before, done = row[_AT["column_id"]], column.id == columns.DONE
    write.db.execute(
        "update plans set column_id = ?, status = ?, completed_at = ?, updated_at = ?, rev = rev + 1 where plan_id = ?",
        (column.id, "completed" if done else "active", write.now if done else "", write.now, row[0]),
    )
    sorts = {each.id: each.sort for each in columns.defined(write.db)}
    backward = sorts.get(before, 0) > column.sort
    data = {"by": by, "action": ("reset-to-" if backward else "move-to-") + column.id}
    return write.event("completed" if done else "moved", row[0], before, column.id, reason, data)


def _reply(row: Row, before: str, aim: Aim, changed: bool) -> dict[str, Any]:
    return {
        "sessionId": row[_AT["session_id"]],
        "planId": row[0],
        "topic": row[_AT["topic"]],
        "from": before,
        "to": row[_AT["column_id"]],
        "label": aim.column.label,
        "role": aim.column.role,
        "routedBy": aim.by,
        "score": row[_AT["score"]],
        "rev": row[_AT["rev"]],
        "changed": changed,
        "dispatch": "none",
        **({"note": aim.note} if aim.note else {}),
    }


def undo(desk: Desk, id: str = "") -> dict[str, Any]:
    """Take back the last move of a plan, or of the board; what has been undone is passed over. A move is undone by a
    move, so nothing disappears from the history."""
    plan_id = board.find(desk, id)["planId"] if id else ""
    with store.Writing(desk) as write:
        event = _last_move(write.db, plan_id)
        row = board.need(write.db, desk, event[1])
        if row[_AT["status"]] == "deleted" or row[_AT["column_id"]] != event[3]:
            raise refused("E_STATUS", f"{row[_AT['topic']]!r} is not where that move left it", "move it yourself")
        every = columns.defined(write.db)
        column = next((each for each in every if each.id == event[2]), None)
        if column is None:
            raise columns.unknown(every, event[2])
        write.db.execute(
            "update plans set column_id = ?, status = ?, completed_at = ?, updated_at = ?, rev = rev + 1"
            " where plan_id = ?",
            (column.id, "completed" if column.id == columns.DONE else "active",
             write.now if column.id == columns.DONE else "", write.now, row[0]),
        )  # fmt: skip
        kind = "completed" if column.id == columns.DONE else "restored" if event[3] == columns.DONE else "moved"
        write.event(kind, row[0], event[3], column.id, "undo", {"undoes": event[0]})
        after = board.need(write.db, desk, row[0])
    if column.id == columns.DONE:
        filing.file_away(desk, row[0])
    elif event[3] == columns.DONE:
        filing.bring_back(desk, row[0])
    return _reply(after, event[3], Aim(column, "undo"), changed=True)


def _last_move(db: Connection, plan_id: str) -> tuple[int, str, str, str]:
    """(event, plan, from, to) of the last move that was neither undone nor is an undo."""
    condition, values = ("plan_id = ? and", (plan_id,)) if plan_id else ("", ())
    undone: set[int] = set()
    for number, plan, before, after, data in db.execute(
        f"select id, plan_id, from_col, to_col, data from events where {condition} from_col != '' and to_col != ''"
        " and kind in ('moved', 'completed', 'restored') order by id desc limit 500", values,
    ):  # fmt: skip
        undoes = jsontext.loads(data).get("undoes")
        if isinstance(undoes, int):
            undone.add(undoes)
        elif number not in undone:
            return number, plan, before, after
    raise refused("E_STATUS", "there is no move to undo", "`log ID` shows what happened to a plan")


def fail(desk: Desk, id: str, feedback: str) -> dict[str, Any]:
    """A test failed: back to the lead with what was wrong, which must be said."""
    if not feedback.strip():
        raise refused("E_EVIDENCE", "a failure needs its feedback", "say what went wrong: --feedback TEXT")
    said = feedback.strip()[:_LONGEST_FEEDBACK]
    reply = move(desk, id, columns.LEAD, reason="failed: " + said, force=True)
    from pal.switchboard import prompts

    return {**reply, "prompt": prompts.failure(desk, reply["planId"], said)}
