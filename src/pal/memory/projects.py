"""The projects a person works in, `state/projects.json`: one row a root folder, with its last few sessions.

A project is a folder that carries a marker (`.git`, `package.json`, …). Hooks touch it when a session has done
something; rows that make room move to the archive."""

from __future__ import annotations

import os

from pal.base import clock, files, locks, redaction, spill, state, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

MARKERS = (".git", "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "deno.json", "Gemfile")
MOST_LEVELS = 12
MOST_PROJECTS = 40
MOST_HISTORY = 6
STALE = 14 * 86400  # seconds
_TITLE = 80  # UTF-16 units
_SUMMARY = 300  # UTF-16 units


def folder_key(cwd: str) -> str:
    """A folder as records name it, however an agent wrote it: normal form, and on Windows a capital drive letter."""
    folder = os.path.normpath(cwd) if cwd else ""
    return folder[0].upper() + folder[1:] if folder[1:2] == ":" else folder


def root_of(cwd: str, user: str | None = None) -> str:
    """The nearest folder at or above `cwd` with a marker, at most twelve levels up; empty when there is none.

    The user's home folder (`user`, default the system's answer) and the root of the file system are nobody's project.
    A git worktree counts as its main repository."""
    if not cwd:
        return ""
    stop = os.path.normcase(os.path.normpath(os.path.expanduser("~") if user is None else user))
    folder = folder_key(cwd)
    for _ in range(MOST_LEVELS + 1):
        above = os.path.dirname(folder)
        if above == folder or os.path.normcase(folder) == stop:
            return ""
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in MARKERS):
            return _main_repository(folder)
        folder = above
    return ""


def _main_repository(folder: str) -> str:
    """The folder itself, or the repository that it is a worktree of."""
    link = os.path.join(folder, ".git")
    if not os.path.isfile(link):
        return folder
    try:
        said = files.read_text(link) or ""
    except OSError:
        return folder
    target = os.path.normpath(os.path.join(folder, text.first_line(said).partition("gitdir:")[2].strip()))
    admin, name = os.path.split(target)
    repository, kind = os.path.split(admin)
    is_worktree = kind == "worktrees" and os.path.basename(repository) == ".git" and name
    return os.path.dirname(repository) if is_worktree else folder


def touch(home: Home, root: str, who: dict[str, Any], title: str, summary: str, now: float) -> None:
    """A session worked in the project: keep its newest title and summary, one line of history a session."""
    if not root:
        return
    session = str(who.get("session") or "")
    line = {
        "ts": clock.iso(now),
        "session": session,
        "agent": who.get("agent", ""),
        "title": text.clip(" ".join(redaction.scrub(title[:2000]).split()), _TITLE),
        "summary": text.clip(" ".join(redaction.scrub(summary[: _SUMMARY * 8]).split()), _SUMMARY),
    }

    def change(rows: dict[str, Any]) -> None:
        rows[root] = _touched(rows.get(root), root, line)

    try:
        state.update(home, home.projects, change, now, keep=MOST_PROJECTS, order="touched")
    except locks.Busy:
        row = _touched(state.read(home, home.projects).get(root), root, line)
        spill.leave(home, home.projects, {"key": root, "set": row}, now)


def _touched(row: object, root: str, line: dict[str, Any]) -> dict[str, Any]:
    known = dict(row) if isinstance(row, dict) else {}
    before = _history(known)
    others = [old for old in before if old.get("session") != line["session"]]
    count = known.get("sessions")
    is_new = len(others) == len(before)
    return {
        **known,
        "name": known.get("name") or os.path.basename(root),
        "path": root,
        "touched": line["ts"],
        "sessions": (count if isinstance(count, int) else 0) + is_new,
        "history": [*others, line][-MOST_HISTORY:],
    }


def _history(row: object) -> list[dict[str, Any]]:
    lines = row.get("history") if isinstance(row, dict) else None
    return [line for line in lines if isinstance(line, dict)] if isinstance(lines, list) else []


def active(home: Home, cwd: str, now: float, user: str | None = None) -> list[dict[str, Any]]:
    """The projects, the one `cwd` is in first, then the newest; each with `current` and `stale` (for two weeks)."""
    here = root_of(cwd, user)
    found = []
    for root, row in state.read(home, home.projects).items():
        if isinstance(row, dict):
            stale = clock.age(row.get("touched"), now) > STALE
            found.append({**row, "root": root, "history": _history(row), "current": root == here, "stale": stale})
    found.sort(key=lambda row: (row["current"], str(row.get("touched", ""))), reverse=True)
    return found


def history(home: Home, root: str) -> list[dict[str, Any]]:
    """The project's last sessions, newest last."""
    return _history(state.read(home, home.projects).get(root))
