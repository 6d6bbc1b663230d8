"""Which agent is at work: what is told first, then what the environment shows, then what is there."""

from __future__ import annotations

import os

import pytest
from stand_in import StandIn

from pal.targets import asking

CURSOR = {"CURSOR_AGENT": "1"}
CODEX = {"CODEX_CLI_VERSION": "0.171.0"}
CLAUDE = {"CLAUDE_CODE_ENTRYPOINT": "cli"}
AGY = {"ANTIGRAVITY_CONVERSATION_ID": "x"}


@pytest.mark.parametrize(
    ("env", "flag", "agent"),
    [
        # What is told outranks all.
        ({"PAL_AGENT": "opencode", **CURSOR}, "codex", "opencode"),
        ({"PAL_AGENT": "vscode"}, "codex", "vscode"),
        ({"PAL_AGENT": "gemini"}, "", "gemini"),
        ({"PAL_AGENT": "somebody"}, "codex", "codex"),
        ({"PAL_AGENT": ""}, "codex", "codex"),
        # A flag of an agent's own registration outranks variables that leak from the terminal around it.
        (CLAUDE, "codex", "codex"),
        (CLAUDE, "copilot", "copilot"),
        (CURSOR, "opencode", "opencode"),
        # Two flags stand in files that others read too, so what the host shows outranks them.
        (CURSOR, "claude", "cursor"),
        ({"CURSOR_VERSION": "3.20"}, "claude", "cursor"),
        ({"CURSOR_INVOKED_AS": "cursor-agent"}, "claude", "cursor"),
        ({"CURSOR_INVOKED_AS": "else"}, "claude", "claude"),
        (CODEX, "claude", "codex"),
        (CLAUDE, "vscode", "claude"),
        ({}, "claude", "claude"),
        ({}, "vscode", "vscode"),
        ({}, "nobody", "claude"),
        # One imitates another and sets its variables too; the last ones leak.
        ({**CURSOR, **CLAUDE, **CODEX}, "", "cursor"),
        ({**CODEX, **CLAUDE}, "", "codex"),
        ({"OPENAI_CODEX": "1"}, "", "codex"),
        ({**CLAUDE, **AGY}, "", "claude"),
        (AGY, "", "antigravity"),
        ({**CLAUDE, "COPILOT_CLI": "1"}, "", "claude"),
        ({"COPILOT_CLI": "1"}, "", "copilot"),
        ({"GEMINI_CLI": "1"}, "", "gemini"),
        ({"CURSOR_AGENT": "", "CODEX_CLI_VERSION": ""}, "", "claude"),
    ],
)
def test_who_is_at_work(env, flag, agent, tmp_path):
    assert asking.active({"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), **env}, flag) == agent


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_where_nothing_says_so_it_is_the_first_whose_program_is_here(tmp_path):
    env = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin")}
    assert asking.active(env) == "claude"
    for program, agent in (
        ("agy", "antigravity"), ("cursor-agent", "cursor"), ("copilot", "copilot"), ("opencode", "opencode"),
        ("codex", "codex"), ("claude", "claude"),
    ):  # fmt: skip
        StandIn(tmp_path, program)
        assert asking.active(env) == agent


def test_an_editor_s_questions_go_to_its_subscription_s_program():
    assert asking.shots()["vscode"].NAME == "copilot"


def test_every_form_is_called_what_its_agent_is_called():
    assert all(name == shot.NAME for name, shot in asking.shots().items() if name in asking.ONE_SHOT)
