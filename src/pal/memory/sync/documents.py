"""Unites two versions of a Markdown file: the header field by field, the body section by section.

Sections that carry a time or a day in their heading are entries of a log and stand side by side; any other section that
both sides changed is united line by line."""

from __future__ import annotations

from pal.base import frontmatter
from pal.memory.sync import objects, sequences


def merged(base: str, ours: str, theirs: str) -> str:
    """One text of both; `base` is what both come from, empty when that is not known."""
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    parts = [_parts(text) for text in (base, ours, theirs)]
    header = _headers(*(head for head, _ in parts))
    body = _bodies(*(below for _, below in parts))
    return header + body


def _parts(text: str) -> tuple[str, str]:
    """(header with its fences, body)."""
    _, body = frontmatter.parse(text)
    return (text[: len(text) - len(body)], body) if len(body) < len(text) else ("", text)


def _headers(base: str, ours: str, theirs: str) -> str:
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    fields = objects.merged(*(frontmatter.parse(text)[0] for text in (base, ours, theirs)))
    return frontmatter.render(fields, "") if fields else ""


def _bodies(base: str, ours: str, theirs: str) -> str:
    before, one, other = sections(base), sections(ours), sections(theirs)
    for heading in {heading_of(text) for text in one} & {heading_of(text) for text in other}:
        at = [
            [place for place, text in enumerate(side) if heading_of(text) == heading] for side in (before, one, other)
        ]
        if len(at[1]) != 1 or len(at[2]) != 1 or len(at[0]) > 1:
            continue
        old = before[at[0][0]] if at[0] else ""
        mine, yours = one[at[1][0]], other[at[2][0]]
        if mine == yours or old in (mine, yours) or (not old and _dated(heading)):
            continue
        lines = sequences.united(*(text.split("\n") for text in (old, mine, yours)))
        one[at[1][0]] = other[at[2][0]] = "\n".join(lines).strip("\n")
    found = sequences.united(before, one, other)
    if found not in (one, other) and all(_clock(heading_of(text)) or heading_of(text)[:2] != "##" for text in found):
        found.sort(key=lambda text: heading_of(text) if _clock(heading_of(text)) else "")
    return "\n\n".join(found) + "\n" if found else ""


def sections(body: str) -> list[str]:
    """The text above the first heading, if any, then each heading with what stands below it; no blank lines around."""
    found: list[list[str]] = [[]]
    fence = ""
    for line in body.replace("\r\n", "\n").split("\n"):
        bare = line.lstrip()
        if bare[:3] in ("```", "~~~"):
            if not fence:
                fence = bare[:3]
            elif bare.startswith(fence):
                fence = ""
        if line.startswith("#") and not fence:
            found.append([])
        found[-1].append(line)
    texts = ["\n".join(lines).strip("\n") for lines in found]
    return [text for text in texts if text.strip()]


def heading_of(section: str) -> str:
    """The section's first line when that is a heading, else nothing."""
    return section.split("\n", 1)[0].rstrip() if section.startswith("#") else ""


def _clock(heading: str) -> bool:
    """`## 10:15`."""
    title = heading.lstrip("#").strip()
    return len(title) == 5 and title[2] == ":" and (title[:2] + title[3:]).isdecimal()


def _dated(heading: str) -> bool:
    """A heading with a time or a day (`2026-03-02`) in it."""
    words = heading.lstrip("#").split()
    return _clock(heading) or any(
        len(word) >= 10 and word[4] + word[7] == "--" and (word[:4] + word[5:7] + word[8:10]).isdecimal()
        for word in words
    )
