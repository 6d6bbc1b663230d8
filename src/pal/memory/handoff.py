"""What a session leaves for the next one in the same folder: `state/last-handoff.json`, one row a folder.

A deliberate note is written by a person or an agent on purpose; an automatic snapshot is taken at every stop and never
replaces a deliberate note that is still in progress and younger than a week. A replaced note moves to the archive."""

from __future__ import annotations

import os

from pal.base import clock, locks, records, redaction, spill, state, text
from pal.base.errors import PalError
from pal.memory import projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

MOST_FOLDERS = 20
FRESH = 7 * 86400  # seconds
_TITLE = 80  # UTF-16 units of the user's text that name a snapshot
_SIDE = 500  # UTF-16 units of each side of the exchange
_NOTE = 6000  # UTF-16 units of a deliberate note
_ELSEWHERE = 300  # UTF-16 units told of another folder

_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/", "/var/folders/", "/private/var/folders/")
_TEMPORARY_WINDOWS = ("\\appdata\\local\\temp\\", "\\windows\\temp\\")


def note(
    home: Home,
    cwd: str,
    title: str,
    said: str,
    who: dict[str, Any],
    now: float,
    done: bool = False,
    waiting_on: str = "",
) -> dict[str, Any]:
    """Leave a deliberate note for the folder; gives the row. PalError for a note without a folder or a text."""
    if not cwd or not (title.strip() or said.strip()):
        raise PalError("A handoff note needs a folder and a text: give a title and say what remains.")
    row = {
        "timestamp": clock.iso(now),
        **who,
        "title": text.clip(redaction.scrub(title).strip(), _TITLE * 2),
        "status": "completed" if done else "in-progress",
        "handoff": text.clip(redaction.scrub(said).strip(), _NOTE),
        "artifacts": [],
        "source": "deliberate",
    }
    if waiting_on:
        row["waitingOn"] = text.clip(redaction.scrub(waiting_on).strip(), _SIDE)
    _put(home, projects.folder_key(cwd), row, now)
    return row


def snapshot(home: Home, cwd: str, user: str, assistant: str, who: dict[str, Any], now: float) -> bool:
    """Keep the last exchange as the folder's handoff; False where a deliberate note stands, or nothing was said."""
    asked = text.clip(redaction.scrub(user[: _SIDE * 8]).strip(), _SIDE)
    answered = text.clip(redaction.scrub(assistant[: _SIDE * 8]).strip(), _SIDE)
    if not asked or not cwd:
        return False
    row = {
        "timestamp": clock.iso(now),
        **who,
        "title": text.clip(" ".join(asked.split()), _TITLE),
        "status": "in-progress",
        "handoff": "",
        "artifacts": [],
        "source": "auto",
        "lastUser": asked,
        "lastAssistant": answered,
    }
    return _put(home, projects.folder_key(cwd), row, now)


def close(home: Home, cwd: str, now: float) -> bool:
    """The work a folder's note speaks of is done; False when no note stands there, or it was closed before."""
    key = projects.folder_key(cwd)
    done = False

    def change(rows: dict[str, Any]) -> None:
        nonlocal done
        row = rows.get(key)
        if isinstance(row, dict) and row.get("status") != "completed":
            rows[key] = {**row, "status": "completed", "closed": clock.iso(now)}
            done = True

    state.update(home, home.handoffs, change, now)
    return done


def describe(home: Home, cwd: str, who: dict[str, Any], said: str, now: float) -> bool:
    """Say in the session's own snapshot what remains to be done; False where another note stands in the folder."""
    key = projects.folder_key(cwd)
    remains = text.clip(redaction.scrub(said).strip(), _SIDE)
    done = False

    def change(rows: dict[str, Any]) -> None:
        nonlocal done
        row = rows.get(key)
        if isinstance(row, dict) and row.get("source") == "auto" and row.get("session") == who.get("session"):
            rows[key] = {**row, "handoff": remains}
            done = True

    if cwd:
        state.update(home, home.handoffs, change, now)
    return done


def _put(home: Home, key: str, row: dict[str, Any], now: float) -> bool:
    automatic = row["source"] == "auto"
    kept = True

    def change(rows: dict[str, Any]) -> None:
        nonlocal kept
        before = rows.get(key)
        kept = not (automatic and _is_protected(before, now))
        if kept:
            _archive(home, key, before, now)
            if automatic and isinstance(before, dict) and before.get("session") == row.get("session"):
                row["handoff"] = before.get("handoff", "")  # what remains, until it is said anew
            rows[key] = row
            _make_room(home, rows, now)

    try:
        state.update(home, home.handoffs, change, now)
    except locks.Busy:
        kept = not (automatic and _is_protected(state.read(home, home.handoffs).get(key), now))
        if kept:
            spill.leave(home, home.handoffs, {"key": key, "set": row}, now)
    return kept


def _is_deliberate(row: object) -> bool:
    return isinstance(row, dict) and row.get("source") == "deliberate"


def _is_protected(row: object, now: float) -> bool:
    if not isinstance(row, dict) or not _is_deliberate(row) or row.get("status") != "in-progress":
        return False
    return clock.age(row.get("timestamp"), now) < FRESH


def _archive(home: Home, key: str, row: object, now: float) -> None:
    """Nothing a person wrote is lost when its place is needed."""
    if _is_deliberate(row):
        path = os.path.join(home.archive_rows, "last-handoff-" + clock.iso(now)[:7] + ".jsonl")
        records.append(home, path, {"key": key, "row": row}, now)


def _make_room(home: Home, rows: dict[str, Any], now: float) -> None:
    if len(rows) <= MOST_FOLDERS:
        return

    def rank(key: str) -> tuple[bool, str]:
        row = rows[key] if isinstance(rows[key], dict) else {}
        return _is_deliberate(row) and row.get("status") == "in-progress", str(row.get("timestamp", ""))

    for key in sorted(rows, key=rank)[: len(rows) - MOST_FOLDERS]:
        _archive(home, key, rows.pop(key), now)


def for_folder(home: Home, cwd: str, now: float) -> dict[str, Any] | None:
    """The folder's row if it is not older than a week, with its `folder` and its `age` in seconds."""
    key = projects.folder_key(cwd)
    return next((row for row in _fresh(home, now) if row["folder"] == key), None)


def elsewhere(home: Home, cwd: str, now: float) -> dict[str, Any] | None:
    """The newest unfinished row of another folder, only if it is newer than this folder's; its texts are cut short.

    Temporary folders hold nothing worth coming back to."""
    key = projects.folder_key(cwd)
    for row in _fresh(home, now):
        if row["folder"] == key:
            return None
        if row.get("status") != "completed" and not _is_temporary(row["folder"]):
            for name in ("handoff", "lastUser", "lastAssistant"):
                if name in row:
                    row[name] = text.clip(str(row[name]), _ELSEWHERE)
            return row
    return None


def listing(home: Home) -> list[dict[str, Any]]:
    """Every folder's row, newest first, each with its `folder`."""
    rows = state.read(home, home.handoffs)
    found = [{**row, "folder": key} for key, row in rows.items() if isinstance(row, dict)]
    found.sort(key=lambda row: str(row.get("timestamp", "")), reverse=True)
    return found


def _fresh(home: Home, now: float) -> list[dict[str, Any]]:
    found = []
    for row in listing(home):
        row["age"] = clock.age(row.get("timestamp"), now)
        if row["age"] <= FRESH:
            found.append(row)
    return found


def _is_temporary(folder: str) -> bool:
    if (folder + "/").startswith(_TEMPORARY):
        return True
    return any(part in folder.lower() + "\\" for part in _TEMPORARY_WINDOWS)
