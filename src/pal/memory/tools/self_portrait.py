"""Writes the self-model (`self-model/current.md`): who the user is, and PAL's own one priority.

A model writes it from what is known; without one it is put together by rule. Only a text that a model wrote well is
ever shown to a model again, and every version that makes room is kept under its own day."""

from __future__ import annotations

import os

from pal.base import clock, files, frontmatter, redaction, text
from pal.memory import failures, wisdom
from pal.memory.tools import figures, opinion_book, pages, patterns, relationship_notes, wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.asking import Ask
    from pal.base.home import Home

    Parts = dict[str, list[str]]

DAYS = 30
EVERY = 86_400.0  # seconds; at most one a day
LIKELY = 0.6  # an opinion from here on is worth telling
USER, PRIORITY = "Who I work with", "My one priority now"
_KEPT_FOR = 14 * 86_400.0  # a model's text is not replaced by a rule's while it is younger
_SHOWN = 5
_WORDS = 150
_LONGEST = 1_400  # UTF-16 units
_BY_MODEL, _BY_RULE = "model", "rule"
_SYSTEM = (
    "You are an AI assistant writing a short note to yourself, read at the start of each session. From the facts given "
    f"write under 130 words in the first person, in two sections headed exactly `## {USER}` and `## {PRIORITY}`: who "
    "the user is and how they like to work; then the one thing to watch most now. Use only these facts, no numbers, no "
    "flattery, nothing else."
)


def due(home: Home, now: float) -> bool:
    """Whether the model is a day old, or there is none, and something is known to make one from."""
    fields, _ = _current(home)
    return clock.age(fields.get("ts"), now) >= EVERY and any(gather(home, now).values())


def write(home: Home, ask: Ask, now: float, zone: str = "", session: str = "") -> str:
    """Write the model anew; its path, empty when nothing is known yet. What stood there before is kept.

    Where no model answers, an earlier one's text stays for two weeks before a rule replaces it."""
    parts = gather(home, now, zone)
    if not any(parts.values()):
        return ""
    body, source = _body(home, ask, parts, clock.day(now, zone), session)
    fields, _ = _current(home)
    if source == _BY_RULE and fields.get("source") == _BY_MODEL and clock.age(fields.get("ts"), now) < _KEPT_FOR:
        return home.self_model
    _archive(home)
    made = {"date": clock.day(now, zone), "ts": clock.iso(now), "source": source}
    pages.edit(home.self_model, lambda _: pages.sealed(made, body))
    return home.self_model


def draft(home: Home, ask: Ask, now: float, zone: str = "", session: str = "") -> str:
    """What `write` would write, without its header."""
    parts = gather(home, now, zone)
    return _body(home, ask, parts, clock.day(now, zone), session)[0] if any(parts.values()) else ""


def gather(home: Home, now: float, zone: str = "") -> Parts:
    """What is known, as lines by kind, the most telling first."""
    counted = figures.count(home, now, zone, DAYS)
    notes = list(reversed(counted.notes))
    low = [str(row.get("principle") or row.get("context") or "") for row in reversed(counted.failures)]
    low += [row["context"] for row in reversed(counted.ratings) if row["rating"] <= failures.LOW]
    return {
        "opinions": _distinct(
            [row["statement"] for row in opinion_book.load(home) if row["confidence"] >= LIKELY], 3 * _SHOWN
        ),
        "principles": _distinct([principle for _, principle, _ in wisdom.crystals(home)], 2 * _SHOWN),
        "patterns": _distinct([found.principle for found in patterns.find(home, now, zone)], _SHOWN),
        "low ratings": _distinct(low, _SHOWN),
        "observations": _distinct([str(row.get("q1") or "") for row in reversed(counted.algorithm)], _SHOWN),
        "behaviours": _distinct([n.text for n in notes if n.kind == relationship_notes.BELIEF], _SHOWN + 3),
        "facts": _distinct([n.text for n in notes if n.kind == relationship_notes.WORLD], _SHOWN),
    }


def versions(home: Home) -> list[str]:
    """The paths of earlier models, the newest first."""
    folder = os.path.dirname(home.self_model)
    try:
        names = sorted(
            (name for name in os.listdir(folder) if name[:4].isdigit() and name.endswith(".md")), reverse=True
        )
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names]


def _body(home: Home, ask: Ask, parts: Parts, day: str, session: str) -> tuple[str, str]:
    """(text with its footer, who wrote it)."""
    told = ", ".join(figures.many(len(lines), name[:-1]) for name, lines in parts.items() if lines)
    footer = f"\n\nMade of {told}; {DAYS} days to {day}."
    prompt = _prompt(home, parts)
    answer = ask(_SYSTEM, redaction.scrub(prompt), tier="medium", caller="self-model", session=session)
    said = wording.prose(answer.text, _LONGEST) if answer.ok else ""
    if said and _is_sound(said):
        return said + footer, _BY_MODEL
    return _by_rule(parts) + footer, _BY_RULE


def _prompt(home: Home, parts: Parts) -> str:
    blocks = [
        f"{name.capitalize()}:\n" + "\n".join("- " + line for line in lines) for name, lines in parts.items() if lines
    ]
    fields, body = _current(home)
    if fields.get("source") == _BY_MODEL:
        blocks.append("Your note so far:\n" + text.clip(_without_footer(body), _LONGEST))
    return "\n\n".join(blocks)


def _is_sound(said: str) -> bool:
    """The two sections and not much more: anything else is not what was asked for."""
    return f"## {USER}" in said and f"## {PRIORITY}" in said and len(said.split()) <= _WORDS + 30


def _by_rule(parts: Parts) -> str:
    known = [*parts["facts"][:3], *parts["opinions"][:_SHOWN], *parts["behaviours"][:3]]
    lines = [f"## {USER}", "", *(f"- {line}" for line in _distinct(known, 2 * _SHOWN))]
    if not known:
        lines.append("I do not know them well yet.")
    watch = [*parts["patterns"], *parts["low ratings"], *parts["principles"], "To find out how they like to work."]
    lines += ["", f"## {PRIORITY}", "", watch[0]]
    return "\n".join(lines)


def _archive(home: Home) -> None:
    """Keep the model that stands there under the day it was written on."""
    content = files.read_text(home.self_model) or ""
    if content.strip():
        fields, _ = frontmatter.parse(content)
        day = str(fields.get("date") or "")[:10]
        if len(day) != 10 or not day[:4].isdigit():
            day = clock.iso(files.modified(home.self_model))[:10]
        stem = os.path.join(os.path.dirname(home.self_model), day)
        number, path = 1, stem + ".md"
        while files.read_text(path) not in (None, content):
            number += 1
            path = f"{stem}-{number}.md"
        files.write(path, content, durable=True)


def _current(home: Home) -> tuple[dict[str, Any], str]:
    return frontmatter.parse(files.read_text(home.self_model) or "")


def _without_footer(body: str) -> str:
    return body.strip().rpartition("\n\nMade of ")[0] or body.strip()


def _distinct(lines: list[str], most: int) -> list[str]:
    kept: dict[str, str] = {}
    for line in lines:
        plain = text.clip(" ".join(line.split()), 200)
        if plain:
            kept.setdefault(plain.casefold().rstrip("."), plain)
    return list(kept.values())[:most]
