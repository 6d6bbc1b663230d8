"""The turn contract of Gemini CLI: what each captured payload means, and in which form the client hears an answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pal.base.settings import Settings
from pal.guard import decide
from pal.guard import settings as guard_settings
from pal.hooks.turn import HookReply
from pal.targets.gemini import facts
from pal.targets.gemini import turn as gemini

PAYLOADS = Path(__file__).parent / "payloads" / "gemini"

# file, event, what of the turn must be so
TABLE = [
    ("SessionStart", "session-start", {"source": "startup", "opens": False}),
    ("BeforeAgent", "user-prompt", {"prompt": "Do", "human": True, "event_id": True, "opens": True}),
    ("BeforeAgent.after-context", "user-prompt", {"prompt": "Do"}),
    ("BeforeTool", "pre-tool", {"tool": "run_shell_command", "tool_input": True, "can_ask": False}),
    ("AfterTool", "post-tool", {"tool": "run_shell_command", "changed_file": ""}),
    ("AfterAgent", "stop", {"reply": "DONE", "subagent": False}),
    ("AfterAgent.forced", "stop", {"reply": True}),
    ("SessionEnd", "session-end", {"source": "exit"}),
]
# Events that PAL does not register for, and files that are no hook payload.
UNUSED = {"AfterModel", "BeforeModel", "BeforeToolSelection", "Notification", "PreCompress"}


def load(name: str) -> dict:
    return json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))


def camel(payload: dict) -> dict:
    def rename(key: str) -> str:
        first, *rest = key.split("_")
        return first + "".join(word.title() for word in rest)

    return {rename(key): value for key, value in payload.items()}


@pytest.mark.parametrize(("name", "event", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_a_captured_payload_means_what_the_table_says(name, event, expected):
    payload = load(name)
    turn = gemini.parse(event, payload, {})
    assert turn.who == {"session": payload["session_id"], "agent": "gemini"}
    assert (turn.cwd, turn.folder) == (payload["cwd"], payload["cwd"])
    for field, value in expected.items():
        found = getattr(turn, field)
        assert bool(found) if value is True and field not in ("human", "opens") else found == value, field


@pytest.mark.parametrize(("name", "event", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_both_spellings_of_every_key_are_read(name, event, expected):
    payload = load(name)
    one, other = gemini.parse(event, payload, {}), gemini.parse(event, camel(payload), {})
    for field in one.__slots__:
        assert getattr(one, field) == getattr(other, field), field


def test_every_captured_payload_has_its_row():
    assert {path.stem for path in PAYLOADS.glob("*.json")} == {row[0] for row in TABLE} | UNUSED


def test_every_registered_event_has_a_captured_payload():
    captured = {load(row[0])["hook_event_name"] for row in TABLE}
    assert {row[0] for row in facts.EVENTS} <= captured


def test_a_skill_is_named_where_the_guard_looks_for_it():
    payload = {"tool_name": "activate_skill", "tool_input": {"name": "keybindings-help"}}
    turn = gemini.parse("pre-tool", payload, {})
    assert (turn.tool, turn.tool_input["skill"]) == ("skill", "keybindings-help")


def test_a_command_s_folder_is_named_where_the_guard_looks_for_it():
    given = {"tool_name": "run_shell_command", "tool_input": {"command": "rm -rf lib", "dir_path": "/"}}
    turn = gemini.parse("pre-tool", {**given, "cwd": "/home/user/project"}, {})
    policy = guard_settings.load(Settings({}), "/home/user/.pal", (), False, False)
    assert decide.decide(turn.tool, turn.tool_input, turn.folder, "/home/user", policy).rule
    del turn.tool_input["workdir"]
    assert not decide.decide(turn.tool, turn.tool_input, turn.folder, "/home/user", policy).rule


def test_unknown_keys_and_wrong_types_are_ignored():
    payload = {"session_id": 7, "prompt": None, "tool_input": [1], "novelty": {}, "cwd": "", "mcp_context": 3}
    turn = gemini.parse("stop", payload, {})
    assert (turn.session, turn.prompt, turn.tool_input, turn.cwd) == ("", "", {}, "")


def test_json_inside_a_string_is_parsed():
    turn = gemini.parse("post-tool", {"tool_name": "replace", "tool_input": '{"file_path": "/a"}'}, {})
    assert (turn.tool_input, turn.changed_file) == ({"file_path": "/a"}, "/a")


def test_the_project_is_the_folder_the_client_was_started_in():
    turn = gemini.parse("pre-tool", {"cwd": "/home/user/project/deep"}, {"GEMINI_PROJECT_DIR": "/home/user/project"})
    assert (turn.cwd, turn.folder) == ("/home/user/project", "/home/user/project/deep")


@pytest.mark.parametrize(
    ("payload", "tool"),
    [
        ({"tool_name": "run_shell_command"}, "run_shell_command"),
        ({"tool_name": "activate_skill"}, "skill"),
        (
            {
                "tool_name": "mcp_files_write_file",
                "mcp_context": {"server_name": "files", "tool_name": "write_file"},
            },
            "mcp__files__write_file",
        ),
        ({"tool_name": "mcp_files_write_file"}, "mcp_files_write_file"),
    ],
)
def test_a_tool_has_the_name_by_which_the_guard_knows_it(payload, tool):
    assert gemini.parse("pre-tool", payload, {}).tool == tool


def test_the_first_prompt_of_a_session_is_told_what_a_start_tells_others():
    assert gemini.parse("user-prompt", {"session_id": "s", "prompt": "hi"}, {}).opens is True
    assert "session-start" not in {row[1] for row in facts.EVENTS}


@pytest.mark.parametrize(
    ("event", "context", "told"),
    [
        ("user-prompt", "<system-reminder>\nhello\n</system-reminder>", "hello"),
        (
            "user-prompt",
            "<system-reminder>\none\n</system-reminder>\n\n<system-reminder>\ntwo\n</system-reminder>",
            "one\n\n\n\ntwo",
        ),
        ("user-prompt", "", None),
        ("stop", "never said", None),
        ("session-end", "never said", None),
        ("post-tool", "never said", None),
    ],
)
def test_an_answer_has_the_form_the_client_honours(event, context, told):
    said = gemini.render(event, HookReply(context))
    answer = {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": told}}
    assert (json.loads(said) if said else None) == (answer if told else None)


def test_a_verdict_has_the_form_the_client_honours():
    reply = HookReply()
    reply.permission, reply.reason = "deny", 'it "hurts"'
    assert json.loads(gemini.render("pre-tool", reply)) == {"decision": "deny", "reason": 'it "hurts"'}
    assert gemini.render("stop", reply) == "", "after a stop it would go on for ever"


def test_a_turn_that_is_sent_back_goes_on_with_the_reason_and_says_so_the_next_time():
    reply = HookReply()
    reply.permission, reply.reason = "continue", "Run the tests."
    assert json.loads(gemini.render("stop", reply)) == {"decision": "deny", "reason": "Run the tests."}
    assert gemini.parse("stop", load("AfterAgent"), {}).continued is False
    assert gemini.parse("stop", load("AfterAgent.forced"), {}).continued is True


# Transcripts


@pytest.fixture
def captured(tmp_path):
    copy = tmp_path / "session.jsonl"
    shutil.copy(PAYLOADS / "session.jsonl", copy)
    return str(copy)


def test_a_captured_transcript_gives_the_prompt_and_the_reply(captured):
    turn = gemini.parse("stop", {"transcript_path": captured}, {})
    assert [said[:2] for said in turn.transcript()] == [("user", "Do"), ("assistant", "DONE")]


def test_the_reply_of_a_turn_that_was_sent_back_is_its_last_one(captured):
    payload = {**load("AfterAgent.forced"), "transcript_path": captured}
    assert gemini.parse("stop", payload, {}).reply == "DONE", "not all replies run together"
    assert gemini.parse("stop", {**payload, "transcript_path": "/home/user/gone"}, {}).reply == "DONE\nDONE"


def lines(path, *entries) -> str:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return str(path)


def message(kind: str, content, **more) -> dict:
    return {"id": more.pop("id", "m"), "timestamp": "2026-03-02T08:15:00Z", "type": kind, "content": content, **more}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([{"text": "hello"}], "hello"),
        ("hello", "hello"),
        ([{"text": "<hook_context>told</hook_context>\n\nhello"}], "hello"),
        ([{"text": "hello"}, {"text": "<hook_context>told</hook_context>"}], "hello"),
        ([{"text": "<hook_context>a</hook_context><hook_context>b</hook_context> hello"}], "hello"),
        ([{"text": "<hook_context>torn, but a person's hello"}], "<hook_context>torn, but a person's hello"),
        ([{"functionResponse": {"name": "x", "response": {"output": "y"}}}], None),
        ([{"text": "<session_context>\nThis is the Gemini CLI."}], None),
        (None, None),
        (7, None),
    ],
)
def test_only_a_person_s_words_are_a_prompt(tmp_path, content, said):
    path = lines(tmp_path / "t.jsonl", message("user", content), message("gemini", "answered"))
    found = gemini.parse("stop", {"transcript_path": path}, {}).transcript()
    assert [text for role, text, _ in found if role == "user"] == ([said] if said else [])


def test_a_message_written_again_with_its_tools_counts_once(tmp_path):
    path = lines(
        tmp_path / "t.jsonl",
        message("user", "look"),
        message("gemini", "Looking.", id="a"),
        message("gemini", "Looking.", id="a", toolCalls=[{"name": "read_file"}]),
        message("info", "a note of the client's"),
        message("gemini", "Found it.", id="b"),
        {"$set": {"lastUpdated": "2026-03-02T08:15:01Z"}},
    )
    found = gemini.parse("stop", {"transcript_path": path}, {}).transcript()
    assert [text for _, text, _ in found] == ["look", "Looking.", "Found it."]


def test_the_commands_of_a_turn_are_those_since_a_person_spoke(captured, tmp_path):
    assert gemini.parse("stop", {"transcript_path": captured}, {}).read_commands(captured) == ["echo hi"]

    def calls(*named):
        return [{"id": name, "name": "run_shell_command", "args": {"command": name}} for name in named]

    path = lines(
        tmp_path / "t.jsonl",
        message("user", "first"),
        message("gemini", "", toolCalls=calls("old")),
        message("user", "second"),
        message("gemini", "", id="a", toolCalls=calls("one", "two")),
        message("gemini", "", id="a", toolCalls=calls("one", "two")),
        message("user", [{"functionResponse": {"name": "run_shell_command"}}]),
        message(
            "gemini", "", id="b", toolCalls=[*calls("three"), {"name": "read_file", "args": {"file_path": "x"}}, 7]
        ),
        message("gemini", "All tests pass.", id="c"),
    )
    read = gemini.parse("stop", {}, {}).read_commands
    assert read(path) == ["one", "two", "three"]
    assert read("") is None
    assert read(str(tmp_path / "gone.jsonl")) is None
    assert read(lines(tmp_path / "u.jsonl", message("gemini", "hello"))) is None, "nobody spoke"


def test_without_a_transcript_nothing_was_said():
    assert gemini.parse("stop", {}, {}).transcript() == []
    assert gemini.parse("stop", {"transcript_path": "/home/user/gone.jsonl"}, {}).transcript() == []
