"""Moves: what a target means, who a plan goes to, what is refused, and that the history tells it all."""

from __future__ import annotations

import os

import pytest

from pal.switchboard import board, cards, columns, mailbox, moves, roster, workspace
from pal.switchboard.desk import Desk
from pal.switchboard.errors import Refused


def code(act):
    with pytest.raises(Refused) as refusal:
        act()
    return refusal.value.code


@pytest.mark.parametrize(
    ("target", "column"),
    [
        ("planned", "PLAN REVIEWED"),
        ("PLAN REVIEWED", "PLAN REVIEWED"),
        ("plan_reviewed", "PLAN REVIEWED"),
        ("to the Reviewed column", "CODE REVIEWED"),
        ("the reviewer", "CODE REVIEWED"),
        ("code-reviewed lane", "CODE REVIEWED"),
        ("Lead Coder", "LEAD CODED"),
        ("the lead agent", "LEAD CODED"),
        ("coder", "CODER CODED"),
        ("done", "COMPLETED"),
        ("Completed", "COMPLETED"),
        ("Docs Writer", "custom_agent_docs_writer"),
        ("custom_agent_docs_writer", "custom_agent_docs_writer"),
        ("the docs writer", "custom_agent_docs_writer"),
    ],
)
def test_a_target_may_be_a_column_a_label_a_role_or_an_agent(at, plan, target, column, sound):
    roster.add(at(), "Docs Writer")
    card = plan()
    reply = moves.move(at(), card["sessionId"], target)
    assert (reply["from"], reply["to"], reply["changed"], reply["rev"]) == ("CREATED", column, True, 2)
    assert board.find(at(), card["planId"])["column"] == column
    sound()


@pytest.mark.parametrize(
    ("score", "target", "column", "by", "role"),
    [
        (3, "coded", "CODER CODED", "complexity(3)", "coder"),
        (0, "the team", "LEAD CODED", "complexity(unknown)", "lead"),
        (6, "team", "CODER CODED", "complexity(6)", "coder"),
        (7, "coded", "LEAD CODED", "complexity(7)", "lead"),
    ],
)
def test_coded_and_team_go_by_complexity(at, plan, score, target, column, by, role):
    reply = moves.move(at(), plan(score=score)["sessionId"], target)
    assert (reply["to"], reply["routedBy"], reply["role"], reply["score"]) == (column, by, role, score)


def test_a_hidden_role_falls_upward_and_the_reply_says_so(at, plan):
    roster.change(at(), "coder", visible=0)
    reply = moves.move(at(), plan(score=6)["sessionId"], "coded")
    assert (reply["to"], reply["routedBy"]) == ("LEAD CODED", "fallback")
    assert "hidden" in reply["note"] or "prompt" in reply


def test_an_intern_gets_simple_plans_once_there_is_one(at, plan):
    roster.register(at(session="s"), "Ira", "intern")
    assert moves.move(at(), plan(score=2)["sessionId"], "coded")["to"] == "INTERN CODED"
    assert moves.move(at(), plan("Other", score=5)["sessionId"], "coded")["to"] == "CODER CODED"


def test_the_users_settings_may_ask_for_the_older_routing(at, plan, home):
    with open(home.settings, "w", encoding="utf-8") as stream:
        stream.write('{"switchboard": {"routing": "legacy"}}')
    assert moves.move(at(), plan(score=5)["sessionId"], "coded")["to"] == "LEAD CODED"


def test_the_older_routing_knows_two_ways():
    usable = lambda role: True  # noqa: E731
    assert [columns.route(score, usable, legacy=True)[0] for score in (0, 3, 4, 5, 8)] == [
        "lead", "coder", "coder", "lead", "lead",
    ]  # fmt: skip


def test_next_goes_on_stage_by_stage_past_lanes_of_the_same_kind(at, plan, sound):
    card = plan(score=3)
    seen = [moves.move(at(n), card["sessionId"], "next")["to"] for n in range(4)]
    assert seen == ["PLAN REVIEWED", "CODER CODED", "CODE REVIEWED", "COMPLETED"]
    sound()


def test_a_move_on_the_same_column_is_no_move(at, plan):
    card = plan()
    reply = moves.move(at(), card["sessionId"], "new")
    assert (reply["changed"], reply["rev"]) == (False, 1)
    assert len(board.log(at(), card["planId"])) == 1


def test_backward_moves_are_legal_and_logged_as_such(at, plan):
    card = plan()
    moves.move(at(), card["sessionId"], "reviewed")
    moves.move(at(1), card["sessionId"], "planned", reason="not yet")
    last = board.log(at(), card["planId"])[-1]
    assert (last["data"]["action"], last["reason"]) == ("reset-to-PLAN REVIEWED", "not yet")


def test_done_completes_and_files_the_plan_away(at, plan, place, sound):
    card = plan()
    reply = moves.move(at(), card["sessionId"], "done")
    assert (reply["to"], reply["archiveId"], reply["revision"]) == ("COMPLETED", card["planId"], 1)
    found = board.find(at(), card["planId"])
    assert (found["status"], found["column"]) == ("completed", "COMPLETED")
    assert found["planFile"].startswith(".switchboard/archive/2026-03/")
    assert os.path.isfile(place.at(found["planFile"])) and os.listdir(place.plans) == []
    sound()


def test_who_moves_from_a_stale_revision_is_told_where_the_card_is(at, plan):
    card = plan()
    moves.move(at(session="s1", host="one"), card["sessionId"], "planned")
    with pytest.raises(Refused) as refusal:
        moves.move(at(1), card["sessionId"], "coder", rev=1)
    stale = refusal.value
    assert (stale.code, stale.exit) == ("E_STALE", 4)
    assert (stale.data["column"], stale.data["rev"], stale.data["who"]) == ("PLAN REVIEWED", 2, "one")
    assert moves.move(at(1), card["sessionId"], "coder", rev=1, force=True)["to"] == "CODER CODED"
    assert moves.move(at(2), card["sessionId"], "reviewed", rev=3)["rev"] == 4


def test_a_plan_that_waits_for_another_is_not_coded(at, plan, sound):
    base = plan("Base")
    card = plan("On top", score=3, deps=f"- {base['sessionId']} — the base")
    item = board.state(at())["CREATED"]["items"]
    assert [each.get("blockedBy") for each in item if each["topic"] == "On top"] == [[base["sessionId"]]]
    assert code(lambda: moves.move(at(), card["sessionId"], "coded")) == "E_DEPS"
    assert moves.move(at(), card["sessionId"], "planned")["changed"]
    moves.move(at(), base["sessionId"], "reviewed")
    assert moves.move(at(), card["sessionId"], "coded")["to"] == "CODER CODED"
    sound()


@pytest.mark.parametrize("kind", ["session", "plan", "prefix", "suffix", "path", "name", "absolute"])
def test_a_plan_is_named_by_any_of_its_ids(at, plan, place, kind):
    card = plan()
    names = {
        "session": card["sessionId"], "plan": card["planId"], "prefix": card["planId"][:6],
        "suffix": card["sessionId"][-6:], "path": card["planFile"], "name": os.path.basename(card["planFile"]),
        "absolute": place.at(card["planFile"]),
    }  # fmt: skip
    assert board.find(at(), names[kind])["planId"] == card["planId"]


def test_what_is_refused_has_its_code(at, plan):
    card, other = plan(), plan("Another")
    assert code(lambda: moves.move(at(), "sess_nobody", "planned")) == "E_NOT_FOUND"
    assert code(lambda: moves.move(at(), card["planId"][:5], "planned")) == "E_NOT_FOUND"
    assert code(lambda: moves.move(at(), "sess_1", "planned")) == "E_AMBIGUOUS"
    assert code(lambda: moves.move(at(), card["sessionId"], "the moon")) == "E_TARGET"
    moves.move(at(), card["sessionId"], "done")
    assert code(lambda: moves.move(at(), card["sessionId"], "planned")) == "E_STATUS"
    cards.remove(at(), other["sessionId"])
    assert code(lambda: moves.move(at(), other["sessionId"], "planned")) == "E_STATUS"


def test_an_unknown_target_names_every_valid_one(at, plan):
    with pytest.raises(Refused) as refusal:
        moves.move(at(), plan()["sessionId"], "the moon")
    assert {"coded", "team", "next"} <= set(refusal.value.data["valid"])


def test_a_plan_of_another_project_is_named_and_not_moved(at, plan, home, tmp_path, now):
    card = plan()
    (tmp_path / "other").mkdir()
    other, _ = workspace.init(home, str(tmp_path / "other"), now)
    with pytest.raises(Refused) as refusal:
        moves.move(Desk(home, other, now), card["sessionId"], "planned")
    assert refusal.value.data["workspace"] == at().workspace.root
    assert board.find(at(), card["planId"])["column"] == "CREATED"


def test_undo_takes_back_one_move_after_the_other(at, plan, sound):
    card = plan(score=3)
    for number, target in enumerate(("planned", "coded", "reviewed")):
        moves.move(at(number), card["sessionId"], target)
    assert [moves.undo(at(10 + n))["to"] for n in range(3)] == ["CODER CODED", "PLAN REVIEWED", "CREATED"]
    assert code(lambda: moves.undo(at(20))) == "E_STATUS"
    sound()


def test_undo_of_done_takes_the_plan_up_again(at, plan, place, sound):
    card = plan()
    moves.move(at(), card["sessionId"], "reviewed")
    moves.move(at(1), card["sessionId"], "done")
    assert moves.undo(at(2), card["sessionId"])["to"] == "CODE REVIEWED"
    back = board.find(at(), card["planId"])
    assert (back["status"], back["planFile"]) == ("active", card["planFile"])
    assert os.path.isfile(place.at(back["planFile"]))
    sound()


def test_a_failed_test_goes_back_to_the_lead_with_its_feedback(at, plan):
    card = plan()
    moves.move(at(), card["sessionId"], "reviewed")
    reply = moves.fail(at(1), card["sessionId"], "the form\nis empty")
    assert reply["to"] == "LEAD CODED" and "> is empty" in reply["prompt"]
    assert code(lambda: moves.fail(at(2), card["sessionId"], "  ")) == "E_EVIDENCE"


def test_whoever_holds_the_role_gets_a_message_once_a_move(at, plan):
    roster.register(at(session="r"), "Rita", "reviewer")
    card = plan()
    reply = moves.move(at(), card["sessionId"], "reviewed")
    assert (reply["dispatch"], reply["recipient"]) == ("message", "Rita")
    moves.move(at(), card["sessionId"], "reviewed")
    (message,) = mailbox.inbox(at(session="r"))
    assert message["action"] == "dispatch" and card["sessionId"] in message["payload"]


def test_without_anybody_the_move_stands_and_the_prompt_comes_back(at, plan):
    reply = moves.move(at(), plan()["sessionId"], "reviewed")
    assert reply["dispatch"] == "none" and "CRITICAL" in reply["prompt"]


@pytest.mark.parametrize("name", ["Coder", "the Team", "Done", "planner agent", "user", "next", "a/b", ""])
def test_a_custom_agent_cannot_stand_in_for_what_is_there(at, name):
    assert code(lambda: roster.add(at(), name)) == "E_TARGET"


def test_a_card_in_a_column_that_went_stays_visible(at, plan):
    roster.add(at(), "Docs Writer")
    card = plan()
    moves.move(at(), card["sessionId"], "Docs Writer")
    roster.remove(at(), "Docs Writer")
    lane = board.state(at())["custom_agent_docs_writer"]
    assert "Unmapped" in lane["label"] and lane["items"][0]["sessionId"] == card["sessionId"]


def test_the_board_is_read_by_column_complexity_and_tag(at, plan):
    plan("A", score=3, tags="ui"), plan("B", score=8, tags="ui-kit"), plan("C")

    def topics(**asked):
        return sorted(item["topic"] for column in board.state(at(), **asked).values() for item in column["items"])

    assert list(board.state(at())) == [
        "CREATED", "PLAN REVIEWED", "LEAD CODED", "CODER CODED", "CODE REVIEWED", "COMPLETED",
    ]  # fmt: skip
    assert [column["label"] for column in board.state(at()).values()] == [
        "Created", "Planned", "Lead Coder", "Coder", "Reviewed", "Done",
    ]  # fmt: skip
    assert topics(tag="UI") == ["A"]
    assert topics(complexity="high") == ["B"]
    assert topics(complexity="3..8") == ["A", "B"]
    assert topics(complexity="unknown") == ["C"]
    assert list(board.state(at(), "new")) == ["CREATED"]
    assert list(board.state(at(), "coded")) == ["LEAD CODED", "CODER CODED"]
    assert code(lambda: board.state(at(), "the moon")) == "E_TARGET"
    assert code(lambda: board.state(at(), complexity="much")) == "E_TARGET"


def test_finished_plans_are_shown_when_asked_for(at, plan):
    card = plan()
    moves.move(at(), card["sessionId"], "done")
    assert board.state(at())["COMPLETED"]["items"] == []
    assert board.state(at(), "done")["COMPLETED"]["items"][0]["sessionId"] == card["sessionId"]
