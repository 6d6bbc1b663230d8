"""The session registry: one row a session, whatever order its events come in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import jsontext, records, state
from pal.base.home import Home
from pal.memory import sessions

NOW = 1_772_439_300.0
WHO = {"session": "s1", "agent": "claude"}


def test_a_session_lives_from_start_to_end(home: Home) -> None:
    sessions.open(home, WHO, "/p", "startup", NOW)
    sessions.prompt_seen(home, WHO, "/p", "fix the login page", NOW + 60, "e1")
    sessions.turn_done(home, WHO, "Fixed the login page.\nTests pass.", NOW + 120, "e1")
    sessions.prompt_seen(home, WHO, "/p", "now write documentation pages", NOW + 180, "e2")
    sessions.close(home, WHO, "prompt_input_exit", NOW + 240)
    assert sessions.get(home, "s1") == {
        "name": "Fix Login Page",
        "cwd": "/p",
        "status": "completed",
        "summary": "Fixed the login page.",
        "started": "2026-03-02T08:15:00Z",
        "prompts": 2,
        "turns": 1,
        "source": "startup",
        "agent": "claude",
        "last": "2026-03-02T08:19:00Z",
        "prompt_event": "e2",
        "turn_event": "e1",
        "ended": "prompt_input_exit",
    }


def test_the_first_prompt_that_says_enough_names_the_session(home: Home) -> None:
    sessions.open(home, WHO, "/p", "startup", NOW)
    for prompt in ("hi", "fix the login page", "deploy the staging server"):
        sessions.prompt_seen(home, WHO, "/p", prompt, NOW)
    row = sessions.get(home, "s1")
    assert row is not None
    assert (row["name"], row["prompts"]) == ("Fix Login Page", 3)


def test_an_event_seen_twice_counts_once(home: Home) -> None:
    for _ in range(2):
        sessions.prompt_seen(home, WHO, "/p", "fix the login page", NOW, "e1")
        sessions.turn_done(home, WHO, "done", NOW, "e1")
    row = sessions.get(home, "s1")
    assert row is not None
    assert (row["prompts"], row["turns"]) == (1, 1)


def test_a_prompt_without_a_start_makes_the_row(home: Home) -> None:
    sessions.prompt_seen(home, WHO, "/p", "fix the login page", NOW)
    row = sessions.get(home, "s1")
    assert row is not None
    assert (row["status"], row["cwd"], row["source"]) == ("active", "/p", "prompt")


def test_a_resumed_session_is_active_again_and_keeps_its_beginnings(home: Home) -> None:
    sessions.open(home, WHO, "/p", "startup", NOW)
    sessions.prompt_seen(home, WHO, "/p", "fix the login page", NOW)
    sessions.close(home, WHO, "other", NOW)
    sessions.open(home, WHO, "/p", "resume", NOW + 9000)
    row = sessions.get(home, "s1")
    assert row is not None
    assert (row["status"], row["name"], row["started"]) == ("active", "Fix Login Page", "2026-03-02T08:15:00Z")


def test_names_and_summaries_hold_no_private_text(home: Home) -> None:
    sessions.prompt_seen(home, WHO, "/p", "<private>hidden diary</private> fix the login page", NOW)
    sessions.turn_done(
        home, WHO, "<private>hidden</private>Done. sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", NOW
    )
    text = Path(home.sessions).read_text("utf-8").lower()
    assert "hidden" not in text
    assert "sk-ant" not in text


def test_a_session_without_an_id_is_not_kept(home: Home) -> None:
    sessions.open(home, {"session": "", "agent": "claude"}, "/p", "startup", NOW)
    sessions.open(home, {}, "/p", "startup", NOW)
    assert sessions.recent(home, 5) == []


def test_old_rows_make_room_and_are_archived(home: Home) -> None:
    rows = {f"old{n:03}": {"name": f"Old {n}", "last": f"2026-01-01T00:{n // 60:02}:{n % 60:02}Z"} for n in range(300)}
    state.update(home, home.sessions, lambda held: held.update(rows), NOW)
    sessions.open(home, WHO, "/p", "startup", NOW)
    kept = state.read(home, home.sessions)
    assert len(kept) == sessions.MOST_ROWS
    assert "old000" not in kept
    archived = list(records.each(os.path.join(home.archive_rows, "sessions-2026-03.jsonl")))
    assert archived == [{"key": "old000", "row": rows["old000"]}]


def test_recent_gives_the_newest_first(home: Home) -> None:
    for number in range(4):
        sessions.open(home, {"session": f"s{number}", "agent": "claude"}, "/p", "startup", NOW + number)
    assert [row["session"] for row in sessions.recent(home, 2)] == ["s3", "s2"]


@pytest.mark.parametrize(
    "prompt", ["\ud800 fix login", "\0 fix login \0", "fix login " + "x" * 3_000_000, "javítsd ki 😀 ezt"]
)
def test_any_prompt_can_be_seen(home: Home, prompt: str) -> None:
    sessions.prompt_seen(home, {"session": "\ud800 é", "agent": "claude"}, "/p\ud800", prompt, NOW)
    sessions.turn_done(home, {"session": "\ud800 é", "agent": "claude"}, prompt, NOW)
    assert len(jsontext.loads(Path(home.sessions).read_text("utf-8"))) == 1


@pytest.mark.parametrize(
    "session",
    [
        "../../etc/passwd",
        "..",
        ".",
        "/etc/x",
        "a\\b",
        "a:b",
        "C:x",
        "nul\0",
        "",
        " ",
        "é" * 200,
        "\ud800",
        "x" * 300,
        "-rf",
    ],
)
def test_a_foreign_session_id_makes_a_harmless_file_name(session: str) -> None:
    name = sessions.file_name(session)
    assert name.replace("-", "").replace("_", "").isalnum()
    assert name.isascii()
    assert len(name) <= 80
    assert not name.startswith("-")


def test_different_ids_have_different_file_names() -> None:
    ids = ["a/b", "a_b", "a\\b", "a:b", "x" * 64, "x" * 65, "x" * 66]
    assert len({sessions.file_name(session) for session in ids}) == len(ids)
    assert sessions.file_name("44444444-0000-4000-8000-000000000004") == "44444444-0000-4000-8000-000000000004"
