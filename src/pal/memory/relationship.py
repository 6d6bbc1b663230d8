"""Reads the daily notes on how user and agent work together (`relationship/YYYY-MM/YYYY-MM-DD.md`) for a new session.

A note is a block: `## HH:MM`, a comment `<!-- session:<id> cwd:<folder> -->`, bullets `- W: …`, `- O(c=0.85): …`,
`- B(c=0.75): …` or `- Session: …`."""

from __future__ import annotations

import os

from pal.base import clock, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home

DAYS = 2
LONGEST = 1500  # characters
_DAY = 86_400.0


def recent(home: Home, now: float, zone: str, root: str) -> str:
    """What was noted today and yesterday, the newest block first; empty when nothing was.

    Opinions (O) are left out, as the confident ones are told elsewhere; a Session line only counts where its block was
    written in the project at `root`. At most 1,500 characters, cut at the end of a line."""
    told = ""
    for back in range(DAYS):
        day = clock.day(now - back * _DAY, zone)
        text = files.read_text(os.path.join(home.relationship, clock.month(day), day + ".md"))
        for block in reversed(_blocks(text or "")):
            begin = f"{day} {block[0].lstrip('# ')}".rstrip() + ":"
            for line in _kept(block, root):
                more = "\n".join(part for part in (told, begin, line) if part)
                if len(more) > LONGEST:
                    return told
                told, begin = more, ""
    return told


def _blocks(text: str) -> list[list[str]]:
    """The lines of each block, its heading first; lines above the first heading make a block without a time."""
    blocks: list[list[str]] = [["##"]]
    for line in text.splitlines():
        if line.startswith("## "):
            blocks.append([line])
        elif not line.startswith("# "):
            blocks[-1].append(line)
    return blocks


def _kept(block: list[str], root: str) -> list[str]:
    here = False
    kept = []
    commented = False
    for line in block[1:]:
        bare = line.strip()
        if bare.startswith("<!--"):
            here = here or _written_in(bare, root)
            commented = "-->" not in bare
        elif commented:
            commented = "-->" not in bare
        elif bare and not _is_opinion(bare) and (here or not bare.lstrip("-* ").startswith("Session:")):
            kept.append(line.rstrip())
    return kept


def _is_opinion(line: str) -> bool:
    return line.lstrip("-* ")[:2] in ("O(", "O:")


def _written_in(comment: str, root: str) -> bool:
    at = comment.find("cwd:")
    folder = comment[at + 4 :].partition("-->")[0].strip() if at >= 0 else ""
    return bool(root and folder) and (folder == root or folder.startswith((root + "/", root + os.sep)))
