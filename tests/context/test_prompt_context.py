"""What a prompt is told: the parts, their order, and which prompts are told the time only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pace import least

from pal.base.home import Home
from pal.base.settings import Settings
from pal.base.text import units
from pal.context import prompt
from pal.memory.lessons import Lesson
from pal.skills import index

ZONE = {"identity": {"principal": {"timezone": "Europe/Budapest"}}}
SETTINGS = Settings(ZONE)
RICH = "The tests fail on the zebra importer, sum up the key points"


@pytest.fixture
def rich(home: Home, now: float) -> Home:
    """A home in which RICH is told something in every part."""
    from pal.memory import lessons

    skill = Path(home.skills, "summarize", "SKILL.md")
    skill.parent.mkdir(parents=True)
    skill.write_text('---\ndescription: "Makes it short."\nmetadata:\n  triggers: ["sum up"]\n---\n', "utf-8")
    index.build(home)
    frame = Path(home.wisdom, "data.md")
    frame.parent.mkdir(parents=True)
    frame.write_text("# Frame: Data\n\n### Zebra importer needs sorted rows [CRYSTAL: 92%]\n", "utf-8")
    failure = Path(home.failures, "2026-02", "2026-02-20_zebra.md")
    failure.parent.mkdir(parents=True)
    header = {"rating": 2, "context": "zebra importer lost rows", "ts": "2026-02-20T08:00:00Z", "cwd": "/srv/data"}
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in header.items())
    failure.write_text(f"---\n{lines}---\n\n## What Happened\n\nRows were lost.\n", "utf-8")
    lessons.rebuild(home, now)
    return home


def names(home: Home, text: str, now: float, settings: Settings = SETTINGS) -> list[str]:
    return [part.name for part in prompt.parts(home, settings, text, "/srv/data", "s1", now)]


def test_the_parts_come_in_a_fixed_order(rich: Home, now: float) -> None:
    assert names(rich, RICH, now) == ["clock", "steering", "skills", "lessons"]


def test_what_a_prompt_is_told_reads_as_one_block_of_plain_text(rich: Home, now: float) -> None:
    told = prompt.render(rich, SETTINGS, RICH, "/srv/data", "s1", now)
    assert told.startswith(
        "<system-reminder>\nNow: Mon 2026-03-02 09:15 Europe/Budapest\n\n## Ask yourself\n- Have you"
    )
    assert "\n/summarize: Makes it short. (matched: sum up)\n" in told
    assert "Relevant prior lessons (matched on your prompt)" in told
    assert "zebra importer" in told.lower()
    assert told.endswith("\n</system-reminder>")


@pytest.mark.parametrize(
    "text", ["", "  \n", "/summarize the tests fail", "/pal:review", "  /fix bug", "/compact\nbug"]
)
def test_a_command_and_a_prompt_that_no_person_wrote_are_told_the_time_only(rich: Home, now: float, text: str) -> None:
    told = prompt.render(rich, SETTINGS, text, "/srv/data", "s1", now)
    assert told == "<system-reminder>\nNow: Mon 2026-03-02 09:15 Europe/Budapest\n</system-reminder>"


@pytest.mark.parametrize("text", ["/etc/hosts has a bug", "/ is a bug", "a /fix for the bug", "/őr bug"])
def test_a_path_is_no_command(home: Home, now: float, text: str) -> None:
    assert names(home, text, now) == ["clock", "steering"]


@pytest.mark.parametrize(
    ("switch", "part"),
    [
        ("wallClock", "clock"),
        ("contextualSteering", "steering"),
        ("skillMatching", "skills"),
        ("learningInjection", "lessons"),
    ],
)
def test_each_part_has_a_switch_of_its_own(rich: Home, now: float, switch: str, part: str) -> None:
    settings = Settings({**ZONE, "dynamicContext": {switch: False}})
    assert names(rich, RICH, now, settings) == [
        name for name in ("clock", "steering", "skills", "lessons") if name != part
    ]


def test_with_everything_off_there_is_silence(rich: Home, now: float) -> None:
    off = dict.fromkeys(("wallClock", "contextualSteering", "skillMatching", "learningInjection"), False)
    assert prompt.render(rich, Settings({"dynamicContext": off}), RICH, "/srv/data", "s1", now) == ""


def test_a_prompt_never_begins_with_a_brace_and_stays_small(rich: Home, now: float) -> None:
    everything = "{ bug delete refactor plan test commit secret sum up the zebra importer " * 2_000
    told = prompt.render(rich, SETTINGS, everything, "/srv/data", "s1", now)
    assert told[0] == "<"
    assert units(told) <= 2_600


@pytest.mark.parametrize(
    ("lesson", "line"),
    [
        (Lesson("failure", "Ask  first", 2, "/srv/app", 12, "f", 0.5), "- [app] Ask first (rating 2/10, 12d ago)"),
        (Lesson("learning", "Sort rows", None, "", 0, "f", 0.5), "- [global] Sort rows (0d ago)"),
        (Lesson("wisdom", "Sort rows", 92, "Data", 0, "f", 0.5), "- [Data] Sort rows (CRYSTAL 92%)"),
    ],
)
def test_a_lesson_is_one_line(home, now, monkeypatch, lesson: Lesson, line: str) -> None:
    from pal.memory import lessons

    monkeypatch.setattr(lessons, "match", lambda *_: [lesson])
    (part,) = [part for part in prompt.parts(home, SETTINGS, "word", "/", "s", now) if part.name == "lessons"]
    assert part.text.split("\n")[1:] == [line]


def test_lessons_keep_to_500_units_and_lose_the_last_whole(home, now, monkeypatch) -> None:
    from pal.memory import lessons

    def told(*lengths: int) -> list[str]:
        found = [Lesson("learning", "\u0151" * length, None, "", 1, "f", 0.5) for length in lengths]
        monkeypatch.setattr(lessons, "match", lambda *_: found)
        parts = [part for part in prompt.parts(home, SETTINGS, "word", "/", "s", now) if part.name == "lessons"]
        return [line for part in parts for line in part.text.split("\n")[1:]]

    assert len(told(150, 150)) == 2
    assert len(told(200, 200)) == 1
    assert told(600) == []


def test_one_failing_part_leaves_the_others_and_a_line_in_the_log(rich: Home, now: float, monkeypatch) -> None:
    from pal.context import steering

    def broken(*_):
        raise RuntimeError("torn")

    monkeypatch.setattr(steering, "match", broken)
    assert names(rich, RICH, now) == ["clock", "skills", "lessons"]
    assert "steering: RuntimeError: torn" in Path(rich.log).read_text("utf-8")


def test_two_hundred_skills_are_matched_in_a_moment(home: Home) -> None:
    from pal.skills import triggers

    words = [f"{letter}{number}" for number in range(50) for letter in "abcd"]
    skills = {
        f"skill-{word}": {"description": "d" * 200, "triggers": [word, f"{word} now", f"do the {word}", f"{word}s"]}
        for word in words
    }
    Path(home.skill_index).write_text(json.dumps({"skills": skills}), "utf-8")
    text = "please do the a7 and leave " + "the rest of it alone " * 100
    assert triggers.match(home, text)[0][0] == "skill-a7"
    # Far above the aim of 3 ms, which tests/bench measures: only a wrong order of growth fails.
    assert least(lambda: triggers.match(home, text), 0.1) < 0.1
