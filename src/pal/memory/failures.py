"""What went wrong when a person rated a reply three or less: parked when the rating is given, filed when the turn ends.

`state/pending-failure.json` holds what waits; `failures/YYYY-MM/YYYY-MM-DD_<context>.md` one file a failure, for people
and for the lessons of later sessions."""

from __future__ import annotations

import os

from pal.base import clock, files, frontmatter, locks, log, redaction, spill, state, text
from pal.memory import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from pal.base.home import Home
    from pal.memory.ratings import Rating

    Messages = Sequence[tuple[str, str, str]]  # role, text, time; oldest first

LOW = 3  # ratings up to this one are failures
_ORPHANED = 3600  # seconds after which another session files what its own never did
_REPLY = 500  # UTF-16 units
_PROMPT = 400  # UTF-16 units
_MESSAGES = 10
_MESSAGE = 500  # UTF-16 units
_SLUG_WORDS = 8
_HEAD = 4096  # bytes that hold a file's header
_OF_ONE_DAY = 40  # files of one day whose headers are worth reading to find the newest


def park(
    home: Home,
    rating: Rating,
    who: dict[str, Any],
    reply: str,
    prompt: str,
    cwd: str,
    transcript_path: str,
    now: float,
    event: str = "",
    principle: str = "",
    happened: str = "",
) -> bool:
    """Remember a low rating until its turn ends; False for a rating that is no failure. An event is parked once.

    `principle` and `happened` are what is known of it already: the lesson, and what went wrong."""
    if rating.value > LOW:
        return False
    from pal.memory import ratings  # its word tables are for prompts; most stops need none of them

    session = str(who.get("session") or "")
    row = {
        "ts": clock.iso_ms(now),
        **who,
        "rating": rating.value,
        "source": rating.source,
        "context": ratings.context(rating),
        "responsePreview": text.clip(redaction.scrub(reply[: _REPLY * 4]), _REPLY),
        "userPreview": text.clip(redaction.scrub(prompt[: _PROMPT * 4]), _PROMPT),
        "cwd": cwd,
        "transcript": transcript_path,
    }
    if principle:
        row["principle"] = principle
    if happened:
        row["happened"] = happened
    state.merge(home, home.pending_failure, f"{session}@{event or row['ts']}", row, now)
    return True


def capture(
    home: Home,
    who: dict[str, Any],
    messages: Messages,
    now: float,
    read_transcript: Callable[[str], Messages],
    zone: str = "",
) -> list[str]:
    """File this session's parked failures, and those no session came back for within an hour; the new files' paths.

    Each is filed once: rows leave the parking place under the same lock under which their files are written."""
    if not os.path.exists(home.pending_failure) and not spill.waiting(home, home.pending_failure):
        return []
    session = str(who.get("session") or "")
    written: list[str] = []

    def claim(rows: dict[str, Any]) -> None:
        for key in list(rows):
            row = rows[key] if isinstance(rows[key], dict) else {}
            own = str(row.get("session") or "") == session
            if own or clock.age(row.get("ts"), now) > _ORPHANED:
                said = messages if own else _transcript(home, row, read_transcript)
                path = _write(home, row, said, now, zone) if row else ""
                if path:
                    written.append(path)
                del rows[key]

    try:
        state.update(home, home.pending_failure, claim, now)
    except locks.Busy:
        log.debug(home, "failures", "the parked failures are being filed by another process")
    if written:
        counts.bump(home, "failures", now, by=len(written))
    return written


def _transcript(home: Home, row: dict[str, Any], read_transcript: Callable[[str], Messages]) -> Messages:
    path = row.get("transcript")
    if not isinstance(path, str) or not path:
        return ()
    try:
        return read_transcript(path)
    except Exception as problem:  # an agent's file in any state; the failure is filed without it
        log.error(home, "failures", f"the transcript {path} of an earlier session cannot be read: {problem}")
        return ()


def _write(home: Home, row: dict[str, Any], messages: Messages, now: float, zone: str) -> str:
    """The new file's path; empty when this failure was filed before (a process died between file and row)."""
    try:
        given = clock.parse(str(row.get("ts")))
    except ValueError:
        given = now
    date = clock.day(given, zone)
    context = str(row.get("context") or row.get("userPreview") or "")
    fields = {
        "rating": row.get("rating", 0),
        "context": " ".join(context.split())[:200],
        "date": date,
        "ts": str(row.get("ts") or clock.iso_ms(now)),
        "session": str(row.get("session") or ""),
        "agent": str(row.get("agent") or ""),
        "cwd": str(row.get("cwd") or ""),
        "source": str(row.get("source") or ""),
    }
    if row.get("principle"):
        fields["principle"] = str(row["principle"])
    folder = os.path.join(home.failures, clock.month(date))
    stem = date + "_" + text.slug(context, _SLUG_WORDS)
    number = 1
    while True:
        path = os.path.join(folder, stem + (f"-{number}" if number > 1 else "") + ".md")
        before = header(path)
        if before is None:
            break
        if before.get("ts") == fields["ts"] and before.get("session") == fields["session"]:
            return ""
        number += 1
    # Not forced to the disk here, where somebody waits: the job that looks for its principle does that.
    files.write(path, frontmatter.render(fields, _body(row, messages)))
    return path


def _body(row: dict[str, Any], messages: Messages) -> str:
    happened = [f"The user rated a reply {row.get('rating')}/10 ({row.get('source')})."]
    for label, name in (
        ("What they said", "context"),
        ("Their prompt", "userPreview"),
        ("The reply", "responsePreview"),
        ("What went wrong", "happened"),
    ):
        said = str(row.get(name) or "").strip()
        if said and said not in happened[-1]:
            happened.append(f"{label}: {said}")
    summary = []
    for role, said, _ in messages[-_MESSAGES:]:
        said = text.clip(redaction.scrub(said[: _MESSAGE * 8]).strip(), _MESSAGE)
        if said:
            summary.append(f"**{role.upper()}:** {said}")
    parts = ["## What Happened", *happened, "## Conversation Summary", *(summary or ["The conversation was not kept."])]
    return "\n\n".join(parts)


def header(path: str) -> dict[str, Any] | None:
    """The file's header fields, or None when there is no such file."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return None
    fields, _ = frontmatter.parse(head)
    return fields


def recent(home: Home, count: int) -> list[dict[str, Any]]:
    """The headers of the newest failures, newest first, each with its `path`; reads the newest files only."""
    found: list[dict[str, Any]] = []
    for month in _names(home.failures):
        folder = os.path.join(home.failures, month)
        day = ""
        of_day = 0
        for name in _names(folder):
            if name[:10] != day:
                if len(found) >= count:
                    break
                day, of_day = name[:10], 0
            of_day += 1
            if name.endswith(".md") and of_day <= _OF_ONE_DAY:
                path = os.path.join(folder, name)
                found.append({**(header(path) or {}), "path": path})
        if len(found) >= count:
            break
    found.sort(key=lambda fields: (str(fields.get("date", "")), str(fields.get("ts", ""))), reverse=True)
    return found[:count]


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder), reverse=True)
    except OSError:
        return []
