"""Reads the files lessons stand in (session learnings, failures, wisdom frames) into what the index keeps of them.

`lesson_index` calls it. Text between <private> marks and secrets are left out, though a file written by hand may hold
them; a file that makes no sense is one lesson named after its first line, or none."""

from __future__ import annotations

from pal.base import clock, frontmatter, redaction
from pal.base.text import keywords
from pal.memory import wisdom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LEARNING, FAILURE, WISDOM = "learning", "failure", "wisdom"
_TITLE = 300  # characters
_CONTEXT = 600
_BODY = 800
_CONVERSATION = "conversation summary"  # the heading of what was said, which is no lesson
_INSIGHTS = "insights"


class Document:
    """One lesson: what it says (`text`), what it is about (`near`), what else stands there (`far`).

    `weights` says how much each keyword counts: 3 in the text, 2 in the context, 1 in the rest, summed. `rating` is the
    user's, or a crystal's per cent; `ts` is when the lesson was learned, 0 for one that does not age; `project` is the
    folder it was learned in, or a crystal's domain."""

    __slots__ = ("far", "near", "project", "rating", "source", "text", "ts", "weights")

    def __init__(
        self, source: str, text: str, near: str, far: str, rating: int | None, ts: float, project: str
    ) -> None:
        self.source = source
        self.text = text
        self.near = near
        self.far = far
        self.rating = rating
        self.ts = ts
        self.project = project
        self.weights: dict[str, int] = {}
        for weight, part in ((3, text), (2, near), (1, far)):
            for word in keywords(part):
                self.weights[word] = self.weights.get(word, 0) + weight


def documents(source: str, name: str, text: str, modified: float) -> list[Document]:
    """The lessons in a file of this name; none when it says nothing."""
    text = redaction.scrub(text)
    if source == WISDOM:
        return [
            Document(WISDOM, principle, domain, rest, sure, 0.0, domain)
            for domain, principle, sure, rest in wisdom.frame(text, name.rsplit(".", 1)[0])
            if sure >= wisdom.FLOOR
        ]
    fields, body = frontmatter.parse(text)
    sections = _sections(body)
    context = _text(fields, "context")
    title = _text(fields, "title")
    said = _text(fields, "principle") or title or context or _first_words(body)
    if not said:
        return []
    near = " ".join((title if said != title else "", context, sections.pop(_INSIGHTS, "")))
    sections.pop(_CONVERSATION, None)
    far = " ".join(sections.values())
    rating = fields.get("rating")
    return [
        Document(
            source,
            _plain(said, _TITLE),
            _plain(near, _CONTEXT),
            _plain(far, _BODY),
            rating if isinstance(rating, int) and not isinstance(rating, bool) else None,
            _learned(fields, name, modified),
            _text(fields, "cwd"),
        )
    ]


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


def _first_words(body: str) -> str:
    """The first line that says something: a rule or an empty heading does not."""
    return next((line.strip("#*- ") for line in body.splitlines() if keywords(line)), "")


def _plain(text: str, limit: int) -> str:
    return " ".join(text[: 2 * limit].split())[:limit]


def _sections(body: str) -> dict[str, str]:
    """The text below each heading by the heading in lower case; what stands above the first has the key ""."""
    lines: dict[str, list[str]] = {"": []}
    heading = ""
    for line in body.splitlines():
        if line.startswith("#"):
            heading = line.strip("# ").lower()
            lines.setdefault(heading, [])
        else:
            lines[heading].append(line)
    return {heading: "\n".join(below) for heading, below in lines.items()}


def _learned(fields: dict[str, Any], name: str, modified: float) -> float:
    """The header's time, else the day in the header or the file's name, else when the file was written."""
    for stamp in (_text(fields, "ts"), _text(fields, "date") + "T12:00:00Z", name[:10] + "T12:00:00Z"):
        try:
            return clock.parse(stamp)
        except ValueError:
            continue
    return modified
