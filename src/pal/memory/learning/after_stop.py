"""The job a stop hands over: what this session taught, part by part, each of which knows whether it was done before."""

from __future__ import annotations

import os

from pal.base import locks, log
from pal.memory import excerpt, handoff, search, sessions, work
from pal.memory.learning import entities, feeling, naming, principles, reading, remarks, rounds
from pal.memory.tools import likeness, relationship_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.base.asking import Ask
    from pal.base.home import Home
    from pal.base.settings import Settings

_PLACES = 16  # locks that sessions share, so that none is left behind for each


def run(home: Home, settings: Settings, ask: Ask, now: float, payload: dict[str, Any]) -> list[str]:
    """Do what `excerpt.handover` found due; the names of the parts that did something."""
    session, parts = str(payload.get("session") or ""), payload.get("parts")
    messages = [(str(row[0]), str(row[1])) for row in payload.get("messages") or [] if len(row) == 2]
    who = {"session": session, "agent": str(payload.get("agent") or "")}
    wanted = set(parts if isinstance(parts, list) else ())
    table: list[tuple[str, Callable[[], bool]]] = []
    if wanted & {excerpt.SESSION, excerpt.NAME}:
        table.append((excerpt.SESSION, lambda: _read(home, settings, ask, now, payload, who, messages, wanted)))
    felt = payload.get("felt")
    if excerpt.FEELING in wanted and isinstance(felt, list) and len(felt) == 2:
        said, reply = str(felt[0]), str(felt[1])
        cwd, event = str(payload.get("cwd") or ""), str(payload.get("event") or "")
        table.append((excerpt.FEELING, lambda: bool(feeling.judge(home, ask, who, said, reply, cwd, event, now))))
    table.append((excerpt.PRINCIPLE, lambda: bool(principles.run(home, ask, now, session))))
    table.append(("reflect", lambda: rounds.reflected(home, settings, now)))
    done = rounds.run_each(home, table)
    if done:
        rounds.run_each(home, [("index", lambda: search.refresh(home, now))])
    return done


def _read(
    home: Home,
    settings: Settings,
    ask: Ask,
    now: float,
    payload: dict[str, Any],
    who: dict[str, Any],
    messages: list[tuple[str, str]],
    wanted: set[str],
) -> bool:
    """Read the session and write down what came of it; once, however many stops ask for it at the same moment."""
    import binascii

    session = who["session"]
    place = binascii.crc32(session.encode("utf-8", "backslashreplace")) % _PLACES
    with locks.Lock(os.path.join(home.jobs, f"reading-{place:x}"), wait=0) as held:
        row = sessions.get(home, session)
        if not held or row is None:
            log.debug(home, "learn", f"{session} is being read by another process, or is not known")
            return False
        count = payload.get("count")
        count = count if isinstance(count, int) else len(messages)
        found: reading.Reading | None = None
        is_due = excerpt.SESSION in wanted and excerpt.is_new(row, count)
        if is_due:
            learned = row.get("learned")
            new = count - learned if isinstance(learned, int) else len(messages)
            found = reading.ask_about(ask, messages, new, session)
            _keep(home, settings, now, who, str(payload.get("cwd") or ""), messages[-new:], count, found)
        renamed = False
        if excerpt.NAME in wanted:
            # Who gave no answer a moment ago is not asked for a name as well.
            shown = messages if found or not is_due else []
            renamed = naming.upgrade(home, ask, session, shown, found.name if found else "")
        if is_due:
            sessions.amend(home, session, {"learned": count})  # last: a process that dies before leaves it all due
        return is_due or renamed


def _keep(
    home: Home,
    settings: Settings,
    now: float,
    who: dict[str, Any],
    cwd: str,
    new: list[tuple[str, str]],
    count: int,
    found: reading.Reading | None,
) -> None:
    """The session's note, its handoff, the relationship notes and the names; each may be written again unharmed."""
    notes = remarks.by_rule(new)
    if found:
        # One sentence must not become two like notes: those make an opinion.
        notes = [note for note in notes if likeness.nearest(note[1], [other[1] for other in found.notes]) < 0]
        work.describe(home, who, found.title, found.summary, found.insights, count, now)
        handoff.describe(home, cwd, who, found.handoff, now)
        notes += found.notes
        entities.keep(home, found.entities, who, cwd, now)
    if notes:
        relationship_notes.append(home, notes, who, now, settings.zone, cwd)
