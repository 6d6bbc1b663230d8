"""Messages between agents: who may send what to whom. Two actions only, the recipient is always checked, and where none
is named it follows from what the message answers, from the plan, or from the workflow; in the end it is the person."""

from __future__ import annotations

import os

from pal.base import jsontext, redaction
from pal.base import text as texts
from pal.switchboard import board, columns, planfiles, roster, schema, signing, store
from pal.switchboard.desk import PERSON
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.desk import Desk
    from pal.switchboard.store import Writing

ACTIONS = ("submit_result", "status_update")
_FORMER = ("execute", "delegate_task")  # what older tools called; plans travel by the board now
LARGEST = 64 * 1024  # bytes of a payload
_TWIN_WITHIN = 30.0  # seconds; the same words again are the same message
_PER_MINUTE = 60
_AT = {name: number for number, name in enumerate(schema.PLAN)}


def send(
    desk: Desk,
    action: str,
    payload: str,
    recipient: str = "",
    in_reply_to: str = "",
    plan: str = "",
    metadata: dict[str, Any] | None = None,
    run: str = "",
    reply_role: str = "",
    requires_role: str = "",
    sender: str = "",
    signature: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Put a message into a mailbox: `{id, recipient, sender, duplicate, …}`.

    The sender is the caller's session; a claimed one counts with a signature only. The same message within thirty
    seconds is one message. `reply_role` and `requires_role` are what the session's workflow says."""
    _allowed(desk, action, payload)
    found = board.find(desk, plan) if plan else None
    if signature is not None:
        signing.check(desk, signature, action, sender, recipient, payload)
    with store.Writing(desk) as write:
        if requires_role and not roster.holder(write.db, roster.role_of(write.db, requires_role)):
            raise refused("E_NO_RECIPIENT", f"this workflow needs a {requires_role}, and nobody is registered as one",
                          "`register_agent` adds one", role=requires_role)  # fmt: skip
        author = sender if signature is not None else roster.mine(write.db, desk)
        if signature is not None:
            signing.spend(write, signature, desk.now)
        to = _recipient(write.db, author, recipient, in_reply_to, found, reply_role)
        idem = (metadata or {}).get("idempotencyKey")
        twin = _twin(write.db, desk, author, to, action, payload, idem)
        if twin:
            return {"id": twin, "action": action, "sender": author, "recipient": to, "duplicate": True}
        _rate(write.db, desk, author)
        identity = put(write, desk, action, author, to, payload, in_reply_to, found["planId"] if found else "", run,
                       metadata, f"{author}|{idem}" if isinstance(idem, str) and idem else None)  # fmt: skip
        reply: dict[str, Any] = {"id": identity, "action": action, "sender": author, "recipient": to,
                                 "duplicate": False}  # fmt: skip
        if found and action == "submit_result":
            write.event("result", found["planId"], reason=texts.first_line(payload), data={"message": identity})
            reply.update(_suggested(write.db, found))
    return reply


def _allowed(desk: Desk, action: str, payload: str) -> None:
    if action not in ACTIONS:
        former = action in _FORMER
        raise refused(
            "E_ACTION", f"send_message knows {' and '.join(ACTIONS)}, not {action!r}",
            "to hand on a plan use move_kanban_card" if former else "use one of the two", valid=list(ACTIONS),
        )  # fmt: skip
    if not payload.strip():
        raise refused("E_SIZE", "the message is empty", "say something")
    size = len(payload.encode("utf-8", "replace"))
    if size > LARGEST:
        raise refused("E_SIZE", f"the message has {size:,} bytes, at most {LARGEST:,} fit",
                      f"write it to a file below {desk.workspace.relative(desk.workspace.handoff)}/ and send the path",
                      limit=LARGEST)  # fmt: skip
    lowered = payload.replace("\\", "/").lower()
    for folder in (desk.home.memory, *desk.private):
        if folder and folder.replace("\\", "/").lower().rstrip("/") + "/" in lowered:
            raise refused("E_LEAK", f"the message names {folder}, an agent's own memory",
                          "say what matters in words instead of the path", path=folder)  # fmt: skip


def _recipient(
    db: Connection, author: str, named: str, in_reply_to: str, found: dict[str, Any] | None, reply_role: str
) -> str:
    """The first that applies; whatever it is, it must be registered."""
    if named.strip():
        return roster.resolve(db, named)
    if in_reply_to:
        row = db.execute("select sender from messages where msg_id = ?", (in_reply_to,)).fetchone()
        if row is None:
            raise refused("E_NOT_FOUND", f"there is no message {in_reply_to!r}", "`inbox` lists them")
        return PERSON if row[0] == "board" else roster.resolve(db, row[0])
    if found:
        row = db.execute(
            "select actor, session from events where plan_id = ? and to_col = ? order by id desc limit 1",
            (found["planId"], found["column"]),
        ).fetchone()
        # Who moved it there waits for it, unless that is who reports.
        mover = row and db.execute("select name from agents where session = ? and session != ''", (row[1],)).fetchone()
        if mover and mover[0] != author:
            return str(mover[0])
    return roster.resolve(db, reply_role) if reply_role else PERSON


def _twin(db: Connection, desk: Desk, author: str, to: str, action: str, payload: str, idem: object) -> str:
    if isinstance(idem, str) and idem:
        row = db.execute("select msg_id from messages where idem = ?", (f"{author}|{idem}",)).fetchone()
        if row:
            return str(row[0])
    row = db.execute(
        "select msg_id from messages where sender = ? and recipient = ? and action = ? and payload_sha = ?"
        " and moment between ? and ? order by moment limit 1",
        (author, to, action, planfiles.sha(payload), desk.now - _TWIN_WITHIN, desk.now + _TWIN_WITHIN),
    ).fetchone()
    return str(row[0]) if row else ""


def _rate(db: Connection, desk: Desk, author: str) -> None:
    if author == PERSON:
        return
    recent = db.execute(
        "select count(*), min(moment) from messages where sender = ? and moment > ?", (author, desk.now - 60)
    ).fetchone()
    if recent[0] >= _PER_MINUTE:
        wait = max(1, int(recent[1] + 60 - desk.now) + 1)
        raise refused("E_RATE", f"{author} sent {recent[0]} messages within a minute", f"wait {wait} seconds",
                      retryAfter=wait)  # fmt: skip


def put(
    write: Writing,
    desk: Desk,
    action: str,
    sender: str,
    recipient: str,
    payload: str,
    in_reply_to: str = "",
    plan_id: str = "",
    run: str = "",
    metadata: dict[str, Any] | None = None,
    idem: str | None = None,
) -> str:
    """Write a message into a running transaction; its id. Who may do that was decided before."""
    identity = f"msg_{int(desk.now * 1000):013d}_{os.urandom(5).hex()}"
    write.db.execute(
        "insert into messages (msg_id, action, sender, recipient, in_reply_to, plan_id, run_id, payload, payload_sha,"
        " metadata, state, created_at, idem, moment) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'new', ?, ?, ?)",
        (identity, action, sender, recipient, in_reply_to, plan_id, run, payload, planfiles.sha(payload),
         jsontext.dumps(metadata or {}), write.now, idem, desk.now),
    )  # fmt: skip
    said = redaction.scrub(texts.first_line(payload))
    write.event("message", plan_id, reason=texts.clip(said, 200), data={"id": identity, "to": recipient})
    return identity


def _suggested(db: Connection, found: dict[str, Any]) -> dict[str, Any]:
    """Where a plan whose result is in would go next; nobody moves it but the one who decides."""
    every = columns.defined(db)
    current = next((each for each in every if each.id == found["column"]), None)
    if current is None or found["status"] != "active":
        return {}
    following = columns.following(every, current)
    return {"suggestedMove": {"sessionId": found["sessionId"], "target": following.label, "rev": found["rev"]}}
