"""The skills of a home: where each stands, whose it is, whether it is switched on, and how a new one begins (cold).

A skill of the user's own wins over a shipped one of its name: the folder in the home is what counts, and an install
writes only files that are still as it wrote them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pal.base import assets, files, frontmatter, settings
from pal.base.errors import PalError
from pal.base.home import Home
from pal.skills import used
from pal.skills.index import DISABLED, MAIN_FILE, triggers_in

SHIPPED, EDITED, OWN = "shipped", "edited", "yours"
PREFIX = "skills/"
TOOLS = "tools"
LONGEST_NAME = 64  # letters; the public format's limit
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


class Skill:
    """One folder of skills, as far as a list shows it."""

    __slots__ = ("description", "disabled", "folder", "last", "name", "origin", "tools", "triggers", "uses")

    def __init__(self, name: str, folder: str, origin: str) -> None:
        self.name = name
        self.folder = folder
        self.origin = origin
        self.description = ""
        self.triggers: list[str] = []
        self.tools: list[str] = []
        self.disabled = False
        self.uses = 0
        self.last = ""

    def facts(self) -> dict[str, object]:
        """What `--json` prints of it."""
        return {
            "name": self.name,
            "description": self.description,
            "origin": self.origin,
            "enabled": not self.disabled,
            "uses": self.uses,
            "last_used": self.last,
            "tools": self.tools,
            "triggers": self.triggers,
            "folder": self.folder,
        }


def skills(home: Home) -> list[Skill]:
    """Every skill in the home, by name; folders and links to folders alike."""
    disabled = settings.load(home).texts(DISABLED)
    counts = used.counts(home)
    found = []
    for name in _folders(home.skills):
        skill = _read(home, name)
        skill.disabled = name in disabled
        skill.uses, skill.last = counts.get(name, (0, ""))
        found.append(skill)
    return found


def find(home: Home, name: str) -> Skill:
    """The skill of this name; PalError, with the nearest name there is, without one."""
    plain = name.strip().lstrip("/")
    found = skills(home)
    for skill in found:
        if skill.name == plain:
            return skill
    import difflib

    near = difflib.get_close_matches(plain, [skill.name for skill in found], 1, 0.5)
    if plain in shipped():
        raise PalError(f"the skill {plain} is shipped, but not in {home.skills}; `pal install` puts it there")
    raise PalError(f"there is no skill {name!r}; " + (f"did you mean {near[0]}?" if near else "see `pal skill list`"))


def shipped() -> dict[str, dict[str, bytes]]:
    """The files of each shipped skill by their names below its folder."""
    found: dict[str, dict[str, bytes]] = {}
    for name in assets.names(PREFIX):
        skill, _, file = name[len(PREFIX) :].partition("/")
        if file:
            found.setdefault(skill, {})[file] = assets.read(name)
    return found


def origin(folder: str, shipped_files: dict[str, bytes] | None) -> str:
    """Whose the folder is: SHIPPED while every shipped file in it is as it came, EDITED otherwise, else OWN."""
    if not shipped_files:
        return OWN
    for name, data in shipped_files.items():
        try:
            if files.read_bytes(os.path.join(folder, *name.split("/"))) != data:
                return EDITED
        except OSError:
            return EDITED
    return SHIPPED


def tools(folder: str) -> list[str]:
    """The names of a skill's tools, without `.py`."""
    try:
        names = os.listdir(os.path.join(folder, TOOLS))
    except OSError:
        return []
    return sorted(name[: -len(".py")] for name in names if name.endswith(".py") and name[0] not in "._")


def well_named(name: str) -> bool:
    """Whether the public format takes the name: lower-case words with one hyphen between."""
    return bool(name) and len(name) <= LONGEST_NAME and _LETTERS.issuperset(name) and all(name.split("-"))


def begin(home: Home, name: str, description: str, triggers: list[str], tool: str = "") -> str:
    """Lay out a new skill of the user's own and return its folder; never over one that is there."""
    if not well_named(name):
        raise PalError(
            f"{name!r} is no name for a skill: lower-case words with hyphens between, at most {LONGEST_NAME} letters"
        )
    folder = os.path.join(home.skills, name)
    if os.path.lexists(folder):
        raise PalError(f"{folder} is there already; choose another name, or edit that one")
    if tool and (not well_named(tool.replace("_", "-"))):
        raise PalError(f"{tool!r} is no name for a tool: lower-case words with hyphens between")
    title = name.replace("-", " ").capitalize()
    fields = {
        "name": name,
        "description": description or f"{title}. Use when the user asks for {name.replace('-', ' ')}.",
        "metadata": {"triggers": ", ".join(dict.fromkeys([name.replace("-", " "), *triggers]))},
    }
    called = f"\n`pal skill run {name} {tool} --help` tells what its tool does.\n" if tool else ""
    body = _BODY.format(title=title, name=name, called=called)
    files.make_folder(folder)
    files.write(os.path.join(folder, MAIN_FILE), frontmatter.render(fields, body), durable=True)
    if tool:
        files.make_folder(os.path.join(folder, TOOLS))
        files.write(os.path.join(folder, TOOLS, tool + ".py"), _TOOL.replace("TITLE", title), durable=True)
    return folder


def _read(home: Home, name: str) -> Skill:
    folder = os.path.join(home.skills, name)
    skill = Skill(name, folder, origin(folder, _shipped_files(name)))
    fields, _ = frontmatter.parse(files.read_text(os.path.join(folder, MAIN_FILE)) or "")
    said = fields.get("description")
    skill.description = " ".join(said.split()) if isinstance(said, str) else ""
    skill.triggers = triggers_in(fields)
    skill.tools = tools(folder)
    return skill


def _shipped_files(name: str) -> dict[str, bytes]:
    before = f"{PREFIX}{name}/"
    return {each[len(before) :]: assets.read(each) for each in assets.names(before)}


def _folders(folder: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name[0] != "." and os.path.isdir(os.path.join(folder, name)):
            yield name


_BODY = """\
# {title}

One sentence: what this is for.

## Procedure

1. The first step, as an order to whoever follows it.
2. How to check that the step worked.
3. What the answer looks like.
{called}
## When not to use it

- What looks like it and is something else.
"""

_TOOL = '''\
"""TITLE: one sentence on what this tool does."""

from __future__ import annotations

import argparse
import sys


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="*", help="what to work on (default: standard input)")
    options = parser.parse_args(argv)
    text = " ".join(options.text) or sys.stdin.read()
    sys.stdout.write(text.strip() + "\\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''
