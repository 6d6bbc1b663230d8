"""Cached counts, and counting anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import jsontext, records, state
from pal.base.home import Home
from pal.memory import counts, failures, ratings, sessions, work

NOW = 1_772_439_300.0


def test_a_capture_adds_one(home: Home) -> None:
    counts.bump(home, "ratings", NOW)
    counts.bump(home, "ratings", NOW)
    counts.bump(home, "failures", NOW, by=3)
    assert counts.read(home) == {"ratings": 2, "failures": 3}
    assert jsontext.loads(Path(home.counts).read_text("utf-8"))["updated"] == "2026-03-02T08:15:00Z"


def test_nothing_counted_is_no_numbers(home: Home) -> None:
    assert counts.read(home) == {}


def test_what_is_captured_is_counted(home: Home) -> None:
    who = {"session": "s1", "agent": "claude"}
    talk = [("user", "u" * 300, "t"), ("assistant", "a" * 300, "t")] * 2
    rating = ratings.Rating(2, "broken", "explicit")
    for moment in (NOW, NOW + 1):
        if ratings.record(home, rating, who, None, "/w", moment, "e1"):
            failures.park(home, rating, who, "reply", "prompt", "/w", "", moment, "e1")
        failures.capture(home, who, talk, moment, lambda path: [])
        work.capture(home, who, "/w", [*talk, ("user", str(moment), "t")], "Name", moment)
    assert counts.read(home) == {"ratings": 1, "failures": 1, "learnings": 1}


@pytest.mark.parametrize("content", ["{broken", "[]", '{"ratings": "many"}', '{"ratings": null}', ""])
def test_a_broken_cache_is_begun_anew(home: Home, content: str) -> None:
    Path(home.counts).write_text(content, "utf-8")
    counts.bump(home, "ratings", NOW)
    assert counts.read(home) == {"ratings": 1}


def test_a_recount_counts_the_files_themselves(home: Home) -> None:
    counts.bump(home, "ratings", NOW, by=99)
    for value in (7, 8):
        ratings.record(home, ratings.Rating(value, str(value), "explicit"), {"session": "s"}, None, "/", NOW)
    records.append(home, home.ratings, {"type": "other"}, NOW)
    notes = (
        (home.failures, "2026-03/a.md"),
        (home.session_learning, "2026-02/b.md"),
        (home.session_learning, "2026-03/c.md"),
        (home.wisdom, "development.md"),
        (home.relationship, "2026-03/2026-03-02.md"),
        (home.reflections, "2026-03-02_week-reflection.md"),
        (home.synthesis, "2026-03/d.md"),
    )
    for folder, name in notes:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", "utf-8")
        path.with_suffix(".txt").write_text("x", "utf-8")
    sessions.open(home, {"session": "s1", "agent": "claude"}, "/p", "startup", NOW)
    archive = os.path.join(home.archive_rows, "sessions-2026-01.jsonl")
    for key in ("s0", "s1"):
        records.append(home, archive, {"key": key, "row": {}}, NOW)
    state.update(home, home.projects, lambda held: held.update({"/w": {}}), NOW)
    found = counts.recount(home, NOW)
    assert found == {
        "ratings": 2,
        "failures": 1,
        "learnings": 2,
        "sessions": 2,
        "projects": 1,
        "frames": 1,
        "reflections": 1,
        "syntheses": 1,
        "relationship_days": 1,
    }
    assert counts.read(home) == found
