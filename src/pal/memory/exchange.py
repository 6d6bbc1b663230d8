"""The last reply of each recent session, which a rating is about, and the last exchange, which a compaction needs.

`state/last-responses.json` holds the newest twenty replies; `state/last-exchange/<session>.json` one exchange."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, locks, redaction, spill, state, text
from pal.memory.sessions import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

MOST_REPLIES = 20
MOST_EXCHANGES = 40  # files
_REPLY = 2000  # UTF-16 units
_KEPT = 20_000  # characters of each side of an exchange
RECOVERED = 9000  # UTF-16 units; an agent's cap for one injected string is 10,000
_USER_SHARE = 3600  # 40 %; the reply has what is left, less the frame
_FRAME = 300


def remember_reply(home: Home, who: dict[str, Any], reply: str, now: float) -> None:
    """Keep the session's newest reply."""
    session = str(who.get("session") or "")
    said = text.clip(redaction.scrub(reply[: _REPLY * 4]), _REPLY)
    if not session or not said.strip():
        return
    row = {"response": said, "ts": clock.iso_ms(now), "agent": who.get("agent", "")}

    def change(rows: dict[str, Any]) -> None:
        rows[session] = row
        for key in sorted(rows, key=lambda key: _time(rows[key]))[:-MOST_REPLIES]:
            del rows[key]

    try:
        state.update(home, home.last_responses, change, now)
    except locks.Busy:
        spill.leave(home, home.last_responses, {"key": session, "set": row}, now)


def _time(row: object) -> str:
    return str(row.get("ts", "")) if isinstance(row, dict) else ""


def last_reply(home: Home, session: str) -> str | None:
    """This session's last reply, or None; never another session's."""
    row = state.read(home, home.last_responses).get(session)
    said = row.get("response") if isinstance(row, dict) else None
    return said if isinstance(said, str) and said else None


def reply_since(home: Home, session: str, moment: float) -> str:
    """This session's last reply if it was given at this moment or later; else empty."""
    row = state.read(home, home.last_responses).get(session)
    try:
        late = isinstance(row, dict) and clock.parse(str(row.get("ts", ""))) >= moment - 0.001
    except ValueError:
        late = False
    return (last_reply(home, session) or "") if late else ""


def keep(home: Home, who: dict[str, Any], trigger: str, user: str, assistant: str, custom: str, now: float) -> None:
    """Keep the session's last exchange for the time after a compaction; an empty one is not kept."""
    session = str(who.get("session") or "")
    user, user_length = _shortened(user)
    assistant, assistant_length = _shortened(assistant)
    if not session or not (user or assistant):
        return
    kept = {
        "ts": clock.iso(now),
        **who,
        "trigger": trigger,
        "customInstructions": _shortened(custom)[0],
        "userMessage": user,
        "userLength": user_length,
        "assistantMessage": assistant,
        "assistantLength": assistant_length,
    }
    files.write(_path(home, session), jsontext.dumps_rows(kept))
    _drop_oldest(home)


def _shortened(said: str) -> tuple[str, int]:
    """What is kept of a message, and the length it had."""
    scrubbed = redaction.scrub(said[: _KEPT * 2]).strip()
    return scrubbed[:_KEPT], len(scrubbed) if len(said) <= _KEPT * 2 else len(said)


def _path(home: Home, session: str) -> str:
    return os.path.join(home.exchanges, file_name(session) + ".json")


def _drop_oldest(home: Home) -> None:
    names = [name for name in os.listdir(home.exchanges) if name.endswith(".json")]
    if len(names) > MOST_EXCHANGES:
        paths = [os.path.join(home.exchanges, name) for name in names]
        for path in sorted(paths, key=files.modified)[:-MOST_EXCHANGES]:
            files.remove(path)


def recover(home: Home, session: str) -> dict[str, Any] | None:
    """The session's kept exchange, once: with `text`, at most 9,000 UTF-16 units, ready to be told to the agent."""
    if not session:
        return None
    path = _path(home, session)
    try:
        kept = jsontext.loads(files.read_bytes(path) or b"")
    except ValueError:
        kept = None
    if not files.remove(path) or not isinstance(kept, dict) or str(kept.get("session")) != session:
        return None
    user, assistant = str(kept.get("userMessage", "")), str(kept.get("assistantMessage", ""))
    asked = _cut(user, kept.get("userLength"), _USER_SHARE)
    room = RECOVERED - _FRAME - text.units(asked)
    answered = _cut(assistant, kept.get("assistantLength"), room)
    parts = ["The last exchange before the conversation was compacted:"]
    if asked:
        parts.append("User: " + asked)
    if answered:
        parts.append("Assistant: " + answered)
    return {**kept, "text": "\n\n".join(parts)}


def _cut(said: str, length: object, room: int) -> str:
    """The start of a message, with a note of what was left out."""
    whole = length if isinstance(length, int) else len(said)
    if text.units(said) <= room and whole <= len(said):
        return said
    kept = text.clip(said, room - 60)
    return f"{kept}\n[{max(whole - len(kept) + 1, 1)} more characters were left out]"
