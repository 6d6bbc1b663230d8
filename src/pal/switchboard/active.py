"""Which sessions follow a workflow right now, kept in PAL's home so that a hook learns it from one small file or none.

The board holds the truth; a row here is what a hook needs of it. What a run's tools do is noted in one file of lines
a run, without a database, and read when a step is reported."""

from __future__ import annotations

from pal.base import bare, jsontext
from pal.base.home import PROJECT_BOARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

LEASE = 12 * 3600.0  # seconds without a sign of life after which a run has been left
MARKER = "ACCURACY VERIFICATION COMPLETE"  # closes the accuracy workflow; nobody writes it by chance
_LOGGED = 256 * 1024  # bytes of one run's notes that are read
_AT_MOST = 500  # notes of one run


def rows(home: Home) -> dict[str, Row]:
    """session → its row; empty when nobody follows a workflow or the file cannot be read."""
    try:
        data = bare.read_bytes(home.switchboard_active)
        value = jsontext.loads(data) if data else {}
    except (OSError, ValueError):
        return {}
    return {key: row for key, row in value.items() if isinstance(row, dict)} if isinstance(value, dict) else {}


def of(home: Home, session: str, now: float) -> Row | None:
    """The row of this session's run, None without one, when its lease is over or its board is gone."""
    if not session or not bare.exists(home.switchboard_active):
        return None
    row = rows(home).get(session)
    if row is None or expired(row, now) or not bare.exists(f"{row.get('root')}/{PROJECT_BOARD}"):
        return None
    return row


def expired(row: Row, now: float) -> bool:
    seen = row.get("seen")
    return not isinstance(seen, (int, float)) or now - seen > LEASE


def put(home: Home, session: str, row: Row, now: float) -> None:
    """Say that this session follows a workflow."""
    if not session:
        return
    from pal.base import state

    def change(value: dict[str, Any]) -> None:
        for key in [key for key, other in value.items() if not isinstance(other, dict) or expired(other, now)]:
            del value[key]
        before = value.get(session, {})
        same = before.get("run") == row.get("run")
        value[session] = {**row, "seen": now, "reminded": row.get("reminded", same and before.get("reminded", False))}

    state.update(home, home.switchboard_active, change, now)


def touch(home: Home, session: str, row: Row, now: float) -> None:
    """A sign of life, at most one a minute."""
    if now - float(row.get("seen") or 0) > 60:
        put(home, session, row, now)


def drop(home: Home, run: str, now: float) -> None:
    """The run is over, and so are its notes. The last one takes the file along: hooks have nothing to read then."""
    from pal.base import files, locks, state

    files.remove(log_of(home, run))
    if not bare.exists(home.switchboard_active):
        return

    def change(value: dict[str, Any]) -> None:
        for key in [key for key, row in value.items() if not isinstance(row, dict) or row.get("run") == run]:
            del value[key]

    left = state.update(home, home.switchboard_active, change, now)
    if not left:
        with locks.Lock(home.switchboard_active) as held:
            if held and not rows(home):
                files.remove(home.switchboard_active)


def log_of(home: Home, run: str) -> str:
    """The file of a run's notes."""
    return home.below(home.relative(home.switchboard_runs) + "/" + run + ".jsonl")


def note(home: Home, run: str, when: str, kind: str, tool: str, target: str, exit: int | None, now: float) -> None:
    """Add one tool call to the run's notes: one write, no lock."""
    line = jsontext.dumps({"ts": now, "when": when, "kind": kind, "tool": tool[:80], "target": target, "exit": exit})
    path = log_of(home, run)
    try:
        bare.append(path, line.encode("utf-8", "replace") + b"\n")
    except FileNotFoundError:
        from pal.base import files

        files.make_folder(home.switchboard_runs)
        bare.append(path, line.encode("utf-8", "replace") + b"\n")


def notes(home: Home, run: str) -> list[Row]:
    """A run's last tool calls, oldest first."""
    from pal.base import records

    try:
        return records.tail(log_of(home, run), _AT_MOST, _LOGGED)
    except OSError:
        return []
