"""Open threads: things to come back to, in a folder or anywhere (`state/threads.jsonl`).

The log is only appended to: the last line of an id says how it stands, so two machines' logs can be put together."""

from __future__ import annotations

import os

from pal.base import clock, records
from pal.base.errors import PalError
from pal.memory import projects
from pal.memory.tools import wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

OPEN, RESOLVED = "open", "resolved"
_TITLE = 160  # UTF-16 units
_CONTEXT = 1_000


def add(home: Home, title: str, context: str, cwd: str, who: Row, now: float) -> Row:
    """Open a thread; the one with this title that is open in this folder already, if there is one."""
    said = wording.line(title, _TITLE)
    if not said:
        raise PalError("A thread needs a title: say in one line what to come back to.")
    folder = projects.folder_key(cwd)
    for row in listing(home):
        if row["status"] == OPEN and row["title"].casefold() == said.casefold() and row.get("cwd") == folder:
            return row
    row = {
        "id": os.urandom(4).hex(),
        "cwd": folder,
        **who,
        "title": said,
        "context": wording.line(context, _CONTEXT),
        "status": OPEN,
        "created": clock.iso(now),
        "resolved": None,
    }
    records.append(home, home.threads, row, now, durable=True)
    return row


def settle(home: Home, wanted: str, status: str, now: float) -> Row:
    """Resolve a thread, or open it again, by the beginning of its id; its row."""
    near = [row for row in listing(home) if wanted and row["id"].startswith(wanted)]
    if len(near) != 1:
        count = f"{len(near)} threads have" if near else "No thread has"
        raise PalError(f"{count} an id that begins with {wanted!r}; `pal thread list --all` shows them.")
    row = near[0]
    if row["status"] != status:
        row = {**row, "status": status, "resolved": clock.iso(now) if status == RESOLVED else None}
        records.append(home, home.threads, row, now, durable=True)
    return row


def listing(home: Home, cwd: str = "") -> list[Row]:
    """Every thread as it stands, the newest first; with `cwd` those of that folder and what lies below it."""
    rows: dict[str, Row] = {}
    for row in records.each(home.threads):
        if isinstance(row.get("id"), str) and isinstance(row.get("title"), str):
            rows[row["id"]] = {**row, "status": RESOLVED if row.get("status") == RESOLVED else OPEN}
    folder = projects.folder_key(cwd)
    found = [row for row in rows.values() if not folder or _is_below(str(row.get("cwd") or ""), folder)]
    found.sort(key=lambda row: str(row.get("created")), reverse=True)
    return found


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith((folder.rstrip("/\\") + "/", folder.rstrip("/\\") + "\\"))
