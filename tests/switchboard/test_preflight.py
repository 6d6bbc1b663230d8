"""What a prompt is told by the board: the card of a workflow, the plans of a column, one line, or nothing. And that
nothing is made on the way."""

from __future__ import annotations

import os
import time

import pytest

from pal.base import locks
from pal.switchboard import card, detect, moves, preflight, questions, runs
from pal.switchboard.columns import BUILT_IN

SESSION = "s-000001"


@pytest.fixture
def told(home, project, fresh_home, now):
    """told("/challenge …"): the text for this prompt."""

    def ask(prompt, later=0.0, session=SESSION, folder=None):
        env = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home)}
        return preflight.told(home, env, prompt, str(folder or project), session, "agent", now + later)

    return ask


def files_below(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)


def test_a_command_starts_its_run_and_shows_the_card(told, at, plan):
    made = plan("Fix the login")
    said = told("/challenge --self " + made["sessionId"])
    (run,) = runs.listing(at())
    assert (run.workflow, run.host_session, run.agent, run.target_path) == (
        "challenge",
        SESSION,
        "agent",
        made["planFile"],
    )
    assert said.startswith("# Workflow: challenge") and run.run_id in said
    assert "complete_workflow_phase" in said and "stop_workflow" in said
    assert "grumpy principal engineer" in said, "the words to follow come along"


def test_an_event_delivered_twice_starts_one_run(told, at, plan):
    plan()
    first, second = told("/accuracy fix it"), told("/accuracy fix it", later=1)
    assert first == second
    assert len(runs.listing(at(), every=True)) == 1


def test_a_project_without_a_board_stays_one(told, project):
    assert told("/challenge it") == "", "where no board stands the word may be anybody's"
    said = told("/sb-challenge it")
    assert "# Workflow: challenge" in said and "No run is on record" in said and "pal sb init" in said
    assert told("update all created plans") == ""
    assert files_below(project) == []


def test_a_board_without_a_database_gets_none_from_a_hook(told, place, project):
    before = files_below(project)
    said = told("/challenge it")
    assert "No run is on record" in said and "start_workflow" in said
    told("which plans are in the created column?")
    assert files_below(project) == before


def test_a_busy_session_is_told_so_and_the_other_run_goes_on(told, at, plan):
    told("/challenge " + plan()["sessionId"])
    said = told("/improve-plan")
    assert "was not started" in said and "challenge" in said
    assert [run.workflow for run in runs.listing(at())] == ["challenge"]


def test_further_commands_in_the_prompt_are_named(told, plan):
    plan()
    assert "Not started: archive." in told("/export\n/archive x")


def test_a_retired_command_points_to_the_board(told):
    assert "move_kanban_card" in told("/sb-handoff to the reviewer")


def test_later_prompts_of_the_session_get_one_line(told, plan):
    told("/challenge " + plan()["sessionId"])
    said = told("go on", later=5)
    assert "challenge" in said and "step 1 of 5" in said and len(said) <= card.LINE
    assert told("go on", session="s-another") == ""
    assert told("go on", later=13 * 3600) == "", "a lease ends"


def test_a_search_of_the_archive_is_over_with_its_answer(told, at, home, plan):
    plan()
    told("/archive login")
    assert told("now fix it", later=60) == ""
    assert [run.state for run in runs.listing(at(), every=True)] == ["completed"]
    assert not os.path.exists(home.switchboard_active)


def test_a_locked_board_gives_the_words_without_a_run(told, plan, place, monkeypatch):
    plan()
    monkeypatch.setattr(preflight, "WAIT", 0.01)
    with locks.Lock(place.board) as held:
        assert held
        said = told("/accuracy fix it")
    assert "No run is on record" in said and "start_workflow" in said and "## 1. Context" in said


def test_a_broken_workflow_of_the_users_is_named(told, home, plan):
    plan()
    os.makedirs(home.switchboard_workflows)
    with open(os.path.join(home.switchboard_workflows, "chat.md"), "w", encoding="utf-8") as stream:
        stream.write("---\nname: chat\n---\nhello\n")
    assert "cannot be followed" in told("/chat") and "persona" in told("/chat")


# Questions about columns

ASKED = [
    ("update all created plans", ["CREATED"]),
    ("Please update all Created plans.", ["CREATED"]),
    ("which plans are in Created?", ["CREATED"]),
    ("list the cards in the Reviewed column", ["CODE REVIEWED"]),
    ("show me all planned tickets", ["PLAN REVIEWED"]),
    ("how many plans are in done?", ["COMPLETED"]),
    ("improve every created plan", ["CREATED"]),
    ("show all new plans", ["CREATED"]),
    ("what cards are in the lead coder lane", ["LEAD CODED"]),
    ("list all lead coder cards", ["LEAD CODED"]),
    ("review each coder card", ["CODER CODED"]),
    ("list the reviewed plans", ["CODE REVIEWED"]),
    ("list all coded plans", ["LEAD CODED", "CODER CODED", "INTERN CODED"]),
    ("fix the bug. then list the completed plans", ["COMPLETED"]),
]
NOT_ASKED = [
    "what do you think of all these plans for the new parser?", "plan a new release", "write a new plan", "a new card",
    "created by the planner", "all created files", "update the plan", "list all plans", "the plans are done",
    "do you have plans for the weekend", "show `all created plans` as code", "> update all created plans",
    "move the card", "tickets for the concert", "is the review done?", "the new plans look good to me",
]  # fmt: skip


@pytest.mark.parametrize(("prompt", "columns"), ASKED, ids=[row[0] for row in ASKED])
def test_a_question_about_a_column_is_recognised(prompt, columns):
    assert questions.may_ask(prompt)
    assert [column.id for column in questions.asked(prompt, list(BUILT_IN))] == columns


@pytest.mark.parametrize("prompt", NOT_ASKED)
def test_other_talk_of_plans_opens_no_column(prompt):
    assert questions.asked(prompt, list(BUILT_IN)) == []


def test_the_answer_is_the_board_as_it_stands(told, plan, at):
    one, two = plan("First thing", score=3), plan("Second thing")
    moves.move(at(), two["planId"], "reviewed")
    said = told("update all created plans")
    assert one["sessionId"] in said and "First thing" in said and two["sessionId"] not in said
    assert "get_kanban_state" in said
    assert "0 plans" in told("which plans are in the planned column?")


def test_an_answer_stays_small_however_full_the_column_is(told, plan):
    for number in range(30):
        plan(f"Plan {number} " + "with a long title " * 10)
    said = told("list all created plans")
    assert len(said) <= questions.ROOM and "30 plans" in said


# Time

HOSTILE = ["<" * 120_000, "/" * 120_000, "/sb\n" * 30_000, "run the accuracy workflow " * 5_000, "workflow. " * 12_000,
           "<system-reminder>" * 7_000, '"' * 120_000, " '" * 60_000, "`" * 120_000, "```\n" * 30_000,
           "all plans in " * 9_000, "plans. " * 17_000, "\ufeff" * 120_000, "/accuracy" + " x" * 60_000]  # fmt: skip


@pytest.mark.parametrize("prompt", HOSTILE, ids=[repr(each[:16]) for each in HOSTILE])
def test_a_hostile_prompt_is_read_in_linear_time(prompt):
    """Measured at 2 ms at most; the promise is 20 ms."""

    def look():
        began = time.process_time()
        if detect.concerned(prompt):
            detect.find(prompt)
        questions.may_ask(prompt)
        return time.process_time() - began

    assert min(look() for _ in range(5)) < 0.1
