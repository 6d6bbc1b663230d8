"""Threads to come back to, and what is said after a task: both are logs that only grow."""

from __future__ import annotations

import pytest

from pal.base import records
from pal.base.errors import PalError
from pal.memory.tools import algorithm, figures, threads

WHO = {"session": "s1", "agent": "claude"}


def test_a_thread_is_opened_settled_and_opened_again(home, now):
    row = threads.add(home, "Ask Ann", "before the release", "/srv/shop", WHO, now)
    assert [each["title"] for each in threads.listing(home)] == ["Ask Ann"]
    assert threads.settle(home, row["id"][:4], threads.RESOLVED, now + 60)["resolved"] == "2026-03-02T08:16:00Z"
    assert [each["status"] for each in threads.listing(home)] == ["resolved"]
    assert threads.settle(home, row["id"], threads.OPEN, now + 120)["resolved"] is None
    (found,) = threads.listing(home)
    assert (found["status"], found["created"], found["context"]) == (
        "open",
        "2026-03-02T08:15:00Z",
        "before the release",
    )


def test_the_same_open_thread_is_kept_once_in_a_folder(home, now):
    first = threads.add(home, "Ask Ann", "", "/srv/shop", WHO, now)
    assert threads.add(home, "ask  ann", "", "/srv/shop", WHO, now)["id"] == first["id"]
    assert threads.add(home, "Ask Ann", "", "/srv/blog", WHO, now)["id"] != first["id"]
    threads.settle(home, first["id"], threads.RESOLVED, now)
    assert threads.add(home, "Ask Ann", "", "/srv/shop", WHO, now)["id"] != first["id"]


def test_settling_twice_writes_once(home, now):
    row = threads.add(home, "Ask Ann", "", "/srv/shop", WHO, now)
    threads.settle(home, row["id"], threads.RESOLVED, now)
    threads.settle(home, row["id"], threads.RESOLVED, now + 60)
    assert len(list(records.each(home.threads))) == 2


def test_threads_of_a_folder_are_those_below_it_newest_first(home, now):
    for number, folder in enumerate(("/srv/shop", "/srv/shop/api", "/srv/shopping", "/srv")):
        threads.add(home, f"T{number}", "", folder, WHO, now + number)
    assert [row["title"] for row in threads.listing(home, "/srv/shop")] == ["T1", "T0"]
    assert len(threads.listing(home)) == 4


@pytest.mark.parametrize("wanted", ["", "zz"])
def test_an_id_must_mean_one_thread(home, now, wanted):
    threads.add(home, "Ask Ann", "", "/srv/shop", WHO, now)
    with pytest.raises(PalError, match="an id that begins"):
        threads.settle(home, wanted, threads.RESOLVED, now)


@pytest.mark.parametrize("title", ["", " \n ", "<private>x</private>"])
def test_a_thread_needs_a_title(home, now, title):
    with pytest.raises(PalError, match="needs a title"):
        threads.add(home, title, "", "/srv", WHO, now)


def reflect(home, now, **fields):
    given = {"task": "Search page", "criteria": 8, "passed": 7, "failed": 1, "sentiment": 8, "answers": {}, **fields}
    return algorithm.reflect(home, **given, cwd="/srv/shop", who=WHO, now=now)


def test_a_reflection_is_one_line_with_three_answers(home, now):
    row, is_new = reflect(home, now, answers={"q1": "Measure first", "q3": "A\nprofiler"})
    assert is_new
    assert list(records.each(home.algorithm)) == [row]
    assert row == {
        "ts": "2026-03-02T08:15:00Z", **WHO, "cwd": "/srv/shop", "task": "Search page", "criteria_count": 8,
        "criteria_passed": 7, "criteria_failed": 1, "sentiment": 8, "q1": "Measure first", "q2": "", "q3": "A profiler",
    }  # fmt: skip


def test_the_same_reflection_is_kept_once(home, now):
    assert reflect(home, now)[1]
    assert not reflect(home, now + 5)[1]
    assert reflect(home, now + 5, passed=8, failed=0)[1]
    assert len(algorithm.recent(home, 9)) == 2


@pytest.mark.parametrize(
    "fields", [{"task": " "}, {"passed": 9}, {"failed": -1, "passed": 0}, {"sentiment": 0}, {"sentiment": 11}]
)
def test_a_reflection_that_does_not_add_up_is_refused(home, now, fields):
    with pytest.raises(PalError):
        reflect(home, now, **fields)
    assert algorithm.recent(home, 9) == []


def test_how_tasks_go_is_counted_and_foreign_rows_do_no_harm(home, now):
    reflect(home, now, answers={"q1": "Measure first"})
    reflect(home, now, task="Cart", criteria=2, passed=1, failed=1, sentiment=None)
    rows = [*algorithm.recent(home, 9), {"criteria_count": "many", "sentiment": True, "q1": 7}]
    assert figures.performance(rows) == {
        "reflections": 3, "sentiment": 8.0, "criteria": 10, "passed": 8, "pass_rate": 0.8,
        "observations": ["Measure first", "7"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "trend"),
    [([5, 5, 9, 9], "stable"), ([5, 5, 5, 6, 6, 6], "improving"), ([8, 8, 8, 7, 7, 7], "declining"), ([], "stable")],
)
def test_a_trend_needs_three_ratings_in_each_half(values, trend):
    assert figures.rated(values)["trend"] == trend
