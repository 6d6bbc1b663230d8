"""Marks of machine-made prose."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def tells(load, ran):
    tool = load("humanize", "tells")
    return lambda text: json.loads(ran(tool, "-", "--json", stdin=text).out)


TELLS = [
    ("We delve into it.", "stock word"),
    ("In today's world all is new.", "empty opener"),
    ("It works. Moreover it is fast.", "empty opener"),
    ("It's not just a tool, but a journey.", "not only … but"),
    ("This isn't about speed. It's trust.", "isn't … it's"),
    ("A scalable, flexible, and maintainable thing.", "three in a row"),
    ("Sales rose, highlighting growth.", "hollow ending"),
    ("There are various reasons.", "hedge"),
    ("It works — mostly.", "long dash"),
    ("- **Speed**: it is quick", "bold label"),
    ("1. **Speed:** it is quick", "bold label"),
    ("Done \U0001f680", "emoji"),
]


@pytest.mark.parametrize(("text", "kind"), TELLS)
def test_a_tell_is_found(tells, text, kind):
    assert kind in {row["kind"] for row in tells(text)["tells"]}


@pytest.mark.parametrize(
    "text",
    [
        "New people lose most of their first week to access requests.",
        "The moreover clause. He ran, jumped and won.",
        "> We delve into it.",
        "Call `leverage()` here.",
        "```\nrobust = seamless\n```",
        "See [it](https://x.org/robust).",
    ],
)
def test_plain_prose_quotations_and_code_have_none(tells, text):
    assert tells(text)["tells"] == []


def test_lines_keep_their_numbers_behind_code(tells):
    assert tells("```\na\nb\n```\n\nWe delve.")["tells"][0]["line"] == 6


def test_an_even_rhythm_is_noticed_and_a_lively_one_is_not(tells):
    assert tells("One two three four five six. " * 14)["rhythm"]["even"]
    assert not tells(("Short one here. " + "word " * 20 + "end. ") * 8)["rhythm"]["even"]
