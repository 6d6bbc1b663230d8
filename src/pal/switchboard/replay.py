"""The board out of `events.jsonl`: each line is an event with its plan's row as it stood then, so the last counts."""

from __future__ import annotations

from pal.base import jsontext, records
from pal.switchboard import columns, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.workspace import Workspace

_EVENT = ("id", "plan_id", "ts", "actor", "session", "kind", "from_col", "to_col", "reason", "data", "idem")
_ROLE = ("role", "name", "kind", "command", "prompt", "in_board", "sort", "visible")
_NAMES = {"planner": "Planner", "reviewer": "Reviewer"}  # people; the others are called as their columns are
# The row is the plan's present one: what the events say happened to it is history, where it stands is this.
LINES = (
    f"select {', '.join('events.' + name for name in _EVENT)}, {', '.join('plans.' + name for name in schema.PLAN)}"
    " from events left join plans on plans.plan_id = events.plan_id where events.id > ? order by events.id"
)


def line(row: tuple[Any, ...]) -> dict[str, Any]:
    """What `events.jsonl` holds of one row of LINES; empty fields are left out."""
    event = {name: value for name, value in zip(_EVENT, row) if value not in ("", None)}
    event["data"] = jsontext.loads(event.get("data") or "{}")
    plan = {name: value for name, value in zip(schema.PLAN, row[len(_EVENT) :]) if value not in ("", None, 0)}
    return {**event, "plan": plan} if plan else event


def roles(db: Connection) -> None:
    """The roles that every board has."""
    db.executemany(
        "insert or ignore into roles (role, name, kind, in_board, sort, visible) values (?, ?, 'builtin', 1, ?, 1)",
        [(each.role, _NAMES.get(each.role, each.label), each.sort) for each in columns.BUILT_IN if each.role],
    )


def events(db: Connection, place: Workspace) -> None:
    """Fill empty tables from the file. A line that says nothing sound is passed over."""
    last: dict[str, dict[str, Any]] = {}
    for event in records.each(place.events):
        if not isinstance(event.get("id"), int) or not isinstance(event.get("kind"), str):
            continue
        values = [event.get(name, "") for name in _EVENT]
        data = event.get("data")
        values[9], values[10] = jsontext.dumps(data if isinstance(data, dict) else {}), event.get("idem")
        db.execute(f"insert or ignore into events ({', '.join(_EVENT)}) values ({_marks(_EVENT)})", values)
        plan = event.get("plan")
        if isinstance(plan, dict) and isinstance(plan.get("plan_id"), str):
            last[plan["plan_id"]] = plan
        if isinstance(data, dict) and isinstance(data.get("role"), dict):
            row = {"command": "", "prompt": "", "in_board": 0, "visible": 0, **data["role"]}
            db.execute(f"insert or replace into roles ({', '.join(_ROLE)}) values ({_marks(_ROLE)})",
                       [row.get(name, "") for name in _ROLE])  # fmt: skip
        if isinstance(data, dict) and isinstance(data.get("gone"), str):
            db.execute("delete from roles where role = ?", (data["gone"],))
    for plan in last.values():
        db.execute(f"insert or ignore into plans ({', '.join(schema.PLAN)}) values ({_marks(schema.PLAN)})",
                   [plan.get(name, _EMPTY.get(name, "")) for name in schema.PLAN])  # fmt: skip


_EMPTY: dict[str, Any] = {"score": 0, "size": 0, "mtime_ns": 0, "rev": 1, "score_source": "none", "deps": "[]"}


def _marks(names: tuple[str, ...]) -> str:
    return ",".join("?" * len(names))
