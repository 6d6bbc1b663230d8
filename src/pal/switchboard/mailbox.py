"""Mailboxes: reading, taking a message for a while, finishing it, and where agents without tools drop theirs.

A taken message comes back when its lease ends; after five such times it has failed. What nobody read is kept."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext
from pal.switchboard import messages, roster, store
from pal.switchboard.desk import Desk
from pal.switchboard.errors import Refused, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.switchboard.store import Writing

LEASE = 600.0  # seconds
TRIES = 5
EXPIRES = 14 * 86400.0  # seconds after which an unread message is set aside as expired; it stays readable
KEPT = 30 * 86400.0  # seconds a finished message stays
SHORT = 200  # characters of a payload in a list
_MOST = 100
_FIELDS = (
    "msg_id", "action", "sender", "recipient", "in_reply_to", "plan_id", "run_id", "payload", "metadata", "state",
    "created_at", "claimed_by", "lease_until", "tries",
)  # fmt: skip
_NAMES = (
    "id", "action", "sender", "recipient", "inReplyTo", "planId", "runId", "payload", "metadata", "state",
    "createdAt", "claimedBy", "leaseUntil", "tries",
)  # fmt: skip
_PICK = f"select {', '.join(_FIELDS)} from messages"
_OPEN = "('new', 'claimed')"


def inbox(
    desk: Desk, agent: str = "", claim: bool = False, limit: int = 20, box: str = "inbox", verbose: bool = True
) -> list[dict[str, Any]]:
    """A mailbox, newest first: what is open, or with `box="outbox"` what was sent, or `"all"`. With `claim` the oldest
    open ones are the caller's for ten minutes, and only those are given. Looking changes nothing else."""
    collect(desk)
    limit = max(1, min(limit, _MOST))
    if claim:
        rows = _claimed(desk, agent, limit)
    else:
        with store.Reading(desk.workspace, desk.wait) as db:
            name = roster.resolve(db, agent) if agent else roster.mine(db, desk)
            column = "sender" if box == "outbox" else "recipient"
            states = f" and state in {_OPEN}" if box == "inbox" else ""
            rows = db.execute(
                f"{_PICK} where {column} = ? collate nocase{states} order by moment desc, msg_id desc limit ?",
                (name, limit),
            ).fetchall()
    return [_shown(row, verbose) for row in rows]


def _claimed(desk: Desk, agent: str, limit: int) -> list[tuple[Any, ...]]:
    with store.Writing(desk) as write:
        name = roster.resolve(write.db, agent) if agent else roster.mine(write.db, desk)
        _return_expired(write, desk)
        ids = [
            row[0] for row in write.db.execute(
                "select msg_id from messages where recipient = ? and state = 'new' order by moment, msg_id limit ?",
                (name, limit),
            )
        ]  # fmt: skip
        until = clock.iso_ms(desk.now + LEASE)
        write.db.executemany(
            "update messages set state = 'claimed', claimed_by = ?, lease_until = ?, tries = tries + 1"
            " where msg_id = ? and state = 'new'", [(desk.session or name, until, each) for each in ids],
        )  # fmt: skip
        marks = ",".join("?" * len(ids))
        return write.db.execute(f"{_PICK} where msg_id in ({marks}) order by moment, msg_id", ids).fetchall()


def _return_expired(write: Writing, desk: Desk) -> None:
    now = clock.iso_ms(desk.now)
    write.db.execute("update messages set state = 'failed' where state = 'claimed' and lease_until < ? and tries >= ?",
                     (now, TRIES))  # fmt: skip
    write.db.execute("update messages set state = 'new', claimed_by = '' where state = 'claimed' and lease_until < ?",
                     (now,))  # fmt: skip


def _shown(row: tuple[Any, ...], verbose: bool) -> dict[str, Any]:
    shown = {name: value for name, value in zip(_NAMES, row) if value not in ("", None)}
    shown["metadata"] = jsontext.loads(row[8])
    if not verbose and len(row[7]) > SHORT:
        shown["payload"], shown["cut"] = row[7][:SHORT], len(row[7]) - SHORT
    return shown


def ack(desk: Desk, id: str, failed: bool = False) -> dict[str, Any]:
    """A message is done, or could not be; twice is once."""
    with store.Writing(desk) as write:
        row = write.db.execute(f"{_PICK} where msg_id = ?", (id.strip(),)).fetchone()
        if row is None:
            raise refused("E_NOT_FOUND", f"there is no message {id!r}", "`inbox` lists them")
        state = "failed" if failed else "done"
        changed = write.db.execute(
            f"update messages set state = ?, lease_until = '' where msg_id = ? and state in {_OPEN}", (state, row[0])
        ).rowcount
        if changed:
            write.event("acked", row[5], data={"id": row[0], "state": state})
    return {"id": row[0], "state": state if changed else row[9], "changed": bool(changed)}


def unread(desk: Desk) -> dict[str, int]:
    """How many messages wait in each mailbox."""
    with store.Reading(desk.workspace, desk.wait) as db:
        return dict(db.execute("select recipient, count(*) from messages where state = 'new' group by recipient"))


def tidy(desk: Desk) -> dict[str, int]:
    """Return what a lease has left, set aside what nobody read in a fortnight, forget what was finished a month ago."""
    with store.Writing(desk) as write:
        _return_expired(write, desk)
        expired = write.db.execute(
            "update messages set state = 'expired' where state = 'new' and moment < ?", (desk.now - EXPIRES,)
        ).rowcount
        gone = write.db.execute(
            "delete from messages where state in ('done', 'failed') and moment < ?", (desk.now - KEPT,)
        ).rowcount
    return {"expired": expired, "forgotten": gone}


def collect(desk: Desk) -> list[str]:
    """Take in what agents without tools dropped: `inbox/<agent>/drop/*.json`. A file is taken by renaming it, so it
    is taken once; what is no message goes to `bad/` with the reason beside it. The reasons are the answer."""
    reasons: list[str] = []
    try:
        agents = sorted(os.listdir(desk.workspace.inbox))
    except OSError:
        return reasons
    for agent in agents:
        folder = os.path.join(desk.workspace.inbox, agent)
        if os.path.islink(folder):
            continue
        _back_from_taken(desk, folder)
        drop = os.path.join(folder, "drop")
        try:
            names = sorted(name for name in os.listdir(drop) if name.endswith(".json"))
        except OSError:
            continue
        for name in names:
            reason = _take(desk, agent, folder, name)
            reasons += [reason] if reason else []
    return reasons


def _back_from_taken(desk: Desk, folder: str) -> None:
    """A taker that died left its file in `taken/`; the message's key keeps it from coming twice."""
    taken = os.path.join(folder, "taken")
    try:
        names = os.listdir(taken)
    except OSError:
        return
    for name in names:
        path = os.path.join(taken, name)
        if desk.now - files.modified(path) > LEASE:
            files.claim(path, os.path.join(folder, "drop", name))


def _take(desk: Desk, agent: str, folder: str, name: str) -> str:
    taken = os.path.join(folder, "taken")
    files.make_folder(taken)
    path = os.path.join(taken, name)
    if os.path.islink(os.path.join(folder, "drop", name)) or not files.claim(os.path.join(folder, "drop", name), path):
        return ""
    os.utime(path, (desk.now, desk.now))
    try:
        value = jsontext.loads((files.read_bytes(path) or b"")[: 4 * messages.LARGEST])
        if not isinstance(value, dict):
            raise ValueError("not a JSON object")
        said = {key: value.get(key, "") for key in ("action", "payload", "recipient", "inReplyTo", "plan")}
        if not all(isinstance(each, str) for each in said.values()):
            raise ValueError("action, payload, recipient, inReplyTo and plan are texts")
        # Whose folder it is says who wrote it; another `sender` counts with a signature only.
        caller = Desk(desk.home, desk.workspace, desk.now, name=agent, private=desk.private)
        signature = value.get("signature")
        messages.send(
            caller, said["action"], said["payload"], said["recipient"], said["inReplyTo"], said["plan"],
            {"via": "drop", "idempotencyKey": f"drop/{agent}/{name}/{value.get('id', '')}"},
            sender=str(value.get("sender", "")), signature=signature if isinstance(signature, dict) else None,
        )  # fmt: skip
    except (ValueError, Refused) as fault:
        if isinstance(fault, Refused) and fault.code in ("E_LOCKED", "E_RATE"):
            files.claim(path, os.path.join(folder, "drop", name))  # the next look takes it
            return ""
        bad = os.path.join(folder, "bad")
        files.make_folder(bad)
        files.replace(path, os.path.join(bad, name))
        files.write(os.path.join(bad, name + ".reason"), f"{fault}\n")
        return f"{desk.workspace.relative(os.path.join(bad, name))}: {fault}"
    files.remove(path)
    return ""
