"""Readers for the memories other programs keep in one file: the reference memory server's log, and two databases."""

from __future__ import annotations

from pal.base import records, redaction
from pal.memory.importing.databases import Database
from pal.memory.importing.items import Memory, listed, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_KINDS = {"bugfix": "learning", "discovery": "fact", "feature": "note", "refactor": "note", "change": "note"}
_SUMMARY = (
    ("request", "Asked"), ("investigated", "Looked into"), ("learned", "Learned"), ("completed", "Done"),
    ("next_steps", "Next"), ("notes", "Notes"),
)  # fmt: skip


def entity_log(path: str) -> Iterator[Memory]:
    """One JSON object a line: entities with observations, and relations between them (`server-memory`)."""
    for row in records.each(path):
        if row.get("type") == "entity":
            name, kind = _text(row, "name"), _text(row, "entityType")
            for said in map(redaction.scrub, listed(row.get("observations"))):
                if not said.strip():
                    continue
                text = said if name.casefold() in said.casefold() else f"{name}: {said}"
                yield Memory(text, entities=[name], keywords=[word for word in (name, kind) if word])
        elif row.get("type") == "relation":
            ends = [_text(row, "from"), _text(row, "to")]
            link = _text(row, "relationType").replace("_", " ")
            if all(ends) and link:
                yield Memory(f"{ends[0]} {link} {ends[1]}", entities=ends, keywords=ends)


def observations(path: str) -> Iterator[Memory]:
    """What an observer wrote of sessions, and its summaries of them (claude-mem's database)."""
    with Database(path) as database:
        for row in database.rows("observations"):
            lines = [_text(row, "title"), _text(row, "subtitle"), _text(row, "narrative") or _text(row, "text")]
            lines += [f"- {fact}" for fact in listed(row.get("facts"))]
            kind = _text(row, "type")
            yield _noted(row, lines, _KINDS.get(kind, kind), listed(row.get("concepts")))
        for row in database.rows("session_summaries"):
            lines = [f"{label}: {_text(row, name)}" for name, label in _SUMMARY if _text(row, name)]
            yield _noted(row, lines, "context", [])


def _noted(row: dict[str, Any], lines: list[str], kind: str, keywords: list[str]) -> Memory:
    session = _text(row, "memory_session_id") or _text(row, "sdk_session_id")
    return Memory(
        "\n".join(line for line in lines if line),
        kind=kind,
        project=_text(row, "project"),
        keywords=keywords,
        source={"session": session} if session else {},
        ts=stamp(row.get("created_at")) or stamp(row.get("created_at_epoch")),
    )


def topics(path: str) -> Iterator[Memory]:
    """Memories by topic, facts with one value, concepts, corrections (ICM's database)."""
    with Database(path) as database:
        for row in database.rows("memories"):
            importance = _text(row, "importance").lower()
            yield Memory(
                _text(row, "summary"),
                topic=_text(row, "topic"),
                keywords=listed(row.get("keywords")),
                importance=importance if importance in ("critical", "high", "medium", "low") else "medium",
                raw_excerpt=_text(row, "raw_excerpt"),
                ts=stamp(row.get("created_at")),
            )
        for row in database.rows("facts"):
            slot = {name: _text(row, name) for name in ("entity", "key", "value")}
            if all(slot.values()) and not row.get("superseded_at"):
                text = f"{slot['entity']} {slot['key'].replace('_', ' ')}: {slot['value']}"
                yield Memory(text, kind="fact", slot=slot, entities=[slot["entity"]], ts=stamp(row.get("created_at")))
        for row in database.rows("concepts"):
            text = f"{_text(row, 'name')}: {_text(row, 'definition')}"
            yield Memory(text, entities=[_text(row, "name")], ts=stamp(row.get("created_at")))
        for row in database.rows("feedback"):
            said = [("Instead of", "predicted"), ("do", "corrected"), ("because", "reason")]
            text = ", ".join(f"{label} {_text(row, name)}" for label, name in said if _text(row, name))
            yield Memory(text, kind="feedback", topic=_text(row, "topic"), ts=stamp(row.get("created_at")))


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""
