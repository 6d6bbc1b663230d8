"""The workflows' tools as an agent calls them, whether its client says which session it is or not."""

from __future__ import annotations

import json
import os

import pytest

from pal.external import tools
from pal.external.board_room import Room
from pal.external.mcp.catalog import Catalog
from pal.external.workflow_tools import tools as workflow_tools
from pal.switchboard import cards, registry, runs, schema, workspace
from pal.switchboard.desk import Desk

LARGEST = 560  # bytes of one tool in a list: every client that attaches pays for it


@pytest.fixture
def project(home, tmp_path, monkeypatch):
    monkeypatch.setattr(schema, "SYNCHRONOUS", "off")
    (tmp_path / "project").mkdir()
    return workspace.init(home, str(tmp_path / "project"), 1.0)[0]


@pytest.fixture
def plan(home, project, now):
    return cards.create(Desk(home, project, now), "Fix the login")


@pytest.fixture
def ask(home, clean_env, project):
    """ask("start_workflow", session="…", name=…): what it gave, or the refusal."""

    def call(tool, session="s-000001", **arguments):
        room = Room(home, clean_env, project.root, caller=lambda: (session, "agent" if session else "", ()))
        table = {each.name: each for each in workflow_tools(room)}
        outcome = tools.run(home, table[tool], arguments, tools.Call("mcp", agent="client"))
        assert json.loads(json.dumps(outcome.structured)) is not None or outcome.error
        return (
            {"error": outcome.content[0]["text"], **(outcome.structured or {})} if outcome.error else outcome.structured
        )

    return call


def test_the_four_tools_cost_few_bytes(home, clean_env, project):
    room = Room(home, clean_env, project.root)
    made = workflow_tools(room)
    catalog = Catalog(lambda: made)
    assert [tool.name for tool in made] == [
        "start_workflow", "complete_workflow_phase", "get_workflow_state", "stop_workflow",
    ]  # fmt: skip
    assert {tool.name for tool in made if len(json.dumps(catalog.described(tool))) > LARGEST} == set()


def test_a_run_from_start_to_stop(ask, plan):
    begun = ask("start_workflow", name="/Challenge", target=plan["sessionId"])
    assert (begun["new"], begun["step"], begun["target"]) == (True, 0, plan["planFile"])
    assert begun["instructions"].startswith("# Workflow: challenge")
    done = ask("complete_workflow_phase", workflow="challenge", phase=1)
    assert done["step"] == 1 and "phase=2" in done["then"]
    shown = ask("get_workflow_state")
    assert (shown["run"], [step["name"] for step in shown["steps"]]) == (begun["run"], ["scope"])
    assert ask("stop_workflow", reason="enough")["state"] == "stopped"
    assert ask("get_workflow_state")["state"] == "none"
    assert "E_STEP" in ask("stop_workflow")["error"]


def test_a_refusal_carries_its_code_and_the_next_thing_to_do(ask, plan):
    assert ask("start_workflow", name="nothing")["code"] == "E_NOT_FOUND"
    ask("start_workflow", name="improve-plan", target=plan["planId"])
    busy = ask("start_workflow", name="challenge")
    assert (busy["code"], "force" in busy["hint"]) == ("E_BUSY", True)
    assert ask("complete_workflow_phase", workflow="challenge", phase=1)["code"] == "E_STEP"
    lacking = ask("complete_workflow_phase", phase=1, notes="Recommendation: Coder")
    assert lacking["code"] == "E_EVIDENCE"


def test_artifacts_are_paths_or_objects_with_one(ask, plan, project):
    with open(os.path.join(project.root, "app.py"), "w", encoding="utf-8") as stream:
        stream.write("x\n")
    ask("start_workflow", name="challenge")
    first = [{"path": plan["planFile"], "description": "the plan"}]
    assert ask("complete_workflow_phase", phase=1, artifacts=first)["target"] == plan["planFile"]
    assert ask("complete_workflow_phase", phase=2, artifacts=["app.py"])["step"] == 2


def test_an_agent_accepts_no_violation_itself(ask, plan):
    ask("start_workflow", name="challenge", target=plan["sessionId"])
    said = ask("complete_workflow_phase", phase=1, accept=True)
    assert said["code"] == "E_VIOLATION"


def test_a_client_without_a_session_goes_on_with_the_run_that_the_prompt_began(ask, plan, home, project):
    from pal.base import clock

    desk = Desk(home, project, clock.now(), "host-0001", "agent")
    begun, _ = runs.start(desk, registry.load(home, "challenge"))
    again = ask("start_workflow", session="", name="challenge", target=plan["sessionId"])
    assert (again["run"], again["new"], again["target"]) == (begun.run_id, False, plan["planFile"])
    assert ask("complete_workflow_phase", session="", workflow="challenge", phase=1)["run"] == begun.run_id
    assert ask("complete_workflow_phase", session="", phase=2, run=begun.run_id)["code"] == "E_EVIDENCE"
