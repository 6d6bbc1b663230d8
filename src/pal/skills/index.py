"""Reads every skill's header once and keeps what matching needs in one small file, so that no prompt waits for it.

Used at install, by `pal memory reindex` and, when a skill changed, at the end of a turn."""

from __future__ import annotations

import os

from pal.base import files, frontmatter, jsontext
from pal.skills import triggers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

MAIN_FILE = "SKILL.md"
_MOST_TRIGGERS = 40  # of one skill; a longer list would cost every prompt


def build(home: Home) -> dict[str, dict[str, Any]]:
    """Write the index anew and return it: name → name, description, triggers. A skill's name is its folder's."""
    skills = {}
    for name, path in _main_files(home):
        text = files.read_text(path)
        if text is not None:
            skills[name] = _entry(name, text)
    files.write(home.skill_index, f'{{"skills": {jsontext.dumps_rows(skills).rstrip()}}}\n')
    return skills


def refresh(home: Home) -> bool:
    """Build the index if a skill came, went or changed since; True if it was built."""
    built = files.modified(home.skill_index)
    newest = files.modified(home.skills)
    if built == 0 and newest == 0:
        return False
    if built and newest <= built and all(files.modified(path) <= built for _, path in _main_files(home)):
        return False
    build(home)
    if files.modified(home.skill_index) < newest:
        os.utime(home.skill_index)  # its content was the same, so it was not written; it is up to date now
    return True


def _main_files(home: Home) -> list[tuple[str, str]]:
    """(skill, path of its main file), by name; folders and links to folders alike."""
    try:
        names = sorted(os.listdir(home.skills))
    except OSError:
        return []
    paths = [(name, os.path.join(home.skills, name, MAIN_FILE)) for name in names if not name.startswith(".")]
    return [(name, path) for name, path in paths if os.path.isfile(path)]


def _entry(name: str, text: str) -> dict[str, Any]:
    fields, _ = frontmatter.parse(text)
    description = fields.get("description")
    metadata = fields.get("metadata")
    listed = metadata.get("triggers") if isinstance(metadata, dict) else None
    if isinstance(listed, str):
        listed = listed.split(",")
    given = [str(item) for item in listed] if isinstance(listed, list) else []
    plain = (triggers.plain(item) for item in given or [name])
    unique = list(dict.fromkeys(item for item in plain if item))
    return {
        "name": name,
        "description": " ".join(description.split()) if isinstance(description, str) else "",
        "triggers": unique[:_MOST_TRIGGERS],
    }
