"""Homes with memories for tests of the index, search and recall: what hooks and people leave behind."""

from __future__ import annotations

import os
from pathlib import Path

from pal.base import clock, files, frontmatter
from pal.base.home import Home

DAY = 86_400.0
FILLER = (
    "gardens bloom while rivers carry timber",
    "planets orbit distant stars quietly tonight",
    "violins rehearse another slow movement",
    "bakers knead dough before sunrise daily",
    "sailors mend canvas along windy harbours",
    "glaciers shift boulders across valleys",
)


def learning(
    home: Home, name: str, title: str, now: float, *, cwd: str = "", insights: str = "", done: str = ""
) -> Path:
    header = {"title": title, "date": clock.iso(now)[:10], "ts": clock.iso(now), "cwd": cwd}
    body = f"## What Was Done\n\n{done}\n\n## Insights\n\n{insights}\n"
    path = Path(home.session_learning, clock.iso(now)[:7], name + ".md")
    files.write(str(path), frontmatter.render(header, body))
    return path


def failure(home: Home, name: str, now: float, rating: int = 2, **header: object) -> Path:
    path = Path(home.failures, clock.iso(now)[:7], name + ".md")
    body = "## What Happened\n\nIt went wrong.\n\n## Conversation Summary\n\nUSER: zebra xylophone\n"
    files.write(str(path), frontmatter.render({"rating": rating, "ts": clock.iso(now), **header}, body))
    return path


def crystal(home: Home, domain: str, *lines: str) -> None:
    files.write(
        os.path.join(home.wisdom, domain.lower() + ".md"), "# Frame: " + domain + "\n\n" + "\n".join(lines) + "\n"
    )


def transcript(home: Home, name: str, day: str, turns: list[tuple[str, str]]) -> Path:
    header = {"type": "transcript", "title": name, "date": day, "session": name}
    body = "\n\n".join(f"## {speaker}\n\n{said}" for speaker, said in turns)
    path = Path(home.session_learning, day[:7], f"{day}_{name}.md")
    files.write(str(path), frontmatter.render(header, body + "\n"))
    return path
