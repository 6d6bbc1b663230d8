"""Reads the Markdown files of memory into documents: a section is one, its neighbours are its context.

Text between <private> marks and secrets are left out, though a file written by hand may hold them; a file that makes no
sense is one document named after its first line, or none."""

from __future__ import annotations

from pal.base import clock, frontmatter, redaction
from pal.base.text import keywords
from pal.memory import wisdom
from pal.memory.index.documents import (
    FAILURE,
    KNOWLEDGE,
    LEARNING,
    RELATIONSHIP,
    TRANSCRIPT,
    WISDOM,
    Document,
    finish,
    name_stems,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TITLE = 300  # characters
_LONGEST = 4000  # characters of one section
_CONVERSATION = "conversation summary"  # the heading of what was said, which is no lesson
_DAY = 86_400.0


def documents(source: str, name: str, text: str, modified: float) -> list[Document]:
    """What a file of this name below the folder of `source` says; none when it says nothing."""
    text = redaction.scrub(text)
    if source == WISDOM:
        return _crystals(name, text)
    if source == RELATIONSHIP:
        return _notes(name, text, modified)
    fields, body = frontmatter.parse(text)
    if source == FAILURE:
        found, keys = _failure(fields, body)
        contextual = False
    else:
        if source == LEARNING and _text(fields, "type") == TRANSCRIPT:
            source = TRANSCRIPT
        found, keys = _sectioned(source, fields, body)
        contextual = True
    learned = _learned(fields, name, modified)
    for at, one in enumerate(found):
        one.seq = at
        one.ts = learned
        one.session = _text(fields, "session")
        one.project = _text(fields, "cwd") or _text(fields, "project")
        one.kind = one.kind or _text(fields, "kind")
    finish(found, keys, contextual)
    return found


def _crystals(name: str, text: str) -> list[Document]:
    found: list[Document] = []
    keys = []
    for domain, principle, sure, rest in wisdom.frame(text, name.rsplit(".", 1)[0]):
        if sure >= wisdom.FLOOR:
            one = Document("", WISDOM, f"{principle}\n{rest}".strip())
            one.title, one.project, one.rating, one.seq = principle, domain, sure, len(found)
            found.append(one)
            keys.append(f"{domain} {principle}")
    finish(found, keys, False)
    return found


def _failure(fields: dict[str, Any], body: str) -> tuple[list[Document], list[str]]:
    context = _text(fields, "context")
    sections = [(heading, said) for heading, said in _sections(body) if heading.lower() != _CONVERSATION]
    said = _text(fields, "principle") or _text(fields, "title") or context or _first_words(body)
    if not said:
        return [], []
    rest = " ".join(part for _, part in sections)
    one = Document("", FAILURE, _cut(said, _TITLE))
    one.title = one.said
    one.said = f"{one.said}\n{_cut(rest, _LONGEST)}".strip()
    rating = fields.get("rating")
    one.rating = rating if isinstance(rating, int) and not isinstance(rating, bool) else None
    return [one], [f"{said} {context} {_text(fields, 'title')}"]


def _sectioned(source: str, fields: dict[str, Any], body: str) -> tuple[list[Document], list[str]]:
    title = _cut(_text(fields, "title") or _text(fields, "name"), _TITLE)
    aliases, tags = _list(fields, "aliases"), _list(fields, "tags")
    kind = _text(fields, "type") or _text(fields, "kind")
    names = name_stems([title, *aliases]) if source == KNOWLEDGE else ""
    about = " ".join((title, *aliases, *tags, _text(fields, "context")))
    found, keys = [], []
    if title and source != TRANSCRIPT:
        found.append(Document("", source, title))
        keys.append(about)
    for heading, said in _sections(body):
        if heading.lower() == _CONVERSATION:
            continue
        if source == TRANSCRIPT:
            said = f"{heading}: {said}" if heading else said
        if keywords(said):
            found.append(Document("", source, _cut(said, _LONGEST)))
            keys.append(heading if source == TRANSCRIPT else f"{title} {heading}")
    if not found and _first_words(body):
        found.append(Document("", source, _cut(_first_words(body), _TITLE)))
        keys.append("")
    for one in found:
        one.title, one.names = title, names
        one.kind = kind if source == KNOWLEDGE else ""
    if source == TRANSCRIPT:
        keys = ["" for _ in keys]
    return found, keys


def _notes(name: str, text: str, modified: float) -> list[Document]:
    """The blocks of a day; each has a time for its heading and a comment that says where it was written."""
    day = _learned({}, name, modified)
    found: list[Document] = []
    for heading, said in _sections(frontmatter.parse(text)[1]):
        lines, session, folder = [], "", ""
        for line in said.splitlines():
            bare = line.strip()
            if bare.startswith("<!--"):
                session = session or _marked(bare, "session:")
                folder = folder or _marked(bare, "cwd:")
            elif bare:
                lines.append(bare)
        if not keywords(" ".join(lines)):
            continue
        one = Document("", RELATIONSHIP, _cut("\n".join(lines), _LONGEST))
        one.seq, one.title, one.session, one.project = len(found), heading, session, folder
        one.ts = day
        found.append(one)
    finish(found, ["" for _ in found], False)
    return found


def _marked(comment: str, name: str) -> str:
    at = comment.find(name)
    if at < 0:
        return ""
    rest = comment[at + len(name) :].partition("-->")[0].strip()
    return rest.split()[0] if name == "session:" and rest else rest


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


def _list(fields: dict[str, Any], name: str) -> list[str]:
    value = fields.get(name)
    if isinstance(value, str):
        value = value.split(",")
    return [item.strip() for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _first_words(body: str) -> str:
    """The first line that says something: a rule or an empty heading does not."""
    return next((line.strip("#*- ") for line in body.splitlines() if keywords(line)), "")


def _cut(text: str, limit: int) -> str:
    return text.strip()[:limit].rstrip()


def _sections(body: str) -> list[tuple[str, str]]:
    """(heading, the text below it) in order; what stands above the first heading has none. A fence hides headings."""
    found: list[tuple[str, list[str]]] = [("", [])]
    fence = ""
    for line in body.splitlines():
        bare = line.lstrip()
        if bare.startswith(("```", "~~~")):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
        if line.startswith("#") and not fence and line.lstrip("#")[:1] in (" ", "\t", ""):
            found.append((line.strip("# \t"), []))
        else:
            found[-1][1].append(line)
    return [(heading, "\n".join(lines).strip()) for heading, lines in found if heading or any(lines)]


def _learned(fields: dict[str, Any], name: str, modified: float) -> float:
    """The header's time, else the day in the header or the file's name, else when the file was written."""
    for stamp in (_text(fields, "ts"), _text(fields, "date") + "T12:00:00Z", name[:10] + "T12:00:00Z"):
        try:
            return clock.parse(stamp)
        except ValueError:
            continue
    return modified
