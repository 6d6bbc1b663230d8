"""VS Code's turn contract: what each payload means, in which form the client hears an answer, and that an event runs
PAL once though the client also runs Claude Code's and Copilot CLI's hooks.

The payloads are put together from the vendor's documentation and the published source; no client ran here."""

from __future__ import annotations

import json
import os

import pytest

from pal import targets
from pal.hooks.turn import HookReply
from pal.targets.vscode import facts, transcript
from pal.targets.vscode import turn as vscode

PAYLOADS = os.path.join(os.path.dirname(__file__), "payloads", "vscode")
SESSION = "33333333-3333-4333-8333-333333333333"

# file, event, what of the turn must be so
ROWS = [
    ("SessionStart", "session-start", {"source": "new", "subagent": False}),
    ("UserPromptSubmit", "user-prompt", {"prompt": "rename the column", "human": True}),
    ("PreToolUse", "pre-tool", {"tool": "run_in_terminal", "tool_input": True, "can_ask": True}),
    ("PreToolUse.create_file", "pre-tool", {"tool": "create_file", "changed_file": "/home/user/project/a.txt"}),
    ("PostToolUse", "post-tool", {"tool": "run_in_terminal", "changed_file": ""}),
    ("Stop", "stop", {"reply": "", "subagent": False}),
    ("SubagentStop", "subagent-stop", {"agent_type": "Plan", "subagent": True}),
    ("PreCompact", "pre-compact", {"source": "auto"}),
]
UNUSED = {"SubagentStart"}  # a subagent's parent was told already


def load(name: str) -> dict:
    with open(os.path.join(PAYLOADS, name + ".json"), encoding="utf-8") as stream:
        return json.load(stream)


def snake(payload: dict) -> dict:
    names = {"sessionId": "session_id", "hookEventName": "hook_event_name"}
    return {names.get(key, key): value for key, value in payload.items()}


def camel(payload: dict) -> dict:
    def rename(key: str) -> str:
        first, *rest = key.split("_")
        return first + "".join(word.title() for word in rest)

    return {rename(key): value for key, value in payload.items()}


@pytest.mark.parametrize("spelled", [dict, snake, camel])
@pytest.mark.parametrize(("name", "event", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_a_payload_means_what_the_table_says_in_any_spelling(name, event, expected, spelled):
    turn = vscode.parse(event, spelled(load(name)), {})
    assert turn.who == {"session": SESSION, "agent": "vscode"}
    assert turn.cwd == "/home/user/project"
    for field, value in expected.items():
        found = getattr(turn, field)
        assert bool(found) is value if isinstance(value, bool) else found == value, field


def test_each_payload_has_a_row_or_a_reason():
    files = {name.rpartition(".")[0] for name in os.listdir(PAYLOADS)} - {"transcript"}
    assert files == {row[0] for row in ROWS} | UNUSED


def test_unknown_keys_and_wrong_types_are_ignored_and_json_in_a_string_is_parsed():
    turn = vscode.parse("pre-tool", {"sessionId": 7, "tool_input": '{"command": "ls"}', "novelty": {}}, {})
    assert (turn.session, turn.tool_input) == ("", {"command": "ls"})


@pytest.mark.parametrize(
    ("event", "name"),
    [("session-start", "SessionStart"), ("user-prompt", "UserPromptSubmit")],
)
def test_context_names_the_event_that_ran_or_it_would_be_discarded(event, name):
    answer = json.loads(vscode.render(event, HookReply("hello")))
    assert answer == {"hookSpecificOutput": {"hookEventName": name, "additionalContext": "hello"}}
    assert vscode.render(event, HookReply("")) == ""


@pytest.mark.parametrize("event", ["post-tool", "stop", "subagent-stop", "pre-compact"])
def test_other_events_are_never_answered(event):
    assert vscode.render(event, HookReply("never said")) == ""


@pytest.mark.parametrize("permission", ["deny", "ask"])
def test_a_verdict_stands_inside_the_answer_for_its_event(permission):
    reply = HookReply()
    reply.permission, reply.reason = permission, "why"
    assert json.loads(vscode.render("pre-tool", reply)) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": permission,
            "permissionDecisionReason": "why",
        }
    }


def test_the_transcript_gives_the_prompt_and_the_reply():
    said = transcript.recent(os.path.join(PAYLOADS, "transcript.jsonl"))
    assert [message[:2] for message in said] == [
        ("user", "rename the column"),
        ("assistant", "Renamed it in both tables."),
    ]


def test_every_event_is_one_the_client_documents():
    documented = {
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "SubagentStart", "SubagentStop",
        "Stop",
    }  # fmt: skip
    assert {row[0] for row in facts.EVENTS} <= documented


@pytest.mark.parametrize("agent", ["claude", "copilot"])
@pytest.mark.parametrize("own_hooks", [True, False])
def test_anothers_copy_stands_down_for_vscodes_own_and_speaks_its_form_without(fresh_home, agent, own_hooks):
    if own_hooks:
        folder = fresh_home / ".copilot" / "hooks"
        folder.mkdir(parents=True)
        (folder / "pal-vscode.json").write_text('{"linux": "hook.py stop --agent=vscode"}')
    env = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home)}
    assert targets.sides(agent, load("Stop"), env) == (("", "") if own_hooks else ("vscode", "vscode"))
    assert targets.sides("vscode", load("Stop"), env) == ("vscode", "vscode")


def test_vscodes_copy_stands_down_in_copilot_cli_which_reads_the_same_folder(fresh_home):
    env = {"HOME": str(fresh_home), "COPILOT_CLI": "1"}
    theirs = {"hook_event_name": "Stop", "session_id": "c", "cwd": "/p"}
    assert targets.sides("vscode", theirs, env) == ("", "")
    assert targets.sides("copilot", theirs, env) == ("copilot", "copilot")
    # A VS Code that was started from there has the variable too.
    assert targets.sides("vscode", load("Stop"), env) == ("vscode", "vscode")


def test_a_turn_that_is_sent_back_is_told_in_the_clients_form_and_its_commands_are_known():
    reply = HookReply()
    reply.permission, reply.reason = "continue", "why"
    assert json.loads(vscode.render("stop", reply)) == {
        "hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "why"}
    }
    assert transcript.commands(os.path.join(PAYLOADS, "transcript.jsonl")) == ["echo hi"]
    assert transcript.commands("") is None
