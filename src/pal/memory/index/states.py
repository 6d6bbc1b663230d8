"""Reads the state files that can be searched (opinions, handoffs) into documents, one a row."""

from __future__ import annotations

from pal.base import clock, jsontext, redaction
from pal.memory.index.documents import HANDOFF, OPINION, Document, finish

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FLOOR = 0.5  # confidence; what is doubted more is no opinion to be told


def documents(source: str, text: str) -> list[Document]:
    """The rows of a file as documents; none when it is not the JSON it should be."""
    try:
        value = jsontext.loads(text)
    except ValueError:
        return []
    found = _opinions(value) if source == OPINION else _handoffs(value)
    for at, one in enumerate(found):
        one.seq = at
    finish(found, [one.kind if source == OPINION else one.title for one in found], False)
    return found


def _opinions(value: Any) -> list[Document]:
    rows = value.get("opinions") if isinstance(value, dict) else value
    found = []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and isinstance(row.get("statement"), str) and row["statement"].strip():
            sure = row.get("confidence")
            if isinstance(sure, (int, float)) and sure >= FLOOR:
                one = Document("", OPINION, redaction.scrub(row["statement"]).strip())
                one.kind = row["category"] if isinstance(row.get("category"), str) else ""
                one.rating = round(100 * sure)
                found.append(one)
    return found


def _handoffs(value: Any) -> list[Document]:
    found = []
    for folder, row in value.items() if isinstance(value, dict) else ():
        if not isinstance(row, dict):
            continue
        parts = [row.get(name) for name in ("title", "handoff", "lastUser", "lastAssistant")]
        said = "\n".join(dict.fromkeys(part for part in parts if isinstance(part, str) and part))
        if not said:
            continue
        one = Document("", HANDOFF, redaction.scrub(said))
        one.title = str(row.get("title") or "")
        one.project, one.session = str(folder), str(row.get("session") or "")
        try:
            one.ts = clock.parse(str(row.get("timestamp")))
        except ValueError:
            one.ts = 0.0
        found.append(one)
    return found
