"""Finds the skills a prompt asks for by whole words and phrases, from the index that `skills/index.py` keeps.

Runs at every prompt: one small file is read, no skill is opened. Words are compared in their `folded` form, and words
that only point (the, my, this) are left out, so that "review code" finds "Reviewing my code"."""

from __future__ import annotations

from pal.base import files, jsontext
from pal.base.text import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    # The skill's name, its description, the triggers found in the prompt, the points they make.
    Match = tuple[str, str, list[str], int]

MOST = 3  # offers a prompt
_PHRASE, _WORD = 3, 1  # points for a trigger of several words, and for a single one
_READ = 4_000  # characters of the prompt that are looked at; what is asked for stands at one of its ends
_SHOWN = 100  # characters of a description in an offer
_MOST_BYTES = 700  # of all offers together
_POINTING = frozenset(["a", "an", "the", "this", "that", "these", "those", "my", "our", "your"])
_VOWELS = frozenset("aeiouy")


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
    said = [folded(word) for word in words(_ends(prompt))]
    present = set(said)
    whole = f" {' '.join(said)} "
    text = f" {' '.join([word for word in said if word not in _POINTING])} "
    found = []
    for name, skill in skills.items():
        if not isinstance(skill, dict):
            continue
        listed = skill.get("triggers")
        keys = skill.get("keys", listed)
        matched: list[str] = []
        points = 0
        for at, wanted in enumerate(keys if isinstance(keys, list) else ()):
            if wanted in present:
                points += _WORD
            elif (
                " " in wanted
                and wanted.split(" ", 1)[0] in present
                and (f" {wanted} " in text or f" {wanted} " in whole)
            ):
                points += _PHRASE
            else:
                continue
            matched.append(str(listed[at] if isinstance(listed, list) and at < len(listed) else wanted))
        if matched:
            found.append((-points, name, str(skill.get("description", "")), matched))
    found.sort(key=lambda row: row[:2])
    return [(name, description, matched, -points) for points, name, description, matched in found[:MOST]]


def offers(matches: list[Match]) -> str:
    """One line a skill, beginning with `/name`; what does not fit is left out, the last first."""
    lines: list[str] = []
    left = _MOST_BYTES
    for name, description, matched, _ in matches:
        short = description if len(description) <= _SHOWN else description[: _SHOWN - 1].rstrip() + "…"
        line = f"/{name}: {short}" if short else f"/{name}"
        line += f" (matched: {', '.join(matched[:3])})"
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def plain(text: str) -> str:
    """Lower-case words with one space between."""
    return " ".join(words(text))


def key(text: str) -> str:
    """The form in which a trigger is compared: folded words with one space between, none that only points. `my goals`
    says more than goals, so a pointing word before a single one stays."""
    every = [folded(word) for word in words(text)]
    kept = [word for word in every if word not in _POINTING]
    return " ".join(every if len(kept) == 1 and len(every) == 2 and every[0] in _POINTING else kept)


def folded(word: str) -> str:
    """One form for the forms of an English word: summarise, summarizes and summarizing meet. Words of another kind
    (summary) stay apart, as a trigger means one of them."""
    if len(word) < 4 or not word.isascii():
        return word
    short = word
    if word[-1] == "s" and word[-2] not in "sui":
        if word.endswith("ies"):
            short = word[:-3] + "y"
        else:
            short = word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "zzes")) else word[:-1]
    for ending in ("ing", "ed"):
        rest = short[: -len(ending)]
        if short.endswith(ending) and len(rest) > 2 and not _VOWELS.isdisjoint(rest):
            short = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    else:
        if len(short) > 3 and short[-1] == "e":
            short = short[:-1]
    if short != word and short.endswith(("is", "ys")) and len(short) > 4:
        return short[:-1] + "z"
    return short


def padded(prompt: str) -> str:
    """The prompt's two ends as plain words with a space around each, so that ` word ` finds whole words only."""
    return f" {plain(_ends(prompt))} "


def _ends(prompt: str) -> str:
    return prompt if len(prompt) <= _READ else prompt[: _READ - 1_000] + " \n " + prompt[-1_000:]
