"""`pal guard`: explains what the hook would say, runs case files, lists rules and log, lifts a denial for a person."""

from __future__ import annotations

import io
import json
import shlex

import pytest

from pal.base.settings import Settings
from pal.cli import guard_cases, main
from pal.cli.output import Output
from pal.guard import decide, judge, ledger
from pal.guard import settings as guard_settings
from pal.guard.model import DENY, GROUPS, STRENGTH, Verdict

WHO = {"session": "s1", "agent": "claude"}


@pytest.fixture
def typed(home, now):
    """typed("guard", "log") → (exit code, stdout, stderr)."""

    def run(*argv: str, env=None, interactive=False):
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": "/home/user", "USERPROFILE": "/home/user", "PAL_HOME": home.root, **(env or {})}
        code = main.run(argv, values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


def denial(home, now, command="rm -rf ~", rule="some-rule"):
    ledger.note(home, WHO, "Bash", command, "/home/user/project", Verdict(DENY, rule, "disk"), "deny", now, 1.0)
    return ledger.recent(home, 1)[0]


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("rm -rf ~", "deny"),
        ("git status", "allow"),
        ("git reset --hard", "ask"),
        ("printenv", "allow"),
        ("sudo sh -c 'cd / && rm -rf home'", "deny"),
        ("echo 'rm -rf /'", "allow"),
        ("$(", "allow"),
    ],
)
def test_explain_says_what_the_hook_says(typed, home, command, decision):
    code, out, err = typed("guard", "explain", "--json", "--cwd", "/home/user/project", command)
    assert (code, err) == (0, "")
    told = json.loads(out)
    guard = guard_settings.load(Settings({}), home.root, ("/home/user/project",), False, False)
    verdict = decide.decide("Bash", {"command": command}, "/home/user/project", "/home/user", guard)
    assert (told["decision"], told["rule"]) == (verdict.decision, verdict.rule)
    assert told["decision"] == decision
    assert told["part"] == command[slice(*told["span"])]


def test_explain_tells_a_person_the_part_the_reason_and_what_was_unwrapped(typed):
    code, out, _ = typed("guard", "explain", "--cwd", "/home/user/project", "echo hi; sudo bash -c 'rm -rf /'")
    assert code == 0
    assert out.startswith("deny")
    for word in ("rule", "part", "why", "instead", "trace", "sudo"):
        assert word in out, out


@pytest.mark.parametrize(
    ("tool", "text", "decision"),
    [
        ("Read", "/home/user/project/.env", "deny"),
        ("Read", "src/a.py", "allow"),
        ("Write", "/etc/passwd", "deny"),
        ("Skill", "keybindings-help", "deny"),
        ("PowerShell", "Remove-Item -Recurse -Force C:\\", "deny"),
    ],
)
def test_explain_takes_other_tools(typed, tool, text, decision):
    _, out, _ = typed("guard", "explain", "--json", "--tool", tool, "--cwd", "/home/user/project", text)
    assert json.loads(out)["decision"] == decision


def test_explain_takes_the_code_of_a_denial(typed, home, now):
    row = denial(home, now)
    _, out, _ = typed("guard", "explain", "--json", row["code"])
    told = json.loads(out)
    assert (told["text"], told["cwd"], told["decision"]) == ("rm -rf ~", "/home/user/project", "deny")


@pytest.mark.parametrize("command", ["rm -rf /", "cat .env", "echo x | base64 -d | sh", ":(){ :|:& };:", "it's"])
def test_an_agent_may_ask_for_an_explanation_of_what_was_denied(home, command):
    guard = guard_settings.load(Settings({}), home.root, (), False, False)
    asked = f"{home.bin}/pal guard explain {shlex.quote(command)}"
    assert not decide.decide("Bash", {"command": asked}, "/home/user/project", "/home/user", guard).rule


def test_rules_lists_every_rule_with_its_answer_here(typed, home):
    with open(home.settings, "w", encoding="utf-8") as stream:
        json.dump({"security": {"groups": {"git": "deny", "nonsense": "deny"}}}, stream)
    _, out, _ = typed("guard", "rules", "--json")
    told = json.loads(out)
    rules = told["rules"]
    assert len({row["rule"] for row in rules}) == len(rules) > 40
    assert {row["group"] for row in rules} <= set(GROUPS)
    assert {row["answer"] for row in rules} <= set(STRENGTH)
    assert all(row["answer"] == "deny" for row in rules if row["group"] == "git")
    assert len(told["problems"]) == 1 and "nonsense" in told["problems"][0]
    _, out, _ = typed("guard", "rules")
    assert "nonsense" in out.splitlines()[-1]


def test_every_suggestion_is_itself_allowed(home):
    guard = guard_settings.load(Settings({}), home.root, (), False, False)
    for row in judge.rows():
        assert row.reason, row.rule
        assert row.instead or guard.policy.decision(row) == "allow", row.rule
        for command in row.instead.split("`")[1::2]:
            verdict = decide.decide("Bash", {"command": command}, "/home/user/project", "/home/user", guard)
            assert verdict.decision == "allow", (row.rule, command)


def test_log_shows_the_newest_first_and_says_when_there_is_nothing(typed, home, now):
    assert "nothing yet" in typed("guard", "log")[1]
    denial(home, now, "rm -rf /one")
    denial(home, now, "rm -rf /two")
    _, out, _ = typed("guard", "log")
    assert out.index("/two") < out.index("/one")
    assert [row["command"] for row in json.loads(typed("guard", "log", "--json")[1])] == ["rm -rf /one", "rm -rf /two"]
    assert len(json.loads(typed("guard", "log", "--json", "--count", "1")[1])) == 1


ROWS = [
    {"tool": "Bash", "command": "rm -rf /", "cwd": "/home/user/project", "expect": "deny"},
    {"tool": "Bash", "command": "ls", "cwd": "/home/user/project", "expect": "allow"},
    {"tool": "Read", "file_path": "/home/user/.ssh/id_rsa", "cwd": "/home/user/project", "expect": "deny"},
    {"tool": "Bash", "command": "git reset --hard", "expect": "ask"},
]


def lay(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "\n", encoding="utf-8")
    return str(path)


def test_a_case_file_that_is_all_right_passes(typed, tmp_path):
    code, out, _ = typed("guard", "test", lay(tmp_path / "a.jsonl", ROWS))
    assert (code, out) == (0, "4 cases, 0 wrong: precision 1.000, recall 1.000\n")


def test_each_miss_is_listed_and_counted(typed, tmp_path):
    rows = [*ROWS, {"command": "ls -l", "expect": "deny"}, {"command": "rm -rf /", "expect": "allow"}]
    path = lay(tmp_path / "a.jsonl", rows)
    code, out, _ = typed("guard", "test", path)
    assert code == 1
    assert "ls -l" in out
    told = json.loads(typed("guard", "test", path, "--json")[1])
    assert (told["cases"], len(told["misses"])) == (6, 2)
    assert (told["precision"], told["recall"]) == (0.6667, 0.6667)


def test_what_is_a_matter_of_policy_is_counted_and_never_wrong(typed, tmp_path):
    rows = [*ROWS, {"command": "printenv", "expect": "ask", "category": "policy"}]
    code, out, _ = typed("guard", "test", lay(tmp_path / "a.jsonl", rows))
    assert (code, out) == (0, "4 cases, 0 wrong: precision 1.000, recall 1.000; of policy: 1 allow, 0 ask, 0 deny\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "line 1"), ('{"command": "ls"}', "expect"), ('{"expect": "deny"}', "command"), ("[]", "a case has")],
)
def test_a_broken_case_file_is_one_sentence(typed, tmp_path, text, said):
    (tmp_path / "a.jsonl").write_text(text)
    code, _, err = typed("guard", "test", str(tmp_path / "a.jsonl"))
    assert code == 1
    assert said in err and err.count("\n") == 1
    assert "no file" in typed("guard", "test", str(tmp_path / "none.jsonl"))[2]


@pytest.mark.parametrize(
    ("cwd", "home"),
    [
        ("/home/user/project", "/home/user"),
        ("/Users/ann/project", "/Users/ann"),
        ("C:\\Users\\ann\\project", "C:\\Users\\ann"),
        ("/srv", "/srv"),
    ],
)
def test_a_cases_home_is_told_from_its_folder(cwd, home):
    assert guard_cases.home_of(cwd) == home


@pytest.mark.parametrize("mark", ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "PAL_SPAWNED_INFERENCE"])
def test_nobody_but_a_person_lifts_a_denial(typed, home, now, mark):
    row = denial(home, now)
    code, _, err = typed("guard", "allow-once", row["code"], env={mark: "1"})
    assert code == 1
    assert "only a person" in err and "agent" in err


def test_a_denial_is_lifted_at_a_terminal_only(typed, home, now):
    row = denial(home, now)
    code, _, err = typed("guard", "allow-once", row["code"])
    assert code == 1
    assert "terminal" in err
