"""Handoff notes: what a person wrote on purpose outlives what is taken automatically."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import jsontext, records
from pal.base.errors import PalError
from pal.base.home import Home
from pal.memory import handoff

NOW = 1_772_439_300.0
DAY = 86400
WHO = {"session": "s1", "agent": "claude"}


def _archived(home: Home) -> list[str]:
    path = os.path.join(home.archive_rows, "last-handoff-2026-03.jsonl")
    return [row["row"]["title"] for row in records.each(path)]


def test_a_snapshot_keeps_the_last_exchange(home: Home) -> None:
    assert handoff.snapshot(home, "/p", "fix the\nlogin " + "x" * 900, "done " * 300, WHO, NOW)
    row = jsontext.loads(Path(home.handoffs).read_text("utf-8"))["/p"]
    assert row["source"] == "auto"
    assert row["status"] == "in-progress"
    assert row["title"].startswith("fix the login xxx")
    assert len(row["title"]) <= 80
    assert len(row["lastUser"]) <= 500
    assert len(row["lastAssistant"]) <= 500
    assert (row["session"], row["agent"], row["timestamp"]) == ("s1", "claude", "2026-03-02T08:15:00Z")


def test_a_deliberate_note_is_kept_as_written(home: Home) -> None:
    handoff.note(home, "/p", "Parser", "The lexer is done.", WHO, NOW, waiting_on="Which grammar?")
    row = handoff.for_folder(home, "/p", NOW + 60)
    assert row is not None
    assert (row["title"], row["handoff"], row["waitingOn"]) == ("Parser", "The lexer is done.", "Which grammar?")
    assert (row["source"], row["status"], row["age"], row["folder"]) == ("deliberate", "in-progress", 60, "/p")


@pytest.mark.parametrize(
    ("done", "age", "stays"),
    [(False, 0, True), (False, 6.9 * DAY, True), (False, 7.1 * DAY, False), (True, 0, False)],
)
def test_a_fresh_deliberate_note_in_progress_outlives_snapshots(
    home: Home, done: bool, age: float, stays: bool
) -> None:
    handoff.note(home, "/p", "Mine", "text", WHO, NOW, done=done)
    assert handoff.snapshot(home, "/p", "u", "a", WHO, NOW + age) is not stays
    row = handoff.listing(home)[0]
    assert (row["title"] == "Mine") is stays
    assert _archived(home) == ([] if stays else ["Mine"])


def test_a_newer_note_replaces_an_older_one_and_the_archive_keeps_it(home: Home) -> None:
    handoff.note(home, "/p", "One", "first", WHO, NOW)
    handoff.note(home, "/p", "Two", "second", WHO, NOW + 1)
    assert [row["title"] for row in handoff.listing(home)] == ["Two"]
    assert _archived(home) == ["One"]


def test_snapshots_replace_snapshots_without_a_trace(home: Home) -> None:
    handoff.snapshot(home, "/p", "one", "a", WHO, NOW)
    handoff.snapshot(home, "/p", "two", "a", WHO, NOW + 1)
    assert [row["title"] for row in handoff.listing(home)] == ["two"]
    assert _archived(home) == []


def test_twenty_folders_are_kept_and_a_note_in_progress_goes_last(home: Home) -> None:
    handoff.note(home, "/mine", "Mine", "text", WHO, NOW)
    handoff.note(home, "/finished", "Finished", "text", WHO, NOW, done=True)
    for number in range(25):
        handoff.snapshot(home, f"/p{number}", "u", "a", WHO, NOW + 1 + number)
    folders = [row["folder"] for row in handoff.listing(home)]
    assert len(folders) == handoff.MOST_FOLDERS
    assert "/mine" in folders
    assert _archived(home) == ["Finished"]


def test_even_with_notes_everywhere_nothing_a_person_wrote_is_lost(home: Home) -> None:
    for number in range(25):
        handoff.note(home, f"/p{number}", f"Note {number}", "text", WHO, NOW + number)
    assert len(handoff.listing(home)) == handoff.MOST_FOLDERS
    assert _archived(home) == [f"Note {number}" for number in range(5)]


def test_a_handoff_older_than_a_week_is_not_told(home: Home) -> None:
    handoff.snapshot(home, "/p", "u", "a", WHO, NOW)
    assert handoff.for_folder(home, "/p", NOW + 6.9 * DAY) is not None
    assert handoff.for_folder(home, "/p", NOW + 7.1 * DAY) is None
    assert handoff.for_folder(home, "/q", NOW) is None


def test_another_folder_is_told_of_only_when_it_is_newer(home: Home) -> None:
    handoff.snapshot(home, "/old", "u", "a", WHO, NOW)
    handoff.snapshot(home, "/here", "u", "a", WHO, NOW + 1)
    assert handoff.elsewhere(home, "/here", NOW + 5) is None
    handoff.note(home, "/new", "New", "n" * 900, WHO, NOW + 2)
    row = handoff.elsewhere(home, "/here", NOW + 5)
    assert row is not None
    assert (row["folder"], row["title"]) == ("/new", "New")
    assert len(row["handoff"]) <= 300


def test_finished_and_temporary_folders_are_not_told_elsewhere(home: Home) -> None:
    handoff.note(home, "/done", "Done", "text", WHO, NOW, done=True)
    for folder in ("/tmp/x", "/private/var/folders/ab/T/x", "C:\\Users\\u\\AppData\\Local\\Temp\\x"):
        handoff.snapshot(home, folder, "u", "a", WHO, NOW + 1)
    assert handoff.elsewhere(home, "/here", NOW + 5) is None


def test_the_same_folder_written_in_two_ways_is_one(home: Home) -> None:
    handoff.snapshot(home, "/p/", "one", "a", WHO, NOW)
    handoff.snapshot(home, "/p/x/..", "two", "a", WHO, NOW + 1)
    assert [row["folder"] for row in handoff.listing(home)] == ["/p"]


def test_nothing_said_is_no_handoff(home: Home) -> None:
    assert not handoff.snapshot(home, "/p", " ", "a", WHO, NOW)
    assert not handoff.snapshot(home, "", "u", "a", WHO, NOW)
    with pytest.raises(PalError):
        handoff.note(home, "/p", "", " ", WHO, NOW)
    assert handoff.listing(home) == []


def test_secrets_are_not_kept(home: Home) -> None:
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    handoff.note(home, "/p", f"t {key}", f"a {key} b", WHO, NOW, waiting_on=f"w {key}")
    handoff.snapshot(home, "/q", f"u {key}", "<private>diary</private> a", WHO, NOW)
    text = Path(home.handoffs).read_text("utf-8")
    assert "sk-ant" not in text
    assert "diary" not in text


@pytest.mark.parametrize("said", ["\ud800", "nul \0", "x" * 3_000_000, "é😀"])
def test_any_text_can_be_handed_off(home: Home, said: str) -> None:
    handoff.note(home, "/p" + said[:20], said, said, WHO, NOW)
    handoff.snapshot(home, "/q" + said[:20], said, said, WHO, NOW)
    assert len(handoff.listing(home)) == 2
