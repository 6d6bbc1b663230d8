"""The guard through the built archive: what the registered command answers, writes and survives."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from pal.base.home import Home
from pal.guard import ledger

DENIED = [
    ("Bash", {"command": "rm -rf ~"}),
    ("Bash", {"command": "echo done && sudo rm -rf /"}),
    ("Bash", {"command": "r''m -r\\\nf /"}),
    ("Bash", {"command": "cat .env"}),
    ("Bash", {"command": ["bash", "-lc", "rm -rf /"]}),
    ("Read", {"file_path": "/home/user/.ssh/id_rsa"}),
    ("Write", {"file_path": "/etc/passwd", "content": "x"}),
    ("MultiEdit", {"file_path": "/etc/sudoers", "edits": []}),
    ("NotebookEdit", {"notebook_path": "/etc/shadow", "new_source": "x"}),
    ("Skill", {"skill": "keybindings-help"}),
    ("run_in_terminal", {"command": "rm -rf /"}),
    ("mcp__shell__execute", {"command": "mkfs.ext4 /dev/sda1"}),
    ("apply_patch", {"input": "*** Begin Patch\n*** Update File: /etc/passwd\n@@\n-a\n+b\n*** End Patch\n"}),
]
PASSED = [
    ("Bash", {"command": "git status --short"}),
    ("Bash", {"command": 'git commit -m "rm -rf / is bad"'}),
    ("Bash", {"command": "cat <<'EOF' > notes.md\nrm -rf /\nEOF"}),
    ("Bash", {"command": "rm -rf node_modules build"}),
    ("Bash", {"command": "grep -rn 'rm -rf /' docs"}),
    ("Read", {"file_path": "/home/user/project/.env.example"}),
    ("Write", {"file_path": "{project}/a.py", "content": "os.system('rm -rf /')"}),
    ("Skill", {"skill": "review"}),
    ("Agent", {"prompt": "explain why rm -rf / is bad", "description": "x", "subagent_type": "general"}),
]


def said(installed, tool, tool_input, **fields):
    """The answer of the registered command, as the client reads it; None for silence."""
    given = json.loads(json.dumps(tool_input).replace("{project}", str(installed.project)))
    data = json.dumps(installed.payload("pre-tool", tool_name=tool, tool_input=given, **fields)).encode()
    done = subprocess.run(
        installed.command("pre-tool"),
        shell=True,
        input=data,
        capture_output=True,
        env=installed.env,
        cwd=installed.user,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    if not done.stdout:
        return None
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "PreToolUse"
    return answer["permissionDecision"], answer["permissionDecisionReason"]


@pytest.mark.parametrize(("tool", "tool_input"), DENIED, ids=[f"{row[0]} {row[1]}"[:60] for row in DENIED])
def test_what_nobody_may_do_is_denied_with_a_reason(installed, tool, tool_input):
    decision, reason = said(installed, tool, tool_input)
    assert decision == "deny"
    assert len(reason) <= 400
    (row,) = ledger.recent(installed.home, 5)
    assert (row["tool"], row["session"], row["agent"], row["verdict"]) == (tool, "s1", "claude", "deny")
    assert row["rule"] in reason and row["code"] in reason


@pytest.mark.parametrize(("tool", "tool_input"), PASSED, ids=[f"{row[0]} {row[1]}"[:60] for row in PASSED])
def test_what_is_legitimate_meets_silence_and_leaves_no_line(installed, tool, tool_input):
    assert said(installed, tool, tool_input) is None
    assert ledger.recent(installed.home, 5) == []
    assert installed.logged() == ""


@pytest.mark.parametrize(
    ("mode", "attended", "decision"),
    [
        ("default", "1", "ask"),
        ("acceptEdits", "1", "ask"),
        ("plan", "1", "ask"),
        ("default", "0", None),
        ("bypassPermissions", "1", None),
        ("auto", "1", None),
        ("dontAsk", "1", None),
        ("somethingNew", "1", None),
    ],
)
def test_a_question_is_put_only_where_a_person_answers_it(installed, mode, attended, decision):
    installed.env["CLAUDE_CODE_SESSION_ATTENDED"] = attended
    answer = said(installed, "Bash", {"command": "git reset --hard"}, permission_mode=mode)
    assert (answer and answer[0]) == decision
    (row,) = ledger.recent(installed.home, 5)
    assert row["verdict"] == (decision or "allow")


def test_a_model_call_of_ours_is_guarded_too(installed):
    installed.env["PAL_SPAWNED_INFERENCE"] = "1"
    assert said(installed, "Bash", {"command": "rm -rf /"})[0] == "deny"


def test_the_archive_answers_as_the_registered_command_does(installed, archive):
    data = json.dumps(installed.payload("pre-tool", tool_name="Bash", tool_input={"command": "rm -rf /"})).encode()
    command = [sys.executable, str(archive), "hook", "pre-tool", "--agent=claude"]
    done = subprocess.run(command, input=data, capture_output=True, env=installed.env, cwd=installed.user)
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_pals_own_state_is_not_edited_by_an_agent(installed):
    for path in (installed.home.settings, installed.home.guard_once, installed.home.ratings, installed.home.launcher):
        assert said(installed, "Write", {"file_path": path, "content": "{}"})[0] == "deny", path
    assert said(installed, "Bash", {"command": "echo {} > ~/.pal/memory/state/guard-allow-once.json"})[0] == "deny"
    assert said(installed, "Read", {"file_path": installed.home.settings}) is None


def test_rules_of_a_project_hold_wherever_the_session_goes(installed):
    installed.project.mkdir()
    rule = {"rules": [{"argv": ["ls"], "reason": "this project lists nothing"}]}
    (installed.project / ".pal-security.json").write_text(json.dumps(rule), encoding="utf-8")
    installed.env["CLAUDE_PROJECT_DIR"] = str(installed.project)
    for folder in (installed.project, installed.project / "deep", "/tmp"):
        assert said(installed, "Bash", {"command": "ls"}, cwd=str(folder))[0] == "deny"
    del installed.env["CLAUDE_PROJECT_DIR"]
    assert said(installed, "Bash", {"command": "ls"}, cwd="/tmp") is None


def test_a_rule_of_the_users_own_holds_at_once(installed):
    with open(installed.home.settings, encoding="utf-8") as stream:
        values = json.load(stream)
    assert said(installed, "Bash", {"command": "ls"}) is None
    values["security"]["rules"] = [{"argv": ["ls"], "reason": "use the tree", "instead": "`tree`"}]
    with open(installed.home.settings, "w", encoding="utf-8") as stream:
        json.dump(values, stream)
    decision, reason = said(installed, "Bash", {"command": "ls"})
    assert decision == "deny"
    assert "use the tree" in reason and "`tree`" in reason


HOSTILE = {
    "unclosed substitutions": "$(" * 40_000,
    "assignments": "V=1 " * 10_000,
    "parentheses": "(" * 60_000,
    "heredoc openers": "cat <<E " * 12_000,
    "backquotes": "`" * 100_000,
    "a long word": "a" * 128_000,
    "zeros": "\0" * 100_000,
    "surrogates": "\ud800" * 10_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_input_ends_in_time_and_hides_nothing_behind_it(installed, kind):
    answer = said(installed, "Bash", {"command": HOSTILE[kind] + "\n; rm -rf /"})
    assert answer and answer[0] == "deny"


@pytest.mark.parametrize(
    "tool_input",
    [{}, {"command": None}, {"command": 7}, {"command": [None, {}]}, {"command": {"a": "rm -rf /"}}, {"file_path": []}],
    ids=str,
)
@pytest.mark.parametrize("tool", ["Bash", "Read", "Write", "Grep", "Skill", "", "unknown"])
def test_an_input_of_another_form_is_no_fault(installed, tool, tool_input):
    said(installed, tool, tool_input)
    assert "ERROR" not in installed.logged()


def test_a_home_that_cannot_be_written_changes_no_verdict(installed):
    home = installed.home
    os.makedirs(home.guard_log)  # a folder where the log should be
    assert said(installed, "Bash", {"command": "rm -rf /"})[0] == "deny"


def test_a_home_that_is_gone_means_no_guard_and_no_home(installed):
    import shutil

    command = installed.command("pre-tool")
    shutil.rmtree(installed.pal)
    data = json.dumps(installed.payload("pre-tool", tool_input={"command": "rm -rf /"})).encode()
    done = subprocess.run(command, shell=True, input=data, capture_output=True, env=installed.env, cwd=installed.user)
    assert (done.returncode, done.stdout) == (0, b"")
    assert not installed.pal.exists()


def test_explain_by_the_code_of_a_denial_tells_the_same_rule(installed, run_pal):
    said(installed, "Bash", {"command": "cd / && rm -rf home"})
    (row,) = ledger.recent(installed.home, 1)
    told = json.loads(run_pal("guard", "explain", row["code"], "--json").stdout)
    assert (told["decision"], told["rule"], told["text"]) == ("deny", row["rule"], "cd / && rm -rf home")


def test_doctor_tries_the_guard_through_the_registered_command(installed, run_pal):
    findings = {row["id"]: row for row in json.loads(run_pal("doctor", "--json").stdout)}
    assert findings["guard"]["level"] == "pass", findings["guard"]
    assert ledger.recent(Home(str(installed.pal)), 5) == []
    (installed.pal / "hook.py").write_text("import sys\nsys.stdin.read()\n", encoding="utf-8")
    done = run_pal("doctor", "--json")
    findings = {row["id"]: row for row in json.loads(done.stdout)}
    assert done.returncode == 1
    assert findings["guard"]["level"] == "fail"
    assert "dead" in findings["guard"]["title"]
    assert findings["guard"]["fix"] == "pal install --claude"


def test_a_call_that_may_run_loads_next_to_nothing(installed):
    """What a hook imports is what it costs; `os` alone is a fifth of the interpreter's start."""

    def loaded(command: str) -> set[str]:
        argv = installed.argv("pre-tool", "--agent=claude")
        data = json.dumps(installed.payload("pre-tool", tool_name="Bash", tool_input={"command": command})).encode()
        done = subprocess.run(
            [argv[0], "-X", "importtime", *argv[1:]], input=data, capture_output=True, env=installed.env
        )
        assert done.stdout == b""
        return {row.rsplit("|", 1)[-1].strip() for row in done.stderr.decode().splitlines() if "|" in row}

    unread, read = loaded("git status"), loaded('git commit -m "x"')
    assert "pal.guard.prefilter" in unread
    assert not {"pal.guard.judge", "pal.guard.decide", "pal.base.settings", "os"} & unread
    assert "pal.guard.judge" in read
    assert not {"os", "json", "re", "pal.base.files", "pal.base.redaction", "pal.guard.powershell"} & read
