"""What a stop hands over: enough to learn from, little, clean, and only when something is due."""

from __future__ import annotations

import pytest

from pal.base.settings import Settings
from pal.memory import excerpt

WHO = {"session": "s1", "agent": "claude"}
PLAIN = Settings({})
ROW = {"name": "Mend Torn Lines", "prompts": 4, "turns": 4, "upgraded": True}
TALK = [
    message
    for number in range(4)
    for message in (
        ("user", f"Mend the parser, step {number}", ""),
        ("assistant", f"Step {number}. " + "It reads. " * 60, ""),
    )
]


def parts(row=ROW, messages=TALK, settings=PLAIN, env=(), failed=False):
    payload = excerpt.handover(row, WHO, "/srv/site", messages, settings, dict(env), "p1", failed)
    return payload.get("parts", [])


@pytest.mark.parametrize(
    ("row", "messages", "due"),
    [
        (ROW, TALK, ["session"]),
        (ROW, TALK[:4], []),
        (ROW, [(role, said[:20], "") for role, said, _ in TALK], []),
        (ROW, [("user", "x" * 900, ""), *[("assistant", "y" * 500, "")] * 5], []),
        ({**ROW, "learned": 8}, TALK, []),
        ({**ROW, "learned": 8, "turns": 8}, TALK, []),
        ({**ROW, "learned": 8, "turns": 9}, TALK, ["session"]),
        ({**ROW, "upgraded": False}, TALK, ["session", "name"]),
        ({**ROW, "upgraded": False}, TALK[:2], ["name"]),
        ({"turns": 1}, TALK[:2], []),
        ({}, [], []),
    ],
    ids=[
        "enough of everything",
        "too few messages",
        "too little text",
        "too few questions",
        "read before",
        "nine more",
        "ten more",
        "its name is a rule's",
        "a first turn",
        "no person typed anything",
        "nothing is known",
    ],
)
def test_a_session_is_due_when_there_is_enough_of_it_and_again_after_ten_more_messages(row, messages, due):
    assert parts(row, messages) == due


@pytest.mark.parametrize(
    ("said", "unsure"),
    [
        ("that is annoying, the header is gone", True),
        ("great, now the footer", True),
        ("WHAT IS THIS", True),
        ("it broke!!", True),
        ("now add the footer", False),
        ("ugh", False),
        ("/review this awful file", False),
        ("good\n\n" + "a pasted page", False),
        ("wrong " * 200, False),
    ],
)
def test_only_a_short_prompt_that_sounds_of_liking_or_dislike_is_worth_a_question(said, unsure):
    talk = [("user", "go", ""), ("assistant", "Done.", ""), ("user", said, ""), ("assistant", "Sorry.", "")]
    assert excerpt.is_unsure(said) is unsure
    payload = excerpt.handover(ROW, WHO, "/", talk, PLAIN, {}, "p1")
    assert payload.get("felt") == ([said, "Done."] if unsure else None)


@pytest.mark.parametrize(
    ("settings", "env", "left"),
    [
        ({"inference": {"daily_calls": 0}}, {}, ["session"]),
        ({}, {"PAL_INFERENCE_DISABLED": "1"}, ["session"]),
        ({"learning": {"sessions": False}}, {}, ["name", "feeling"]),
        ({"learning": {"sessionNames": False, "sentiment": False}}, {}, ["session"]),
    ],
)
def test_nothing_is_handed_over_that_is_switched_off_or_that_nobody_could_answer(settings, env, left):
    talk = [*TALK, ("user", "great work, thanks", "")]
    row = {**ROW, "upgraded": False}
    assert parts(row, talk, Settings(settings), env) == left


def test_a_low_rating_hands_over_that_it_was_filed():
    assert parts({}, [], failed=True) == ["principle"]


def test_what_is_handed_over_is_short_scrubbed_and_without_private_passages():
    secret = "ghp_" + "8fK2mQ9xLrT4vWbZ7nPcY3hJ6dGsA1eU5oXi"
    talk = [
        ("user", f"use {secret} and <private>my salary</private> for the login", ""),
        ("assistant", "first " * 400, ""),
        ("user", "go on " * 400, ""),
        ("assistant", "last " * 400, ""),
    ]
    kept = excerpt.cleaned(talk)
    assert [role for role, _ in kept] == ["user", "assistant", "user", "assistant"]
    assert kept[0][1].startswith("use [redacted:") and kept[0][1].endswith("] and  for the login")
    assert [len(said) <= most for (_, said), most in zip(kept[1:], (200, 400, 800))] == [True] * 3
    assert kept[3][1].startswith("last last") and len(kept[3][1]) > 790
    assert len(excerpt.cleaned(talk * 50)) <= 24
    assert sum(len(said) for _, said in excerpt.cleaned([("user", "x" * 900, "")] * 50)) <= 9000


def test_the_length_of_a_long_session_is_told_by_its_turns():
    assert excerpt.counted({"turns": 90}, TALK) == 180
    assert excerpt.counted({}, TALK) == 8
