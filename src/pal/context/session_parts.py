"""What each part of a session's start says: rows of memory put into a few plain lines."""

from __future__ import annotations

import os

from pal.base import home as homes
from pal.base.text import clip, first_line, units
from pal.context.budget import shortened
from pal.memory import handoff, ratings, relationship
from pal.memory import projects as registry
from pal.memory.acl import waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.base.home import Home
    from pal.base.settings import Settings

    Row = dict[str, Any]

_READ = 16_000  # bytes of a startup file; no section could hold more
_SHORT = 1_200  # units of startup files that may come before everything else
_EACH = 2_800  # units of one longer file
_OTHERS = 5  # projects beside this one
_TITLES = 6  # sessions elsewhere
_REFLECTIONS = 20  # tasks looked back on
_ITEMS = 3  # criteria, next steps and blockers of a tracked project


class Start:
    """One start of a session, and what more than one part needs of it."""

    __slots__ = ("_files", "_projects", "cwd", "env", "home", "now", "session", "settings")

    def __init__(
        self, home: Home, settings: Settings, cwd: str, session: str, now: float, env: Mapping[str, str]
    ) -> None:
        self.home = home
        self.settings = settings
        self.cwd = cwd
        self.session = session  # empty: no exchange is to be recovered
        self.now = now
        self.env = env
        self._files: tuple[str, str] | None = None
        self._projects: list[Row] | None = None

    def files(self) -> tuple[str, str]:
        """(the short startup files, the long ones), read once."""
        if self._files is None:
            self._files = _startup(self)
        return self._files

    def projects(self) -> list[Row]:
        """All projects, this folder's first, then the newest; read once."""
        if self._projects is None:
            user = homes.user_folder(self.env)
            self._projects = registry.active(self.home, self.cwd, self.now, user)
        return self._projects


def startup_files(start: Start) -> str:
    """The files named in `loadAtStartup.files`, in order, as long as they are short."""
    return start.files()[0]


def long_startup_files(start: Start) -> str:
    """The rest of them, each cut with its path if need be."""
    return start.files()[1]


def _startup(start: Start) -> tuple[str, str]:
    listed = start.settings.get("loadAtStartup.files", [])
    short: list[str] = []
    long: list[str] = []
    left = _SHORT
    user = homes.user_folder(start.env)
    for name in listed if isinstance(listed, list) else []:
        path = _expanded(name, user) if isinstance(name, str) and name.strip() else ""
        if not os.path.isfile(path):
            continue
        try:
            with open(path, "rb") as stream:
                text = stream.read(_READ).decode("utf-8", "replace").strip()
        except OSError:
            continue  # not readable for this user: as good as missing
        if not text:
            continue
        told = f"### {path}\n" + shortened(text, _EACH, "the rest is in that file")
        if not long and units(told) <= left:
            left -= units(told) + 2
            short.append(told)
        else:
            long.append(told)
    return "\n\n".join(short), "\n\n".join(long)


def _expanded(name: str, user: str) -> str:
    """Absolute; `~/x` and `x` are both below the user's folder."""
    name = name.strip()
    if name == "~" or name.startswith(("~/", "~\\")):
        name = name[2:]
    return os.path.normpath(os.path.join(user, name))


def exchange(start: Start) -> str:
    """The last exchange of a session that was compacted."""
    if not start.session:
        return ""
    from pal.memory import exchange as exchanges

    kept = exchanges.recover(start.home, start.session)
    return str(kept.get("text", "")) if kept else ""


def handoffs(start: Start) -> str:
    """This folder's note, and the newest unfinished one of another folder if that is newer."""
    parts = []
    here = handoff.for_folder(start.home, start.cwd, start.now)
    if here:
        parts.append(_note(here))
        if here.get("status") != "completed":
            parts.append("Continue it or, once it is finished, close it: `pal handoff close`.")
    other = handoff.elsewhere(start.home, start.cwd, start.now)
    if other:
        said = first_line(str(other.get("handoff") or other.get("lastUser") or ""))
        title = _title(other)
        parts.append(clip(f"In {other['folder']}, {ago(other['age'])}: {title}" + _after(said, title), 400))
    return "\n".join(parts)


def _note(row: Row) -> str:
    if row.get("source") != "deliberate":
        lines = [f"The last exchange here, {ago(row['age'])}:"]
    else:
        status = "done" if row.get("status") == "completed" else "in progress"
        lines = [f"**{_title(row)}** ({status}; noted {ago(row['age'])})"]
    for before, name in (
        ("", "handoff"),
        ("Waiting on: ", "waitingOn"),
        ("The user: ", "lastUser"),
        ("The reply: ", "lastAssistant"),
    ):
        if row.get(name):
            lines.append(before + str(row[name]).strip())
    return "\n".join(lines)


def due(start: Start) -> str:
    """Reminders of reviews that are due; only for users who asked for them."""
    from pal.context import nudges

    return "\n".join("- " + text for text in nudges.due(start.home, start.settings, start.now))


def offered(start: Start) -> str:
    """Memories that other programs offered and that wait for the user."""
    return waiting.shown(start.home)


def trend(start: Start) -> str:
    """How satisfied the user has been, and how tasks worked on by criteria went."""
    return "\n".join(line for line in (_ratings(start), _criteria(start)) if line)


def _ratings(start: Start) -> str:
    found = ratings.trend(start.home, start.now, start.settings.zone)
    if not found.get("count"):
        return ""
    names = (("today", "today"), ("week", "in seven days"), ("month", "in thirty"))
    means = [f"{found[key]} {name}" for key, name in names if found.get(key) is not None]
    going = {"up": "rising", "down": "falling"}.get(str(found.get("trend")), "steady")
    return f"Ratings of 10: {', '.join(means)}; {found['count']} ratings, {going}."


def _criteria(start: Start) -> str:
    if not os.path.isfile(start.home.algorithm):
        return ""
    from pal.memory.tools import algorithm, figures

    found = figures.performance(algorithm.recent(start.home, _REFLECTIONS))
    if not found["criteria"]:
        return ""
    tasks = figures.many(found["reflections"], "task")
    return f"The last {tasks} looked back on: {found['passed']} of {found['criteria']} criteria passed."


def notes(start: Start) -> str:
    """What was noted about the user and their work today and yesterday."""
    root = registry.root_of(start.cwd, homes.user_folder(start.env))
    return relationship.recent(start.home, start.now, start.settings.zone, root)


def projects(start: Start) -> str:
    """The project this folder belongs to, and the others that were worked in lately."""
    lines = _tracked(start)
    others = 0
    for row in start.projects():
        if not row["current"]:
            others += 1
            if others > _OTHERS:
                break
        lines.append(_project(row, start.now))
    return "\n".join(lines)


def _tracked(start: Start) -> list[str]:
    """What is open in the project that this folder belongs to, if it is tracked by criteria."""
    if not os.path.isfile(start.home.bindings):
        return []
    from pal.memory.tools import project_book

    found = project_book.here(start.home, start.cwd)
    if found is None:
        return []
    said = [f"- {found['name']} is {found['status']}: {found['done']} of {found['done'] + found['open']} criteria met."]
    for title, key in (("Open", "criteria"), ("Next", "next"), ("Blocked by", "blockers")):
        if found[key]:
            said.append(f"{title}: {clip('; '.join(found[key][:_ITEMS]), 240)}.")
    return [f"{' '.join(said)} More: `pal project resume {found['slug']}`."]


def _project(row: Row, now: float) -> str:
    last = row["history"][-1] if row["history"] else {}
    age = ago_of(row.get("touched"), now)
    quiet = "quiet, " if row["stale"] else ""
    said = f"- {row.get('name') or row['root']} ({row['root']}): {quiet}last worked in {age}"
    count = row.get("sessions")
    if row["current"]:
        return f"{said}, {count} session{'' if count == 1 else 's'} so far; you are in it"
    return clip(said + _after(first_line(str(last.get("title", ""))), ""), 200)


def history(start: Start) -> str:
    """This project's last sessions, the newest first."""
    for row in start.projects():
        if row["current"]:
            return "\n".join(_session(line, start.now) for line in reversed(row["history"]))
    return ""


def _session(line: Row, now: float) -> str:
    title = _title(line)
    return f"- {ago_of(line.get('ts'), now)}: {title}" + _after(str(line.get("summary", "")), title)


def elsewhere(start: Start) -> str:
    """Titles of the last sessions in other projects."""
    lines = [
        (str(line.get("ts", "")), f"- {row.get('name') or row['root']}: {_title(line)}")
        for row in start.projects()
        if not row["current"]
        for line in row["history"]
        if line.get("title")
    ]
    lines.sort(reverse=True)
    return "\n".join(f"{clip(text, 120)} ({ago_of(ts, start.now)})" for ts, text in lines[:_TITLES])


def _title(row: Row) -> str:
    return first_line(str(row.get("title", ""))) or "Untitled"


def _after(said: str, title: str) -> str:
    """What is said beyond the title, if it is more than the title again."""
    said = said.strip()
    begins = title.rstrip("…")
    return "" if not said or said == title or (begins and said.startswith(begins)) else f": {said}"


def ago_of(stamp: object, now: float) -> str:
    """How long ago a recorded time was."""
    from pal.base import clock

    return ago(clock.age(stamp, now))


def ago(seconds: float) -> str:
    """`just now`, `5 min ago`, `3 h ago`, `2 d ago`; `at some time` for a record without one."""
    if seconds == float("inf"):
        return "at some time"
    if seconds < 90:
        return "just now"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min ago"
    if seconds < 36 * 3600:
        return f"{round(seconds / 3600)} h ago"
    return f"{round(seconds / 86400)} d ago"
