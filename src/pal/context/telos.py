"""Who the user is and what they want: the topics of the telos folder, and which of them hold an answer."""

from __future__ import annotations

import os

from pal.base import files, frontmatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home

# In the order an interview would take; files of the user's own follow by name.
TOPICS = (
    "MISSION", "GOALS", "PROJECTS", "BELIEFS", "MODELS", "STRATEGIES", "CHALLENGES", "LEARNED", "IDEAS", "PREFERENCES",
)  # fmt: skip
_NOTHING = "-*+_=|:#>[] \tx0123456789.)"  # what a heading's rule, an empty bullet, box or table row is made of


class Topic:
    """One file of the telos: its name and place, its text (None while it is missing), whether that says anything."""

    __slots__ = ("answered", "name", "path", "text")

    def __init__(self, name: str, path: str, text: str | None) -> None:
        self.name = name
        self.path = path
        self.text = text
        self.answered = text is not None and says_something(text)

    def facts(self) -> dict[str, object]:
        """What `--json` prints of it."""
        return {"topic": self.name, "answered": self.answered, "path": self.path}


def topics(home: Home) -> list[Topic]:
    """Every topic, whether its file exists or not."""
    try:
        names = sorted(name[:-3] for name in os.listdir(home.telos) if name.endswith(".md") and name[0] != ".")
    except OSError:
        names = []
    own = [name for name in names if name not in TOPICS and name != "README"]
    found = []
    for name in (*TOPICS, *own):
        path = os.path.join(home.telos, name + ".md")
        found.append(Topic(name, path, files.read_text(path)))
    return found


def answered(home: Home) -> list[tuple[str, bool]]:
    """Each topic's name, and whether its file says anything beyond the scaffold."""
    return [(topic.name, topic.answered) for topic in topics(home)]


def says_something(text: str) -> bool:
    """True if any line is more than a heading, a comment, a rule, an empty bullet or an empty table."""
    lines = [line.strip() for line in _without_comments(frontmatter.parse(text)[1]).splitlines()]
    for at, line in enumerate(lines):
        if not line.strip(_NOTHING) or line.startswith("#"):
            continue
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if line.startswith("|") and "-" in below and not below.strip("|-: "):
            continue  # the head of a table
        return True
    return False


def _without_comments(text: str) -> str:
    parts = []
    while True:
        before, opening, rest = text.partition("<!--")
        parts.append(before)
        if not opening:
            return "".join(parts)
        text = rest.partition("-->")[2]
