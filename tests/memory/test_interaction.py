"""Every human turn leaves one line of features and not one word of text; a hook fired twice leaves one line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pal.base import locks, records
from pal.base.settings import Settings
from pal.memory import interaction

WHO = {"session": "s-1", "agent": "claude"}
SETTINGS = Settings({"identity": {"principal": {"timezone": "UTC"}}})
LONG_REPLY = "word " * 200


class Talk:
    """One session: prompts and replies at given seconds, and the lines they left."""

    def __init__(self, home, now: float) -> None:
        self.home, self.now, self.events = home, now, 0

    def prompt(self, text: str, after: float = 60, who=WHO, event: str | None = None, settings=SETTINGS) -> bool:
        self.now += after
        self.events += 1
        event = f"e-{self.events}" if event is None else event
        return interaction.begin_turn(self.home, who, event, text, "/srv", self.now, settings)

    def reply(self, text: str, after: float = 10) -> None:
        self.now += after
        interaction.reply_seen(self.home, WHO, text, self.now)

    @property
    def lines(self) -> list[dict]:
        return list(records.each(os.path.join(self.home.interaction, "2026-03.jsonl")))

    @property
    def last(self) -> dict:
        return self.lines[-1]


@pytest.fixture
def talk(home, now) -> Talk:
    return Talk(home, now)


def test_a_turn_is_one_line_of_features(talk):
    talk.prompt("Please add a parser for the settings file")
    talk.reply("# Done\n\n- one\n- two\n\nShall I commit?")
    talk.prompt("now write the settings tests", after=75)
    assert talk.lines == [
        {
            "ts": "2026-03-02T08:16:00.000Z",
            "session": "s-1",
            "agent": "claude",
            "type": "turn",
            "channel": "claude",
            "hour": 8,
            "weekday": 0,
            "words": 8,
            "gapSec": None,
            "afterBreak": False,
            "skimmed": False,
            "interrupted": False,
            "repeated": False,
            "corrected": False,
            "reply": None,
            "reaction": "new-topic",
        },
        {
            "ts": "2026-03-02T08:17:25.000Z",
            "session": "s-1",
            "agent": "claude",
            "type": "turn",
            "channel": "claude",
            "hour": 8,
            "weekday": 0,
            "words": 5,
            "gapSec": 75,
            "afterBreak": False,
            "skimmed": False,
            "interrupted": False,
            "repeated": False,
            "corrected": False,
            "reply": {"words": 9, "listItems": 2, "headings": 1, "asked": True},
            "reaction": "follow-up",
        },
    ]


def test_hour_and_weekday_are_the_users(talk):
    talk.prompt("hello there", settings=Settings({"identity": {"principal": {"timezone": "Pacific/Kiritimati"}}}))
    assert (talk.last["hour"], talk.last["weekday"]) == (22, 0)


def test_no_word_of_prompt_or_reply_is_stored_anywhere(talk, home):
    talk.prompt("the zanzibar frobnicator must quuxify")
    talk.reply("Splendiferous wombats quuxified the frobnicator")
    talk.prompt("zanzibar again")
    stored = b"".join(path.read_bytes().lower() for path in Path(home.root).rglob("*") if path.is_file())
    for word in ("zanzibar", "frobnic", "quux", "splendif", "wombat"):
        assert word.encode() not in stored
        assert str(int.from_bytes(word.encode(), "little")).encode() not in stored


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("", (0, 0, 0, False)),
        ("plain words only", (3, 0, 0, False)),
        ("## A\n### B\n#no heading\n", (6, 0, 2, False)),
        ("- a\n* b\n+ c\n  - d\n1. e\n2) f\n-not", (13, 6, 0, False)),
        ("```\n# comment\n- item\n```\nend", (7, 0, 0, False)),
        ("Is it so?", (3, 0, 0, True)),
        ("**Shall I?**\n\n", (2, 0, 0, True)),
        ("Really? Yes.", (2, 0, 0, False)),
        ("2026 was fine", (3, 0, 0, False)),
    ],
)
def test_the_shape_of_a_reply(reply, expected):
    assert tuple(interaction.shape(reply).values()) == expected


@pytest.mark.parametrize(
    ("prompt", "reaction"),
    [
        ("no, use the other folder", "corrected"),
        ("Nope.", "corrected"),
        ("That's not what I asked for", "corrected"),
        ("that’s wrong", "corrected"),
        ("I told you to keep the comments", "corrected"),
        ("you forgot the tests", "corrected"),
        ("still failing", "corrected"),
        ("no problem, go ahead with the parser", "follow-up"),
        ("nothing works in the parser", "follow-up"),
        ("ok", "approved"),
        ("Yes, go ahead", "approved"),
        ("great, thank you!", "approved"),
        ("perfect", "approved"),
        ("Great. But the tests fail", "approved"),
        ("ok but keep the parser", "follow-up"),
        ("yes, the other parser instead", "follow-up"),
        ("ok?", "follow-up"),
        ("ok then please write the parser for me as well", "follow-up"),
        ("show the parser", "follow-up"),
        ("which database migration tool works offline", "new-topic"),
        ("parser database migration settings offline tool", "follow-up"),
        ("write settings parser with careful error messages", "repeated"),
    ],
)
def test_the_reaction_to_a_reply(talk, prompt, reaction):
    talk.prompt("write a settings parser with careful error messages")
    talk.reply("I wrote the settings parser.")
    talk.prompt(prompt)
    assert talk.last["reaction"] == reaction
    assert talk.last["corrected"] is (reaction == "corrected")
    assert talk.last["repeated"] is (reaction == "repeated")


@pytest.mark.parametrize("prompt", ["no", "ok", "still failing"])
def test_a_first_prompt_reacts_to_nothing(talk, prompt):
    talk.prompt(prompt)
    assert talk.last["reaction"] == "new-topic"


@pytest.mark.parametrize(
    ("reply", "after", "skimmed"),
    [(LONG_REPLY, 19, True), (LONG_REPLY, 20, False), ("word " * 149, 1, False), ("word " * 150, 1, True)],
)
def test_a_long_reply_answered_faster_than_it_can_be_read_was_skimmed(talk, reply, after, skimmed):
    talk.prompt("explain")
    talk.reply(reply)
    talk.prompt("next", after=after)
    assert talk.last["skimmed"] is skimmed


@pytest.mark.parametrize(("after", "break_"), [(20 * 60, False), (20 * 60 + 1, True)])
def test_twenty_minutes_make_a_break(talk, after, break_):
    talk.prompt("one")
    talk.prompt("two", after=after)
    assert (talk.last["gapSec"], talk.last["afterBreak"]) == (after, break_)


def test_a_prompt_before_the_reply_came_is_an_interruption(talk):
    talk.prompt("one")
    talk.prompt("two")
    assert talk.last["interrupted"]
    talk.reply("done")
    talk.prompt("three")
    assert not talk.last["interrupted"]


def test_the_same_event_passes_once(talk):
    assert talk.prompt("one", event="x") is True
    assert talk.prompt("one", event="x") is False
    assert talk.prompt("two", event="y") is True
    assert len(talk.lines) == 2
    assert talk.prompt("three", event="x", who={"session": "s-2", "agent": "claude"}) is True


def test_an_agent_that_numbers_no_events_has_every_turn_counted(talk):
    assert [talk.prompt("one", event=""), talk.prompt("one", event="")] == [True, True]
    assert len(talk.lines) == 2


def test_a_turn_without_a_session_is_measured_alone(talk, home):
    assert talk.prompt("one", who={"session": "", "agent": "claude"})
    assert talk.last["gapSec"] is None
    assert not os.path.exists(home.interaction_tracks)


def test_a_reply_to_no_known_prompt_is_nothing(talk, home):
    talk.reply("done")
    assert json.loads(Path(home.interaction_tracks).read_text()) == {}


def test_the_twenty_latest_sessions_are_tracked_with_twelve_turns_each(talk, home):
    for number in range(23):
        talk.prompt("hello", who={"session": f"s-{number}", "agent": "claude"})
    for _ in range(14):
        talk.prompt("more", who={"session": "s-5", "agent": "claude"})
    talk.prompt("new", who={"session": "s-99", "agent": "claude"})
    tracks = json.loads(Path(home.interaction_tracks).read_text())
    assert list(tracks) == [*(f"s-{number}" for number in (4, *range(6, 23))), "s-5", "s-99"]
    assert len(tracks["s-5"]["turns"]) == 12


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"s-1": 7}', '{"s-1": {"at": "x", "keys": [{}], "reply": []}}'])
def test_a_damaged_track_file_costs_the_past_and_not_the_turn(talk, home, content):
    Path(home.interaction_tracks).write_text(content)
    assert talk.prompt("hello")
    assert talk.last["gapSec"] is None
    assert talk.prompt("again")
    assert talk.last["gapSec"] == 60


def test_while_the_tracks_are_locked_a_turn_counts_as_new_and_is_kept(talk, home, monkeypatch):
    monkeypatch.setattr(locks.Lock.__init__, "__defaults__", (0.01,))
    with locks.Lock(home.interaction_tracks) as held:
        assert held
        assert talk.prompt("hello", event="x")
        assert talk.prompt("hello", event="x")
    assert len(talk.lines) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_two_hundred_prompts_at_once_in_one_session_each_leave_their_line(talk, home, now):
    children = []
    for number in range(200):
        pid = os.fork()
        if pid == 0:
            fine = False
            try:
                fine = interaction.begin_turn(home, WHO, f"e-{number}", "hi", "/", now + number / 4, SETTINGS)
            finally:
                os._exit(0 if fine else 1)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 200
    talk.prompt("one more folds in what was spilled", after=60)
    assert len(talk.lines) == len({line["ts"] for line in talk.lines}) == 201
    assert os.listdir(home.spill) == []
