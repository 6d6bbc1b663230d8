"""The turn contract of Copilot CLI: what each captured payload means, and in which form the client hears an answer.

One row a payload in tests/contract/payloads/copilot; a payload without a row fails the last test of this file."""

from __future__ import annotations

import json
import os
import re

import pytest

from pal import targets
from pal.guard import tools
from pal.hooks.turn import HookReply
from pal.targets.copilot import facts, transcript
from pal.targets.copilot import turn as copilot

PAYLOADS = os.path.join(os.path.dirname(__file__), "payloads", "copilot")
NOW = {"COPILOT_CLI": "1", "COPILOT_CLI_BINARY_VERSION": "1.0.102", "HOME": "/home/user", "USERPROFILE": "/home/user"}
MAIN = "ac44bb44-4a2e-4896-85f7-72c57a9a40c5"  # the session whose subagent was captured
SHELL = {"command": "echo hi-tool", "description": "say hi"}

# file, event, what of the turn must be so (True: something)
ROWS = [
    ("sessionStart", "session-start", {"source": "startup", "subagent": False, "untold": ()}),
    # What a session was told at its start is not in its transcript, so a resumed one is told again.
    ("sessionStart.resume", "session-start", {"source": "resumed"}),
    ("pascal.SessionStart", "session-start", {"source": "startup"}),
    ("userPromptSubmitted", "user-prompt", {"prompt": "Do a thing", "human": True, "event_id": True, "parks": False}),
    ("pascal.UserPromptSubmit", "user-prompt", {"prompt": "Do a thing", "event_id": True}),
    ("subagent.userPromptSubmitted", "user-prompt", {"subagent": True, "agent_type": "explore"}),
    ("userPromptTransformed", "prompt-transformed", {"prompt": True, "parks": False}),
    ("userPromptTransformed.after-context", "prompt-transformed", {"prompt": True}),
    ("preToolUse", "pre-tool", {"tool": "bash", "tool_input": SHELL, "can_ask": False}),
    ("preToolUse.bash", "pre-tool", {"tool": "bash", "tool_input": {"command": "exit 3", "description": "fail"}}),
    ("v1.0.64.preToolUse", "pre-tool", {"tool": "bash", "tool_input": SHELL}),
    ("preToolUse.create", "pre-tool", {"tool": "create", "tool_input": True}),
    ("preToolUse.edit", "pre-tool", {"tool": "edit", "tool_input": True}),
    ("preToolUse.skill", "pre-tool", {"tool": "skill", "tool_input": {"skill": "nosuch"}}),
    ("preToolUse.view", "pre-tool", {"tool": "view", "tool_input": True, "changed_file": ""}),
    ("pascal.PreToolUse", "pre-tool", {"tool": "Bash", "tool_input": SHELL}),
    ("postToolUse", "post-tool", {"tool": "bash", "changed_file": ""}),
    ("pascal.PostToolUse", "post-tool", {"tool": "Bash", "changed_file": ""}),
    ("agentStop", "stop", {"reply": "", "late": True, "subagent": False, "continued": False, "event_id": True}),
    ("agentStop.forced", "stop", {"continued": True}),
    ("v1.0.64.agentStop", "stop", {"late": True, "continued": False}),
    ("pascal.Stop", "stop", {"continued": False}),
    ("subagent.agentStop", "stop", {"subagent": True}),
    ("subagentStop", "subagent-stop", {"session": MAIN, "subagent": True, "agent_type": "explore"}),
    ("preCompact", "pre-compact", {"source": "manual", "custom": ""}),
    ("sessionEnd", "session-end", {"source": "complete", "transcript_path": True}),
    ("sessionEnd.error", "session-end", {"source": "error"}),
    ("sessionEnd.user_exit", "session-end", {"source": "user_exit"}),
    ("pascal.SessionEnd", "session-end", {"source": "complete"}),
]
# Events that PAL does not register for, and files that are no hook payload.
UNUSED = {
    "errorOccurred", "notification", "pascal.PermissionRequest", "permissionRequest", "permissionRequest.create",
    "postToolUseFailure", "subagentStart",
}  # fmt: skip
OTHER = {"hooks-file"}
IDS = [row[0] for row in ROWS]


def load(name: str) -> dict:
    with open(os.path.join(PAYLOADS, name + ".json"), encoding="utf-8") as stream:
        return json.load(stream)


def snake(key: str) -> str:
    return re.sub("([A-Z])", lambda found: "_" + found.group(1).lower(), key)


def camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)


def facts_of(turn) -> dict:
    return {field: getattr(turn, field) for field in turn.__slots__}


@pytest.mark.parametrize(("name", "event", "expected"), ROWS, ids=IDS)
def test_a_captured_payload_means_what_the_table_says(name, event, expected):
    payload = load(name)
    turn = copilot.parse(event, payload, NOW)
    assert turn.who == {"session": payload.get("sessionId") or payload["session_id"], "agent": "copilot"}
    assert (turn.cwd, turn.folder) == (payload["cwd"], payload["cwd"])
    for field, value in expected.items():
        found = getattr(turn, field)
        assert bool(found) if value is True else found == value, field


@pytest.mark.parametrize("spelling", [snake, camel])
@pytest.mark.parametrize(("name", "event", "expected"), ROWS, ids=IDS)
def test_both_spellings_are_read_and_unknown_keys_are_ignored(name, event, expected, spelling):
    payload = load(name)
    other = {spelling(key): value for key, value in payload.items()}
    one, two = copilot.parse(event, payload, NOW), copilot.parse(event, {**other, "novelty": [1]}, NOW)
    assert facts_of(one) == facts_of(two)


def test_wrong_types_are_nothing():
    turn = copilot.parse("stop", {"sessionId": 7, "prompt": None, "toolArgs": [1], "timestamp": None}, NOW)
    assert (turn.session, turn.prompt, turn.tool_input, turn.event_id, turn.transcript_path) == ("", "", {}, "", "")


@pytest.mark.parametrize(("tool", "changed"), [("create", "/p/a"), ("edit", "/p/a"), ("view", ""), ("bash", "")])
def test_the_file_that_a_tool_wrote_is_known(tool, changed):
    payload = {"toolName": tool, "toolArgs": '{"path": "/p/a"}'}
    assert copilot.parse("post-tool", payload, NOW).changed_file == changed


def test_the_project_is_the_folder_the_client_was_started_in():
    turn = copilot.parse("pre-tool", {"cwd": "/p/deep"}, {**NOW, "COPILOT_PROJECT_DIR": "/p"})
    assert (turn.cwd, turn.folder) == ("/p", "/p/deep")


@pytest.mark.parametrize(
    ("env", "session", "path"),
    [
        ({}, "1-a", "/home/user/.copilot/session-state/1-a/events.jsonl"),
        ({"COPILOT_HOME": "/c"}, "1-a", "/c/session-state/1-a/events.jsonl"),
        ({}, "../../etc", ""),
        ({}, "", ""),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="POSIX paths")
def test_the_transcript_is_found_where_an_event_does_not_name_it(env, session, path):
    assert copilot.parse("session-end", {"sessionId": session}, {**NOW, **env}).transcript_path == path


@pytest.mark.parametrize(
    ("version", "parks"),
    [("1.0.102", False), ("1.0.65", False), ("1.1.0-beta", False), ("1.0.64", True), ("0.9", True), ("", True)],
)
def test_a_prompt_s_context_waits_where_the_version_drops_it(version, parks):
    assert copilot.parse("user-prompt", {}, {facts.VERSION_VARIABLE: version}).parks is parks


def reply(context="", permission="", reason=""):
    made = HookReply(context)
    made.permission, made.reason = permission, reason
    return made


@pytest.mark.parametrize(
    ("event", "answer", "said"),
    [
        ("session-start", reply("hi"), {"additionalContext": "hi"}),
        ("user-prompt", reply("hi"), {"additionalContext": "hi"}),
        ("prompt-transformed", reply("Do a thing\n\nhi"), {"modifiedTransformedPrompt": "Do a thing\n\nhi"}),
        (
            "pre-tool",
            reply(permission="deny", reason="no"),
            {"permissionDecision": "deny", "permissionDecisionReason": "no"},
        ),
    ],
)
def test_an_answer_has_the_form_the_client_honours(event, answer, said):
    assert json.loads(copilot.render(event, answer)) == said


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        ("session-start", reply()),
        ("user-prompt", reply()),
        ("prompt-transformed", reply()),
        ("pre-tool", reply("never said")),
        ("stop", reply("never said")),
        ("stop", reply(permission="continue", reason="would come back as a prompt")),
        ("session-end", reply("never said")),
        ("pre-compact", reply("never said")),
        ("post-tool", reply("never said")),
        ("subagent-stop", reply("never said")),
    ],
)
def test_silence_is_silence(event, answer):
    assert copilot.render(event, answer) == ""


@pytest.mark.parametrize(("tool", "use"), facts.TOOLS.items())
def test_each_of_its_tools_is_guarded_and_known_to_the_guard(tool, use):
    assert re.fullmatch(facts.GUARDED, tool)
    kind = tools.kind_of(tool)
    same = {"edit": ("edit", "write"), "shell": ("shell", "powershell"), "search": ("search", "list")}
    assert kind in same.get(use, (use, "other"))


@pytest.mark.parametrize("tool", ["report_intent", "update_todo", "ask_user", "web_fetch", "list_bash"])
def test_tools_that_touch_nothing_start_no_hook(tool):
    assert not re.fullmatch(facts.GUARDED, tool)
    assert re.fullmatch(facts.GUARDED, "files-write"), "a server's tools do"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("events.jsonl", [("user", "Do a thing"), ("assistant", "DONE")]),
        ("events.subagent.jsonl", [("user", "Delegate"), ("assistant", "DONE")]),
    ],
)
def test_the_transcript_gives_the_words_of_the_main_conversation_alone(name, said):
    assert [(role, text) for role, text, _ in transcript.recent(os.path.join(PAYLOADS, name))] == said


@pytest.mark.parametrize(("settings", "whose"), [(None, "vscode"), ("--agent=claude", ""), ("--agent=other", "vscode")])
def test_in_vs_code_its_hooks_stand_down_where_those_in_claude_code_s_settings_run_too(fresh_home, settings, whose):
    if settings:
        (fresh_home / ".claude").mkdir()
        (fresh_home / ".claude" / "settings.json").write_text(settings)
    env = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home)}
    payload = {"hookEventName": "Stop", "sessionId": "s", "cwd": "/p"}
    assert targets.sides("copilot", payload, env) == (whose, whose)
    assert targets.sides("claude", payload, env) == ("vscode", "vscode")
    assert targets.sides("copilot", load("agentStop"), {**env, **NOW, "HOME": str(fresh_home)}) == (
        "copilot",
        "copilot",
    )


def test_every_captured_payload_has_its_row():
    present = {name[: -len(".json")] for name in os.listdir(PAYLOADS) if name.endswith(".json")}
    assert present == set(IDS) | UNUSED | OTHER
