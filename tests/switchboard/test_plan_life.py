"""Plans made, taken in, edited, renamed, removed and brought back: no text is ever lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.switchboard import board, cards, moves, planfiles, prompts
from pal.switchboard.errors import Refused


def code(act):
    with pytest.raises(Refused) as refusal:
        act()
    return refusal.value.code


def test_a_new_plan_is_a_file_and_a_card(at, place, sound):
    card = cards.create(at(), "Fix the login")
    assert (card["topic"], card["column"], card["score"]) == ("Fix the login", "CREATED", 0)
    assert card["planFile"].startswith(".switchboard/plans/feature_plan_2026030")
    assert card["planFile"].endswith("00_fix_the_login.md")
    text = Path(place.at(card["planFile"])).read_text("utf-8")
    assert text.startswith("# Fix the login\n\n## Goal\n")
    assert [event["kind"] for event in board.log(at(), card["planId"])] == ["created"]
    sound()


def test_two_plans_of_one_title_in_one_second_are_two(at, sound):
    one, two = cards.create(at(), "Same"), cards.create(at(), "Same")
    assert one["planFile"] != two["planFile"] and one["sessionId"] != two["sessionId"]
    sound()


def test_the_same_text_again_is_the_same_plan(at):
    one, two = cards.create(at(), "A", "# A\n\nbody\n"), cards.create(at(), "A", "# A\n\nbody\n")
    assert (one["planId"], two["duplicate"]) == (two["planId"], True)


def test_a_plan_split_from_another_stands_in_its_column(at, plan):
    parent = plan("Whole")
    moves.move(at(), parent["sessionId"], "planned")
    child = cards.create(at(), "Part", "# Part\n", parent["sessionId"])
    assert (child["column"], child["parent"]) == ("PLAN REVIEWED", parent["planId"])


def test_a_paste_of_several_plans_becomes_several_cards(at, sound):
    made = cards.take_in(at(), "### PLAN 1 START\n# A\n\n### PLAN 2 START\nno title\n")
    assert [card["topic"] for card in made] == ["A", "Untitled plan"]
    assert code(lambda: cards.take_in(at(), "x" * 200_001)) == "E_SIZE"
    assert code(lambda: cards.take_in(at(), "  \n")) == "E_SIZE"
    sound()


def test_an_edit_needs_the_text_that_was_read(at, plan, place, sound):
    card = plan()
    text, sha = cards.text(at(), card["planId"])
    cards.edit(at(), card["planId"], text + "\nmore\n", sha)
    assert code(lambda: cards.edit(at(), card["planId"], "# lost?\n", sha)) == "E_CONFLICT"
    assert Path(place.at(card["planFile"])).read_text("utf-8") == text + "\nmore\n"
    sound()


def test_of_two_who_edit_at_once_one_is_told_and_no_text_is_lost(at, plan, place, sound):
    from concurrent.futures import ThreadPoolExecutor

    card = plan()
    text, sha = cards.text(at(), card["planId"])

    def edit(number):
        try:
            cards.edit(at(), card["planId"], f"{text}\nby {number}\n", sha)
        except Refused as fault:
            return fault.code
        return number

    with ThreadPoolExecutor(6) as pool:
        ended = list(pool.map(edit, range(6)))
    (winner,) = [each for each in ended if isinstance(each, int)]
    assert [each for each in ended if each != winner] == ["E_CONFLICT"] * 5
    assert cards.text(at(), card["planId"])[0] == f"{text}\nby {winner}\n"
    sound()


def test_a_rename_changes_title_and_file_and_nothing_else(at, plan, place, sound):
    card = plan("Old name", score=4)
    moves.move(at(), card["sessionId"], "planned")
    after = cards.rename(at(), card["sessionId"], "New name")
    assert (after["topic"], after["column"], after["planId"]) == ("New name", "PLAN REVIEWED", card["planId"])
    assert after["planFile"].endswith("_new_name.md")
    assert os.listdir(place.plans) == [os.path.basename(after["planFile"])]
    sound()


def test_a_removed_plan_comes_back_with_text_and_column(at, plan, place, sound):
    card = plan()
    text, _ = cards.text(at(), card["planId"])
    moves.move(at(), card["sessionId"], "coder")
    gone = cards.remove(at(), card["planId"])
    assert gone["status"] == "deleted" and os.listdir(place.plans) == []
    assert len(os.listdir(place.trash)) == 1
    assert cards.remove(at(), card["planId"])["status"] == "deleted"
    back = cards.restore(at(), card["planId"])
    assert (back["status"], back["column"], back["planFile"]) == ("active", "CODER CODED", card["planFile"])
    assert cards.text(at(), card["planId"])[0] == text
    sound()


def test_a_finished_plan_is_taken_up_where_it_was_before(at, plan, sound):
    card = plan()
    moves.move(at(), card["sessionId"], "reviewed")
    moves.move(at(1), card["sessionId"], "done")
    assert cards.restore(at(2), card["sessionId"])["column"] == "CODE REVIEWED"
    sound()


def test_a_file_made_again_at_a_removed_plans_place_is_that_plan_and_the_old_text_stays(at, plan, place, sound):
    card = plan()
    moves.move(at(), card["sessionId"], "planned")
    cards.remove(at(), card["planId"])
    planfiles.create(place.plans, os.path.basename(card["planFile"]), "# Begun again\n")
    (back,) = board.listed(at(), "active")
    assert (back["planId"], back["topic"], back["column"]) == (card["planId"], "Begun again", "PLAN REVIEWED")
    (kept,) = os.listdir(place.trash)
    assert "# Fix the login" in Path(place.trash, kept).read_text("utf-8")
    sound()


def test_what_is_set_by_hand_is_checked(at, plan):
    card, other = plan(), plan("Other")
    after = cards.change(at(), card["planId"], "high", "UI, ui", [other["sessionId"]])
    assert (after["score"], after["tags"], after["deps"]) == (8, ["ui"], [other["sessionId"]])
    assert code(lambda: cards.change(at(), card["planId"], "enormous")) == "E_TARGET"
    assert code(lambda: cards.change(at(), card["planId"], deps=[card["planId"]])) == "E_DEPS"
    assert code(lambda: cards.change(at(), card["planId"], deps=["sess_nobody"])) == "E_NOT_FOUND"


def test_a_plan_too_big_is_refused_before_anything_is_written(at, place):
    assert code(lambda: cards.create(at(), "Big", "# Big\n" + "x" * planfiles.LARGEST)) == "E_SIZE"
    assert os.listdir(place.plans) == []


@pytest.mark.parametrize(
    ("column", "role"),
    [("new", "planner"), ("planned", "coder"), ("lead", "reviewer"), ("coder", "reviewer"), ("reviewed", "reviewer")],
)
def test_the_prompt_is_for_whoever_works_on_the_card_next(at, plan, place, column, role):
    card = plan(score=3)
    moves.move(at(), card["sessionId"], column)
    made = prompts.prompt(at(), card["sessionId"])
    assert made["role"] == role
    assert place.at(card["planFile"]) in made["text"] and "not an instruction" in made["text"]
