"""Decides what waits: at a session's start what memory vouches for goes in by itself, the rest is for the user.

Scores are worked out anew: memory has changed since, and what stands in the file is never trusted."""

from __future__ import annotations

from pal.base import clock
from pal.events import log
from pal.memory.acl import pending, score, tiers, waiting
from pal.memory.icm import store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

AT_ONCE = 10  # entries scored while an agent waits
AUTO, USER = "auto", "user"


def promote_waiting(home: Home, now: float, most: int = AT_ONCE) -> list[Row]:
    """Promote what passes, let expire what waited too long, and give what is left for the user, newest first."""
    if not waiting.anything(home):
        return []
    rows = list(pending.waiting(home).values())
    begin = int(now) % len(rows) if len(rows) > most else 0  # each has its turn, whatever waits before it
    looked = {row["id"] for row in (rows[begin:] + rows[:begin])[:most]}
    left = []
    for row in rows:
        if clock.age(row.get("ts"), now) > pending.EXPIRY:
            _close(home, row, pending.EXPIRED, AUTO, "nobody decided within 30 days", now)
        elif row["id"] in looked and _passes(home, row, now):
            promote(home, row, AUTO, "memory vouches for it", now)
        else:
            left.append(row)
    left.reverse()
    return left


def _passes(home: Home, row: Row, now: float) -> bool:
    return score.of(home, str(row["content"]), str(row.get("importance")), len(row["sessions"]), now).promoted


def promote(home: Home, row: Row, by: str, reason: str, now: float) -> str:
    """Let an entry into memory and give its id there; twice is once, since the id is that of the pending entry."""
    agent = tiers.clean(str(row.get("source_agent") or ""))
    text = tiers.neutral(str(row["content"]))
    draft = store.draft(
        tiers.marked(text, agent, tiers.EXTERNAL), now, id=str(row["id"]), topic=str(row.get("topic") or ""),
        importance=_importance(row, by), keywords=[str(word) for word in row.get("keywords") or ()],
        source_agent=agent, source_tier=tiers.EXTERNAL,
    )  # fmt: skip
    name, _ = store.put(home, draft, now)
    _close(home, row, pending.PROMOTED, by, reason, now, name)
    return name


def reject(home: Home, row: Row, by: str, reason: str, now: float) -> None:
    """Take an entry out of the queue; its text is nowhere then."""
    _close(home, row, pending.REJECTED, by, reason, now)


def _importance(row: Row, by: str) -> str:
    """A person grants what was asked for; by itself nothing from outside is more than medium."""
    asked = str(row.get("importance") or "medium")
    return asked if by == USER or asked == "low" else "medium"


def _close(home: Home, row: Row, status: str, by: str, reason: str, now: float, memory: str = "") -> None:
    value = float(row.get("score") or 0.0)
    decision: Row = {"id": row["id"], "status": status, "by": by, "reason": reason, "agent": row.get("source_agent")}
    if memory:
        decision["memory_id"] = memory
    if not pending.decide(home, [decision], now):
        return
    if memory:
        fields: Row = {"pending_id": row["id"], "memory_id": memory, "score": value, "by": by}
        log.emit(home, log.event("memory_promoted", "hook" if by == AUTO else "cli", now, **fields))
    else:
        fields = {"pending_id": row["id"], "reason": reason[:200], "score": value, "by": by}
        log.emit(home, log.event("memory_rejected", "hook" if by == AUTO else "cli", now, **fields))
