"""What an agent's status bar shows: the session's name, the branch, the trend of the ratings, how much is remembered.

The agent asks several times a turn and waits, so this reads single rows of small files and imports next to nothing; the
trend is worked out anew only when a rating or a day was added."""

from __future__ import annotations

import time

from pal.base import bare, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

ARROWS = {"up": "rising", "down": "falling", "stable": "steady"}
COUNTED = ("sessions", "learnings")  # of what is remembered
INPUT_LIMIT = 1 << 20  # bytes; an agent's status JSON has about one thousand
_MOST_LEVELS = 12  # folders above one another in which a repository is looked for
_LONGEST_NAME, _LONGEST_BRANCH = 60, 40  # characters
_DAY = 86_400.0


def answer(home: Home, raw: bytes, now: float) -> str:
    """The line for the agent's JSON; empty for input that cannot be used, or when there is nothing to say."""
    if not bare.exists(home.root):
        return ""  # PAL was removed; a status bar is no reason to bring its folder back
    try:
        payload = jsontext.loads(raw)
    except ValueError:
        return ""
    return line(home, payload, now) if isinstance(payload, dict) else ""


def line(home: Home, payload: dict[str, Any], now: float) -> str:
    """The same for JSON that was read already."""
    cwd, session = payload.get("cwd"), payload.get("session_id")
    folder = cwd.replace("\\", "/").rstrip("/") if isinstance(cwd, str) else ""
    parts = [
        _name(home, session if isinstance(session, str) else "") or folder.rpartition("/")[2],
        _branch(folder),
        _ratings(home, now),
        _remembered(home),
    ]
    return " | ".join(part for part in parts if part)


def _name(home: Home, session: str) -> str:
    """The session's name, from its own line of the registry: reading all of it would take longer than the rest."""
    if not session:
        return ""
    begins = "\n" + jsontext.dumps(session) + ": "
    text = "\n" + _read(home.sessions).decode("utf-8", "replace")
    at = text.find(begins)
    if at < 0:
        return ""
    row = _object(text[at + len(begins) :].partition("\n")[0].rstrip(","))
    return " ".join(str(row.get("name") or "").split())[:_LONGEST_NAME]


def _branch(folder: str) -> str:
    """The branch that is checked out here, as git's own file says it."""
    for _ in range(_MOST_LEVELS):
        if not folder:
            break
        git = folder + "/.git"
        head = _read(git + "/HEAD")
        if not head and bare.exists(git):
            link = _read(git).decode("utf-8", "replace").strip()  # of a worktree: `gitdir: PATH`
            path = link.partition("gitdir: ")[2]
            absolute = path[:1] == "/" or path[1:2] == ":"
            head = _read(f"{path}/HEAD" if absolute else f"{folder}/{path}/HEAD") if path else b""
        if head or bare.exists(git):
            return head.decode("utf-8", "replace").strip().partition("refs/heads/")[2][:_LONGEST_BRANCH]
        folder = folder.rpartition("/")[0]
    return ""


def _ratings(home: Home, now: float) -> str:
    trend = _object(_read(home.signal_cache).decode("utf-8", "replace"))
    day = time.strftime("%Y-%m-%d", time.gmtime(now - _DAY))
    # A cache of yesterday's is near enough: the line shows an average over thirty days.
    if trend.get("bytes", 0) != _size(home.ratings) or str(trend.get("day", day)) < day:
        from pal.base import settings
        from pal.memory import ratings

        trend = ratings.trend(home, now, settings.load(home).zone)
    if not trend.get("count"):
        return ""
    return f"ratings {trend.get('month')} {ARROWS.get(str(trend.get('trend')), '')}".rstrip()


def _remembered(home: Home) -> str:
    held = _object(_read(home.counts).decode("utf-8", "replace"))
    kept = [f"{held[name]} {name}" for name in COUNTED if isinstance(held.get(name), int) and held[name]]
    return f"remembers {', '.join(kept)}" if kept else ""


def _object(text: str) -> dict[str, Any]:
    try:
        found = jsontext.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read(path: str) -> bytes:
    try:
        return bare.read_bytes(path) or b""
    except (OSError, ValueError):
        return b""


def _size(path: str) -> int:
    try:
        with open(path, "rb") as stream:
            return stream.seek(0, 2)
    except (OSError, ValueError):
        return 0
