"""The last reply of each session, and the last exchange kept across a compaction."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import jsontext, text
from pal.base.home import Home
from pal.memory import exchange

NOW = 1_772_439_300.0
WHO = {"session": "s1", "agent": "claude"}


def _who(session: str) -> dict[str, str]:
    return {"session": session, "agent": "claude"}


def test_a_reply_belongs_to_its_session_alone(home: Home) -> None:
    exchange.remember_reply(home, _who("s1"), "one", NOW)
    exchange.remember_reply(home, _who("s2"), "two", NOW + 1)
    exchange.remember_reply(home, _who("s1"), "three", NOW + 2)
    assert exchange.last_reply(home, "s1") == "three"
    assert exchange.last_reply(home, "s2") == "two"
    assert exchange.last_reply(home, "s3") is None
    assert exchange.last_reply(home, "") is None


def test_the_file_holds_response_time_and_agent(home: Home) -> None:
    exchange.remember_reply(home, WHO, "x" * 5000, NOW)
    row = jsontext.loads(Path(home.last_responses).read_text("utf-8"))["s1"]
    assert set(row) == {"response", "ts", "agent"}
    assert text.units(row["response"]) <= 2000


def test_twenty_replies_are_kept(home: Home) -> None:
    for number in range(25):
        exchange.remember_reply(home, _who(f"s{number}"), "reply", NOW + number)
    assert set(jsontext.loads(Path(home.last_responses).read_text("utf-8"))) == {f"s{n}" for n in range(5, 25)}


def test_an_empty_reply_or_no_session_changes_nothing(home: Home) -> None:
    exchange.remember_reply(home, WHO, "one", NOW)
    exchange.remember_reply(home, WHO, " \n", NOW + 1)
    exchange.remember_reply(home, _who(""), "two", NOW + 1)
    assert exchange.last_reply(home, "s1") == "one"


def test_an_exchange_is_given_back_once(home: Home) -> None:
    exchange.keep(home, WHO, "auto", "fix it", "I fixed it.", "keep the plan", NOW)
    kept = exchange.recover(home, "s1")
    assert kept is not None
    assert kept["trigger"] == "auto"
    assert kept["customInstructions"] == "keep the plan"
    assert "User: fix it" in kept["text"]
    assert "Assistant: I fixed it." in kept["text"]
    assert exchange.recover(home, "s1") is None


def test_an_exchange_is_for_its_session_alone(home: Home) -> None:
    exchange.keep(home, WHO, "auto", "fix it", "I fixed it.", "", NOW)
    assert exchange.recover(home, "s2") is None
    assert exchange.recover(home, "") is None
    assert exchange.recover(home, "s1") is not None


@pytest.mark.parametrize(
    ("user", "assistant"),
    [
        ("u" * 50_000, "a" * 50_000),
        ("😀" * 30_000, "é" * 30_000),
        ("short", "a" * 8_000 + "b" * 1000),
        ("u" * 9000, ""),
    ],
)
def test_what_is_told_stays_within_9000_units_and_says_what_is_missing(home: Home, user: str, assistant: str) -> None:
    exchange.keep(home, WHO, "auto", user, assistant, "", NOW)
    kept = exchange.recover(home, "s1")
    assert kept is not None
    assert text.units(kept["text"]) <= exchange.RECOVERED
    assert "more characters were left out]" in kept["text"]


def test_a_short_prompt_leaves_its_room_to_the_reply(home: Home) -> None:
    exchange.keep(home, WHO, "auto", "short", "a" * 8000, "", NOW)
    kept = exchange.recover(home, "s1")
    assert kept is not None
    assert "a" * 8000 in kept["text"]


@pytest.mark.parametrize("session", ["../../../escape", "/tmp/escape", "..", "a/b\\c", "nul\0", "\ud800"])
def test_a_foreign_session_id_cannot_leave_the_folder(home: Home, session: str) -> None:
    exchange.keep(home, _who(session), "auto", "u", "a", "", NOW)
    found = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.dirname(home.root)) for name in names]
    assert [os.path.dirname(path) for path in found] == [home.exchanges]
    assert exchange.recover(home, session) is not None


def test_secrets_are_not_kept(home: Home) -> None:
    exchange.keep(
        home, WHO, "auto", "<private>x1</private>hello", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", "", NOW
    )
    exchange.remember_reply(home, WHO, "a sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 b", NOW)
    for folder, _, names in os.walk(home.state):
        for name in names:
            content = (Path(folder) / name).read_text("utf-8")
            assert "sk-ant" not in content
            assert "x1" not in content


def test_old_exchanges_make_room(home: Home) -> None:
    for number in range(exchange.MOST_EXCHANGES + 5):
        exchange.keep(home, _who(f"s{number}"), "auto", "u", "a", "", NOW)
    assert len(os.listdir(home.exchanges)) == exchange.MOST_EXCHANGES


def test_a_broken_exchange_file_is_no_exchange(home: Home) -> None:
    exchange.keep(home, WHO, "auto", "u", "a", "", NOW)
    (Path(home.exchanges) / "s1.json").write_text("{broken", "utf-8")
    assert exchange.recover(home, "s1") is None


@pytest.mark.parametrize("said", ["\ud800", "\0", "x" * 5_000_000, "é😀"])
def test_any_text_can_be_kept(home: Home, said: str) -> None:
    exchange.remember_reply(home, WHO, said, NOW)
    exchange.keep(home, WHO, said, said, said, said, NOW)
    assert exchange.last_reply(home, "s1")
    assert exchange.recover(home, "s1") is not None
