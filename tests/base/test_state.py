"""State files: changed under a lock, replaced whole, never lost when they are broken or busy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base import files, jsontext, locks, records, state

SOURCE = str(Path(state.__file__).resolve().parents[2])


def content(path: str) -> dict:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def asides(path: str) -> list[str]:
    name = os.path.basename(path)
    return sorted(found for found in os.listdir(os.path.dirname(path)) if found.startswith(name + ".corrupt-"))


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits two seconds for a lock."""
    monkeypatch.setattr(locks.Lock.__init__, "__defaults__", (0.01,))


def test_a_missing_file_is_empty_and_is_not_made_by_reading(home):
    assert state.read(home, home.sessions) == {}
    assert not os.path.exists(home.sessions)


def test_a_row_is_set_field_by_field_and_read_back(home, now):
    state.merge(home, home.sessions, "s1", {"name": "űrlap", "last": "a"}, now)
    row = state.merge(home, home.sessions, "s1", {"last": "b"}, now, add={"prompts": 2})
    assert row == {"name": "űrlap", "last": "b", "prompts": 2}
    assert state.merge(home, home.sessions, "s1", {}, now, add={"prompts": 3})["prompts"] == 5
    assert state.read(home, home.sessions) == {"s1": {"name": "űrlap", "last": "b", "prompts": 5}}


def test_defaults_fill_what_is_empty_only(home, now):
    state.merge(home, home.sessions, "s1", {}, now, default={"name": "first", "cwd": "/x"})
    row = state.merge(home, home.sessions, "s1", {"cwd": ""}, now, default={"name": "second"})
    assert row == {"name": "first", "cwd": ""}


def test_the_same_event_counts_once(home, now):
    for _ in range(3):
        state.merge(home, home.sessions, "s1", {}, now, add={"prompts": 1}, once={"event": "e1"})
    row = state.merge(home, home.sessions, "s1", {}, now, add={"prompts": 1}, once={"event": "e2"})
    assert row["prompts"] == 2


def test_a_file_is_one_line_a_row_and_is_not_rewritten_without_a_change(home, now):
    state.merge(home, home.sessions, "s1", {"a": 1}, now)
    state.merge(home, home.sessions, "s2", {"a": 2}, now)
    os.utime(home.sessions, (1, 1))
    state.merge(home, home.sessions, "s2", {"a": 2}, now)
    assert Path(home.sessions).read_text() == '{\n"s1": {"a": 1},\n"s2": {"a": 2}\n}\n'
    assert os.stat(home.sessions).st_mtime == 1


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b'{"a": ',
        b"[]",
        b'"text"',
        b"null",
        b"\x00" * 64,
        b'{"a": 1} extra',
        b"\xff\xfe{}",
        b"[" * 100_000,
        None,
    ],
    ids=lambda value: repr(value)[:16],
)
@pytest.mark.parametrize("writes", [True, False], ids=["writer", "reader"])
def test_what_cannot_be_an_object_is_moved_aside_with_its_bytes_and_logged(home, now, broken, writes):
    path = Path(home.sessions)
    if broken is None:
        (path / "inside").mkdir(parents=True)
    else:
        path.write_bytes(broken)
    if writes:
        assert state.merge(home, home.sessions, "s1", {"a": 1}, now) == {"a": 1}
        assert content(home.sessions) == {"s1": {"a": 1}}
    else:
        assert state.read(home, home.sessions) == {}
    (aside,) = asides(home.sessions)
    kept = path.parent / aside
    assert (kept / "inside").is_dir() if broken is None else kept.read_bytes() == broken
    assert aside in Path(home.log).read_text(encoding="utf-8")


def test_a_second_broken_file_does_not_replace_the_first_one_kept(home):
    for text in ("one", "two", "three"):
        Path(home.sessions).write_text(text)
        state.read(home, home.sessions)
    kept = [Path(home.state, name).read_text() for name in asides(home.sessions)]
    assert sorted(kept) == ["one", "three", "two"]


@pytest.mark.usefixtures("hasty")
def test_a_broken_file_is_left_alone_while_another_process_may_be_writing_it(home):
    Path(home.sessions).write_text("{")
    with locks.Lock(home.sessions):
        assert state.read(home, home.sessions) == {}
    assert Path(home.sessions).read_text() == "{"
    assert asides(home.sessions) == []


def test_rows_of_a_foreign_shape_survive_beside_ours(home, now):
    Path(home.sessions).write_text('{"version": 3, "s1": "text", "s2": [1]}')
    state.merge(home, home.sessions, "s1", {"a": 1}, now)
    assert content(home.sessions) == {"version": 3, "s1": {"a": 1}, "s2": [1]}


def test_only_the_newest_rows_stay_and_older_ones_go_to_the_months_file(home, now):
    for number in range(7):
        state.merge(home, home.sessions, f"s{number}", {"last": f"2026-03-0{number + 1}"}, now, keep=4)
    assert list(content(home.sessions)) == ["s3", "s4", "s5", "s6"]
    gone = list(records.each(os.path.join(home.archive_rows, "sessions-2026-03.jsonl")))
    assert [record["key"] for record in gone] == ["s0", "s1", "s2"]
    assert gone[0]["row"] == {"last": "2026-03-01"}


def test_what_is_kept_is_decided_by_the_field_that_is_named(home, now):
    for key, rank in (("a", "3"), ("b", "1"), ("c", "2")):
        state.merge(home, home.projects, key, {"rank": rank}, now, keep=2, order="rank")
    assert sorted(content(home.projects)) == ["a", "c"]


@pytest.mark.usefixtures("hasty")
def test_changes_a_busy_lock_kept_out_are_folded_in_in_their_order(home, now):
    state.merge(home, home.sessions, "s1", {"a": 0, "b": 0}, now, add={"n": 1})
    with locks.Lock(home.sessions):
        assert state.merge(home, home.sessions, "s1", {"a": 1}, now + 1, add={"n": 1}) is None
        assert state.merge(home, home.sessions, "s1", {"a": 2}, now + 2, add={"n": 1}) is None
        assert state.merge(home, home.sessions, "s9", {"x": 1}, now + 3, once={"event": "e"}) is None
        with pytest.raises(locks.Busy):
            state.update(home, home.sessions, lambda value: value.clear(), now)
        assert content(home.sessions) == {"s1": {"a": 0, "b": 0, "n": 1}}
    state.merge(home, home.sessions, "s1", {"b": 5}, now + 4)
    assert content(home.sessions) == {"s1": {"a": 2, "b": 5, "n": 3}, "s9": {"event": "e", "x": 1}}
    assert os.listdir(home.spill) == []


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"key": None, "set": {"a": 1}},
        {"key": "s1", "set": "text", "add": [1], "default": 4, "once": 5},
        {"key": "s1", "add": {"n": "text"}},
        {"key": "s1", "add": {"n": None, "a": {}}},
        {"line": "a log's line"},
    ],
    ids=repr,
)
def test_a_stranger_in_the_spill_stops_nobody(home, now, entry):
    place = os.path.join(home.spill, "sessions.json-0000")
    files.write(place, jsontext.dumps({"file": home.relative(home.sessions), **entry}))
    state.merge(home, home.sessions, "mine", {"a": 1}, now)
    assert content(home.sessions)["mine"] == {"a": 1}
    assert os.listdir(home.spill) == []


def test_an_error_in_the_change_leaves_the_file_and_frees_the_lock(home, now):
    state.merge(home, home.sessions, "s1", {"a": 1}, now)
    before = Path(home.sessions).read_bytes()

    def change(value):
        value.clear()
        raise KeyError("x")

    with pytest.raises(KeyError):
        state.update(home, home.sessions, change, now)
    assert Path(home.sessions).read_bytes() == before
    state.merge(home, home.sessions, "s1", {"a": 2}, now)


# Adds one to a counter of its own and one to a common counter, several times.
WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from pal.base import state
from pal.base.home import Home
home = Home(sys.argv[2])
for number in range(5):
    state.merge(home, home.counts, sys.argv[3], {"last": str(number)}, 1772439300.0 + number, add={"n": 1})
    state.merge(home, home.counts, "all", {}, 1772439300.0 + number, add={"n": 1})
"""


def test_forty_processes_that_count_lose_nothing(home, now):
    script = [sys.executable, "-I", "-S", "-c", WRITER, SOURCE, home.root]
    writers = [subprocess.Popen([*script, f"w{number}"]) for number in range(40)]
    assert [writer.wait(120) for writer in writers] == [0] * 40
    state.merge(home, home.counts, "end", {}, now)  # folds in what waits in the spill
    found = content(home.counts)
    assert found["all"]["n"] == 200
    assert {found[f"w{number}"]["n"] for number in range(40)} == {5}
