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
from pal.memory.index.documents import Document
from pal.memory.recall import Recalled
from pal.skills import index

ZONE = {"identity": {"principal": {"timezone": "Europe/Budapest"}}}
SETTINGS = Settings(ZONE)
RICH = "Zebra importer rows make the tests fail, sum up"


@pytest.fixture
def rich(home: Home, now: float) -> Home:
    """A home in which RICH is told something in every part."""
    from pal.memory import search

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
    search.rebuild(home, now)
    return home


def names(home: Home, text: str, now: float, settings: Settings = SETTINGS) -> list[str]:
    return [part.name for part in prompt.parts(home, settings, text, "/srv/data", "s1", now)]


def test_the_parts_come_in_a_fixed_order(rich: Home, now: float) -> None:
    assert names(rich, RICH, now) == ["clock", "steering", "skills", "memories"]


def test_what_a_prompt_is_told_reads_as_one_block_of_plain_text(rich: Home, now: float) -> None:
    told = prompt.render(rich, SETTINGS, RICH, "/srv/data", "s1", now)
    assert told.startswith(
        "<system-reminder>\nNow: Mon 2026-03-02 09:15 Europe/Budapest\n\n## Ask yourself\n- Have you"
    )
    assert "\n/summarize: Makes it short. (matched: sum up)\n" in told
    assert "Relevant prior lessons and notes (matched on your prompt)" in told
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
        ("learningInjection", "memories"),
    ],
)
def test_each_part_has_a_switch_of_its_own(rich: Home, now: float, switch: str, part: str) -> None:
    settings = Settings({**ZONE, "dynamicContext": {switch: False}})
    assert names(rich, RICH, now, settings) == [
        name for name in ("clock", "steering", "skills", "memories") if name != part
    ]


def test_with_everything_off_there_is_silence(rich: Home, now: float) -> None:
    off = dict.fromkeys(("wallClock", "contextualSteering", "skillMatching", "learningInjection"), False)
    assert prompt.render(rich, Settings({"dynamicContext": off}), RICH, "/srv/data", "s1", now) == ""


def test_a_prompt_never_begins_with_a_brace_and_stays_small(rich: Home, now: float) -> None:
    everything = "{ bug delete refactor plan test commit secret sum up the zebra importer " * 2_000
    told = prompt.render(rich, SETTINGS, everything, "/srv/data", "s1", now)
    assert told[0] == "<"
    assert units(told) <= 3_300


def remembered(source: str, said: str, now: float, **fields: object) -> Recalled:
    one = Document("ref", source, said)
    one.title = said
    for name, value in fields.items():
        setattr(one, name, value)
    return Recalled(one, 0.5, [], [], 1.0)


@pytest.mark.parametrize(
    ("source", "fields", "line"),
    [
        ("failure", {"rating": 2, "project": "/srv/app", "days": 12}, "- [app] Ask first (rating 2/10, 12d ago)"),
        ("learning", {"days": 0}, "- [global] Ask first (0d ago)"),
        ("wisdom", {"rating": 92, "project": "Data"}, "- [Data] Ask first (CRYSTAL 92%)"),
        ("memory", {"kind": "decision", "project": "shop", "days": 3}, "- [shop] Ask first (decision, 3d ago)"),
        ("memory", {"status": "disputed", "days": 3}, "- [global] Ask first (memory, disputed, 3d ago)"),
        ("opinion", {"kind": "style"}, "- [global] Ask first (style)"),
    ],
)
def test_a_memory_is_one_line_in_a_frame(home, now, monkeypatch, source, fields, line) -> None:
    from pal.memory import recall

    days = fields.pop("days", None)
    one = remembered(source, "Ask  first", now, ts=now - days * 86_400 if days is not None else 0.0, **fields)
    monkeypatch.setattr(recall, "recall", lambda *_: [one])
    (part,) = [part for part in prompt.parts(home, SETTINGS, "word", "/", "s", now) if part.name == "memories"]
    lines = part.text.split("\n")
    assert lines[2:-1] == [line]
    assert (lines[0], lines[-1]) == ("<pal-memory>", "</pal-memory>")


def test_memories_keep_to_1200_units_and_lose_the_last_whole(home, now, monkeypatch) -> None:
    from pal.memory import recall

    def told(*lengths: int) -> list[str]:
        found = [remembered("learning", "\u0151" * length, now) for length in lengths]
        monkeypatch.setattr(recall, "recall", lambda *_: found)
        (part,) = [part for part in prompt.parts(home, SETTINGS, "word", "/", "s", now) if part.name == "memories"]
        assert units(part.text) <= 1_200
        return part.text.split("\n")[2:-1]

    assert len(told(*[150] * 5)) == 5
    assert len(told(*[500] * 6)) == 5
    assert told(500)[0].endswith("…")


def test_what_was_put_before_an_agent_is_never_kept_as_somebodys_words(rich: Home, now: float) -> None:
    from pal.base.redaction import scrub
    from pal.memory.spoken import spoken

    told = prompt.render(rich, SETTINGS, RICH, "/srv/data", "s1", now)
    assert "zebra importer" in told.lower()
    assert "zebra" not in scrub(f"Mend it.\n{told}").lower()
    assert spoken(f"{told}\nMend it.") == "Mend it."


def test_one_failing_part_leaves_the_others_and_a_line_in_the_log(rich: Home, now: float, monkeypatch) -> None:
    from pal.context import steering

    def broken(*_):
        raise RuntimeError("torn")

    monkeypatch.setattr(steering, "match", broken)
    assert names(rich, RICH, now) == ["clock", "skills", "memories"]
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
