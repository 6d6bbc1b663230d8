"""`signals/ratings.jsonl`: what is kept of a rating, once, and the trend read from its end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import jsontext, records
from pal.base.home import Home
from pal.memory import ratings

NOW = 1_772_439_300.0  # 2026-03-02T08:15:00Z
WHO = {"session": "s1", "agent": "claude"}


def _lines(home: Home) -> list[dict[str, object]]:
    return [jsontext.loads(line) for line in Path(home.ratings).read_text("utf-8").splitlines()]


def test_a_record_says_who_rated_what_and_when(home: Home) -> None:
    found = ratings.parse("9 - great")
    assert found is not None
    assert ratings.record(home, found, WHO, "I fixed it.", "/srv/app", NOW, "prompt-1")
    assert _lines(home) == [
        {
            "ts": "2026-03-02T08:15:00Z",
            "session": "s1",
            "agent": "claude",
            "type": "rating",
            "rating": 9,
            "source": "explicit",
            "context": "great",
            "response_preview": "I fixed it.",
            "cwd": "/srv/app",
            "event": "prompt-1",
        }
    ]


def test_a_rating_without_a_known_reply_names_none(home: Home) -> None:
    ratings.record(home, ratings.Rating(9, "9", "explicit"), WHO, None, "/p", NOW)
    assert "response_preview" not in _lines(home)[0]


def test_an_event_seen_twice_is_rated_once(home: Home) -> None:
    rating = ratings.Rating(9, "9", "explicit")
    assert ratings.record(home, rating, WHO, None, "/p", NOW, "e1")
    assert not ratings.record(home, rating, WHO, None, "/p", NOW + 1, "e1")
    assert ratings.record(home, rating, WHO, None, "/p", NOW + 2, "e2")
    assert ratings.record(home, rating, {"session": "s2", "agent": "claude"}, None, "/p", NOW + 3, "e1")
    assert len(_lines(home)) == 3


def test_secrets_and_private_text_are_not_kept(home: Home) -> None:
    rating = ratings.Rating(
        2, "it printed sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 <private>my diary", "explicit"
    )
    ratings.record(home, rating, WHO, "reply <private>secret</private> end", "/p", NOW)
    text = Path(home.ratings).read_text("utf-8")
    assert "sk-ant" not in text
    assert "diary" not in text
    assert "secret" not in text


def test_the_preview_is_cut_at_500_units(home: Home) -> None:
    ratings.record(home, ratings.Rating(9, "9", "explicit"), WHO, "😀" * 5000, "/p", NOW)
    preview = str(_lines(home)[0]["response_preview"])
    assert len(preview.encode("utf-16-le")) // 2 <= 500


@pytest.mark.parametrize("text", ["\ud800 lone", "nul \0 here", "sor\nok", "x" * 3_000_000])
def test_any_text_can_be_recorded(home: Home, text: str) -> None:
    ratings.record(home, ratings.Rating(9, text, "explicit"), WHO, text, text[:50], NOW)
    assert len(_lines(home)) == 1


def test_recent_skips_what_is_no_rating(home: Home) -> None:
    for value in range(1, 6):
        ratings.record(home, ratings.Rating(value, str(value), "explicit"), WHO, None, "/p", NOW + value)
    records.append(home, home.ratings, {"type": "rating", "rating": "many"}, NOW)
    with open(home.ratings, "ab") as stream:
        stream.write(b"{torn")
    assert [row["rating"] for row in ratings.recent(home, 4)] == [3, 4, 5]


def _rate(home: Home, days_ago: float, value: int) -> None:
    ratings.record(home, ratings.Rating(value, str(value), "explicit"), WHO, None, "/p", NOW - days_ago * 86400)


def test_no_ratings_have_no_averages(home: Home) -> None:
    assert ratings.trend(home, NOW, "UTC") == {
        "today": None,
        "week": None,
        "month": None,
        "trend": "stable",
        "count": 0,
    }


@pytest.mark.parametrize(
    ("values", "trend"),
    [
        ([4, 4, 4, 8, 8, 8], "up"),
        ([8, 8, 8, 4, 4, 4], "down"),
        ([8, 8, 8, 8, 8, 9], "stable"),
        ([2, 9, 2, 9], "stable"),
    ],
)
def test_the_trend_compares_the_halves_of_the_month(home: Home, values: list[int], trend: str) -> None:
    for at, value in enumerate(values):
        _rate(home, len(values) - at, value)
    assert ratings.trend(home, NOW, "UTC")["trend"] == trend


def test_averages_cover_today_a_week_and_a_month(home: Home) -> None:
    for days_ago, value in ((40, 1), (20, 4), (5, 6), (0, 8), (0, 9)):
        _rate(home, days_ago, value)
    found = ratings.trend(home, NOW, "UTC")
    assert (found["today"], found["week"], found["month"], found["count"]) == (8.5, 7.7, 6.8, 4)
    assert jsontext.loads(Path(home.signal_cache).read_text("utf-8"))["today"] == 8.5


def test_the_cache_answers_until_a_rating_or_a_day_is_added(home: Home) -> None:
    _rate(home, 0, 8)
    first = ratings.trend(home, NOW, "UTC")
    stamp = os.stat(home.signal_cache).st_mtime_ns
    assert ratings.trend(home, NOW + 60, "UTC") == first
    assert os.stat(home.signal_cache).st_mtime_ns == stamp
    _rate(home, 0, 4)
    assert ratings.trend(home, NOW + 60, "UTC")["today"] == 6.0
    assert ratings.trend(home, NOW + 86400, "UTC")["today"] is None


def test_only_the_end_of_a_long_log_is_read(home: Home) -> None:
    line = '{"ts":"2026-03-02T08:00:00Z","type":"rating","rating":5,"context":"%s"}\n' % ("x" * 400)
    Path(home.ratings).write_text(line * 20_000, "utf-8")
    assert ratings.trend(home, NOW, "UTC")["count"] <= 200
