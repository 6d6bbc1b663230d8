"""`pal sb wf …` and `pal sb purge` as a person types them."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest

from pal.cli import main
from pal.cli.output import Output
from pal.switchboard import detect, schema


@pytest.fixture
def sb(clean_env, tmp_path, monkeypatch, home, now):
    """sb("wf", "list", …): (exit code, stdout, stderr), typed in a project with a board."""
    monkeypatch.setattr(schema, "SYNCHRONOUS", "off")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")

    def run(*words, into="", env=()):
        monkeypatch.setattr("sys.stdin", io.StringIO(into))
        out, err = io.StringIO(), io.StringIO()
        surroundings = {**clean_env, **dict(env)}
        code = main.run(["sb", *words], surroundings, now, Output(surroundings, out, err))
        return code, out.getvalue(), err.getvalue()

    assert run("init")[0] == 0
    return run


def facts(answer):
    assert answer[0] == 0, answer[2]
    return json.loads(answer[1])


def test_workflows_are_listed_and_shown(sb):
    listed = facts(sb("wf", "list", "--json"))["workflows"]
    assert [each["name"] for each in listed] == list(detect.BUILT_IN)
    assert "/challenge" in sb("workflow", "list")[1]
    assert "## 3. Review" in sb("wf", "show", "challenge")[1]
    code, _, err = sb("wf", "show", "nothing")
    assert (code, "E_NOT_FOUND" in err) == (1, True)


def test_a_run_is_started_reported_looked_at_and_stopped(sb):
    assert "# Workflow: accuracy" in sb("wf", "start", "accuracy", "fix", "it")[1]
    assert sb("wf", "start", "challenge")[0] == 5, "busy"
    assert sb("wf", "step", "1")[0] == 1
    assert (
        "step 1 of 5 is done" in sb("wf", "step", "1", "--notes", "-", into="read the module, its tests and callers")[1]
    )
    assert sb("wf", "step", "3", "--notes", "x")[0] == 1
    shown = facts(sb("wf", "state", "--json"))
    assert (shown["step"], [step["name"] for step in shown["steps"]]) == (1, ["context"])
    assert "is stopped" in sb("wf", "stop", "--reason", "enough")[1]
    assert sb("wf", "status")[0] == 1
    assert "stopped" in sb("wf", "state", "--all")[1]


def test_a_check_is_run_and_judged_first(sb):
    sb("wf", "start", "accuracy")
    assert sb("wf", "check", "--", sys.executable, "-c", "pass")[0] == 0
    code, _, err = sb("wf", "check", "--", sys.executable, "-c", "raise SystemExit(3)")
    assert (code, "ended with 3" in err) == (1, True)
    code, _, err = sb("wf", "check", "--", "rm", "-rf", "/")
    assert (code, "root" in err) == (1, True)
    assert sb("wf", "check")[0] == 1
    assert facts(sb("wf", "check", "--json", "--", sys.executable, "-c", "print('loud')"))["exit"] == 0


def test_only_a_person_lets_a_violation_stand(sb):
    sb("wf", "start", "archive")
    session = {"CLAUDE_CODE_SESSION_ID": "s-000001"}
    run = facts(sb("wf", "state", "--json"))["run"]
    code, _, err = sb("wf", "step", "1", "--accept", "--run", run, env=session)
    assert (code, "only a person" in err) == (1, True)
    assert sb("wf", "step", "1", "--accept", "--run", run)[0] == 0


def test_the_files_for_agents_come_and_go(sb):
    with open("AGENTS.md", "w", encoding="utf-8") as stream:
        stream.write("# Mine\n")
    made = facts(sb("init", "--agent-files", "--json"))["agent_files"]
    assert any(row["path"].endswith("AGENTS.md") for row in made)
    assert "stand already" in sb("init", "--agent-files")[1]
    assert "would go" in sb("purge")[1] and os.path.isdir(".agent")
    assert sb("purge", "--agent-files", "--yes")[0] == 0
    with open("AGENTS.md", encoding="utf-8") as stream:
        assert stream.read() == "# Mine\n"
    assert sorted(os.listdir()) == [".switchboard", "AGENTS.md"]


def test_purge_takes_all_of_it_and_keeps_a_zip(sb, home):
    sb("init", "--agent-files")
    sb("plan", "new", "Fix the login")
    sb("wf", "start", "accuracy", env={"CLAUDE_CODE_SESSION_ID": "s-000001"})
    assert os.path.exists(home.switchboard_active)
    done = facts(sb("purge", "--yes", "--json"))
    assert os.listdir() == [] and os.path.isfile(done["kept"])
    assert not os.path.exists(home.switchboard_active)
    assert sb("wf", "list")[0] == 3


def test_doctor_names_a_workflow_of_the_users_that_is_not_sound(sb, home):
    os.makedirs(home.switchboard_workflows)
    with open(os.path.join(home.switchboard_workflows, "release.md"), "w", encoding="utf-8") as stream:
        stream.write("# Release\n")
    (problem,) = facts(sb("doctor", "--json"))["problems"]
    assert problem["rule"] == "workflow" and "release" in problem["what"]
