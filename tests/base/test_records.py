"""Logs of one JSON object a line: every record is there once, whoever writes and whatever breaks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pal.base import jsontext, locks, records

SOURCE = str(Path(records.__file__).resolve().parents[2])
RECORDS = st.dictionaries(st.text(max_size=5), st.integers() | st.text() | st.none(), max_size=4)
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX limits")


def lines(path: str) -> list:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits two seconds for a lock."""
    monkeypatch.setattr(locks.Lock.__init__, "__defaults__", (0.01,))


@given(written=st.lists(RECORDS, min_size=1, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_records_come_back_in_the_order_they_were_written(home, now, written):
    path = home.ratings
    if os.path.exists(path):
        os.unlink(path)
    for record in written:
        records.append(home, path, record, now)
    assert records.tail(path, 100) == written
    assert list(records.each(path)) == written
    assert Path(path).read_bytes().count(b"\n") == len(written)


def test_the_folder_is_made_and_the_file_is_the_users_alone(home, now):
    path = os.path.join(home.interaction, "2026-03.jsonl")
    records.append(home, path, {"a": 1}, now, durable=True)
    assert lines(path) == [{"a": 1}]
    if os.name != "nt":
        assert os.stat(path).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("count", [0, 1, 3, 5, 6])
def test_the_tail_is_at_most_so_many_records_oldest_first(home, now, count):
    for number in range(5):
        records.append(home, home.ratings, {"n": number}, now)
    assert [record["n"] for record in records.tail(home.ratings, count)] == list(range(5))[max(0, 5 - count) :]


def test_a_missing_log_has_no_records(home):
    assert records.tail(home.ratings, 5) == []
    assert list(records.each(home.ratings)) == []


def test_lines_that_are_no_records_are_skipped(home):
    good = b'{"n": 1}\n\n[1]\n"x"\nnot json\n{"n":\n\xff\xfe\n{"n": 2}\r\n{"n": 3}\n{"torn": '
    Path(home.ratings).write_bytes(good)
    assert [record["n"] for record in records.tail(home.ratings, 9)] == [1, 2, 3]
    assert [record["n"] for record in records.each(home.ratings)] == [1, 2, 3]


@pytest.mark.parametrize("cut", range(0, 31, 3))
def test_the_tail_never_shows_the_rest_of_a_line_that_was_cut(home, cut):
    row = b'{"n": 1, "inside": {"n": 22}}\n'
    Path(home.ratings).write_bytes(row * 3)
    found = records.tail(home.ratings, 9, limit=len(row) * 2 + cut)
    assert found == [{"n": 1, "inside": {"n": 22}}] * (3 if cut >= len(row) else 2 if cut else len(found))
    assert len(found) >= 1


def test_a_log_exactly_as_long_as_the_limit_is_read_whole(home):
    Path(home.ratings).write_bytes(b'{"n": 1}\n{"n": 2}\n')
    assert len(records.tail(home.ratings, 9, limit=18)) == 2


@pytest.mark.parametrize("torn", [b'{"torn": ', b"x", b'{"whole": 1}'])
def test_a_torn_last_line_is_fenced_off_by_the_next_writer(home, now, torn):
    Path(home.ratings).write_bytes(b'{"n": 1}\n' + torn)
    records.append(home, home.ratings, {"n": 2}, now)
    assert Path(home.ratings).read_bytes() == b'{"n": 1}\n' + torn + b'\n{"n": 2}\n'
    assert [record["n"] for record in records.tail(home.ratings, 9) if "n" in record] == [1, 2]


@pytest.mark.usefixtures("hasty")
def test_what_a_busy_lock_kept_out_is_folded_in_by_the_next_writer_in_order(home, now):
    with locks.Lock(home.ratings):
        for number in range(3):
            records.append(home, home.ratings, {"n": number}, now + number)
        assert not os.path.exists(home.ratings)
        assert len(os.listdir(home.spill)) == 3
    records.append(home, home.ratings, {"n": 3}, now + 3)
    assert lines(home.ratings) == [{"n": number} for number in range(4)]
    assert os.listdir(home.spill) == []


@pytest.mark.usefixtures("hasty")
def test_the_spill_of_one_log_does_not_reach_another_of_the_same_name(home, now):
    other = os.path.join(home.interaction, os.path.basename(home.ratings))
    with locks.Lock(home.ratings):
        records.append(home, home.ratings, {"n": 1}, now)
    records.append(home, other, {"n": 2}, now)
    assert lines(other) == [{"n": 2}]
    records.append(home, home.ratings, {"n": 3}, now)
    assert lines(home.ratings) == [{"n": 1}, {"n": 3}]


@pytest.mark.usefixtures("hasty")
def test_what_was_folded_in_before_a_crash_is_not_folded_in_twice(home, now):
    with locks.Lock(home.ratings):
        records.append(home, home.ratings, {"n": 1}, now)
    (name,) = os.listdir(home.spill)
    left = Path(home.spill, name).read_bytes()
    records.append(home, home.ratings, {"n": 2}, now)
    Path(home.spill, name).write_bytes(left)  # as if the writer had been killed before it removed this
    records.append(home, home.ratings, {"n": 3}, now)
    assert lines(home.ratings) == [{"n": 1}, {"n": 2}, {"n": 3}]


@pytest.mark.parametrize(
    "stranger",
    [
        b"",
        b"not json",
        b"[]",
        b'{"file": "memory/signals/ratings.jsonl"}',
        b'{"file": "memory/signals/ratings.jsonl", "line": 5}',
        b'{"file": "memory/signals/ratings.jsonl", "line": "not\\njson"}',
        None,
    ],
    ids=repr,
)
def test_a_stranger_in_the_spill_stops_nobody(home, now, stranger):
    place = Path(home.spill, "ratings.jsonl-0000")
    place.mkdir() if stranger is None else place.write_bytes(stranger)
    records.append(home, home.ratings, {"n": 1}, now)
    assert records.tail(home.ratings, 9)[-1] == {"n": 1}


def test_a_folder_in_place_of_the_log_is_kept_aside_and_said(home, now):
    os.makedirs(os.path.join(home.ratings, "inside"))
    assert records.tail(home.ratings, 1) == list(records.each(home.ratings)) == []
    records.append(home, home.ratings, {"n": 1}, now)
    assert lines(home.ratings) == [{"n": 1}]
    (aside,) = [name for name in os.listdir(home.signals) if name.startswith("ratings.jsonl.")]
    assert os.path.isdir(os.path.join(home.signals, aside, "inside"))
    assert aside in Path(home.log).read_text(encoding="utf-8")


def test_a_record_that_names_what_it_is_once_is_written_once(home, now):
    record = {"session": "s", "event": "e", "n": 1}
    assert records.append(home, home.ratings, record, now, once=("session", "event")) is True
    assert records.append(home, home.ratings, {**record, "n": 2}, now, once=("session", "event")) is False
    assert records.append(home, home.ratings, {**record, "event": "f"}, now, once=("session", "event")) is True
    assert [record["event"] for record in lines(home.ratings)] == ["e", "f"]


# Appends `count` records, each with its writer's name.
WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from pal.base import records
from pal.base.home import Home
home = Home(sys.argv[2])
for number in range(int(sys.argv[4])):
    records.append(home, home.ratings, {"who": sys.argv[3], "n": number, "pad": "x" * 300}, 1772439300.0 + number)
"""


def test_a_hundred_processes_lose_and_repeat_nothing(home, now):
    writers = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", WRITER, SOURCE, home.root, f"w{number}", "4"])
        for number in range(100)
    ]
    assert [writer.wait(120) for writer in writers] == [0] * 100
    records.append(home, home.ratings, {"who": "last", "n": 0}, now)  # folds in what waits in the spill
    found = [(record["who"], record["n"]) for record in lines(home.ratings)]
    assert sorted(found) == sorted([(f"w{who}", number) for who in range(100) for number in range(4)] + [("last", 0)])
    assert os.listdir(home.spill) == []


# Lets the log grow by a few bytes only, as a full disk would, and tries to append.
FULL = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
from pal.base import records
from pal.base.home import Home
home = Home(sys.argv[2])
room = os.path.getsize(home.ratings) + int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
try:
    records.append(home, home.ratings, {"n": 2, "pad": "x" * 500}, 0.0)
except OSError:
    print("refused")
"""


@posix
@pytest.mark.parametrize("room", [0, 1, 10, 100])
def test_a_full_disk_leaves_the_log_as_it_was_and_says_so(home, now, room):
    for number in range(50):
        records.append(home, home.ratings, {"n": number}, now)
    before = Path(home.ratings).read_bytes()
    script = [sys.executable, "-I", "-S", "-c", FULL, SOURCE, home.root, str(room)]
    assert subprocess.run(script, capture_output=True, timeout=60).stdout == b"refused\n"
    assert Path(home.ratings).read_bytes() == before
    records.append(home, home.ratings, {"n": "after"}, now)
    assert lines(home.ratings)[-1] == {"n": "after"}


def test_a_record_of_any_text_stays_on_its_line(home, now):
    record = {"a": "one\ntwo\r\u2028\x00\ud800", "ű\n": "😀"}
    records.append(home, home.ratings, record, now)
    assert Path(home.ratings).read_bytes().count(b"\n") == 1
    assert records.tail(home.ratings, 1) == [jsontext.loads(jsontext.dumps(record))]


def test_an_event_that_was_spilled_is_not_written_again_when_it_comes_a_second_time(home, hasty, now):
    event = {"session": "s", "event": "e1", "rating": 8}
    with locks.Lock(home.ratings):
        records.append(home, home.ratings, event, now, once=("session", "event"))
    assert records.append(home, home.ratings, {**event, "rating": 9}, now, once=("session", "event")) is False
    assert [row["rating"] for row in records.each(home.ratings)] == [8]


def test_the_same_event_spilled_twice_is_one_record(home, hasty, now):
    for rating in (8, 9):
        with locks.Lock(home.ratings):
            record = {"session": "s", "event": "e1", "rating": rating}
            records.append(home, home.ratings, record, now + rating, once=("session", "event"))
    records.append(home, home.ratings, {"session": "s", "event": "e2", "rating": 3}, now)
    assert [row["event"] for row in records.each(home.ratings)] == ["e1", "e2"]
