"""Readers for memories kept as Markdown: linked notes, fact files with a header, conversations."""

from __future__ import annotations

import os

from pal.base import files, frontmatter
from pal.base.errors import PalError
from pal.memory.importing.items import Conversation, Memory, Note, listed, parts, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_DOMAINS = {
    "person": "People", "people": "People", "contact": "People", "company": "Companies", "organization": "Companies",
    "organisation": "Companies", "research": "Research", "report": "Research", "paper": "Research",
}  # fmt: skip
_INDEX = "memory.md"  # lists the other files of its folder


def markdown(path: str) -> Iterator[tuple[str, str]]:
    """(path, text) of a Markdown file, or of each one below a folder; links and hidden folders are left out."""
    if os.path.isfile(path):
        yield path, files.read_text(path) or ""
        return
    if not os.path.isdir(path):
        raise PalError(f"there is no file or folder {path}")
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        for name in sorted(names):
            whole = os.path.join(folder, name)
            if name.lower().endswith(".md") and name[0] != "." and not os.path.islink(whole):
                yield whole, files.read_text(whole) or ""


def linked_notes(path: str) -> Iterator[Note]:
    """Notes with observations (`- [kind] text #tag`) and relations (`- type [[Other]]`): basic-memory's files."""
    for whole, text in markdown(path):
        fields, body = frontmatter.parse(text)
        title = _field(fields, "title") or os.path.splitext(os.path.basename(whole))[0]
        related = []
        for line in body.splitlines():
            bare = line.strip()
            if bare[:2] in ("- ", "* ") and "[[" in bare and not bare[2:].startswith("["):
                link, _, rest = bare[2:].partition("[[")
                if "]]" in rest:
                    related.append((rest.partition("]]")[0], link.strip().strip('"')))
        domain = _DOMAINS.get(_field(fields, "type").lower(), "Ideas")
        created, updated = stamp(fields.get("created")), stamp(fields.get("modified") or fields.get("updated"))
        yield Note(domain, title, body, listed(fields.get("tags")), related, created, updated)


def fact_files(path: str, project: str, agent: str) -> Iterator[Memory]:
    """One fact a file, with `name`, `description` and `type` in its header; the folder's index is left out when its
    files say it all."""
    found = list(markdown(path))
    others = [each for each in found if os.path.basename(each[0]).lower() != _INDEX]
    for whole, text in others or found:
        fields, body = frontmatter.parse(text)
        inner = fields.get("metadata")
        kind = _field(inner if isinstance(inner, dict) else fields, "type") or _field(fields, "type")
        about = _field(fields, "description")
        said = body.strip() if about.casefold() in body.casefold() else f"{about}\n{body}".strip()
        for piece in parts(said):
            yield Memory(
                piece, kind=kind, project=project, keywords=listed(fields.get("tags")), source_agent=agent,
                ts=stamp(files.modified(whole)),
            )  # fmt: skip


def conversations(path: str) -> Iterator[Conversation]:
    """Turns under `## who` headings, or as `**who:** text`; a `#` heading begins a session and may carry its day."""
    for whole, text in markdown(path):
        fields, body = frontmatter.parse(text)
        named = os.path.splitext(os.path.basename(whole))[0]
        title = _field(fields, "title") or named
        day = _day(_field(fields, "date")) or _day(named) or stamp(files.modified(whole))[:10]
        session, project = _field(fields, "session"), _field(fields, "project")
        number = 0
        for heading, turns in _sessions(body):
            day = _day(heading) or day  # a session without one was held after the one before it
            if turns:
                number += 1
                own = session if number == 1 else f"{session}-{number}" if session else ""
                name = title if not heading or heading == title else f"{title}: {heading}"
                yield Conversation(name, turns, day, own, project)


def _sessions(body: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """(the session's heading, its turns as (who, text))."""
    heading, turns, fence = "", [], ""
    who: str | None = None
    lines: list[str] = []

    def close() -> None:
        said = "\n".join(lines).strip()
        if who is not None and said:
            turns.append((who, said))
        lines.clear()

    for line in body.splitlines():
        bare = line.lstrip()
        if bare[:3] in ("```", "~~~"):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
        speaker = "" if fence else _speaker(line)
        if line.startswith("# ") and not fence:
            close()
            yield heading, turns
            heading, turns, who = line[2:].strip(), [], None
        elif line.startswith("##") and not fence:
            close()
            who = line.lstrip("#").strip()
        elif speaker:
            close()
            who = speaker
            lines.append(line.partition(":**")[2] or line.partition("**:")[2])
        else:
            lines.append(line)
    close()
    yield heading, turns


def _speaker(line: str) -> str:
    """`Anna` of `**Anna:** text` and of `**Anna**: text`."""
    if not line.startswith("**"):
        return ""
    name = line[2:].partition("**")[0]
    after = line[2 + len(name) :]
    name = name[:-1] if name.endswith(":") else name if after.startswith("**:") else ""
    return name.strip() if len(name) <= 60 else ""


def _day(text: str) -> str:
    """The first day (`2026-03-02`) in a text; empty without one."""
    for at in range(len(text) - 9):
        day = text[at : at + 10]
        if day[4] + day[7] == "--" and (day[:4] + day[5:7] + day[8:]).isdecimal() and stamp(day):
            return day
    return ""


def _field(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
