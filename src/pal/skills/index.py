"""Reads every skill's header once and keeps what matching needs in one small file, so that no prompt waits for it.

Used at install, by `pal memory reindex` and, when a skill changed, at the end of a turn."""

from __future__ import annotations

import os

from pal.base import files, frontmatter, jsontext, settings
from pal.skills import triggers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

MAIN_FILE = "SKILL.md"
DISABLED = "skills.disabled"  # the setting that names skills which are not offered and not given to agents
_MOST_TRIGGERS = 40  # of one skill; a longer list would cost every prompt


def build(home: Home) -> dict[str, dict[str, Any]]:
    """Write the index anew and return it: name → name, description, triggers and the keys they are matched by. A
    skill's name is its folder's; one that the user switched off is left out."""
    skills = {}
    disabled = settings.load(home).texts(DISABLED)
    for name, path in _main_files(home):
        if name in disabled:
            continue
        text = files.read_text(path)
        if text is not None:
            skills[name] = entry(name, text)
    files.write(home.skill_index, f'{{"skills": {jsontext.dumps_rows(skills).rstrip()}}}\n')
    return skills


def refresh(home: Home) -> bool:
    """Build the index if a skill came, went or changed since; True if it was built."""
    built = files.modified(home.skill_index)
    newest = files.modified(home.skills)
    if built == 0 and newest == 0:
        return False
    newest = max(newest, files.modified(home.settings))
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


def entry(name: str, text: str) -> dict[str, Any]:
    """What the index keeps of one skill, from the text of its main file."""
    fields, _ = frontmatter.parse(text)
    description = fields.get("description")
    listed = [triggers.plain(item) for item in triggers_in(fields)] or [triggers.plain(name)]
    called = triggers.plain(name)
    if " " not in called and listed[0] == called and len(listed) > 1:
        # The name leads the list as what the skill is called by; alone, a word such as `think` asks for nothing.
        listed[:1] = [f"{called} skill", f"skill {called}"]
    by_key = {triggers.key(item): item for item in reversed(listed)}  # the first of those that mean the same
    unique = [item for key, item in reversed(by_key.items()) if key][:_MOST_TRIGGERS]
    return {
        "name": name,
        "description": " ".join(description.split()) if isinstance(description, str) else "",
        "triggers": unique,
        "keys": [triggers.key(item) for item in unique],
    }


def triggers_in(fields: dict[str, Any]) -> list[str]:
    """The triggers of a header as they are written there: a list, or a text with commas between."""
    metadata = fields.get("metadata")
    listed = metadata.get("triggers") if isinstance(metadata, dict) else None
    if isinstance(listed, str):
        listed = listed.split(",")
    return [str(item).strip() for item in listed if str(item).strip()] if isinstance(listed, list) else []
