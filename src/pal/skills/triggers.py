"""Finds the skills a prompt asks for by whole words and phrases, from the index that `skills/index.py` keeps.

Runs at every prompt: one small file is read, no skill is opened."""

from __future__ import annotations

from pal.base import files, jsontext
from pal.base.text import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    Match = tuple[str, str, list[str]]  # the skill's name, its description, the triggers found in the prompt

MOST = 3  # offers a prompt
_PHRASE, _WORD = 3, 1  # points for a trigger of several words, and for a single one
_READ = 4_000  # characters of the prompt that are looked at; what is asked for stands at one of its ends
_SHOWN = 100  # characters of a description in an offer
_MOST_BYTES = 700  # of all offers together


def match(home: Home, prompt: str) -> list[Match]:
    """The best skills for the prompt, best first, at most three; a missing or broken index offers nothing."""
    try:
        index = jsontext.loads(files.read_bytes(home.skill_index) or b"{}")
    except ValueError:
        files.remove(home.skill_index)  # a cache: the end of the turn makes it anew
        return []
    except OSError:
        return []
    skills = index.get("skills") if isinstance(index, dict) else None
    return best(skills, prompt) if isinstance(skills, dict) else []


def best(skills: dict[str, Any], prompt: str) -> list[Match]:
    """The same, for an index already read."""
    text = padded(prompt)
    present = set(text.split())
    found = []
    for name, skill in skills.items():
        if not isinstance(skill, dict):
            continue
        listed = skill.get("triggers")
        matched = []
        points = 0
        for trigger in listed if isinstance(listed, list) else ():
            if trigger in present:
                matched.append(trigger)
                points += _WORD
            elif " " in trigger and trigger.split(" ", 1)[0] in present and f" {trigger} " in text:
                matched.append(trigger)
                points += _PHRASE
        if matched:
            found.append((-points, name, str(skill.get("description", "")), matched))
    found.sort(key=lambda row: row[:2])
    return [(name, description, matched) for _, name, description, matched in found[:MOST]]


def offers(matches: list[Match]) -> str:
    """One line a skill, beginning with `/name`; what does not fit is left out, the last first."""
    lines: list[str] = []
    left = _MOST_BYTES
    for name, description, matched in matches:
        short = description if len(description) <= _SHOWN else description[: _SHOWN - 1].rstrip() + "…"
        line = f"/{name}: {short}" if short else f"/{name}"
        line += f" (matched: {', '.join(matched[:3])})"
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def plain(text: str) -> str:
    """Lower-case words with one space between: how a trigger is kept and a prompt is read."""
    return " ".join(words(text))


def padded(prompt: str) -> str:
    """The prompt's two ends as plain words with a space around each, so that ` word ` finds whole words only."""
    if len(prompt) > _READ:
        prompt = prompt[: _READ - 1_000] + " \n " + prompt[-1_000:]
    return f" {plain(prompt)} "
