"""The queue of offered memories: what waits, what is known about it, how much may wait. What is refused leaves no byte.

Lines are only appended, until a decision is made: then the text goes from this file, and one line without it stays."""

from __future__ import annotations

from pal.base import clock, files, ids, jsontext, locks, records
from pal.base.errors import PalError
from pal.memory.icm.entry import hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

MOST = 1000  # open entries
HOURLY = 20  # offers of one agent
EXPIRY = 30 * 86_400.0
DECISIONS_KEPT = 500
PENDING, SEEN = "pending", "seen"
PROMOTED, REJECTED, EXPIRED = "promoted", "rejected", "expired"


def waiting(home: Home) -> dict[str, Row]:
    """Every open entry by its id, oldest first; `sessions` are those that offered it."""
    found: dict[str, Row] = {}
    for row in records.each(home.pending):
        name, status = row.get("id"), row.get("status")
        if not isinstance(name, str):
            continue
        if status == PENDING and isinstance(row.get("content"), str):
            found[name] = {**row, "sessions": [str(row.get("session") or "")]}
        elif status == SEEN and name in found:
            session = str(row.get("session") or "")
            if session not in found[name]["sessions"]:
                found[name]["sessions"].append(session)
        elif status in (PROMOTED, REJECTED, EXPIRED):
            found.pop(name, None)
    return found


def decisions(home: Home) -> list[Row]:
    """What was decided, oldest first."""
    return [row for row in records.each(home.pending) if row.get("status") in (PROMOTED, REJECTED, EXPIRED)]


def get(home: Home, name: str) -> Row:
    """The open entry with this id, or whose id alone begins so."""
    rows = waiting(home)
    found = [row for key, row in rows.items() if key.startswith(name.strip().upper())] if name.strip() else []
    if len(found) != 1:
        what = f"{len(found)} pending memories begin with {name}" if found else f"no pending memory is called {name!r}"
        raise PalError(f"{what}; `pal memory pending` lists them")
    return found[0]


def same(rows: dict[str, Row], topic: str, content: str) -> Row | None:
    digest = hash_of(topic, content)
    return next((row for row in rows.values() if row.get("hash") == digest), None)


def full(rows: dict[str, Row], agent: str, now: float) -> str:
    """Why this agent must wait; empty when it need not."""
    if len(rows) >= MOST:
        return f"{MOST} memories wait for review already"
    recent = [row for row in rows.values() if row.get("source_agent") == agent and clock.age(row.get("ts"), now) < 3600]
    return f"{agent} offered {HOURLY} memories within an hour" if len(recent) >= HOURLY else ""


def stage(home: Home, row: Row, now: float) -> str:
    """Let an entry wait; its id."""
    name = ids.sortable(now)
    made = {
        "v": 1,
        "id": name,
        "ts": clock.iso_ms(now),
        "status": PENDING,
        "hash": hash_of(row["topic"], row["content"]),
    }
    records.append(home, home.pending, {**made, **row}, now, durable=True)
    return name


def seen_again(home: Home, name: str, session: str, now: float) -> None:
    """Another session offered the same."""
    line = {"id": name, "ts": clock.iso_ms(now), "status": SEEN, "session": session}
    records.append(home, home.pending, line, now, once=("id", "status", "session"))


def decide(home: Home, made: list[Row], now: float) -> list[Row]:
    """Keep decisions (`id`, `status`, `by`, `reason` …) and take the texts they are about out of the file; those that
    were decided by another process meanwhile are left out of what comes back."""
    with locks.Lock(home.pending, 10.0) as held:
        if not held:
            raise locks.Busy(f"another process keeps {home.pending} locked")
        open_ = waiting(home)
        fresh = [row for row in made if row["id"] in open_]
        if not fresh:
            return []
        gone = {row["id"] for row in fresh}
        kept = [row for row in records.each(home.pending) if row.get("id") not in gone]
        old = [row for row in kept if row.get("status") in (PROMOTED, REJECTED, EXPIRED)]
        surplus = {id(row) for row in old[: max(0, len(old) + len(fresh) - DECISIONS_KEPT)]}
        lines = [row for row in kept if id(row) not in surplus]
        lines += [{"ts": clock.iso_ms(now), **row} for row in fresh]
        files.write(home.pending, "".join([jsontext.dumps(row) + "\n" for row in lines]), durable=True)
        return fresh
