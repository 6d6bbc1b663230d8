"""Before a tool runs: what the guard answers, what is noted, and that a guard that fails lets everything through."""

from __future__ import annotations

import json

import pytest

from pal.base import settings as settings_file
from pal.guard import allow_once, decide, ledger
from pal.guard.model import Verdict
from pal.hooks import pre_tool
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput
from pal.memory import counts

PROJECT = "/home/user/project"
KEY = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def answer(home, now):
    """answer(tool, input, …): the reply to one call, after what follows it has been done."""

    def run(tool, tool_input, settings=None, **fields):
        if settings is not None:
            with open(home.settings, "w", encoding="utf-8") as stream:
                json.dump(settings, stream)
        turn = HookInput("pre-tool", "claude", "s1", PROJECT)
        turn.tool, turn.tool_input = tool, tool_input
        for name, value in fields.items():
            setattr(turn, name, value)
        env = {"HOME": "/home/user", "USERPROFILE": "/home/user"}
        frame = Frame(home, settings_file.load(home), now, env, lambda name: None, lambda: None)
        reply = pre_tool.run(turn, frame)
        if reply.afterwards:
            reply.afterwards()
        return reply

    return run


def bash(command: str) -> dict:
    return {"command": command}


def test_what_may_run_is_met_with_silence(answer, home):
    reply = answer("Bash", bash("npm test"))
    assert (reply.permission, reply.reason, reply.context) == ("", "", "")
    assert ledger.recent(home, 5) == []


def test_what_nobody_may_run_is_denied_with_a_reason_and_noted(answer, home):
    reply = answer("Bash", bash("rm -rf ~"))
    assert reply.permission == "deny"
    (row,) = ledger.recent(home, 5)
    assert (row["verdict"], row["command"], row["session"], row["tool"]) == ("deny", "rm -rf ~", "s1", "Bash")
    assert row["rule"] in reply.reason
    assert f"guard explain {row['code']}" in reply.reason
    assert "rm -rf ~" in reply.reason
    assert len(reply.reason) <= decide.LONGEST


@pytest.mark.parametrize(("can_ask", "permission", "outcome"), [(True, "ask", "ask"), (False, "", "allow")])
def test_a_question_is_put_where_somebody_answers_and_is_noted_elsewhere(answer, home, can_ask, permission, outcome):
    reply = answer("Bash", bash("git reset --hard"), can_ask=can_ask)
    assert reply.permission == permission
    assert ledger.recent(home, 1)[0]["verdict"] == outcome


def test_what_is_merely_unclear_runs_and_is_noted(answer, home):
    assert answer("Bash", bash("printenv")).permission == ""
    assert ledger.recent(home, 1)[0]["verdict"] == "allow"


def test_a_group_is_the_users_to_set(answer):
    assert answer("Bash", bash("git reset --hard"), {"security": {"groups": {"git": "deny"}}}).permission == "deny"


def test_a_rule_of_the_users_own_is_followed_through_wrappers(answer, home):
    own = {"security": {"rules": [{"argv": ["kubectl", "delete"], "reason": "production", "id": "no-delete"}]}}
    reply = answer("Bash", bash("cd x && sudo env A=1 kubectl delete pod y"), own)
    assert (reply.permission, "production" in reply.reason) == ("deny", True)
    assert ledger.recent(home, 1)[0]["rule"] == "no-delete"


def test_a_path_rule_of_the_users_own_holds_for_tools_and_commands(answer):
    own = {"security": {"rules": [{"path": "**/golden/**", "ops": ["write"]}]}}
    assert answer("Write", {"file_path": PROJECT + "/golden/a.txt", "content": ""}, own).permission == "deny"
    assert answer("Read", {"file_path": PROJECT + "/golden/a.txt"}, own).permission == ""
    assert answer("Bash", bash("echo x > golden/a.txt"), own).permission == "deny"


def test_a_project_can_stop_more_wherever_in_it_the_call_is_made(answer, tmp_path):
    deep = tmp_path / "project" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "project" / ".pal-security.json").write_text('{"rules": [{"argv": ["make", "release"]}]}')
    assert answer("Bash", bash("make release"), cwd=str(deep), folder=str(deep)).permission == "deny"
    assert answer("Bash", bash("make release"), cwd=str(deep), folder="/tmp").permission == "deny"
    assert answer("Bash", bash("make release"), cwd="/tmp", folder="/tmp").permission == ""
    assert answer("Write", {"file_path": str(tmp_path / "project" / ".pal-security.json")}).permission == "deny"


def test_a_skill_that_is_called_by_mistake_is_blocked(answer):
    assert answer("Skill", {"skill": "keybindings-help"}).permission == "deny"
    assert answer("Skill", {"skill": "review", "args": "keybindings-help"}).permission == ""
    assert answer("Skill", {"skill": "review"}, {"security": {"skills": {"block": ["review"]}}}).permission == "deny"


def test_secrets_are_neither_told_nor_noted(answer, home):
    reply = answer("Bash", bash(f"GITHUB_TOKEN={KEY} rm -rf /"))
    assert reply.permission == "deny"
    assert KEY not in reply.reason
    assert KEY not in json.dumps(ledger.recent(home, 1))


def test_a_lifted_denial_runs_once_and_nothing_else_does(answer, home, now):
    assert answer("Bash", bash("rm -rf ~")).permission == "deny"
    row = ledger.recent(home, 1)[0]
    allow_once.grant(home, row["digest"], row["rule"], now)
    assert answer("Bash", bash("rm -rf  ~")).permission == "deny"
    assert answer("Bash", bash("rm -rf ~"), folder="/tmp").permission == "deny"
    assert answer("Bash", bash("rm -rf ~")).permission == ""
    assert ledger.recent(home, 1)[0]["verdict"] == "allow-once"
    assert answer("Bash", bash("rm -rf ~")).permission == "deny"


def test_a_guard_that_fails_lets_the_call_through_and_is_counted(answer, home, monkeypatch):
    def broken(*_):
        raise RuntimeError("bad table")

    monkeypatch.setattr(decide, "decide", broken)
    assert answer("Bash", bash("rm -rf /")).permission == ""
    assert counts.read(home)[ledger.FAULTS] == 1
    with open(home.log, encoding="utf-8") as stream:
        assert "ERROR guard: RuntimeError: bad table" in stream.read()


def test_a_log_that_cannot_be_written_changes_no_verdict(answer, home, monkeypatch):
    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledger.records, "append", refuse)
    turn = HookInput("pre-tool", "claude", "s1", PROJECT)
    turn.tool, turn.tool_input = "Bash", bash("rm -rf /")
    frame = Frame(home, settings_file.load(home), 0.0, {"HOME": "/home/user"}, lambda name: None, lambda: None)
    reply = pre_tool.run(turn, frame)
    assert reply.permission == "deny"
    with pytest.raises(OSError):
        reply.afterwards()  # app runs it isolated, with the answer already out


def test_the_doctors_own_question_leaves_no_line(answer, home):
    assert answer("Bash", bash("rm -rf /"), session=ledger.PROBE).permission == "deny"
    assert ledger.recent(home, 1) == []


@pytest.mark.parametrize("reason_length", [10, 300, 5000])
def test_a_reason_stays_short_and_keeps_its_rule(reason_length):
    verdict = Verdict("deny", "some-rule", "disk", (0, 4000), "r" * reason_length, "i" * reason_length)
    said = decide.reason(verdict, "x" * 5000, "0badc0de")
    assert len(said) <= decide.LONGEST
    assert "some-rule" in said and "guard explain 0badc0de" in said
