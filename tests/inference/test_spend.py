"""What may be asked in a day: counted before it happens, stopped hard, in the user's own days."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from pal.base import locks
from pal.base.settings import Settings
from pal.inference import spend

DAY = 86_400.0
FEW = Settings({"inference": {"daily_calls": 3, "daily_tokens": 1000}, "identity": {"principal": {"timezone": "UTC"}}})


def test_calls_and_tokens_are_counted_by_day_and_route(home, now):
    for route, tokens in (("a-spawn", 100), ("a-spawn", 50), ("b-api", 7)):
        assert spend.reserve(home, FEW, route, now) == ""
        spend.record(home, FEW, route, tokens, now)
    assert spend.reserve(home, FEW, "b-api", now + DAY) == ""
    assert spend.days(home) == {
        "2026-03-02": {
            "day": "2026-03-02",
            "calls": 3,
            "tokens": 157,
            "routes": {"a-spawn": {"calls": 2, "tokens": 150}, "b-api": {"calls": 1, "tokens": 7}},
        },
        "2026-03-03": {"day": "2026-03-03", "calls": 1, "tokens": 0, "routes": {"b-api": {"calls": 1, "tokens": 0}}},
    }


def test_the_file_is_one_line_a_day_for_a_person_to_read(home, now):
    spend.reserve(home, FEW, "a-spawn", now)
    lines = Path(home.spend).read_text().splitlines()
    assert lines[0] == "{"
    assert lines[1].startswith('"2026-03-02": {"day": "2026-03-02", "calls": 1, "tokens": 0')


def test_when_the_calls_are_used_up_the_next_is_refused_and_not_counted(home, now):
    assert [spend.reserve(home, FEW, "a", now) for _ in range(3)] == ["", "", ""]
    for _ in range(2):
        reason = spend.reserve(home, FEW, "a", now)
        assert "3 model calls" in reason
        assert "inference.daily_calls" in reason
    assert spend.today(home, FEW, now).calls == 3
    assert spend.today(home, FEW, now).stop == reason
    assert spend.reserve(home, FEW, "a", now + DAY) == ""


def test_when_the_tokens_are_used_up_the_next_is_refused(home, now):
    spend.reserve(home, FEW, "a", now)
    spend.record(home, FEW, "a", 1000, now)
    assert "1,000 tokens" in spend.reserve(home, FEW, "a", now)


@pytest.mark.parametrize("key", ["daily_calls", "daily_tokens"])
def test_nothing_is_asked_where_the_user_allows_nothing(home, now, key):
    assert spend.reserve(home, Settings({"inference": {key: 0}}), "a", now) != ""
    assert spend.days(home) == {}


@pytest.mark.parametrize("wrong", [-1, "many", None, True, 1.5, {}])
def test_a_limit_that_is_no_number_is_the_default(home, now, wrong):
    day = spend.today(home, Settings({"inference": {"daily_calls": wrong, "daily_tokens": wrong}}), now)
    assert (day.calls_limit, day.tokens_limit) == (60, 500_000)


def test_a_day_is_the_user_s_day(home, now):
    """08:15 UTC is the same morning in Budapest; 23:30 UTC is the next day there."""
    late = now + 15.25 * 3600
    there = Settings({"identity": {"principal": {"timezone": "Europe/Budapest"}}})
    spend.reserve(home, there, "a", now)
    spend.reserve(home, there, "a", late)
    assert list(spend.days(home)) == ["2026-03-02", "2026-03-03"]
    assert spend.today(home, FEW, late).calls == 1


def test_of_many_at_once_no_more_are_let_through_than_there_may_be(home, now):
    allowed = []

    def ask():
        for _ in range(5):
            if not spend.reserve(home, FEW, "a", now):
                allowed.append(1)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(allowed) == 3
    assert spend.today(home, FEW, now).calls == 3


def test_what_cannot_be_counted_is_not_asked(home, now, monkeypatch):
    monkeypatch.setattr(locks, "WAIT", 0.0)
    with locks.Lock(home.spend) as held:
        assert held
        monkeypatch.setattr(locks.Lock, "__enter__", lambda self: False)
        assert "locked" in spend.reserve(home, FEW, "a", now)
        spend.record(home, FEW, "a", 5, now)  # lost without harm: the call itself was counted


def test_where_nothing_can_be_written_nothing_is_asked(home, now, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pal.base.files.put", full)
    assert "No space left" in spend.reserve(home, FEW, "a", now)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"2026-03-02": 5}', '{"2026-03-02": {"calls": "x", "routes": 7}}', '{"2026-03-02": {"calls": -4}}'],
)
def test_a_damaged_count_begins_anew(home, now, text):
    Path(home.spend).write_text(text)
    assert spend.reserve(home, FEW, "a", now) == ""
    assert spend.today(home, FEW, now).calls == 1
    json.loads(Path(home.spend).read_text())


def test_old_days_move_to_a_dated_file(home, now):
    for number in range(95):
        spend.reserve(home, FEW, "a", now + number * DAY)
    assert len(spend.days(home)) == 92
    assert min(spend.days(home)) == "2026-03-05"
    assert os.listdir(home.archive_rows)
