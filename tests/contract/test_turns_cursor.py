"""Cursor's turn contract: what each payload means, in which form the client hears an answer, and that an event runs PAL
once though the client also runs Claude Code's hooks.

The payloads are put together from the vendor's documentation and from captures of others; no client ran here."""

from __future__ import annotations

import json
import os

import pytest

from pal import targets
from pal.hooks.turn import HookReply
from pal.targets.cursor import facts, transcript
from pal.targets.cursor import turn as cursor

PAYLOADS = os.path.join(os.path.dirname(__file__), "payloads", "cursor")
SESSION = "11111111-1111-4111-8111-111111111111"

# file, event, what of the turn must be so
ROWS = [
    ("sessionStart", "session-start", {"subagent": False, "untold": ("standing", "digests")}),
    ("beforeSubmitPrompt", "user-prompt", {"prompt": "rename the column", "human": True, "event_id": True}),
    ("preToolUse", "pre-tool", {"tool": "Shell", "tool_input": True, "can_ask": False}),
    ("preToolUse.Write", "pre-tool", {"tool": "Write", "tool_input": True, "can_ask": False}),
    ("beforeShellExecution", "pre-tool", {"tool": "Shell", "tool_input": {"command": "echo hi"}, "can_ask": True}),
    ("afterFileEdit", "post-tool", {"changed_file": "/home/user/project/a.txt"}),
    ("afterAgentResponse", "agent-response", {"reply": "Renamed it in both tables.", "spoken": False}),
    ("stop", "stop", {"reply": "", "spoken": True, "source": "completed", "subagent": False}),
    ("preCompact", "pre-compact", {"source": "auto"}),
    ("sessionEnd", "session-end", {"source": "completed"}),
]
# Events that PAL does not register for: their calls meet the guard at preToolUse, their files at afterFileEdit.
UNUSED = {"beforeMCPExecution", "beforeReadFile", "postToolUse"}


def load(name: str) -> dict:
    with open(os.path.join(PAYLOADS, name + ".json"), encoding="utf-8") as stream:
        return json.load(stream)


def camel(payload: dict) -> dict:
    def rename(key: str) -> str:
        first, *rest = key.split("_")
        return first + "".join(word.title() for word in rest)

    return {rename(key): value for key, value in payload.items()}


@pytest.mark.parametrize("spelled", [dict, camel])
@pytest.mark.parametrize(("name", "event", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_a_payload_means_what_the_table_says_in_either_spelling(name, event, expected, spelled):
    turn = cursor.parse(event, spelled(load(name)), {})
    assert turn.who == {"session": SESSION, "agent": "cursor"}
    assert turn.cwd == "/home/user/project"
    for field, value in expected.items():
        found = getattr(turn, field)
        assert bool(found) is value if isinstance(value, bool) else found == value, field


def test_each_payload_has_a_row_or_a_reason():
    files = {name.rpartition(".")[0] for name in os.listdir(PAYLOADS)} - {"transcript"}
    assert files == {row[0] for row in ROWS} | UNUSED


def test_unknown_keys_and_wrong_types_are_ignored():
    turn = cursor.parse("stop", {"conversation_id": 7, "workspace_roots": [3], "tool_input": [1], "novelty": {}}, {})
    assert (turn.session, turn.cwd, turn.tool_input) == ("", "", {})
    assert cursor.parse("stop", {"workspace_roots": "x"}, {"CURSOR_PROJECT_DIR": "/p"}).cwd == "/p"


def test_json_inside_a_string_is_parsed():
    turn = cursor.parse("pre-tool", {"tool_name": "Read", "tool_input": '{"file_path": "/a"}'}, {})
    assert turn.tool_input == {"file_path": "/a"}


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        ("session-start", {"additional_context": "hello"}),
        ("user-prompt", {"continue": True, "additional_context": "hello"}),
        ("agent-response", None),
        ("stop", None),
        ("subagent-stop", None),
        ("post-tool", None),
        ("pre-compact", None),
        ("session-end", None),
    ],
)
def test_an_answer_is_one_json_object_or_silence(event, answer):
    said = cursor.render(event, HookReply("hello"))
    assert json.loads(said) == answer if answer else said == ""
    assert cursor.render(event, HookReply("")) == ""


@pytest.mark.parametrize("permission", ["deny", "ask"])
def test_a_verdict_has_the_form_the_client_honours(permission):
    reply = HookReply()
    reply.permission, reply.reason = permission, 'it "hurts"'
    assert json.loads(cursor.render("pre-tool", reply)) == {
        "permission": permission,
        "user_message": 'it "hurts"',
        "agent_message": 'it "hurts"',
    }


def test_the_transcript_gives_a_persons_words_and_the_replies():
    assert transcript.recent(os.path.join(PAYLOADS, "transcript.jsonl")) == [
        ("user", "rename the column", ""),
        ("assistant", "Renamed it in both tables.", ""),
    ]
    assert transcript.recent("") == []


def test_only_documented_events_are_registered_since_one_unknown_name_voids_the_file():
    documented = {
        "sessionStart", "sessionEnd", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure",
        "subagentStart", "subagentStop", "beforeShellExecution", "afterShellExecution", "beforeMCPExecution",
        "afterMCPExecution", "beforeReadFile", "afterFileEdit", "afterAgentResponse", "afterAgentThought",
        "preCompact", "stop",
    }  # fmt: skip
    assert {row[0] for row in facts.EVENTS} <= documented


IN_CURSOR = {"CURSOR_VERSION": "3.20.17"}
CLAUDE_HERE = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}


@pytest.mark.parametrize("own_hooks", [True, False])
@pytest.mark.parametrize(
    ("payload", "env", "whose"),
    [
        ({"conversation_id": "c", "cursor_version": "3"}, {}, "cursor"),
        ({"conversation_id": "c"}, IN_CURSOR, "cursor"),
        ({"session_id": "c"}, {**IN_CURSOR, "CURSOR_AGENT": "1"}, "cursor"),
        # cursor-agent started by Claude Code, whose variables it has inherited
        ({"session_id": "c"}, {**IN_CURSOR, **CLAUDE_HERE}, "cursor"),
        # Claude Code started in Cursor's terminal, this version or one that does not name its session
        ({"session_id": "s1"}, {**IN_CURSOR, **CLAUDE_HERE}, "claude"),
        ({"session_id": "s1"}, {**IN_CURSOR, "CLAUDECODE": "1"}, "claude"),
        ({"session_id": "s1"}, {}, "claude"),
    ],
)
def test_the_copy_registered_for_claude_stands_down_where_cursor_has_hooks_of_its_own(
    fresh_home, payload, env, whose, own_hooks
):
    env = {**env, "HOME": str(fresh_home), "USERPROFILE": str(fresh_home)}
    if own_hooks:
        (fresh_home / ".cursor").mkdir()
        (fresh_home / ".cursor" / "hooks.json").write_text('{"command": "hook.py stop --agent=cursor"}')
    answers = {"claude": ("claude", "claude"), "cursor": ("", "") if own_hooks else ("cursor", "claude")}
    assert targets.sides("claude", payload, env) == answers[whose]
    assert targets.sides("cursor", payload, env) == ("cursor", "cursor")


def test_cursors_hooks_are_looked_for_where_its_variable_says(tmp_path, fresh_home):
    (tmp_path / "hooks.json").write_text("--agent=cursor")
    env = {**IN_CURSOR, "HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PAL_CURSOR_DIR": str(tmp_path)}
    assert targets.sides("claude", {"conversation_id": "c"}, env) == ("", "")


def test_a_turn_that_is_sent_back_is_told_in_the_clients_form_and_its_commands_are_known():
    reply = HookReply()
    reply.permission, reply.reason = "continue", "why"
    assert json.loads(cursor.render("stop", reply)) == {"followup_message": "why"}
    assert transcript.commands(os.path.join(PAYLOADS, "transcript.jsonl")) == ["echo hi"]
    assert transcript.commands("") is None
