"""How a sitting goes, told by the shape of its turns; a hint is said when that changes and logged where it is heard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pal.base.settings import Settings
from pal.memory import interaction, interaction_baseline, mood

NOW = 1_772_439_300.0
WHO = {"session": "s1", "agent": "claude"}
PLAIN = Settings({})
USUAL = {"words": 30, "gapSec": 120, "skimmed": False, "reaction": "follow-up", "afterBreak": False}


def turns(*changes: dict) -> list[dict]:
    return [{**USUAL, **change} for change in changes]


@pytest.mark.parametrize(
    ("sitting", "moods"),
    [
        (turns({}, {}, {}), []),
        (turns({"reaction": "corrected"}, {"reaction": "repeated"}), []),
        (turns({}, {"reaction": "corrected"}, {"reaction": "repeated"}), ["friction"]),
        (turns({}, {"reaction": "corrected"}, {}), []),
        (turns({"skimmed": True}, {}, {"skimmed": True}), ["skimming"]),
        (turns({"gapSec": None}, {"gapSec": 60}, {"gapSec": 20}), ["fast"]),
        (turns({"gapSec": None}, {"gapSec": 60}, {"gapSec": 90}), []),
        (turns({"words": 4}, {"words": 15}, {"words": 20}), ["short"]),
        (turns({"words": 60}, {"words": 60}, {"words": 10}), ["long"]),
        (turns({"words": 3}, {"words": 3}, {"words": 3}, {"afterBreak": True}, {}, {}), []),
        (turns({"words": 3}, *[{}] * 6), []),
        (
            turns({}, {"reaction": "corrected", "words": 3}, {"reaction": "corrected", "words": 3}),
            ["friction", "short"],
        ),
    ],
)
def test_a_mood_is_read_from_the_sitting_since_the_last_break(home, sitting, moods):
    assert mood.of(home, sitting) == moods


def test_the_users_own_medians_are_what_is_usual(home):
    Path(home.interaction_baseline).write_text('{"words": 6, "gap": 20}')
    assert interaction_baseline.read(home) == (6.0, 20.0)
    assert mood.of(home, turns({"words": 5}, {"words": 6}, {"words": 7})) == []
    assert mood.of(home, turns({}, {}, {})) == ["long"]


@pytest.mark.parametrize(
    ("moods", "before", "said"),
    [
        ([], "", ""),
        ([], None, ""),
        (["short"], "", mood.HINTS["short"]),
        (["short"], "short", ""),
        ([], "short", mood.USUAL),
        (["friction", "fast", "short"], "short", f"{mood.HINTS['friction']} {mood.HINTS['fast']}"),
    ],
)
def test_a_hint_is_said_when_the_mood_changes_and_once_when_it_is_over(moods, before, said):
    assert mood.hint(moods, before) == said


def test_every_hint_fits_its_place_in_the_prompt():
    longest = sorted(mood.HINTS.values(), key=len)[-2:]
    assert len(" ".join(longest)) < 400


def say(home, number: int, prompt: str, heard: list[str] | None, proven: bool) -> None:
    hear = heard.append if heard is not None else None
    assert interaction.begin_turn(home, WHO, f"e{number}", prompt, "/", NOW + 200 * number, PLAIN, hear, proven)


def logged(home) -> list[dict]:
    return [
        json.loads(line) for path in Path(home.interaction).glob("*.jsonl") for line in path.read_text().splitlines()
    ]


@pytest.mark.parametrize("proven", [True, False])
def test_the_same_turns_earn_a_hint_everywhere_and_it_is_logged_where_it_is_heard(home, proven):
    heard: list[str] = []
    for number, prompt in enumerate(["Mend the parser of the site", "no, wrong file", "no, still wrong", "no, wrong"]):
        say(home, number, prompt, heard, proven)
    assert heard == [f"{mood.HINTS['friction']} {mood.HINTS['short']}"]
    assert [row.get("hinted", False) for row in logged(home)] == [False, False, proven, False]


def test_where_nobody_hears_nothing_is_said_and_nothing_counts_as_said(home):
    for number, prompt in enumerate(["Mend the parser", "no, wrong file", "no, still wrong", "no, wrong"]):
        say(home, number, prompt, None, True)
    assert not any("hinted" in row for row in logged(home))
    heard: list[str] = []
    say(home, 9, "no, wrong again", heard, True)
    assert len(heard) == 1
