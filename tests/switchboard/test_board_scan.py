"""The plans folder against the board: what happens to a card when its file comes, changes, moves, goes, comes back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.switchboard import board, cards, moves, repair, scan, store


def write(place, name, text="# A plan\n\n**Complexity:** 3\n"):
    path = os.path.join(place.plans, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def only(at):
    (card,) = board.listed(at(), "active")
    return card


def test_a_dropped_file_gets_a_card(at, place, sound):
    write(place, "a.md")
    write(place, "folder/b.md", "# B\n")
    write(place, "folder/deeper/c.md", "# too deep\n")
    write(place, "notes.txt")
    assert {card["topic"] for card in board.listed(at(), "active")} == {"A plan", "B"}
    assert {card["column"] for card in board.listed(at(), "active")} == {"CREATED"}
    sound()


def test_a_scan_without_changes_writes_nothing(at, place):
    write(place, "a.md")
    scan.scan(at())
    before = store.revision(place)
    scan.scan(at(5))
    assert store.revision(place) == before


def test_a_file_of_this_very_moment_waits_for_the_next_look(at, place, now):
    path = write(place, "a.md")
    os.utime(path, (now - 0.1, now - 0.1))
    assert board.listed(at(), "active") == []
    assert len(board.listed(at(1), "active")) == 1


def test_an_edit_refreshes_what_the_text_says_and_leaves_the_column(at, place, sound):
    write(place, "a.md")
    card = only(at)
    moves.move(at(1), card["planId"], "reviewed")
    write(place, "a.md", "# Another title\n\n**Complexity:** 9\n**Tags:** x\n")
    after = only(at)
    assert (after["topic"], after["score"], after["tags"], after["column"]) == (
        "Another title", 9, ["x"], "CODE REVIEWED",
    )  # fmt: skip
    assert after["rev"] == 2  # a scan never makes a mover stale
    sound()


def test_a_score_set_by_hand_stays(at, place):
    write(place, "a.md")
    cards.change(at(), only(at)["planId"], score="8")
    write(place, "a.md", "# A plan\n\n**Complexity:** 1\n\nmore\n")
    assert only(at)["score"] == 8
    cards.change(at(), only(at)["planId"], score="unknown")
    write(place, "a.md", "# A plan\n\n**Complexity:** 1\n\nmore still\n")
    assert only(at)["score"] == 1


def test_a_missing_file_is_marked_and_nothing_else(at, place, sound):
    path = write(place, "a.md")
    moves.move(at(), only(at)["planId"], "planned")
    os.rename(path, place.root + "/elsewhere.md")
    gone = only(at)
    assert (gone["missing"], gone["column"], gone["status"]) == (True, "PLAN REVIEWED", "active")
    os.rename(place.root + "/elsewhere.md", path)
    assert not only(at)["missing"]
    kinds = [event["kind"] for event in board.log(at(), gone["planId"])]
    assert kinds == ["registered", "moved", "missing", "found"]
    sound()


def test_a_renamed_file_keeps_its_card(at, place, sound):
    path = write(place, "a.md")
    before = only(at)
    moves.move(at(), before["planId"], "lead")
    os.rename(path, os.path.join(place.plans, "b.md"))
    after = only(at)
    assert (after["planId"], after["column"], after["missing"]) == (before["planId"], "LEAD CODED", False)
    assert after["planFile"].endswith("plans/b.md")
    sound()


def test_an_atomic_save_keeps_the_card(at, place, sound):
    path = write(place, "a.md")
    before = only(at)
    moves.move(at(), before["planId"], "coder")
    write(place, "a.md~.md", "# A plan\n\nedited\n")
    os.replace(path + "~.md", path)
    after = only(at)
    assert (after["planId"], after["column"]) == (before["planId"], "CODER CODED")
    sound()


def test_a_removed_plan_whose_file_comes_back_has_its_column_again(at, place, sound):
    text = "# A plan\n\nunmistakable\n"
    write(place, "a.md", text)
    card = only(at)
    moves.move(at(), card["planId"], "planned")
    cards.remove(at(), card["planId"])
    assert board.listed(at(), "active") == []
    write(place, "again.md", text)
    back = only(at)
    assert (back["planId"], back["column"]) == (card["planId"], "PLAN REVIEWED")
    sound()


def test_a_removed_plan_of_long_ago_does_not_come_back(at, place):
    write(place, "a.md")
    card = only(at)
    cards.remove(at(), card["planId"])
    write(place, "b.md")
    (fresh,) = board.listed(at(31 * 86400), "active")
    assert fresh["planId"] != card["planId"]


def test_a_finished_plan_whose_file_git_brings_back_gets_no_second_card(at, place):
    text = "# A plan\n\nunmistakable\n"
    path = write(place, "a.md", text)
    card = only(at)
    moves.move(at(), card["planId"], "done")
    assert not os.path.exists(path)
    write(place, "a.md", text)
    assert "is the file of a plan that is done" in scan.scan(at())[0]
    assert board.listed(at(), "active") == []


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: os.symlink(os.__file__, path), "is a link"),
        (lambda path: Path(path).write_bytes(b"# \xff\xfe broken"), "not UTF-8"),
        (lambda path: Path(path).write_bytes(b"#" * (1024 * 1024 + 1)), "larger than a plan"),
    ],
)
def test_what_is_no_plan_is_named_and_left_alone(at, place, make, said):
    make(os.path.join(place.plans, "odd.md"))
    assert said in scan.scan(at())[0]
    assert board.listed(at(), "active") == []


def test_an_unreadable_file_does_not_count_as_missing(at, place):
    path = write(place, "a.md")
    card = only(at)
    with open(path, "wb") as stream:
        stream.write(b"\xff" * 10)
    assert repair.problems(at())[0]["rule"] == "file"
    assert not board.find(at(), card["planId"])["missing"]


def test_one_file_is_one_card_however_many_look_at_once(at, place, sound):
    from concurrent.futures import ThreadPoolExecutor

    for number in range(5):
        write(place, f"{number}.md", f"# Plan {number}\n")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: scan.scan(at()), range(8)))
    assert len(board.listed(at(), "active")) == 5
    sound()
