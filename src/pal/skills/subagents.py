"""The subagents of a home: one merged file each, in whose header every agent may have a block of its own (cold)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pal.base import assets, files, frontmatter
from pal.base.errors import PalError
from pal.base.home import Home
from pal.skills.catalog import EDITED, OWN, SHIPPED, well_named
from pal.skills.checks import ERROR, WARNING, Finding

PREFIX = "agents/"
PLATFORMS = "platforms"  # in a header: the agents it is for, all of them without it
LONGEST_DESCRIPTION = 1024  # characters
_ENDING = ".md"


class Subagent:
    """One file of the folder of subagents."""

    __slots__ = ("description", "name", "origin", "path", "platforms")

    def __init__(self, name: str, path: str, origin: str) -> None:
        self.name = name
        self.path = path
        self.origin = origin
        self.description = ""
        self.platforms: list[str] = []  # empty: every agent

    def facts(self) -> dict[str, object]:
        """What `--json` prints of it."""
        return {
            "name": self.name,
            "description": self.description,
            "origin": self.origin,
            "platforms": self.platforms,
            "path": self.path,
        }


def subagents(home: Home) -> list[Subagent]:
    """Every subagent in the home, by name."""
    try:
        names = sorted(name for name in os.listdir(home.agents) if name.endswith(_ENDING) and name[0] != ".")
    except OSError:
        return []
    return [_read(home, name[: -len(_ENDING)]) for name in names]


def find(home: Home, name: str) -> Subagent:
    """The subagent of this name; PalError without one."""
    found = subagents(home)
    for each in found:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in found) or "none is there yet"
    raise PalError(f"there is no subagent {name!r} in {home.agents} ({known})")


def findings(path: str, platforms: Sequence[str]) -> list[Finding]:
    """What is wrong with a subagent's file; `platforms` are the names that blocks may have."""
    name = os.path.basename(path)[: -len(_ENDING)]
    try:
        text = (files.read_bytes(path) or b"").decode("utf-8")
    except UnicodeDecodeError:
        return [(ERROR, "it is not UTF-8")]
    fields, body = frontmatter.parse(text)
    if not fields:
        return [(ERROR, "it has no header between two `---` lines")]
    found: list[Finding] = []
    if fields.get("name") != name:
        found.append((ERROR, f"it is called {fields.get('name') or 'nothing'}, and its file {name}{_ENDING}"))
    if not well_named(name):
        found.append((ERROR, "its name is not made of lower-case words with one hyphen between"))
    said = fields.get("description")
    if not isinstance(said, str) or not said.strip():
        found.append((ERROR, "it has no description, so no agent knows when to send it"))
    elif len(said) > LONGEST_DESCRIPTION:
        found.append((ERROR, f"its description has {len(said)} characters, more than {LONGEST_DESCRIPTION}"))
    elif "when" not in said.lower():
        found.append((WARNING, "its description does not say when to send it (“Use when …”)"))
    if not body.strip():
        found.append((ERROR, "there is nothing below the header: the body is what the subagent is told"))
    blocks = [key for key, value in fields.items() if isinstance(value, dict)]
    unknown = sorted({*(_named(fields)), *blocks} - set(platforms))
    if unknown:
        found.append((WARNING, f"it names {', '.join(unknown)}, which is no agent PAL knows ({', '.join(platforms)})"))
    if not blocks:
        found.append((WARNING, "it has no block for any agent; each then gets its name and description alone"))
    return sorted(found, key=lambda finding: finding[0] != ERROR)


def begin(home: Home, name: str, description: str, blocks: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Lay out a new subagent of the user's own and return its path; `blocks` are (agent, header lines)."""
    if not well_named(name):
        raise PalError(f"{name!r} is no name for a subagent: lower-case words with hyphens between")
    if name + _ENDING in _shipped():
        raise PalError(f"PAL ships a subagent {name}; choose another name")
    path = os.path.join(home.agents, name + _ENDING)
    if os.path.lexists(path):
        raise PalError(f"{path} is there already; choose another name, or edit that one")
    title = name.replace("-", " ").capitalize()
    fields = {"name": name, "description": description or f"{title}. Use when a task of this kind can be handed over."}
    header = frontmatter.render(fields, "").rstrip().rpartition("---")[0]
    own = "".join(f"{agent}:\n" + "".join(f"  {line}\n" for line in lines) for agent, lines in blocks)
    files.make_folder(home.agents)
    files.write(path, f"{header}{own}---\n\n{_BODY}", durable=True)
    return path


def _read(home: Home, name: str) -> Subagent:
    path = os.path.join(home.agents, name + _ENDING)
    data = files.read_bytes(path) or b""
    shipped = _shipped().get(name + _ENDING)
    found = Subagent(name, path, OWN if shipped is None else SHIPPED if shipped == data else EDITED)
    fields, _ = frontmatter.parse(data.decode("utf-8", "replace"))
    said = fields.get("description")
    found.description = " ".join(said.split()) if isinstance(said, str) else ""
    found.platforms = _named(fields)
    return found


def _named(fields: dict[str, object]) -> list[str]:
    named = fields.get(PLATFORMS)
    if isinstance(named, str):
        named = named.split(",")
    return [str(each).strip() for each in named if str(each).strip()] if isinstance(named, list) else []


def _shipped() -> dict[str, bytes]:
    return {name[len(PREFIX) :]: assets.read(name) for name in assets.names(PREFIX)}


_BODY = """\
Say in one sentence what this subagent is for, and what it hands back.

1. The first step.
2. How it checks its own result.

Hand back: what was found, how it is known, what remains open. Say "I don't know" where that is the answer.
"""
