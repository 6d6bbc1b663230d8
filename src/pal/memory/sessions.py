"""The session registry, `state/sessions.json`: one row a session, a few hundred at most; this module alone writes it.

Hooks tell it what happens to a session. A row holds name, cwd, status, summary, agent, started, last, prompts, turns
and source; rows that make room move to `state/archive/sessions-YYYY-MM.jsonl`."""

from __future__ import annotations

from pal.base import clock, redaction, state, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

MOST_ROWS = 300
_SUMMARY = 200  # UTF-16 units
_NAMED_FROM = 8000  # characters of a prompt that are looked at for a name
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def open(home: Home, who: dict[str, Any], cwd: str, source: str, now: float) -> None:
    """A session started, was resumed, or goes on after a compaction (`source`, as the agent calls it)."""
    _merge(home, who, {"cwd": cwd, "status": "active", "source": source}, now)


def prompt_seen(
    home: Home, who: dict[str, Any], cwd: str, prompt: str, now: float, event: str = "", transcript: str = ""
) -> None:
    """A person typed a prompt: count it, and name the session when it has no name and the prompt says enough. Where the
    agent writes the conversation down is kept too: an export of it reads that file."""
    from pal.memory import names  # word tables that other events have no use for

    default = {"name": names.name_for(redaction.scrub(prompt[:_NAMED_FROM])), "cwd": cwd, "source": "prompt"}
    once = {"prompt_event": event} if event else None
    fields = {"status": "active", "transcript": transcript} if transcript else {"status": "active"}
    _merge(home, who, fields, now, add={"prompts": 1}, default=default, once=once)


def turn_done(home: Home, who: dict[str, Any], summary: str, now: float, event: str = "") -> dict[str, Any]:
    """The agent finished a turn; `summary` (the start of its reply is enough) says where the session stands.

    Gives the session's row, empty when its file was busy and the change waits in the spill."""
    short = text.clip(text.first_line(redaction.scrub(summary[: _SUMMARY * 8])), _SUMMARY)
    once = {"turn_event": event} if event else None
    return _merge(home, who, {"summary": short} if short else {}, now, add={"turns": 1}, once=once)


def amend(home: Home, session: str, fields: dict[str, Any], named: str | None = None) -> bool:
    """Add what detached work found out; True if the session is known and, with `named`, still bears that name.

    Neither its time nor its place among the newest changes: nothing happened in it."""
    done = False

    def change(rows: dict[str, Any]) -> None:
        nonlocal done
        row = rows.get(session)
        if isinstance(row, dict):
            done = named is None or str(row.get("name") or "") == named
            kept = fields if done else {name: value for name, value in fields.items() if name != "name"}
            rows[session] = {**row, **kept}

    state.update(home, home.sessions, change, clock.now())
    return done


def close(home: Home, who: dict[str, Any], reason: str, now: float) -> None:
    """The session ended. A later prompt or start of the same session makes it active again."""
    _merge(home, who, {"status": "completed", "ended": reason}, now)


def _merge(
    home: Home,
    who: dict[str, Any],
    fields: dict[str, Any],
    now: float,
    add: dict[str, int] | None = None,
    default: dict[str, Any] | None = None,
    once: dict[str, Any] | None = None,
) -> dict[str, Any]:
    session = who.get("session")
    if not session:
        return {}  # an agent that names no session leaves nothing to file a row under
    stamp = clock.iso(now)
    fields = {**fields, "agent": who.get("agent", ""), "last": stamp}
    first = {"name": "", "cwd": "", "status": "active", "summary": "", "started": stamp, "prompts": 0, "turns": 0}
    row = state.merge(
        home, home.sessions, str(session), fields, now,
        add=add, keep=MOST_ROWS, default={**first, **(default or {})}, once=once,
    )  # fmt: skip
    return row or {}


def get(home: Home, session: str) -> dict[str, Any] | None:
    """The row of one session, or None."""
    row = state.read(home, home.sessions).get(session)
    return row if isinstance(row, dict) else None


def recent(home: Home, count: int) -> list[dict[str, Any]]:
    """The rows of the sessions active last, newest first, each with its `session`."""
    rows = [
        {"session": session, **row} for session, row in state.read(home, home.sessions).items() if isinstance(row, dict)
    ]
    rows.sort(key=lambda row: str(row.get("last", "")), reverse=True)
    return rows[:count]


def file_name(session: str) -> str:
    """The session's id as a file name without ending. Other programs choose the ids: no path comes of one."""
    safe = "".join([letter if letter in _SAFE else "_" for letter in session[:64]])
    if safe.startswith("-"):
        safe = "_" + safe[1:]
    if safe and safe == session:
        return safe
    import binascii

    return f"{safe or 'session'}-{binascii.crc32(session.encode('utf-8', 'backslashreplace')):08x}"
