"""Antigravity's turn contract: what each payload means, what is no turn, and in which form the client hears an answer.

The payloads are put together after captures from version 1.3.1; no client ran here."""

from __future__ import annotations

import json
import os

import pytest

from pal.hooks.turn import HookReply
from pal.targets.antigravity import facts, transcript
from pal.targets.antigravity import turn as antigravity

PAYLOADS = os.path.join(os.path.dirname(__file__), "payloads", "antigravity")
SESSION = "44444444-4444-4444-8444-444444444444"
ASKED = os.path.join(PAYLOADS, "transcript_full.jsonl")
BETWEEN_AGENTS = os.path.join(PAYLOADS, "transcript_full.subagent.jsonl")

# file, event, what of the turn must be so; None: no turn
ROWS = [
    ("PreInvocation.first", "user-prompt", {"prompt": "rename the column", "opens": True, "event_id": f"{SESSION}:0"}),
    ("PreInvocation.later", "user-prompt", None),
    ("PreToolUse.run_command", "pre-tool", {"tool": "run_command", "tool_input": True, "can_ask": True}),
    ("PreToolUse.view_file", "pre-tool", {"tool": "view_file", "tool_input": True}),
    ("PreToolUse.write_to_file", "pre-tool", {"tool": "write_to_file", "tool_input": True}),
    ("PostToolUse", "post-tool", {"tool": "run_command", "changed_file": ""}),
    ("Stop", "stop", {"event_id": f"{SESSION}:0", "opens": False, "subagent": False}),
    ("Stop.forced", "stop", {"event_id": f"{SESSION}:0", "continued": True}),
    ("Stop.busy", "stop", None),
]
UNUSED = {"PostInvocation"}  # after every model call; a turn ends once


def load(name: str, transcript_path: str = ASKED) -> dict:
    with open(os.path.join(PAYLOADS, name + ".json"), encoding="utf-8") as stream:
        return {**json.load(stream), "transcriptPath": transcript_path}


def snake(payload: dict) -> dict:
    return {"".join("_" + char.lower() if char.isupper() else char for char in key): payload[key] for key in payload}


@pytest.mark.parametrize("spelled", [dict, snake])
@pytest.mark.parametrize(("name", "event", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_a_payload_means_what_the_table_says_in_either_spelling(name, event, expected, spelled):
    turn = antigravity.parse(event, spelled(load(name)), {})
    if expected is None:
        assert turn is None
        return
    assert turn.who == {"session": SESSION, "agent": "antigravity"}
    assert turn.cwd == "/home/user/project"
    for field, value in expected.items():
        found = getattr(turn, field)
        assert bool(found) is value if isinstance(value, bool) else found == value, field


def test_each_payload_has_a_row_or_a_reason():
    files = {name[: -len(".json")] for name in os.listdir(PAYLOADS) if name.endswith(".json")}
    assert files == {row[0] for row in ROWS} | UNUSED


@pytest.mark.parametrize(("name", "event"), [("PreInvocation.first", "user-prompt"), ("Stop", "stop")])
@pytest.mark.parametrize("path", [BETWEEN_AGENTS, "", "/nowhere/transcript.jsonl"])
def test_a_conversation_in_which_no_person_asked_has_no_turns(name, event, path):
    assert antigravity.parse(event, load(name, path), {}) is None


def test_a_written_file_is_told_unless_the_tool_failed():
    call = {"toolCall": {"name": "write_to_file", "args": {"TargetFile": "/p/a.txt"}}, "conversationId": "c"}
    assert antigravity.parse("post-tool", {**call, "error": ""}, {}).changed_file == "/p/a.txt"
    assert antigravity.parse("post-tool", {**call, "error": "denied"}, {}).changed_file == ""


def test_wrong_types_are_ignored_and_the_conversation_is_known_by_its_variable_too():
    payload = {"conversationId": 7, "workspacePaths": "x", "toolCall": '{"name": "view_file", "args": {"a": 1}}'}
    turn = antigravity.parse("pre-tool", payload, {"ANTIGRAVITY_CONVERSATION_ID": "c9"})
    assert (turn.session, turn.cwd, turn.tool, turn.tool_input) == ("c9", "", "view_file", {"a": 1})


def test_context_is_injected_as_one_step_of_the_turn():
    said = antigravity.render("user-prompt", HookReply("hello"))
    assert json.loads(said) == {"injectSteps": [{"userMessage": "hello"}]}
    assert antigravity.render("user-prompt", HookReply("")) == ""


@pytest.mark.parametrize("event", ["stop", "post-tool"])
def test_other_events_are_never_answered(event):
    assert antigravity.render(event, HookReply("never said")) == ""


@pytest.mark.parametrize("permission", ["deny", "ask"])
def test_a_verdict_has_the_form_the_client_honours(permission):
    reply = HookReply()
    reply.permission, reply.reason = permission, "why"
    assert json.loads(antigravity.render("pre-tool", reply)) == {"decision": permission, "reason": "why"}


def test_a_tool_call_without_objection_is_answered_since_silence_may_mean_no():
    assert json.loads(antigravity.render("pre-tool", HookReply())) == facts.NO_OPINION


def test_the_transcript_leaves_out_what_was_injected_and_what_tools_said():
    assert [message[:2] for message in transcript.recent(ASKED)] == [
        ("user", "rename the column"),
        ("assistant", "Renamed it in both tables."),
    ]
    assert transcript.last_request(ASKED) == (0, "rename the column")


def test_the_request_of_a_long_turn_is_found_far_from_the_end(tmp_path):
    path = tmp_path / "transcript_full.jsonl"
    asked = {
        "step_index": 3,
        "source": "USER_EXPLICIT",
        "type": "USER_INPUT",
        "content": "x<USER_REQUEST>\nGo.\n</USER_REQUEST>",
    }
    noise = json.dumps({"step_index": 4, "source": "MODEL", "type": "GENERIC", "content": "y" * 1000}) + "\n"
    path.write_text(json.dumps(asked) + "\n" + noise * 1500, encoding="utf-8")
    assert transcript.last_request(str(path)) == (3, "Go.")


def test_a_turn_that_is_sent_back_is_told_in_the_clients_form_and_its_commands_are_known():
    reply = HookReply()
    reply.permission, reply.reason = "continue", "why"
    assert json.loads(antigravity.render("stop", reply)) == {"decision": "continue", "reason": "why"}
    assert transcript.commands(os.path.join(PAYLOADS, "transcript_full.jsonl")) == ["echo hi"]
    assert transcript.commands("") is None
