"""A denial lifted by a person: one use, within a day, of the same thing."""

from __future__ import annotations

from pal.base import files
from pal.guard import allow_once


def test_what_is_granted_is_taken_once(home, now):
    allow_once.grant(home, "d1", "some-rule", now)
    assert not allow_once.take(home, "d2", now)
    assert allow_once.take(home, "d1", now + 60)
    assert not allow_once.take(home, "d1", now + 60)


def test_a_day_later_it_is_void(home, now):
    allow_once.grant(home, "d1", "some-rule", now)
    assert not allow_once.take(home, "d1", now + allow_once.LASTS + 1)


def test_grants_stand_beside_each_other_and_old_ones_go(home, now):
    allow_once.grant(home, "d1", "some-rule", now)
    allow_once.grant(home, "d2", "some-rule", now + 10)
    allow_once.grant(home, "d3", "some-rule", now + allow_once.LASTS + 5)
    assert "d1" not in files.read_text(home.guard_once)
    assert allow_once.take(home, "d2", now + allow_once.LASTS + 5)


def test_a_grant_from_the_future_or_of_another_form_is_none(home, now):
    files.write(home.guard_once, '{"d1": {"until": "2099-01-01T00:00:00Z"}, "d2": 7, "d3": {"until": "soon"}}')
    assert [allow_once.take(home, name, now) for name in ("d1", "d2", "d3")] == [False, False, False]


def test_without_any_grant_nothing_is_written(home, now):
    assert not allow_once.take(home, "d1", now)
    assert files.read_bytes(home.guard_once) is None


def test_a_broken_file_grants_nothing_and_is_set_aside(home, now):
    files.write(home.guard_once, "{")
    assert not allow_once.take(home, "d1", now)
