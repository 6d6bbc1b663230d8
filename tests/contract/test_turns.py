"""The turn contract: what each captured payload of an agent means, and in which form the agent hears an answer.

One row a payload in tests/contract/payloads; a payload without a row fails the last test of this file."""

from __future__ import annotations

import json
import os

import pytest

from pal.hooks.turn import HookReply
from pal.targets.claude import turn as claude

PAYLOADS = os.path.join(os.path.dirname(__file__), "payloads")

# file, event, what of the turn must be so
CLAUDE = [
    ("SessionStart.startup", "session-start", {"source": "startup", "subagent": False}),
    ("SessionStart.startup-interactive", "session-start", {"source": "startup"}),
    ("SessionStart.resume", "session-start", {"source": "resume"}),
    ("SessionStart.fork", "session-start", {"source": "fork"}),
    ("SessionStart.compact", "session-start", {"source": "compact"}),
    ("SessionStart.clear", "session-start", {"source": "clear"}),
    ("UserPromptSubmit", "user-prompt", {"prompt": "say hello", "human": True, "event_id": True}),
    ("UserPromptSubmit.slash-skill", "user-prompt", {"human": True}),
    ("UserPromptSubmit.task-notification", "user-prompt", {"human": False}),
    ("PreToolUse.Bash", "pre-tool", {"tool": "Bash", "tool_input": True}),
    ("PreToolUse.Read", "pre-tool", {"tool": "Read", "tool_input": True}),
    ("PreToolUse.Write", "pre-tool", {"tool": "Write", "tool_input": True}),
    ("PreToolUse.Edit", "pre-tool", {"tool": "Edit", "tool_input": True}),
    ("PreToolUse.Skill", "pre-tool", {"tool": "Skill", "tool_input": True}),
    ("PreToolUse.Agent", "pre-tool", {"tool": "Agent", "tool_input": True}),
    ("PreToolUse.mcp", "pre-tool", {"tool_input": True}),
    ("PostToolUse.Bash", "post-tool", {"tool": "Bash"}),
    ("PostToolUse.Read", "post-tool", {"tool": "Read"}),
    ("PostToolUse.Write", "post-tool", {"tool": "Write", "tool_input": True}),
    ("PostToolUse.Edit", "post-tool", {"tool": "Edit", "tool_input": True}),
    ("PostToolUse.Skill", "post-tool", {"tool": "Skill"}),
    ("PostToolUse.Agent", "post-tool", {"tool": "Agent"}),
    ("Stop", "stop", {"reply": "Hello from the mock.", "subagent": False}),
    ("Stop.after-block", "stop", {"reply": True, "subagent": False}),
    ("Stop.background-running", "stop", {"reply": True, "subagent": False}),
    ("SubagentStop", "subagent-stop", {"agent_type": "pal-reviewer", "subagent": True}),
    ("SubagentStop.compaction", "subagent-stop", {"agent_type": "", "subagent": True}),
    ("PreCompact", "pre-compact", {"source": "manual", "custom": "keep the gist"}),
    ("SessionEnd.other", "session-end", {"source": "other"}),
    ("SessionEnd.clear", "session-end", {"source": "clear"}),
    ("SessionEnd.prompt_input_exit", "session-end", {"source": "prompt_input_exit"}),
]
# Events that PAL does not register for, and files that are no hook payload.
CLAUDE_UNUSED = {
    "ConfigChange", "InstructionsLoaded.include", "InstructionsLoaded.session_start", "Notification.permission_prompt",
    "PermissionRequest", "PostCompact", "PostToolBatch", "PostToolUseFailure.Bash", "Setup", "SubagentStart",
    "UserPromptExpansion", "env", "index", "statusLine", "transcript",
}  # fmt: skip


def load(agent: str, name: str) -> dict:
    with open(os.path.join(PAYLOADS, agent, name + ".json"), encoding="utf-8") as stream:
        return json.load(stream)


def camel(payload: dict) -> dict:
    def rename(key: str) -> str:
        first, *rest = key.split("_")
        return first + "".join(word.title() for word in rest)

    return {rename(key): value for key, value in payload.items()}


@pytest.mark.parametrize(("name", "event", "expected"), CLAUDE, ids=[row[0] for row in CLAUDE])
def test_a_captured_payload_means_what_the_table_says(name, event, expected):
    payload = load("claude", name)
    turn = claude.parse(event, payload, {})
    assert turn.session == payload["session_id"]
    assert turn.cwd == payload["cwd"]
    assert turn.who == {"session": payload["session_id"], "agent": "claude"}
    for field, value in expected.items():
        found = getattr(turn, field)
        assert bool(found) if value is True and field != "human" else found == value, field


@pytest.mark.parametrize(("name", "event", "expected"), CLAUDE, ids=[row[0] for row in CLAUDE])
def test_both_spellings_of_every_key_are_read(name, event, expected):
    payload = load("claude", name)
    one, other = claude.parse(event, payload, {}), claude.parse(event, camel(payload), {})
    fields = [field for field in one.__slots__ if field != "transcript"]
    assert {field: getattr(one, field) for field in fields} == {field: getattr(other, field) for field in fields}


def test_unknown_keys_and_wrong_types_are_ignored():
    turn = claude.parse("stop", {"session_id": 7, "prompt": None, "tool_input": [1], "novelty": {}, "cwd": ""}, {})
    assert (turn.session, turn.prompt, turn.tool_input, turn.cwd) == ("", "", {}, "")


def test_json_inside_a_string_is_parsed():
    turn = claude.parse("post-tool", {"tool_name": "Edit", "tool_input": '{"file_path": "/a"}'}, {})
    assert turn.tool_input == {"file_path": "/a"}


def test_the_project_is_the_folder_the_client_was_started_in():
    turn = claude.parse("stop", {"cwd": "/home/user/project/deep"}, {"CLAUDE_PROJECT_DIR": "/home/user/project"})
    assert turn.cwd == "/home/user/project"


@pytest.mark.parametrize(
    ("env", "subagent"),
    [
        ({"CLAUDE_AGENT_TYPE": "reviewer"}, True),
        ({"CLAUDE_PROJECT_DIR": "/home/user/.claude/Agents/x"}, True),
        ({"CLAUDE_PROJECT_DIR": "/home/user/project"}, False),
    ],
)
def test_a_subagent_is_known_by_its_environment_too(env, subagent):
    assert claude.parse("session-start", {"session_id": "s"}, env).subagent is subagent


@pytest.mark.parametrize(
    ("event", "context", "stdout"),
    [
        (
            "session-start",
            "hello",
            '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "hello"}}\n',
        ),
        ("user-prompt", "hello", "hello\n"),
        ("session-start", "", ""),
        ("user-prompt", "", ""),
        ("stop", "never said", ""),
        ("session-end", "never said", ""),
        ("pre-compact", "never said", ""),
        ("post-tool", "never said", ""),
    ],
)
def test_an_answer_has_the_form_the_client_honours(event, context, stdout):
    assert claude.render(event, HookReply(context)) == stdout


@pytest.mark.parametrize("permission", ["deny", "ask"])
def test_a_verdict_has_the_form_the_client_honours(permission):
    reply = HookReply()
    reply.permission, reply.reason = permission, 'it "hurts"'
    assert json.loads(claude.render("pre-tool", reply)) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": permission,
            "permissionDecisionReason": 'it "hurts"',
        }
    }
    assert claude.render("stop", reply) == "", "no other event knows a permission"


@pytest.mark.parametrize(
    ("mode", "attended", "asks"),
    [
        ("default", "1", True),
        ("acceptEdits", "1", True),
        ("plan", "1", True),
        (None, "1", True),
        ("auto", "1", False),
        ("bypassPermissions", "1", False),
        ("dontAsk", "1", False),
        ("default", "0", False),
        ("default", None, False),
    ],
)
def test_a_question_is_put_where_a_person_attends_and_the_mode_asks(mode, attended, asks):
    payload = {"session_id": "s1", **({"permission_mode": mode} if mode else {})}
    env = {"CLAUDE_CODE_SESSION_ATTENDED": attended} if attended else {}
    assert claude.parse("pre-tool", payload, env).can_ask is asks


def test_a_tool_runs_in_the_folder_the_session_is_in_now():
    turn = claude.parse("pre-tool", {"cwd": "/home/user/project/deep"}, {"CLAUDE_PROJECT_DIR": "/home/user/project"})
    assert (turn.cwd, turn.folder) == ("/home/user/project", "/home/user/project/deep")


def test_every_captured_payload_has_its_row():
    present = {name[: -len(".json")] for name in os.listdir(os.path.join(PAYLOADS, "claude")) if name.endswith(".json")}
    assert present == {row[0] for row in CLAUDE} | CLAUDE_UNUSED
