"""Reflection: like notes become an opinion, an opinion gains by notes, a note counts once, a report tells of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.memory import ratings
from pal.memory.tools import likeness, opinion_book, reflect, relationship_notes

DAY = 86_400.0
WHO = {"session": "s1", "agent": "claude"}


def note(home, now, *said, kind="O") -> None:
    relationship_notes.append(home, [(kind, text, 0.8) for text in said], WHO, now, "UTC")


def held(home) -> list[tuple[str, float]]:
    return [(row["statement"], row["confidence"]) for row in opinion_book.load(home)]


def test_two_like_notes_make_an_opinion_at_half_and_one_makes_none(home, now):
    note(home, now - DAY, "Prefers short answers", "Works late")
    reflect.run(home, now - DAY + 60, "UTC")
    assert held(home) == []
    note(home, now, "Likes answers that are short")
    reflect.run(home, now + 60, "UTC")
    assert held(home) == [("Prefers short answers", 0.5)]


def test_opinions_and_patterns_both_count_and_facts_do_not(home, now):
    note(home, now, "Prefers short answers")
    note(home, now, "Short answers please them", kind="B")
    note(home, now, "The shop ships on Friday", "On Friday the shop ships", kind="W")
    reflect.run(home, now, "UTC")
    assert held(home) == [("Prefers short answers", 0.5)]


def test_each_further_note_adds_two_per_cent_once(home, now):
    note(home, now, "Prefers short answers", "Likes short answers", "Short answers only")
    reflect.run(home, now, "UTC")
    assert held(home) == [("Prefers short answers", 0.52)]
    for _ in range(3):
        reflect.run(home, now + 60, "UTC")
    assert held(home) == [("Prefers short answers", 0.52)]
    note(home, now + DAY, "Short answers again")
    found = reflect.run(home, now + DAY, "UTC")
    assert held(home) == [("Prefers short answers", 0.54)]
    assert [(row["from"], row["confidence"]) for row in found.moved] == [(0.52, 0.54)]


def test_the_same_words_on_another_day_are_one_more_piece_of_evidence(home, now):
    for back in (3, 2, 1, 0):
        note(home, now - back * DAY, "Prefers short answers")
    reflect.run(home, now, "UTC")
    assert held(home) == [("Prefers short answers", 0.54)]


def test_reflecting_again_without_new_notes_moves_nothing(home, now):
    words = ["tests", "commits", "answers", "parsers", "tabs", "spaces", "tea", "reviews", "small", "short", "late"]
    said = [f"{one} {other}" for at, one in enumerate(words) for other in words[at + 1 :]]
    note(home, now, *said)
    reflect.run(home, now, "UTC")
    before = held(home)
    assert before
    for _ in range(2):
        assert not reflect.run(home, now + 60, "UTC").changed
    assert held(home) == before


def test_a_note_supports_the_opinion_it_is_most_like(home, now):
    opinion_book.add(home, "Prefers short commit messages", now)
    opinion_book.add(home, "Prefers short answers in chat", now)
    note(home, now, "Prefers answers in chat that are short")
    reflect.run(home, now, "UTC")
    assert dict(held(home)) == {"Prefers short commit messages": 0.5, "Prefers short answers in chat": 0.52}


def test_a_note_that_denies_an_opinion_takes_five_per_cent_and_makes_none_of_its_own(home, now):
    opinion_book.add(home, "Likes long answers", now)
    note(home, now, "Does not like long answers", "Hates long answers")
    reflect.run(home, now, "UTC")
    assert held(home) == [("Likes long answers", 0.4)]


@pytest.mark.parametrize(
    ("one", "other", "like"),
    [
        ("Prefers short answers", "Likes answers that are short", True),
        ("Prefers concise answers", "Wants concise responses", True),
        ("User prefers tabs over spaces", "Likes tabs, not spaces", True),
        ("Never push to main directly", "Do not push directly to main", True),
        ("Check the migration on staging before deploying", "Test migrations on staging before a deploy", True),
        ("Prefers short answers", "Likes tabs over spaces", False),
        ("Likes tabs over spaces", "Likes tea over coffee", False),
        ("Likes long answers", "Dislikes long answers", False),
        ("Prefers short commit messages", "Prefers short answers in chat", False),
        ("Read the whole file before editing it", "Read the error message before guessing", False),
    ],
)
def test_what_says_the_same_is_told_from_what_only_sounds_alike(one, other, like):
    assert (likeness.nearest(one, [other]) == 0) is like
    assert (len(likeness.groups([one, other])) == 1) is like


def test_what_is_older_than_the_window_is_not_looked_at(home, now):
    note(home, now - 8 * DAY, "Prefers short answers")
    note(home, now, "Likes short answers")
    reflect.run(home, now, "UTC")
    assert held(home) == []
    reflect.run(home, now, "UTC", days=10)
    assert held(home) == [("Prefers short answers", 0.5)]


def test_the_report_says_what_a_person_would_want_to_know(home, now):
    note(home, now - DAY, "Prefers short answers")
    note(home, now, "Likes short answers")
    note(home, now, "The shop ships on Friday", kind="W")
    opinion_book.add(home, "Uses Postgres everywhere", now, "UTC")
    note(home, now, "Wants Postgres everywhere, even in tests", kind="B")
    for said in ("9/10, lovely", "2 - you broke the build"):
        ratings.record(home, ratings.parse(said), WHO, None, "/srv/shop", now)
    found = reflect.run(home, now + 60, "UTC")
    assert (
        Path(found.report).read_text("utf-8").partition("---\n\n")[2]
        == """# Reflection 2026-02-24 to 2026-03-02

4 notes: 1 fact, 2 opinions, 1 pattern.
2 ratings, 5.5 on average.

## Opinions

- New at 50%: Prefers short answers
  - 2026-03-02: Likes short answers
- From 50% to 52%: Uses Postgres everywhere
  - 2026-03-02: Wants Postgres everywhere, even in tests

## The user's world

- The shop ships on Friday

## What they did not like

- 2/10: you broke the build

## What they liked

- 9/10: lovely
"""
    )
    assert found.report == os.path.join(home.reflections, "2026-03-02_weekly-reflection.md")


def test_a_second_report_of_a_day_is_written_only_when_something_moved_and_never_over_the_first(home, now):
    note(home, now, "Prefers short answers", "Likes short answers")
    first = Path(reflect.run(home, now, "UTC").report)
    before = first.read_bytes()
    assert reflect.run(home, now + 60, "UTC").report == ""
    note(home, now + 120, "Short answers only")
    second = reflect.run(home, now + 180, "UTC").report
    assert second.endswith("2026-03-02_weekly-reflection-2.md")
    assert first.read_bytes() == before


def test_a_dry_run_says_the_same_and_writes_nothing(home, now):
    note(home, now, "Prefers short answers", "Likes short answers")
    listed = sorted(str(path) for path in Path(home.root).rglob("*"))
    told = reflect.run(home, now, "UTC", dry=True).as_row()
    assert sorted(str(path) for path in Path(home.root).rglob("*")) == listed
    assert {**reflect.run(home, now, "UTC").as_row(), "report": ""} == told


@pytest.mark.parametrize(
    ("notes", "later", "is_due"),
    [(0, DAY, False), (1, 60, False), (4, 60, False), (5, 60, True), (1, DAY, True)],
    ids=["nothing new", "one note at once", "four at once", "five at once", "one after a day"],
)
def test_it_is_due_when_enough_new_notes_came_or_a_day_passed(home, now, notes, later, is_due):
    note(home, now - 300, "Prefers tea", "Works late")
    assert reflect.due(home, now, "UTC")
    reflect.run(home, now, "UTC")
    assert not reflect.due(home, now + 30, "UTC")
    words = ("apples", "brackets", "colours", "drums", "elephants")
    note(home, now + later, *(f"Cares for {word}" for word in words[:notes]))
    assert reflect.due(home, now + later, "UTC") is is_due


def test_a_note_of_the_minute_of_the_last_reflection_is_new(home, now):
    reflect.run(home, now, "UTC")
    note(home, now + 30, *(f"Likes {word}" for word in ("apples", "brackets", "colours", "drums", "elephants")))
    assert reflect.due(home, now + 40, "UTC")


def test_groups_do_not_depend_on_the_order_of_what_is_grouped():
    said = ["commit small steps", "commit small changes", "small changes reviewed", "drink tea", "tea drink hot"]
    found = {frozenset(said[place] for place in group) for group in likeness.groups(said)}
    backwards = said[::-1]
    assert {frozenset(backwards[place] for place in group) for group in likeness.groups(backwards)} == found
