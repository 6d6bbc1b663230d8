"""Low ratings become failure files: once, for their session, with what had been said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import frontmatter, jsontext
from pal.base.home import Home
from pal.memory import failures
from pal.memory.ratings import Rating

NOW = 1_772_439_300.0
WHO = {"session": "s1", "agent": "claude"}
OTHER = {"session": "s2", "agent": "claude"}
TALK = [("user", "fix the login", "t"), ("assistant", "I deleted it.", "t"), ("user", "2 you broke it", "t")]


def _nothing(path: str) -> list[tuple[str, str, str]]:
    raise AssertionError("no transcript is to be read: " + path)


def _park(home: Home, who: dict[str, str], comment: str = "you broke it", value: int = 2, now: float = NOW) -> bool:
    rating = Rating(value, comment, "explicit")
    return failures.park(home, rating, who, "I deleted it.", "2 " + comment, "/w/app", "/t/s1.jsonl", now)


@pytest.mark.parametrize(("value", "parked"), [(1, True), (3, True), (4, False), (10, False)])
def test_a_rating_up_to_three_is_parked(home: Home, value: int, parked: bool) -> None:
    assert _park(home, WHO, value=value) is parked
    assert os.path.exists(home.pending_failure) is parked


def test_a_parked_failure_is_filed_with_its_conversation(home: Home) -> None:
    _park(home, WHO)
    [path] = failures.capture(home, WHO, TALK, NOW + 5, _nothing, zone="UTC")
    assert home.relative(path) == "memory/failures/2026-03/2026-03-02_you-broke-it.md"
    fields, body = frontmatter.parse(Path(path).read_text("utf-8"))
    assert fields == {
        "rating": 2,
        "context": "you broke it",
        "date": "2026-03-02",
        "ts": "2026-03-02T08:15:00.000Z",
        "session": "s1",
        "agent": "claude",
        "cwd": "/w/app",
        "source": "explicit",
    }
    assert body.index("## What Happened") < body.index("## Conversation Summary")
    assert "**USER:** fix the login" in body
    assert "**ASSISTANT:** I deleted it." in body
    assert jsontext.loads(Path(home.pending_failure).read_text("utf-8")) == {}


def test_a_failure_is_filed_once(home: Home) -> None:
    _park(home, WHO)
    assert len(failures.capture(home, WHO, TALK, NOW, _nothing)) == 1
    assert failures.capture(home, WHO, TALK, NOW, _nothing) == []


def test_an_event_parked_twice_is_one_failure(home: Home) -> None:
    for moment in (NOW, NOW + 1):
        rating = Rating(2, "you broke it", "explicit")
        failures.park(home, rating, WHO, "reply", "2 you broke it", "/w/app", "", moment, event="e1")
    assert len(failures.capture(home, WHO, TALK, NOW + 2, _nothing)) == 1


def test_two_low_ratings_of_one_session_are_two_failures(home: Home) -> None:
    _park(home, WHO, "you broke it", now=NOW)
    _park(home, WHO, "still broken", now=NOW + 1)
    assert len(failures.capture(home, WHO, TALK, NOW + 2, _nothing)) == 2


def test_another_sessions_fresh_failure_is_left_to_it(home: Home) -> None:
    _park(home, OTHER)
    assert failures.capture(home, WHO, TALK, NOW + 3000, _nothing) == []
    assert len(failures.capture(home, OTHER, TALK, NOW + 3001, _nothing)) == 1


def test_a_failure_nobody_came_back_for_is_filed_from_its_own_transcript(home: Home) -> None:
    _park(home, OTHER)
    read: list[str] = []

    def reader(path: str) -> list[tuple[str, str, str]]:
        read.append(path)
        return [("user", "what the other session said", "t")]

    [path] = failures.capture(home, WHO, TALK, NOW + 3700, reader)
    assert read == ["/t/s1.jsonl"]
    text = Path(path).read_text("utf-8")
    assert "what the other session said" in text
    assert "fix the login" not in text


def test_an_unreadable_transcript_costs_the_summary_only(home: Home) -> None:
    _park(home, OTHER)

    def reader(path: str) -> list[tuple[str, str, str]]:
        raise OSError("gone")

    [path] = failures.capture(home, WHO, TALK, NOW + 3700, reader)
    assert "you broke it" in Path(path).read_text("utf-8")
    assert "gone" in Path(home.log).read_text("utf-8")


def test_the_same_context_on_one_day_makes_two_files(home: Home) -> None:
    _park(home, WHO, now=NOW)
    failures.capture(home, WHO, TALK, NOW, _nothing, zone="UTC")
    _park(home, OTHER, now=NOW)
    [path] = failures.capture(home, OTHER, TALK, NOW, _nothing, zone="UTC")
    assert path.endswith("2026-03-02_you-broke-it-2.md")


def test_a_file_written_before_a_crash_is_not_written_again(home: Home) -> None:
    _park(home, WHO)
    parked = Path(home.pending_failure).read_bytes()
    failures.capture(home, WHO, TALK, NOW, _nothing)
    Path(home.pending_failure).write_bytes(parked)
    assert failures.capture(home, WHO, TALK, NOW, _nothing) == []
    assert len(os.listdir(os.path.join(home.failures, "2026-03"))) == 1


def test_the_last_ten_messages_are_kept_cut_at_500_units(home: Home) -> None:
    _park(home, WHO)
    talk = [("user", f"message {number} " + "x" * 900, "t") for number in range(15)]
    [path] = failures.capture(home, WHO, talk, NOW, _nothing)
    _, body = frontmatter.parse(Path(path).read_text("utf-8"))
    lines = [line for line in body.splitlines() if line.startswith("**USER:** ")]
    assert [line.split()[2] for line in lines] == [str(number) for number in range(5, 15)]
    assert all(len(line) <= 510 for line in lines)


def test_a_failure_in_words_is_filed_too(home: Home) -> None:
    rating = Rating(3, "that's wrong", "implicit")
    failures.park(home, rating, WHO, "reply", "that's wrong", "/w", "", NOW)
    [path] = failures.capture(home, WHO, TALK, NOW, _nothing)
    fields, _ = frontmatter.parse(Path(path).read_text("utf-8"))
    assert (fields["rating"], fields["source"]) == (3, "implicit")


def test_secrets_are_not_filed(home: Home) -> None:
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    rating = Rating(2, f"it printed {key}", "explicit")
    failures.park(home, rating, WHO, f"reply {key}", f"prompt {key} <private>diary</private>", "/w", "", NOW)
    failures.capture(home, WHO, [("user", f"here {key}", "t"), ("user", "<private>diary", "t")], NOW, _nothing)
    for folder, _, names in os.walk(home.memory):
        for name in names:
            content = (Path(folder) / name).read_text("utf-8")
            assert "sk-ant" not in content
            assert "diary" not in content


@pytest.mark.parametrize("said", ["\ud800", "nul \0", "x" * 3_000_000, "é😀", "", "---\nrating: 9\n---", "漢" * 500])
def test_any_text_can_fail(home: Home, said: str) -> None:
    failures.park(home, Rating(1, said, "explicit"), WHO, said, said, "/w", "", NOW)
    [path] = failures.capture(home, WHO, [("user", said, "t")], NOW, _nothing)
    fields, _ = frontmatter.parse(Path(path).read_text("utf-8"))
    assert (fields["rating"], fields["session"]) == (1, "s1")


def test_recent_gives_the_newest_first_and_reads_no_more(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(40):
        moment = NOW - day * 86400
        _park(home, WHO, f"failure {day}", now=moment)
        failures.capture(home, WHO, TALK, moment, _nothing, zone="UTC")
    read: list[str] = []
    header = failures.header

    def counting(path: str) -> object:
        read.append(path)
        return header(path)

    monkeypatch.setattr(failures, "header", counting)
    assert [fields["context"] for fields in failures.recent(home, 3)] == ["failure 0", "failure 1", "failure 2"]
    assert len(read) == 3


def test_recent_orders_one_days_failures_by_time(home: Home) -> None:
    for number, word in enumerate(("zebra", "apple", "mango")):
        _park(home, WHO, word, now=NOW + number)
    failures.capture(home, WHO, TALK, NOW + 9, _nothing)
    assert [fields["context"] for fields in failures.recent(home, 2)] == ["mango", "apple"]


def test_no_failures_are_no_trouble(home: Home) -> None:
    assert failures.recent(home, 5) == []
    assert failures.capture(home, WHO, TALK, NOW, _nothing) == []
