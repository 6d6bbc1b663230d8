"""Tool calls of every agent: their kind, where the command or the files stand, and the rules for files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pal.guard import tools
from pal.guard.model import DENY, STRENGTH, Policy

HOME = "/home/user"
PROJECT = "/home/user/project"
POLICY = Policy(pal_home="/home/user/.pal")


def decision(tool: str, tool_input: dict[str, Any], cwd: str = PROJECT) -> str:
    found = tools.judge_files(tool, tool_input, cwd, HOME, POLICY)
    return max((POLICY.decision(finding.row) for finding in found), key=lambda one: STRENGTH[one], default="allow")


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("Bash", "shell"), ("run_in_terminal", "shell"), ("runInTerminal", "shell"), ("local_shell", "shell"),
        ("functions.shell", "shell"), ("mcp__desktop__execute_command", "shell"), ("run_shell_command", "shell"),
        ("PowerShell", "powershell"), ("pwsh", "powershell"), ("Read", "read"), ("view_file", "read"),
        ("mcp__files__read_file", "read"), ("Write", "write"), ("apply_patch", "write"), ("create_file", "write"),
        ("write_to_file", "write"), ("MultiEdit", "edit"), ("NotebookEdit", "edit"), ("replace_string_in_file", "edit"),
        ("str_replace_based_edit_tool", "edit"), ("Grep", "search"), ("Glob", "list"), ("Skill", "skill"),
        ("WebFetch", "other"), ("", "other"), ("x" * 10_000, "other"), ("multi-replace-file-content", "edit"),
    ],
)  # fmt: skip
def test_a_tool_is_known_by_any_of_its_names(tool: str, kind: str) -> None:
    assert tools.kind_of(tool) == kind


@pytest.mark.parametrize(
    ("tool", "tool_input", "command"),
    [
        ("Bash", {"command": "ls"}, "ls"),
        ("run_command", {"CommandLine": "ls"}, "ls"),
        ("exec_command", {"cmd": "ls -l"}, "ls -l"),
        ("shell", {"command": ["bash", "-lc", "rm -rf 'a b'"]}, "bash -lc 'rm -rf '\\''a b'\\'''"),
        ("write_stdin", {"chars": "rm -rf /\n"}, "rm -rf /\n"),
        ("write_bash", {"input": "ls"}, "ls"),
        ("mcp__x__unheard_of", {"script": "ls"}, "ls"),
        ("WebSearch", {"query": "rm -rf /"}, ""),
        ("Bash", {}, ""),
        ("Bash", {"command": None}, ""),
        ("Bash", {"command": {"a": 1}}, ""),
        ("Bash", {"command": []}, ""),
        ("Bash", {"command": [1, None]}, "1 None"),
    ],
)
def test_the_command_is_found_wherever_an_agent_puts_it(tool: str, tool_input: dict[str, Any], command: str) -> None:
    assert tools.command_of(tool, tool_input) == command


def test_the_folder_of_a_command_is_the_calls_own_or_the_sessions() -> None:
    assert tools.folder_of({"workdir": "sub"}, PROJECT, HOME) == PROJECT + "/sub"
    assert tools.folder_of({"cwd": "/etc"}, PROJECT, HOME) == "/etc"
    assert tools.folder_of({}, PROJECT, HOME) == PROJECT


PATCH = (
    "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+*** Add File: /etc/shadow\n*** Add File: {}\n+x\n"
    "*** End Patch"
)


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Read", {"file_path": ".env"}),
        ("view", {"path": "~/.ssh/id_rsa"}),
        ("str_replace_editor", {"command": "view", "path": ".env"}),
        ("view_file", {"AbsolutePath": "/home/user/.aws/credentials"}),
        ("read_many_files", {"paths": ["README.md", ".env"]}),
        ("read_many_files", {"include": [".env"]}),
        ("get_file_contents", {"uri": "file:///home/user/.netrc"}),
        ("WebFetch", {"url": "file:///home/user/project/.env"}),
        ("Grep", {"pattern": "KEY", "path": ".env"}),
        ("Grep", {"pattern": "x", "path": "~/.ssh"}),
        ("Grep", {"pattern": "x", "path": ".", "glob": ".env*"}),
        ("grep_search", {"query": "x", "includePattern": ".env"}),
        ("Write", {"file_path": "/etc/sudoers.d/x", "content": ""}),
        ("Edit", {"file_path": "/home/user/.ssh/authorized_keys"}),
        ("MultiEdit", {"file_path": "/etc/passwd", "edits": []}),
        ("NotebookEdit", {"notebook_path": "/boot/x.ipynb"}),
        ("multi_replace_string_in_file", {"replacements": [{"filePath": "a"}, {"filePath": "/etc/shadow"}]}),
        ("write_to_file", {"TargetFile": "/home/user/.kube/config"}),
        ("apply_patch", {"input": PATCH.format("/home/user/.ssh/authorized_keys")}),
        ("apply_patch", {"command": ["apply_patch", PATCH.format("/etc/passwd")]}),
        ("patch", {"patchText": "*** Begin Patch\n*** Update File: a\n*** Move to: /etc/cron.d/a\n*** End Patch"}),
        ("Write", {"file_path": "/home/user/.pal/pal-settings.json"}),
        ("Edit", {"file_path": "~/.pal/memory/state/sessions.json"}),
        ("Write", {"file_path": "/home/user/.pal/engine/x.pyz"}),
        ("Write", {"file_path": "/dev/sda"}),
        ("move_file", {"source": "a", "destination": "/etc/passwd"}),
        ("copy_file", {"source": "/home/user/.ssh/id_rsa", "destination": "k"}),
        ("delete_file", {"target_file": "/etc/shadow"}),
    ],
)
def test_a_file_call_on_a_protected_file_is_refused(tool: str, tool_input: dict[str, Any]) -> None:
    assert decision(tool, tool_input) == "deny"


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Read", {"file_path": ".env.example"}),
        ("Read", {"file_path": "src/a.py"}),
        ("Read", {"file_path": ""}),
        ("Read", {"file_path": None}),
        ("Read", {}),
        ("Read", {"file_path": "/home/user/.pal/memory/state/sessions.json"}),
        ("Glob", {"pattern": "**/.env", "path": "~/.ssh"}),
        ("LS", {"path": "/home/user/.ssh"}),
        ("Grep", {"pattern": "\\.env", "path": "src"}),
        ("Grep", {"pattern": ".env"}),
        ("Grep", {"pattern": "x", "glob": "!.env"}),
        ("Grep", {"pattern": "x", "path": ".", "glob": "*.ts"}),
        ("Write", {"file_path": "notes.md", "content": "rm -rf / and .env and /etc/shadow"}),
        ("Write", {"file_path": "a.md", "content": "*** Begin Patch"}),
        ("Edit", {"file_path": "src/a.py", "old_string": "cat .env", "new_string": "/etc/passwd"}),
        ("Write", {"file_path": "/home/user/.pal/telos/GOALS.md"}),
        ("Write", {"file_path": "/home/user/.pal/skills/mine/SKILL.md"}),
        ("Write", {"file_path": ".env"}),
        ("Write", {"file_path": "/home/user/.bashrc"}),
        ("apply_patch", {"input": PATCH.format("src/b.py")}),
        ("create", {"path": "/tmp/a.txt"}),
        ("WebFetch", {"url": "https://example.com/.env"}),
        ("Unheard", {"path": "/etc/shadow"}),
        ("str_replace_editor", {"command": "create", "path": "src/x.py"}),
    ],
)
def test_a_file_call_on_any_other_file_is_let_through(tool: str, tool_input: dict[str, Any]) -> None:
    assert decision(tool, tool_input) == "allow"


@pytest.mark.parametrize("row", sorted(tools.ROWS.items()))
def test_every_row_names_its_group_and_says_why_and_what_instead(row: Any) -> None:
    _, rule = row
    assert rule.rule and rule.reason and rule.instead
    assert POLICY.decision(rule) in (DENY, "allow")


def test_nonsense_in_place_of_an_input_is_let_through() -> None:
    for value in (1, [], [[]], {"a": {}}, [None], "x" * 100_000, "\0", "é" * 500):
        for key in ("file_path", "path", "paths", "edits", "glob", "input", "command"):
            for tool in ("Read", "Write", "Edit", "Grep", "Glob", "apply_patch", "Bash", "none"):
                assert decision(tool, {key: value}) == "allow"
                tools.command_of(tool, {key: value})


def test_the_labelled_file_cases_are_right(shared: Path) -> None:
    wrong = []
    with open(shared / "guard" / "cases.jsonl", encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            if "file_path" in case:
                got = decision(case["tool"], {"file_path": case["file_path"]}, case["cwd"])
                if got != case["expect"]:
                    wrong.append((case["file_path"], got))
    assert wrong == []
