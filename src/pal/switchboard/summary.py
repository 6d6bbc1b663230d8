"""A board in a few facts: for `pal switchboard status` and for the start of a session."""

from __future__ import annotations

from pal.switchboard import columns, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.switchboard.desk import Desk

_NEXT = 3  # plans that are named
# Planned ones first, since they only wait for somebody; what is being coded or reviewed is somebody's already.
_ORDER = f"case column_id when '{columns.PLANNED}' then 0 when '{columns.CREATED}' then 1 else 2 end"


def status(desk: Desk) -> dict[str, Any]:
    """`{root, workspaceId, rev, columns, next, runs, unread, expired}`, read at once; nothing is scanned."""
    with store.Reading(desk.workspace, desk.wait) as db:
        held = dict(db.execute("select column_id, count(*) from plans where status != 'deleted' group by column_id"))
        runs = db.execute("select run_id, workflow, agent, step from runs where state = 'active'").fetchall()
        first = db.execute(
            f"select session_id, topic, column_id from board where column_id != ? order by {_ORDER}, updated_at desc"
            " limit ?", (columns.REVIEWED, _NEXT),
        ).fetchall()  # fmt: skip
        unread = dict(db.execute("select recipient, count(*) from messages where state = 'new' group by recipient"))
        expired = db.execute("select count(*) from messages where state = 'expired'").fetchone()[0]
        revision = db.execute("select value from meta where key = 'board_rev'").fetchone()[0]
        order = [each.id for each in columns.defined(db)]
        labels = {each.id: each.label for each in columns.defined(db)}
    return {
        "root": desk.workspace.root,
        "workspaceId": desk.workspace.id,
        "rev": revision,
        "columns": {name: held[name] for name in [*order, *sorted(set(held) - set(order))] if name in held},
        "next": [dict(zip(("sessionId", "topic", "column"), row)) for row in first],
        "runs": [dict(zip(("runId", "workflow", "agent", "step"), row)) for row in runs],
        "unread": unread,
        "expired": expired,
        "labels": labels,
    }


def counted(facts: dict[str, Any]) -> str:
    """`2 in Created, 1 in Coder`; empty for a board without plans."""
    return ", ".join(f"{count} in {facts['labels'].get(name, name)}" for name, count in facts["columns"].items())
