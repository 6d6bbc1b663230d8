"""After a move: whoever holds the column's role gets a message, once per move; where nobody does, the caller gets the
prompt to hand on. PAL types into no terminal."""

from __future__ import annotations

from pal.switchboard import messages, prompts, roster, store
from pal.switchboard.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.switchboard.columns import Column
    from pal.switchboard.desk import Desk


def hand_over(desk: Desk, plan_id: str, event: int, column: Column) -> dict[str, Any]:
    """What became of it: `dispatch` is `message` with its recipient, `none` with the prompt, or `failed`. The move
    stands in every case."""
    if not column.role:
        return {"dispatch": "none"}
    try:
        text = prompts.for_column(desk, plan_id, column.role)
        with store.Reading(desk.workspace, desk.wait) as db:
            recipient = roster.holder(db, column.role)
        if recipient:
            with store.Writing(desk) as write:
                messages.put(write, desk, "dispatch", "board", recipient, text, plan_id=plan_id)
                write.db.execute(
                    "insert or ignore into dispatches (plan_id, move_event, role, recipient, ts, state)"
                    " values (?, ?, ?, ?, ?, 'sent')", (plan_id, event, column.role, recipient, write.now),
                )  # fmt: skip
                write.event("dispatched", plan_id, data={"role": column.role, "recipient": recipient})
    except Refused as fault:
        return {"dispatch": "failed", "note": f"the move stands; handing over failed: {fault}"}
    if recipient:
        return {"dispatch": "message", "recipient": recipient}
    return {"dispatch": "none", "note": f"nobody holds the role {column.role}; hand the prompt on", "prompt": text}
