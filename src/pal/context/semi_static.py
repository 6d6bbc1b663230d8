"""The sources of tier 2: what changes between sessions, not during one. The one list of them.

An entry added here is written as a digest, loaded by every agent, listed by `pal debug context` and imported by tier 1;
nothing else has to change."""

from __future__ import annotations

import os

from pal.base import files
from pal.base.text import clip
from pal.context import budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pal.base.home import Home
    from pal.base.settings import Settings

    Build = Callable[[Home, Settings, float], str]
    Inputs = Callable[[Home], list[str]]

FAILURES_SHOWN = 5
OPINION_FLOOR = 0.85  # an opinion below is not settled enough to be told to every session
_LONGEST_LINE = 300  # units


class Source:
    """One digest: its file name, its title, its switch under dynamicContext, its cap in units, and how it is made.

    `build` gives the text, empty when there is nothing to say; `inputs` the files and folders it depends on."""

    __slots__ = ("build", "cap", "inputs", "slug", "switch", "title")

    def __init__(self, slug: str, title: str, switch: str, cap: int, build: Build, inputs: Inputs) -> None:
        self.slug = slug
        self.title = title
        self.switch = switch
        self.cap = cap
        self.build = build
        self.inputs = inputs


def text_of(source: Source, home: Home, settings: Settings, now: float) -> str:
    """What the source has to say now, within its cap; empty when it is switched off."""
    if not settings.on(source.switch):
        return ""
    return budget.shortened(source.build(home, settings, now).strip(), source.cap)


def _self_model(home: Home, settings: Settings, now: float) -> str:
    from pal.memory import selfmodel

    return _without_title(selfmodel.text(home))


def _wisdom(home: Home, settings: Settings, now: float) -> str:
    from pal.memory import wisdom

    return _bullets(f"[{domain}] {principle} ({sure}%)" for domain, principle, sure in wisdom.crystals(home))


def _opinions(home: Home, settings: Settings, now: float) -> str:
    from pal.memory import opinions

    return _bullets(
        f"[{category}] {statement} ({sure:.0%})"
        for category, statement, sure in opinions.confident(home, OPINION_FLOOR)
    )


def _synthesis(home: Home, settings: Settings, now: float) -> str:
    from pal.memory import synthesis

    return _without_title(synthesis.latest(home))


def _failures(home: Home, settings: Settings, now: float) -> str:
    from pal.memory import failures

    lines = []
    for row in failures.recent(home, FAILURES_SHOWN):
        said = str(row.get("principle") or row.get("context") or "")
        if said:
            project = os.path.basename(str(row.get("cwd") or "").rstrip("/\\"))
            lines.append(f"[{row.get('rating', '?')}/10] " + (f"[{project}] " if project else "") + said)
    return _bullets(lines)


def _steering_rules(home: Home, settings: Settings, now: float) -> str:
    return _without_title(files.read_text(_rules(home)) or "")


def _rules(home: Home) -> str:
    return os.path.join(home.docs, "STEERING_RULES.md")


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join("- " + clip(" ".join(line.split()), _LONGEST_LINE) for line in lines)


def _without_title(text: str) -> str:
    """The text below its first heading; a digest has a title of its own."""
    text = text.strip()
    return text.partition("\n")[2].strip() if text.startswith("# ") else text


def _newest(folder: str, count: int) -> list[str]:
    """The folder and what bears the last names in it: months, days and reports are named by their date."""
    try:
        names = sorted(name for name in os.listdir(folder) if name[0] != ".")
    except OSError:
        names = []
    return [folder, *(os.path.join(folder, name) for name in names[-count:])]


def _newest_report(home: Home) -> list[str]:
    months = _newest(home.synthesis, 1)
    return [*months, *(_newest(months[1], 1)[1:] if len(months) > 1 else ())]


SOURCES: tuple[Source, ...] = (
    Source("self-model", "Who you work with", "selfModel", 1_500, _self_model, lambda home: [home.self_model]),
    Source(
        "wisdom", "Principles that proved themselves", "wisdom", 2_500, _wisdom, lambda home: _newest(home.wisdom, 40)
    ),
    Source("opinions", "Tracked opinions", "opinions", 2_500, _opinions, lambda home: [home.opinions]),
    Source("synthesis", "The last report on patterns", "synthesis", 2_000, _synthesis, _newest_report),
    Source(
        "failures",
        "What led to low ratings",
        "failurePatterns",
        1_600,
        _failures,
        lambda home: _newest(home.failures, 2),
    ),
    Source(
        "steering-rules",
        "How to work carefully",
        "steeringRules",
        2_500,
        _steering_rules,
        lambda home: [_rules(home)],
    ),
)
