"""The turn contract of Codex: what each captured payload means, and in which form the client hears an answer.

One row a payload in tests/contract/payloads/codex; a payload without a row fails the last test of this file."""

from __future__ import annotations

import json
import os

import pytest

from pal.guard import tools
from pal.hooks.turn import HookReply
from pal.targets.codex import facts, transcript
from pal.targets.codex import turn as codex

PAYLOADS = os.path.join(os.path.dirname(__file__), "payloads", "codex")

# file, event, what of the turn must be so (True: something)
ROWS = [
    ("SessionStart", "session-start", {"source": "startup", "subagent": False, "untold": ("digests",), "room": True}),
    ("SessionStart-resume", "session-start", {"source": "resume"}),
    ("SessionStart-compact", "session-start", {"source": "compact"}),
    ("UserPromptSubmit", "user-prompt", {"prompt": "Say hello", "human": True, "event_id": True, "subagent": False}),
    ("UserPromptSubmit-in-subagent", "user-prompt", {"subagent": True, "agent_type": "default"}),
    ("PreToolUse", "pre-tool", {"tool": "Bash", "tool_input": {"command": "echo hello"}, "can_ask": False}),
    ("PreToolUse-mcp", "pre-tool", {"tool": "mcp__echo__say", "tool_input": {"text": "hey"}}),
    ("PostToolUse", "post-tool", {"tool": "Bash", "changed_file": ""}),
    ("PostToolUse-mcp", "post-tool", {"tool": "mcp__echo__say", "changed_file": ""}),
    ("Stop", "stop", {"reply": "All done.", "subagent": False, "continued": False, "event_id": True}),
    ("SubagentStop", "subagent-stop", {"subagent": True, "agent_type": "default"}),
    ("PreCompact", "pre-compact", {"source": "auto"}),
    ("SessionEnd", "session-end", {"source": "other", "attended": False}),
]
# Events that PAL does not register for, and files that are no hook payload.
UNUSED = {"Interrupt", "PermissionRequest", "PostCompact", "SubagentStart"}
OTHER = {"config-hooks-state", "hooks-json", "hooks-list-trusted"}
IDS = [row[0] for row in ROWS]


def load(name: str) -> dict:
    with open(os.path.join(PAYLOADS, name + ".json"), encoding="utf-8") as stream:
        return json.load(stream)


def camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)


@pytest.mark.parametrize(("name", "event", "expected"), ROWS, ids=IDS)
def test_a_captured_payload_means_what_the_table_says(name, event, expected):
    payload = load(name)
    turn = codex.parse(event, payload, {})
    assert turn.who == {"session": payload["session_id"], "agent": "codex"}
    assert (turn.cwd, turn.folder) == (payload["cwd"], payload["cwd"])
    assert turn.transcript_path == payload["transcript_path"]
    for field, value in expected.items():
        found = getattr(turn, field)
        assert bool(found) if value is True else found == value, field


@pytest.mark.parametrize(("name", "event", "expected"), ROWS, ids=IDS)
def test_both_spellings_are_read_and_unknown_keys_are_ignored(name, event, expected):
    payload = load(name)
    other = {camel(key): value for key, value in payload.items()}
    one, two = codex.parse(event, payload, {}), codex.parse(event, {**other, "novelty": {"a": 1}}, {})
    assert {field: getattr(one, field) for field in one.__slots__} == {
        field: getattr(two, field) for field in two.__slots__
    }


@pytest.mark.parametrize("name", [name for name, event, _ in ROWS if event not in ("pre-compact", "session-end")])
def test_the_events_of_the_table_are_those_that_are_registered(name):
    registered = {theirs: ours for theirs, ours, _, _ in facts.EVENTS}
    assert registered[load(name)["hook_event_name"]] in {event for row, event, _ in ROWS if row == name}


def test_wrong_types_are_nothing():
    turn = codex.parse("stop", {"session_id": 7, "prompt": None, "tool_input": [1], "cwd": "", "model": 4}, {})
    assert (turn.session, turn.prompt, turn.tool_input, turn.cwd) == ("", "", {}, "")


def test_json_inside_a_string_is_parsed():
    turn = codex.parse("pre-tool", {"tool_name": "Bash", "tool_input": '{"command": "ls"}'}, {})
    assert turn.tool_input == {"command": "ls"}


@pytest.mark.parametrize(
    ("mode", "attended"),
    [("default", True), ("acceptEdits", True), ("plan", True), ("bypassPermissions", False), ("dontAsk", False)],
)
def test_a_person_is_there_in_the_modes_of_a_terminal(mode, attended):
    turn = codex.parse("stop", {"session_id": "s", "permission_mode": mode}, {})
    assert turn.attended is attended
    assert turn.can_ask is False, "a question is an error there, and the tool would run"


@pytest.mark.parametrize(
    ("tool", "tool_input", "changed"),
    [
        ("apply_patch", {"command": "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** End Patch"}, "/p/src/a.py"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: /abs/b.py\n+x\n*** End Patch"}, "/abs/b.py"),
        ("Write", {"file_path": "/p/c.py"}, "/p/c.py"),
        ("Bash", {"command": "*** Update File: a"}, ""),
        ("mcp__files__edit", {"path": "/p/d.py"}, ""),
    ],
)
def test_the_file_that_a_tool_wrote_is_known(tool, tool_input, changed):
    payload = {"session_id": "s", "cwd": "/p", "tool_name": tool, "tool_input": tool_input}
    assert codex.parse("post-tool", payload, {}).changed_file == changed
    assert codex.parse("stop", payload, {}).changed_file == ""


def reply(context="", permission="", reason=""):
    made = HookReply(context)
    made.permission, made.reason = permission, reason
    return made


@pytest.mark.parametrize(
    ("event", "answer", "said"),
    [
        ("session-start", reply("hi"), {"hookEventName": "SessionStart", "additionalContext": "hi"}),
        ("user-prompt", reply("[PAL] hi"), {"hookEventName": "UserPromptSubmit", "additionalContext": "[PAL] hi"}),
        (
            "pre-tool",
            reply(permission="deny", reason='it "hurts"'),
            {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": 'it "hurts"',
            },
        ),
    ],
)
def test_an_answer_has_the_form_the_client_honours_and_no_key_more(event, answer, said):
    assert json.loads(codex.render(event, answer)) == {"hookSpecificOutput": said}


def test_a_refusal_always_has_a_reason_since_the_tool_runs_without():
    said = json.loads(codex.render("pre-tool", reply(permission="deny")))
    assert said["hookSpecificOutput"]["permissionDecisionReason"]


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        ("session-start", reply()),
        ("user-prompt", reply()),
        ("pre-tool", reply(permission="ask", reason="may I?")),
        ("pre-tool", reply("never said")),
        ("stop", reply("never said")),
        ("stop", reply(permission="deny", reason="no")),
        ("session-end", reply("never said")),
        ("pre-compact", reply("never said")),
        ("post-tool", reply("never said")),
        ("subagent-stop", reply("never said")),
    ],
)
def test_silence_is_silence(event, answer):
    assert codex.render(event, answer) == ""


def test_a_stop_that_sends_the_turn_on_has_the_form_of_a_stop():
    answer = reply(permission="continue", reason="Run the tests.")
    assert json.loads(codex.render("stop", answer)) == {"decision": "block", "reason": "Run the tests."}


@pytest.mark.parametrize(("tool", "use"), facts.TOOLS.items())
def test_the_guard_knows_each_of_its_tools(tool, use):
    kind = tools.kind_of(tool)
    assert kind == use or (use == "edit" and kind == "write") or (tool == "view_image" and kind == "other")


def test_the_transcript_gives_the_words_of_both_and_nothing_of_the_client():
    said = transcript.recent(os.path.join(PAYLOADS, "rollout.jsonl"))
    assert [(role, text) for role, text, _ in said] == [
        ("user", "Say hello"),
        ("assistant", "Looking."),
        ("assistant", "All done."),
    ]
    assert all(time.startswith("2026-11-30T13:10:0") for _, _, time in said)


def test_the_transcript_tells_the_commands_of_the_turn():
    assert transcript.commands(os.path.join(PAYLOADS, "rollout.jsonl")) == ["echo hello"]
    assert transcript.commands("") is None
    assert transcript.commands(os.path.join(PAYLOADS, "Stop.json")) is None


def test_what_the_client_says_in_a_person_s_name_is_no_prompt(tmp_path):
    rows = [
        ("user", "# AGENTS.md instructions for /p\n\nBe brief."),
        ("user", "<environment_context>\n</environment_context>"),
        ("user", "mend the parser"),
        ("assistant", "Done."),
        ("user", '<hook_prompt hook_run_id="1">Run the tests.</hook_prompt>'),
    ]
    lines = [
        {"type": "response_item", "payload": {"type": "message", "role": role, "content": [{"text": text}]}}
        for role, text in rows
    ]
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "torn", encoding="utf-8")
    assert [text for _, text, _ in transcript.recent(str(path))] == ["mend the parser", "Done."]
    assert codex.parse("user-prompt", {"prompt": rows[-1][1]}, {}).human is False


def test_every_captured_payload_has_its_row():
    present = {name[: -len(".json")] for name in os.listdir(PAYLOADS) if name.endswith(".json")}
    assert present == set(IDS) | UNUSED | OTHER
