"""A conversation into the archive: from an agent's transcript, which the caller reads, or from a text; with secrets
taken out unless the caller says otherwise. The same content twice is one entry."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, redaction
from pal.base import text as texts
from pal.switchboard import archive, planfiles, plans
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pal.switchboard.desk import Desk

    Message = tuple[str, str, str]  # role, text, time

LARGEST = 10 * 1024 * 1024  # bytes
_TITLE = 50  # characters of a text without a heading
_SAID_BY = {"user": "User", "assistant": "Assistant"}


def written(messages: Iterable[Message]) -> tuple[str, int]:
    """(Markdown, how many messages) of a transcript; empty ones are left out."""
    parts = []
    for role, said, at in messages:
        if said.strip():
            heading = f"## {_SAID_BY.get(role, role.capitalize())}" + (f" ({at})" if at else "")
            parts.append(f"{heading}\n\n{said.strip()}")
    return "\n\n".join(parts) + ("\n" if parts else ""), len(parts)


def from_file(path: str, allowed: Sequence[str] = ()) -> str:
    """A file's text. With `allowed` it must lie in one of these folders, by its real path and whole names."""
    real = os.path.realpath(path)
    if allowed and not any(_inside(real, folder) for folder in allowed):
        raise refused("E_READONLY", f"{path} lies outside the project and the folder for temporary files",
                      "export it with `pal switchboard export --file`")  # fmt: skip
    try:
        if os.path.getsize(real) > LARGEST:
            raise refused("E_SIZE", f"{path} is larger than {LARGEST:,} bytes", "export a part of it")
        data = files.read_bytes(real)
    except OSError as fault:
        raise refused("E_NOT_FOUND", f"{path} cannot be read: {fault.strerror}", "name another file") from None
    return (data or b"").decode("utf-8", "replace")


def _inside(real: str, folder: str) -> bool:
    try:
        return os.path.commonpath([real, os.path.realpath(folder)]) == os.path.realpath(folder)
    except ValueError:  # another drive
        return False


def export(
    desk: Desk,
    content: str,
    messages: int = 0,
    title: str = "",
    topic: str = "",
    tags: str = "",
    project: str = "",
    date: str = "",
    original: str = "",
    raw: bool = False,
) -> dict[str, Any]:
    """Keep a conversation: `{id, title, duplicate, scrubbed}`."""
    if not content.strip():
        raise refused("E_SIZE", "there is nothing to export", "name a session, a file, or give the text on stdin")
    kept = content if raw else redaction.scrub(content)
    data = kept.encode("utf-8", "backslashreplace")
    if len(data) > LARGEST:
        raise refused("E_SIZE", f"the conversation has {len(data):,} bytes, at most {LARGEST:,} fit", "cut it")
    sha, identity = planfiles.sha(data), os.urandom(16).hex()
    title = texts.clip(" ".join((title or _title(kept)).split()), 200)
    with archive.Writing(desk) as db:
        row = db.execute("select id, title from conversations where content_sha = ?", (sha,)).fetchone()
        if row is None:
            labels = plans.stored_tags(plans.tags(tags))
            name = project or os.path.basename(desk.workspace.root)
            db.execute(
                "insert into conversations values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (identity, clock.iso_ms(desk.now), date or clock.iso(desk.now)[:10], topic, title, kept, sha, labels,
                 name, jsontext.dumps({"scrubbed": kept != content}), original, desk.host, desk.session, messages),
            )  # fmt: skip
            archive.index(db, "conversation", identity, title, f"{topic} {labels.replace(',', ' ')}", kept)
    found = {"id": row[0], "title": row[1]} if row else {"id": identity, "title": title}
    return {**found, "duplicate": row is not None, "scrubbed": kept != content, "messages": messages}


def _title(content: str) -> str:
    for line in content.splitlines():
        if line.startswith("# ") and line[2:].strip():
            return line[2:].strip()
    words = (line for line in content.splitlines() if line.strip() and not line.startswith("#"))
    return texts.clip(next(words, "Conversation").strip(), _TITLE)
