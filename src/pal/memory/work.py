"""What a session worked on: `session-learning/YYYY-MM/YYYY-MM-DD_<title>.md`, one file a session, renewed as it grows.

Hooks note changed files and subagents as they come, in `state/activity/<session>.jsonl`; the stop hook files the
learning. One that a person has edited since is theirs: it is left alone, and no second one is made."""

from __future__ import annotations

import os

from pal.base import clock, files, frontmatter, locks, log, records, redaction, state, text
from pal.memory import counts
from pal.memory.sessions import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pal.base.home import Home

    Messages = Sequence[tuple[str, str, str]]  # role, text, time; oldest first

MOST_ROWS = 200  # sessions whose learning is remembered as theirs
_FEWEST_MESSAGES = 4
_FEWEST_CHARACTERS = 400
_WEIGHED = 50  # messages whose characters are counted
_REQUEST = 600  # UTF-16 units
_REPLY = 600  # UTF-16 units
_LONGEST_NAME = 4000  # characters
_LISTED = 40  # files or subagents
_ABANDONED = 14 * 86400  # seconds without a note
_NOTES_READ = 256 * 1024  # bytes from the end of a session's activity
DONE = "## What Was Done"
INSIGHTS = "## Insights"
FILES = "## Files"
SUBAGENTS = "## Subagents"
_SECTIONS = (INSIGHTS, FILES, SUBAGENTS)
_OMITTED = "- (and "
_REQUESTED, _RESULT = "**Request:** ", "**Result:** "
EDITED = "edited"
SUBAGENT = "subagent"


def note_activity(home: Home, who: dict[str, Any], kind: str, name: str, path: str, now: float) -> None:
    """A tool changed a file (`edited`, its `path`) or a subagent ran (`subagent`, its `name`)."""
    session = str(who.get("session") or "")
    if not session:
        return
    note = {"ts": clock.iso(now), **who, "kind": kind, "name": _one_line(name), "path": _one_line(path)}
    records.append(home, _activity(home, session), note, now)


def _one_line(said: str) -> str:
    return " ".join(redaction.scrub(said[:_LONGEST_NAME]).split("\n"))


def _activity(home: Home, session: str) -> str:
    return os.path.join(home.activity, file_name(session) + ".jsonl")


def capture(
    home: Home,
    who: dict[str, Any],
    cwd: str,
    messages: Messages,
    name: str,
    now: float,
    zone: str = "",
    status: str = "in-progress",
) -> str | None:
    """File or renew the session's learning; its path, or None when there is nothing (new) to file.

    `name` is the session's; worth filing is a conversation of some length, or one that changed a file."""
    session = str(who.get("session") or "")
    if not session:
        return None
    lists = _activities(home, session)
    characters = sum(len(said) for _, said, _ in messages[-_WEIGHED:])
    if not lists[FILES] and (len(messages) < _FEWEST_MESSAGES or characters < _FEWEST_CHARACTERS):
        return None
    written: list[str] = []
    is_new = False

    def file(rows: dict[str, Any]) -> None:
        nonlocal is_new
        row = rows.get(session) if isinstance(rows.get(session), dict) else None
        title = name or _title(messages)
        path = _kept(home, row) if row is not None else _new(home, session, title, clock.day(now, zone))
        if not path:
            return
        before = files.read_text(path)
        known, old_body = frontmatter.parse(before or "")
        listed = {heading: _together(old_body, heading, found) for heading, found in lists.items()}
        body = _body(messages, listed, _summary(old_body), _section(old_body, INSIGHTS))
        if row is not None and old_body.strip() == body.strip() and known.get("status") == status:
            return
        fields = {
            "title": known.get("title") if known.get("described") else title,
            "date": known.get("date") or clock.day(now, zone),
            "ts": clock.iso(now),
            **who,
            "cwd": cwd,
            "messages": len(messages),
            "status": status,
        }
        if known.get("described"):
            fields["described"] = known["described"]
        content = frontmatter.render(fields, body).encode("utf-8", "backslashreplace")
        files.write(path, content)
        rows[session] = {"path": home.relative(path), "hash": _hash(content), "ts": clock.iso_ms(now)}
        written.append(path)
        is_new = before is None

    try:
        state.update(home, home.learnings_map, file, now, keep=MOST_ROWS, order="ts")
    except locks.Busy:
        log.debug(home, "work", "the learning is filed at the next stop: the map of learnings is locked")
    if is_new:
        counts.bump(home, "learnings", now)
    return written[0] if written else None


def describe(
    home: Home, who: dict[str, Any], title: str, summary: str, insights: Sequence[str], count: int, now: float
) -> str:
    """Put a title, a summary and insights into the session's own note; its path, empty where there is none of its own.

    `count` is the session's length in messages, to be read beside `messages`. What the note says else stays."""
    session = str(who.get("session") or "")

    def content_of(path: str) -> bytes:
        known, body = frontmatter.parse(files.read_text(path) or "")
        begin = _end_of_summary(body)
        asked = body[
            begin : min([len(body), *(at for at in (body.find(f"\n{h}\n", begin) for h in _SECTIONS) if at >= 0)])
        ]
        sections = {INSIGHTS: "\n".join("- " + insight for insight in insights)}
        sections.update((heading, _section(body, heading)) for heading in (FILES, SUBAGENTS))
        parts = [DONE, summary, asked.strip(), *(f"{heading}\n\n{said}" for heading, said in sections.items() if said)]
        text = frontmatter.render({**known, "title": title, "described": count}, "\n\n".join(filter(None, parts)))
        return text.encode("utf-8", "backslashreplace")

    path = ""
    content = b""

    def announce(rows: dict[str, Any]) -> None:
        nonlocal path, content
        row = rows.get(session)
        path = _kept(home, row) if isinstance(row, dict) else ""
        if path and isinstance(row, dict):
            content = content_of(path)
            # Known by its new bytes before it has them: a process that dies in between leaves a note still ours.
            rows[session] = {**row, "next": _hash(content)}

    def settle(rows: dict[str, Any]) -> None:
        row = rows.get(session)
        if isinstance(row, dict) and _kept(home, row) == path:
            files.write(path, content)
            rows[session] = {"path": home.relative(path), "hash": _hash(content), "ts": row.get("ts")}

    state.update(home, home.learnings_map, announce, now)
    if not path:
        return ""
    state.update(home, home.learnings_map, settle, now)
    return path


def _activities(home: Home, session: str) -> dict[str, list[str]]:
    """The paths of changed files and the names of subagents, by heading, each once, in order of first use."""
    edited: dict[str, None] = {}
    subagents: dict[str, None] = {}
    for note in records.tail(_activity(home, session), 4000, limit=_NOTES_READ):
        if note.get("kind") == EDITED and note.get("path"):
            edited[str(note["path"])] = None
        elif note.get("kind") == SUBAGENT and note.get("name"):
            subagents[str(note["name"])] = None
    return {FILES: list(edited), SUBAGENTS: list(subagents)}


def _title(messages: Messages) -> str:
    from pal.memory import names  # most sessions have a name

    for role, said, _ in messages:
        named = names.name_for(redaction.scrub(said[:8000])) if role == "user" else ""
        if named:
            return named
    return "Work Session"


def _kept(home: Home, row: dict[str, Any]) -> str:
    """The path of the session's own file; empty once a person has changed or removed it."""
    try:
        path = home.below(str(row.get("path", "")))
        content = files.read_bytes(path)
    except (ValueError, OSError):
        return ""
    return path if content is not None and _hash(content) in (row.get("hash"), row.get("next")) else ""


def _new(home: Home, session: str, title: str, date: str) -> str:
    """A free path for the session's file, or the path of one that it wrote and did not live to register."""
    stem = os.path.join(home.session_learning, clock.month(date), date + "_" + text.slug(title))
    number = 1
    while True:
        path = stem + (f"-{number}" if number > 1 else "") + ".md"
        before = files.read_text(path)
        if before is None or frontmatter.parse(before)[0].get("session") == session:
            return path
        number += 1


def _together(body: str, heading: str, listed: list[str]) -> list[str]:
    """What the file has listed so far and what came since; a session that resumes has none of its earlier notes."""
    known: dict[str, None] = {}
    for line in body.partition(heading + "\n")[2].partition("\n## ")[0].split("\n"):
        if line.startswith("- ") and not line.startswith(_OMITTED):
            known[line[2:]] = None
    known.update(dict.fromkeys(listed))
    return list(known)


def _end_of_summary(body: str) -> int:
    """Where in a note's text the heading and what a model said below it end."""
    at = body.find(DONE)
    begin = at + len(DONE) if at >= 0 else 0
    marks = (_REQUESTED, _RESULT, *(f"\n{heading}\n" for heading in _SECTIONS))
    ends = [end for end in (body.find(mark, begin) for mark in marks) if end >= 0]
    return min(ends) if ends else len(body)


def _summary(body: str) -> str:
    return body[: _end_of_summary(body)].partition(DONE)[2].strip()


def _section(body: str, heading: str) -> str:
    return body.partition(heading + "\n")[2].partition("\n## ")[0].strip()


def _body(messages: Messages, lists: dict[str, list[str]], summary: str = "", insights: str = "") -> str:
    parts = [DONE, summary] if summary else [DONE]
    request = _last(messages, "user", _REQUEST)
    reply = _last(messages, "assistant", _REPLY)
    if request:
        parts.append(_REQUESTED + request)
    if reply:
        parts.append(_RESULT + reply)
    if insights:
        parts.extend((INSIGHTS, insights))
    for heading, listed in lists.items():
        if listed:
            lines = ["- " + item for item in listed[-_LISTED:]]
            if len(listed) > _LISTED:
                lines.insert(0, f"{_OMITTED}{len(listed) - _LISTED} before)")
            parts.extend((heading, "\n".join(lines)))
    return "\n\n".join(parts)


def _last(messages: Messages, wanted: str, limit: int) -> str:
    for role, said, _ in reversed(messages):
        if role == wanted and said.strip():
            return text.clip(redaction.scrub(said[: limit * 8]).strip(), limit)
    return ""


def _hash(content: bytes) -> str:
    """Tells whether a person changed the file; one division, where a module for it would be loaded at every stop."""
    return f"{len(content)}-{int.from_bytes(content, 'little') % (2**61 - 1):x}"


def forget_activity(home: Home, who: dict[str, Any], now: float) -> None:
    """The session is closed and captured: its notes have served. So have those of sessions that never said goodbye."""
    session = str(who.get("session") or "")
    own = file_name(session) + ".jsonl" if session else ""
    try:
        listed = os.listdir(home.activity)
    except OSError:
        return
    for name in listed:
        path = os.path.join(home.activity, name)
        if name == own or (name.endswith(".jsonl") and now - files.modified(path) > _ABANDONED):
            files.remove(path)
            files.remove(locks.beside(path))
