"""One week with PAL by a fixed clock: prompts, ratings and notes go in, and every file that comes of them is compared
with what a person would expect to read: the days' notes, opinions, a frame, the failures, the report, the portrait."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pal.base import settings as settings_file
from pal.base.asking import nobody
from pal.context import semi_static
from pal.hooks import session_end, session_start, stop, user_prompt
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput
from pal.memory.learning import rounds
from pal.memory.tools import algorithm, opinion_book, relationship_notes, threads

MONDAY = 1_772_439_300.0  # 2026-03-02 08:15 UTC
DAY = 86_400.0
ANSWER = "The gallery reads its images in order now, and the page is quiet while they load. " * 8

# What happens on each day: the session's prompt, what the user says about the reply, what is noted.
WEEK = (
    ("rename the gallery component", "9/10, lovely", (("O", "Prefers short answers", 0.8),)),
    (
        "repair the checkout button",
        "2/10, run the tests before saying it works",
        (("W", "The shop ships on Friday", None),),
    ),
    ("speed up the product search", "8, quick", (("B", "Likes answers that are short", 0.7),)),
    (
        "write the invoice template",
        "3/10, run the tests before you say it works",
        (("O", "Short answers, please", 0.9),),
    ),
    ("translate the order emails", "7 - fine", (("O", "Likes tabs over spaces", 0.6),)),
    ("add a voucher field", "2/10, always run the tests before saying it works", ()),
    ("clean the image cache", "10", (("W", "Anna reviews on Sunday", None),)),
)


def live(home, folder: str, number: int) -> None:
    """One day: a session of two prompts, its notes in between, and what runs once a day after it."""
    prompt, verdict, notes = WEEK[number]
    at = MONDAY + number * DAY
    who = {"session": f"day-{number}", "agent": "claude"}
    values = settings_file.load(home)

    def frame(later: float) -> Frame:
        return Frame(home, values, at + later, {"HOME": os.path.dirname(home.root)}, lambda *_: None, lambda: None)

    def turn(event: str, **fields) -> HookInput:
        made = HookInput(event, who["agent"], who["session"], folder)
        for name, value in fields.items():
            setattr(made, name, value)
        return made

    talk = [("user", prompt, ""), ("assistant", ANSWER, ""), ("user", verdict, ""), ("assistant", "Noted.", "")]
    session_start.run(turn("session-start", source="startup"), frame(0))
    user_prompt.run(turn("user-prompt", prompt=prompt, event_id="p1"), frame(60))
    stop.run(turn("stop", reply=ANSWER, read_transcript=lambda path: talk[:2]), frame(120))
    relationship_notes.append(home, notes, who, at + 180, values.zone, folder)
    user_prompt.run(turn("user-prompt", prompt=verdict, event_id="p2"), frame(240))
    stop.run(turn("stop", reply="Noted.", read_transcript=lambda path: talk), frame(300))
    session_end.run(turn("session-end", source="exit"), frame(360))
    rounds.daily(home, values, nobody, at + 12 * 3600)


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    """A home after the week, and the folder that was worked in."""
    from pal.base.home import Home

    user = tmp_path_factory.mktemp("week")
    home = Home(str(user / ".pal"))
    for path in (home.state, home.signals):
        os.makedirs(path)
    Path(home.settings).write_text('{"identity": {"principal": {"timezone": "UTC"}}}', "utf-8")
    folder = user / "shop"
    (folder / ".git").mkdir(parents=True)
    for number in range(len(WEEK)):
        live(home, str(folder), number)
        if number == 2:
            opinion_book.weigh(
                home, "prefers-short-answers", opinion_book.CONFIRMATION, "yes, short", MONDAY + 2.5 * DAY, "UTC"
            )
            algorithm.reflect(
                home, "Product search", 5, 4, 1, 8, {"q1": "Measure before tuning"}, str(folder),
                {"session": "day-2", "agent": "claude"}, MONDAY + 2.5 * DAY,
            )  # fmt: skip
            threads.add(home, "Ask Ann about the licence", "", str(folder), {"session": "day-2"}, MONDAY + 2.5 * DAY)
    return home, str(folder)


def read(*parts: str) -> str:
    return Path(*parts).read_text("utf-8")


def body(*parts: str) -> str:
    """What a person reads below the header."""
    return read(*parts).partition("---\n\n")[2]


def test_each_day_has_its_page_of_notes(week):
    home, folder = week
    assert read(home.relationship, "2026-03", "2026-03-02.md") == (
        f"# 2026-03-02\n\n## 08:18\n<!-- session:day-0 cwd:{folder} -->\n- O(c=0.8): Prefers short answers\n"
    )
    assert read(home.relationship, "2026-03", "2026-03-08.md") == (
        f"# 2026-03-08\n\n## 08:18\n<!-- session:day-6 cwd:{folder} -->\n- W: Anna reviews on Sunday\n"
    )
    pages = sorted(name for name in os.listdir(Path(home.relationship, "2026-03")) if name[0] != ".")
    assert pages == [f"2026-03-0{day}.md" for day in (2, 3, 4, 5, 6, 8)]


def test_the_notes_became_one_opinion_that_grew(week):
    home, _ = week
    (row,) = json.loads(read(home.opinions))["opinions"]
    assert row == {
        "id": "prefers-short-answers",
        "statement": "Prefers short answers",
        "confidence": 0.62,
        "category": "communication",
        "evidence": [
            {"date": "2026-03-02", "type": "noted", "source": "Prefers short answers"},
            {"date": "2026-03-04", "type": "noted", "source": "Likes answers that are short"},
            {"date": "2026-03-04", "type": "confirmation", "source": "yes, short", "from": 0.5},
            {"date": "2026-03-05", "type": "supporting", "source": "Short answers, please", "from": 0.6},
        ],
        "created": "2026-03-04T20:15:00Z",
        "updated": "2026-03-05T20:15:00Z",
    }


def test_each_reflection_that_moved_something_left_a_report(week):
    home, _ = week
    reports = sorted(name for name in os.listdir(home.reflections) if name[0] != ".")
    assert "2026-03-04_weekly-reflection.md" in reports
    assert (
        body(home.reflections, "2026-03-04_weekly-reflection.md")
        == """# Reflection 2026-02-26 to 2026-03-04

3 notes: 1 fact, 1 opinion, 1 pattern.
3 ratings, 6.3 on average.

## Opinions

- New at 50%: Prefers short answers
  - 2026-03-04: Likes answers that are short

## The user's world

- The shop ships on Friday

## What they did not like

- 2/10: run the tests before saying it works

## What they liked

- 9/10: lovely
- 8/10: quick
"""
    )


def test_what_went_wrong_three_times_became_a_principle(week):
    home, _ = week
    failed = sorted(name for name in os.listdir(Path(home.failures, "2026-03")) if name.endswith(".md"))
    assert failed == [
        "2026-03-03_run-the-tests-before-saying-it-works.md",
        "2026-03-05_run-the-tests-before-you-say-it-works.md",
        "2026-03-07_always-run-the-tests-before-saying-it-works.md",
    ]
    assert (
        read(home.wisdom, "development.md")
        == """# Frame: Development

## Meta

- Domain: Development
- Observation Count: 1
- Last Updated: 2026-03-07

## Core Principles

### Run the tests before saying it works [CRYSTAL: 85%]

Came up in 3 sessions.

## Contextual Rules

## Anti-Patterns

## Evolution Log

- 2026-03-07: crystallised a principle at 85%: Run the tests before saying it works
"""
    )


def test_the_week_is_reported_on_its_last_day(week):
    home, _ = week
    assert [name for name in os.listdir(Path(home.synthesis, "2026-03")) if name[0] != "."] == ["2026-03-08_weekly.md"]
    assert (
        body(home.synthesis, "2026-03", "2026-03-08_weekly.md")
        == """# Weekly synthesis, 2026-03-02 to 2026-03-08

## In numbers

- 7 sessions on 7 days
- 7 ratings: 5.9 on average, 3 low, declining
- 3 learnings, 3 failures
- noted: 2 facts, 3 opinions, 1 pattern
- 1 task looked back on: 4 of 5 criteria passed

## Sessions

- 2026-03-02: Rename Gallery Component
- 2026-03-03: Repair Checkout Button
- 2026-03-04: Speed Product Search
- 2026-03-05: Write Invoice Template
- 2026-03-06: Translate Order Emails
- 2026-03-07: Add Voucher Field
- 2026-03-08: Clean Image Cache

## Projects

- shop: 7 sessions

## What led to low ratings

- 2026-03-03, 2/10: run the tests before saying it works
- 2026-03-05, 3/10: run the tests before you say it works
- 2026-03-07, 2/10: always run the tests before saying it works

## What keeps coming up

- Run the tests before saying it works (development, 3 sessions)

## Opinions that moved

- new, now at 62%: Prefers short answers

## Principles noted

- development: crystallised a principle at 85%: Run the tests before saying it works
"""
    )


def test_the_portrait_names_the_user_and_the_one_thing_to_watch(week):
    home, _ = week
    assert (
        body(home.self_model)
        == """## Who I work with

- Anna reviews on Sunday
- The shop ships on Friday
- Prefers short answers
- Likes answers that are short

## My one priority now

Run the tests before saying it works

Made of 1 opinion, 1 principle, 1 pattern, 3 low ratings, 1 observation, 1 behaviour, 2 facts; 30 days to 2026-03-08.
"""
    )


def test_the_next_session_is_told_what_was_learned(week):
    home, folder = week
    values = settings_file.load(home)
    now = MONDAY + 7 * DAY
    told = {source.slug: semi_static.text_of(source, home, values, now) for source in semi_static.SOURCES}
    assert told["wisdom"] == "- [Development] Run the tests before saying it works (85%)"
    assert told["opinions"] == "", "62 % is not settled enough"
    assert "run the tests before saying it works" in told["failures"]
    turn = HookInput("session-start", "claude", "day-7", folder)
    turn.source = "startup"
    env = {"HOME": os.path.dirname(home.root)}
    context = session_start.run(turn, Frame(home, values, now, env, lambda *_: None, lambda: None)).context
    for expected in (
        "Ratings of 10: 5.9 in seven days, 5.9 in thirty; 7 ratings, falling.",
        "The last 1 task looked back on: 4 of 5 criteria passed.",
        "2026-03-08 08:18:\n- W: Anna reviews on Sunday",
        "7 sessions so far; you are in it",
    ):
        assert expected in context


def test_nothing_else_was_left_behind(week):
    home, _ = week
    made = {home.relative(str(path)).rpartition("/")[0] for path in Path(home.memory).rglob("*") if path.is_file()}
    assert made <= {
        "memory/cache", "memory/cache/digests", "memory/failures/2026-03", "memory/relationship",
        "memory/relationship/2026-03", "memory/relationship/reflections", "memory/self-model",
        "memory/session-learning/2026-03", "memory/signals", "memory/signals/interaction", "memory/state",
        "memory/synthesis/2026-03", "memory/wisdom/frames", "memory/wisdom/state",
    }  # fmt: skip
    assert not os.path.exists(home.log), read(home.log)
    assert not [path for path in Path(home.root).rglob("*") if ".pal-tmp-" in path.name]
