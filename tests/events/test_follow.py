"""Whoever follows the log sees every event once and in order, whatever happens to the files."""

from __future__ import annotations

import os
from pathlib import Path

from pal.events import follow, log


def put(home, now: float, *calls: str) -> None:
    log.emit(home, *[log.event("tool_start", "hook", now, tool="Bash", call_id=call) for call in calls])


def calls(lines) -> list[str]:
    return [event["call_id"] for event, _ in lines]


def test_only_what_comes_after_the_beginning_is_seen_and_only_once(home, now):
    put(home, now, "before")
    follower = follow.Follower(home)
    assert follower.poll() == []
    put(home, now, "a", "b")
    assert calls(follower.poll()) == ["a", "b"]
    assert follower.poll() == []


def test_a_log_that_is_not_there_yet_is_waited_for(home, now):
    follower = follow.Follower(home)
    assert follower.poll() == []
    put(home, now, "a")
    assert calls(follower.poll()) == ["a"]


def test_half_a_line_waits_for_its_other_half(home, now):
    put(home, now, "a")
    follower = follow.Follower(home)
    put(home, now, "b")
    data = Path(home.events).read_bytes()
    with open(home.events, "wb") as stream:
        stream.write(data[:-5])
    assert follower.poll() == []
    with open(home.events, "ab") as stream:
        stream.write(data[-5:])
    assert calls(follower.poll()) == ["b"]


def test_rotations_hide_nothing(home, now, monkeypatch):
    monkeypatch.setattr(log, "ROTATE_AT", 700)
    put(home, now, "before")
    follower, seen = follow.Follower(home), []
    for number in range(30):
        put(home, now, f"c{number}")
        if number % 7 == 0:
            seen += calls(follower.poll())
    seen += calls(follower.poll())
    assert seen == [f"c{number}" for number in range(30)]


def test_a_file_that_somebody_emptied_is_read_from_its_beginning(home, now):
    put(home, now, "a", "b")
    follower = follow.Follower(home)
    os.truncate(home.events, 0)
    put(home, now, "c")
    assert calls(follower.poll()) == ["c"]


def test_a_reader_goes_on_behind_the_event_it_saw_last_even_in_an_older_file(home, now, monkeypatch):
    monkeypatch.setattr(log, "ROTATE_AT", 900)
    for number in range(12):
        put(home, now, f"c{number}")
    kept = list(log.each(home))
    assert os.path.exists(home.events + ".1")
    for position in (0, len(kept) // 2, len(kept) - 1):
        lines = follow.since(home, kept[position]["id"])
        assert lines is not None
        assert [event for event, _ in lines] == kept[position + 1 :]
    assert follow.since(home, "01KJQ0000000000000000000000"[:26]) is None


def test_the_newest_are_found_across_files_and_a_line_is_what_the_file_holds(home, now, monkeypatch):
    monkeypatch.setattr(log, "ROTATE_AT", 900)
    for number in range(12):
        put(home, now, f"c{number}")
    assert calls(follow.newest(home, 6)) == [f"c{number}" for number in range(6, 12)]
    event, line = follow.newest(home, 1)[0]
    assert log.parse(line) == event
    assert follow.newest(home, 0) == []
