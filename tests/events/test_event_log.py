"""The log of events: what is sound is kept, in order; what is not is a line in PAL's own log and nothing else."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pal.base import rotation
from pal.events import log


def start(now: float, call: str = "c1", session: str = "s1") -> log.Event:
    return log.event("tool_start", "hook", now, session_id=session, agent="a", tool="Bash", call_id=call)


def test_events_are_read_back_in_the_order_they_were_kept(home, now) -> None:
    first, second = start(now), log.event("session_end", "hook", now + 1, session_id="s1")
    assert log.emit(home, first) == log.emit(home, second) == []
    assert list(log.each(home)) == log.recent(home, 10) == [first, second]
    assert log.recent(home, 1) == [second]
    assert log.recent(home, 0) == []


def test_the_folder_is_made_when_it_is_missing(home, now) -> None:
    os.rmdir(home.jobs)
    os.rmdir(home.spill)
    os.rmdir(home.digests)
    os.rmdir(home.state)
    assert log.emit(home, start(now)) == []
    assert len(log.recent(home, 10)) == 1


def test_an_unsound_event_is_dropped_with_the_reason_in_the_log(home, now) -> None:
    assert log.emit(home, {**start(now), "secret": "hunter2"}, start(now)) == ["secret is no field of tool_start"]
    assert len(log.recent(home, 10)) == 1
    logged = Path(home.log).read_text("utf-8")
    assert "secret is no field of tool_start" in logged
    assert "hunter2" not in logged


def test_an_event_of_more_than_16_kib_is_dropped(home, now) -> None:
    assert log.emit(home, {**start(now), "args_keys": ["é" * 500] * 20}) == ["it is longer than 16384 bytes"]
    assert log.recent(home, 10) == []


def test_a_folder_in_its_place_is_kept_under_another_name(home, now) -> None:
    os.mkdir(home.events)
    assert log.emit(home, start(now)) == []
    assert len(log.recent(home, 5)) == 1
    assert [path.is_dir() for path in Path(home.state).glob("hook-events.jsonl.corrupt-*")] == [True]


def test_a_torn_line_hides_neither_the_event_before_nor_the_one_behind(home, now) -> None:
    log.emit(home, start(now, "c1"))
    with open(home.events, "ab") as stream:
        stream.write(b'{"v": 1, "id": "01K')
    log.emit(home, start(now, "c2"))
    with open(home.events, "ab") as stream:
        stream.write(b"foreign\n\n[]\n")
    log.emit(home, start(now, "c3"))
    assert [event["call_id"] for event in log.each(home)] == ["c1", "c2", "c3"]


def test_old_events_move_on_and_the_oldest_go(home, now, monkeypatch) -> None:
    monkeypatch.setattr(log, "ROTATE_AT", 1000)
    for number in range(40):
        log.emit(home, start(now + number, f"c{number}"))
    assert [os.path.exists(path) for path in [*log.paths(home), home.events + ".4"]] == [True] * 4 + [False]
    calls = [event["call_id"] for event in log.each(home)]
    assert calls == [f"c{number}" for number in range(40 - len(calls), 40)]
    assert all(os.path.getsize(path) <= 1300 for path in log.paths(home))


def test_a_file_that_somebody_else_rotated_is_left_alone(tmp_path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"short")
    rotation.rotate(str(path), 100, 3)
    assert path.read_bytes() == b"short"


def test_many_writers_lose_and_mix_nothing(home, now) -> None:
    def write(writer: int) -> None:
        for number in range(50):
            log.emit(home, start(now, f"{writer}-{number}"), start(now, f"{writer}-{number}b"))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    kept = [event["call_id"] for event in log.each(home)]
    assert len(kept) == len(set(kept)) == 800


def test_what_is_open_is_what_has_a_start_and_no_end(now) -> None:
    first, second, other = start(now, "c1"), start(now, "c2"), start(now, "c3", "s2")
    end = log.end_of(first, now + 0.5, True)
    assert (end["call_id"], end["duration_ms"], end["session_id"]) == ("c1", 500.0, "s1")
    assert log.open_calls([first, second, other, end], "s1") == [second]
    assert log.open_calls([second, log.end_of(second, now, False, "unknown")], "s1") == []


@pytest.mark.parametrize("empty", ["", None])
def test_fields_without_a_value_are_left_out(now, empty) -> None:
    assert "agent" not in log.event("session_end", "hook", now, session_id="s1", agent=empty)
