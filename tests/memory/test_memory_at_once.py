"""Many hooks at the same moment: nothing is lost, nothing is doubled, every file stays whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base import jsontext, locks, records, spill, state
from pal.base.home import Home
from pal.memory import counts, exchange, failures, handoff, projects, ratings, sessions, work

SOURCES = str(Path(__file__).resolve().parents[2] / "src")
NOW = 1_772_439_300.0
PROCESSES = 6
TURNS = 8

WRITER = f"""
import sys
sys.path.insert(0, {SOURCES!r})
from pal.base.home import Home
from pal.memory import counts, exchange, failures, handoff, projects, ratings, sessions, work

home, number = Home(sys.argv[1]), int(sys.argv[2])
own, shared = {{"session": "own%d" % number, "agent": "claude"}}, {{"session": "shared", "agent": "claude"}}
sys.stdin.readline()
talk = [("user", "please fix", "t"), ("assistant", "a" * 500, "t")] * 2
for turn in range({TURNS}):
    now = {NOW} + turn
    event = "e%d" % turn
    rating = ratings.Rating(2, "broken %d" % turn, "explicit")
    ratings.record(home, rating, own, "reply", "/w", now, event)
    ratings.record(home, rating, shared, "reply", "/w", now, event)
    failures.park(home, rating, own, "reply", "prompt", "/w", "", now)
    sessions.prompt_seen(home, own, "/w", "fix the login page", now, event)
    sessions.prompt_seen(home, shared, "/w", "fix the login page", now)
    exchange.remember_reply(home, own, "reply %d of %d" % (turn, number), now)
    handoff.note(home, "/w", "Note %d-%d" % (number, turn), "text", own, now)
    projects.touch(home, "/w/p%d" % number, own, "Title", "summary", now)
    projects.touch(home, "/w/shared", own, "Title", "summary", now)
    counts.bump(home, "bumps", now)
    work.note_activity(home, shared, "edited", "Edit", "/w/%d-%d.py" % (number, turn), now)
    failures.capture(home, own, talk, now, lambda path: [])
    work.capture(home, own, "/w", talk + [("user", "more", "t")] * turn, "One Name", now)
"""


@pytest.fixture
def written(home: Home) -> Home:
    """A home in which several processes have just written everything at once."""
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, home.root, str(number)], stdin=subprocess.PIPE)
        for number in range(PROCESSES)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"go\n")
        child.stdin.close()
    assert [child.wait(120) for child in children] == [0] * PROCESSES
    return home


def test_processes_that_write_at_once_lose_nothing(written: Home) -> None:
    home = written
    rated = list(records.each(home.ratings))
    own = {(row["session"], row["event"]) for row in rated if row["session"] != "shared"}
    assert len(own) == PROCESSES * TURNS
    assert sorted(row["event"] for row in rated if row["session"] == "shared") == [f"e{turn}" for turn in range(TURNS)]

    rows = state.read(home, home.sessions)
    assert [rows[f"own{number}"]["prompts"] for number in range(PROCESSES)] == [TURNS] * PROCESSES
    assert rows["shared"]["prompts"] == PROCESSES * TURNS

    assert counts.read(home)["bumps"] == PROCESSES * TURNS
    assert counts.read(home)["ratings"] == len(rated)
    assert len(projects.history(home, "/w/shared")) == PROCESSES
    assert all(exchange.last_reply(home, f"own{n}") == f"reply {TURNS - 1} of {n}" for n in range(PROCESSES))

    archive = os.path.join(home.archive_rows, "last-handoff-2026-03.jsonl")
    notes = {row["row"]["title"] for row in records.each(archive)} | {row["title"] for row in handoff.listing(home)}
    assert notes == {f"Note {number}-{turn}" for number in range(PROCESSES) for turn in range(TURNS)}

    assert len(failures.recent(home, 500)) == min(PROCESSES * TURNS, 40)
    filed = [name for _, _, names in os.walk(home.failures) for name in names if name.endswith(".md")]
    assert len(filed) == PROCESSES * TURNS
    learned = [name for _, _, names in os.walk(home.session_learning) for name in names]
    assert len(learned) == PROCESSES
    activity = records.each(os.path.join(home.activity, "shared.jsonl"))
    assert len({row["path"] for row in activity}) == PROCESSES * TURNS
    assert not os.listdir(home.spill)


def test_what_meets_a_busy_lock_waits_in_the_spill(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    who = {"session": "s1", "agent": "claude"}
    rating = ratings.Rating(2, "broken", "explicit")
    paths = (home.ratings, home.sessions, home.pending_failure, home.last_responses, home.handoffs, home.projects)
    monkeypatch.setattr(locks.Lock.__init__, "__defaults__", (0.01,))
    held = [locks.Lock(path) for path in paths]
    for lock in held:
        assert lock.__enter__()
    ratings.record(home, rating, who, "reply", "/w", NOW)
    sessions.prompt_seen(home, who, "/w", "fix the login page", NOW)
    failures.park(home, rating, who, "reply", "prompt", "/w", "", NOW)
    exchange.remember_reply(home, who, "reply", NOW)
    handoff.note(home, "/w", "Note", "text", who, NOW)
    assert not handoff.snapshot(home, "/old", "", "a", who, NOW)
    assert handoff.snapshot(home, "/q", "u", "a", who, NOW)
    projects.touch(home, "/w", who, "Title", "summary", NOW)
    assert failures.capture(home, who, [], NOW, lambda path: []) == []
    for lock in held:
        lock.__exit__()
    assert len(os.listdir(home.spill)) == 7

    other = {"session": "s2", "agent": "claude"}
    ratings.record(home, rating, other, "reply", "/w", NOW)
    sessions.prompt_seen(home, other, "/w", "fix the login page", NOW)
    exchange.remember_reply(home, other, "reply", NOW)
    handoff.note(home, "/other", "Other", "text", other, NOW)
    projects.touch(home, "/other", other, "Title", "summary", NOW)
    assert len(failures.capture(home, who, [], NOW, lambda path: [])) == 1
    assert not spill.waiting(home, home.ratings)
    assert not os.listdir(home.spill)
    assert [row["session"] for row in ratings.recent(home, 9)] == ["s1", "s2"]
    row = sessions.get(home, "s1")
    assert row is not None
    assert (row["name"], row["prompts"]) == ("Fix Login Page", 1)
    assert exchange.last_reply(home, "s1") == "reply"
    assert {row["folder"] for row in handoff.listing(home)} == {"/w", "/q", "/other"}
    assert len(projects.history(home, "/w")) == 1


def test_state_files_stay_json_with_one_row_a_line(written: Home) -> None:
    for path in (written.sessions, written.projects, written.handoffs, written.last_responses, written.counts):
        text = Path(path).read_text("utf-8")
        assert len(text.splitlines()) == len(jsontext.loads(text)) + 2


def test_a_learning_is_not_filed_twice_while_its_map_is_locked(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    who = {"session": "s1", "agent": "claude"}
    talk = [("user", "u" * 300, "t"), ("assistant", "a" * 300, "t")] * 2
    monkeypatch.setattr(locks.Lock.__init__, "__defaults__", (0.01,))
    with locks.Lock(home.learnings_map) as held:
        assert held
        assert work.capture(home, who, "/w", talk, "Name", NOW) is None
    assert work.capture(home, who, "/w", talk, "Name", NOW) is not None
