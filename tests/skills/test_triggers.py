"""Which skills a prompt is offered, and in which form."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.base import jsontext
from pal.base.home import Home
from pal.skills import triggers


def entry(description: str, *words: str) -> dict:
    return {"description": description, "triggers": list(words), "keys": [triggers.key(word) for word in words]}


SKILLS = {
    "council": entry("Several views. Use when a decision is hard.", "council", "different views", "debate"),
    "extract-wisdom": entry("Pulls out what matters.", "extract wisdom", "key points", "takeaways"),
    "summarize": entry("Makes it short.", "summarize", "sum up", "tl dr", "key points"),
    "think": entry("Checks a plan.", "pre mortem", "red team"),
    "zip": entry("Packs.", "zip"),
}


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("please summarize this page", ["summarize"]),
        ("SUMMARIZE: this page!", ["summarize"]),
        ("give me a tl;dr", ["summarize"]),
        ("let us do a pre-mortem", ["think"]),
        ("the key\n  points, please", ["extract-wisdom", "summarize"]),
        ("summarize the key points", ["summarize", "extract-wisdom"]),
        ("debate the key points", ["extract-wisdom", "summarize", "council"]),
        ("debate the key points as a zip", ["extract-wisdom", "summarize", "council"]),
        ("summarising these pages", ["summarize"]),
        ("its key point", ["extract-wisdom", "summarize"]),
        ("run my red-teaming", ["think"]),
        ("unzip it", []),
        ("the keypoints", []),
        ("key to the points", []),
        ("red\u2014team it", ["think"]),
        ("nothing here", []),
        ("", []),
    ],
)
def test_whole_words_and_phrases_are_found_phrases_count_more_and_ties_go_by_name(prompt, names) -> None:
    assert [name for name, *_ in triggers.best(SKILLS, prompt)] == names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("summarise", "summarizing"),
        ("summarizes", "summarised"),
        ("analyse", "analyzing"),
        ("reviews", "reviewed"),
        ("planning", "plans"),
        ("entities", "entity"),
        ("boxes", "box"),
        ("classes", "class"),
        ("pages", "page"),
    ],
)
def test_the_forms_of_a_word_are_folded_into_one(one, other) -> None:
    assert triggers.folded(one) == triggers.folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("summary", "summarize"),
        ("review", "reviewer"),
        ("string", "str"),
        ("this", "thi"),
        ("analysis", "analyze"),
        ("red", "r"),
        ("bus", "bu"),
        ("tűrő", "tűr"),
    ],
)
def test_words_of_another_meaning_stay_apart(one, other) -> None:
    assert triggers.folded(one) != triggers.folded(other)


def test_each_match_says_what_matched() -> None:
    assert triggers.best(SKILLS, "sum up the key points") == [
        ("summarize", "Makes it short.", ["sum up", "key points"], 6),
        ("extract-wisdom", "Pulls out what matters.", ["key points"], 3),
    ]


def test_both_ends_of_a_long_prompt_are_read() -> None:
    filler = "lorem ipsum " * 5_000
    for prompt in ("summarize " + filler, filler + "summarize"):
        assert [name for name, *_ in triggers.best(SKILLS, prompt)] == ["summarize"]


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"skills": 3}', b'{"skills": {"a": 3}}', b"\xff\xfe"])
def test_a_missing_or_broken_index_offers_nothing(home: Home, content) -> None:
    if content is not None:
        Path(home.skill_index).write_bytes(content)
    assert triggers.match(home, "summarize") == []


def test_the_index_on_disk_is_what_is_matched(home: Home) -> None:
    Path(home.skill_index).write_text(jsontext.dumps({"skills": SKILLS}), "utf-8")
    assert triggers.match(home, "zip it") == [("zip", "Packs.", ["zip"], 1)]


def test_an_offer_is_a_line_that_begins_with_the_skills_name() -> None:
    text = triggers.offers(triggers.best(SKILLS, "sum up the key points"))
    assert text == (
        "/summarize: Makes it short. (matched: sum up, key points)\n"
        "/extract-wisdom: Pulls out what matters. (matched: key points)"
    )


def test_offers_stay_within_700_bytes_and_lose_the_last_first() -> None:
    long = {name: entry("ő" * 300, "word") for name in ("a" * 60, "b" * 60, "c" * 60)}
    matches = triggers.best(long, "word")
    assert len(matches) == 3
    text = triggers.offers(matches)
    assert len(text.encode()) <= 700
    assert [line[1] for line in text.split("\n")] == ["a", "b"]
    assert "ő" * 99 + "…" in text
    assert "ő" * 100 not in text
