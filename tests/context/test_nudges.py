"""When a review is due, and that a reminder stops once it was done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base.home import Home
from pal.base.settings import Settings
from pal.context import nudges
from pal.memory.tools import algorithm

DAY = 86_400.0
ON = Settings({"dynamicContext": {"dueReminders": True}})


def file(path: str, at: float) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("x\n", "utf-8")
    os.utime(path, (at, at))


def notes(home: Home, count: int, at: float) -> None:
    for number in range(count):
        file(f"{home.relationship}/2026-02/2026-02-{number + 10}.md", at)


def learnings(home: Home, count: int, at: float) -> None:
    for number in range(count):
        folder = home.failures if number % 3 == 0 else home.session_learning
        file(f"{folder}/2026-02/2026-02-10_{number}.md", at)


def test_nothing_is_due_in_a_fresh_home(home: Home, now: float) -> None:
    assert nudges.due(home, ON, now) == []


def test_nothing_is_said_to_who_did_not_ask(home: Home, now: float) -> None:
    notes(home, 9, now - DAY)
    learnings(home, 20, now - DAY)
    assert nudges.due(home, Settings({}), now) == []
    assert len(nudges.due(home, ON, now)) == 2


@pytest.mark.parametrize(("count", "said"), [(4, False), (5, True)])
def test_a_reflection_is_due_after_five_days_of_notes(home: Home, now: float, count: int, said: bool) -> None:
    notes(home, count, now - DAY)
    due = nudges.due(home, ON, now)
    assert bool(due) is said
    if said:
        assert due[0].startswith("5 days of relationship notes")
        assert "`pal reflect`" in due[0]


@pytest.mark.parametrize(("count", "said"), [(9, False), (10, True)])
def test_an_analysis_is_due_after_ten_learnings_and_failures(home: Home, now: float, count: int, said: bool) -> None:
    learnings(home, count, now - DAY)
    due = nudges.due(home, ON, now)
    assert bool(due) is said
    if said:
        assert due[0].startswith("10 learnings and failures")


def test_a_reminder_stops_once_acted_on_and_comes_back_with_new_material(home: Home, now: float) -> None:
    notes(home, 9, now - DAY)
    learnings(home, 20, now - DAY)
    file(f"{home.reflections}/2026-03-02_weekly-reflection.md", now)
    file(f"{home.synthesis}/2026-03/2026-03-02_weekly.md", now)
    assert nudges.due(home, ON, now + 60) == []
    later = now + 8 * DAY
    assert nudges.due(home, ON, later) == []
    notes(home, 9, later)
    learnings(home, 20, later)
    for folder in (f"{home.relationship}/2026-02", f"{home.failures}/2026-02", f"{home.session_learning}/2026-02"):
        os.utime(folder, (later, later))
    assert len(nudges.due(home, ON, later)) == 2


def test_a_report_of_a_reflection_counts_as_one(home: Home, now: float) -> None:
    notes(home, 9, now - DAY)
    file(f"{home.reflections}/2026-03-02_weekly-reflection.md", now)
    assert nudges.due(home, ON, now) == []


def test_an_opinion_that_was_confirmed_is_no_reflection(home: Home, now: float) -> None:
    notes(home, 9, now - DAY)
    file(home.opinions, now)
    assert len(nudges.due(home, ON, now)) == 1


def test_a_review_is_due_after_ten_tasks_until_its_frame_is_written(home: Home, now: float) -> None:
    for number in range(10):
        assert nudges.due(home, ON, now) == []
        algorithm.reflect(home, f"Task {number}", 1, 1, 0, 8, {}, "/w", {"session": "s"}, now)
    (said,) = nudges.due(home, ON, now)
    assert said.startswith("10 tasks were looked back on")
    file(f"{home.wisdom}/algorithm.md", now)
    assert nudges.due(home, ON, now) == []
