"""The turn contract of opencode: what PAL's plugin makes of each captured payload, and what PAL's side makes of that.

The plugin runs in Node with `opencode_host.mjs` in opencode's place and a recorder in PAL's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pal.base import assets
from pal.hooks.turn import HookReply
from pal.targets.opencode import turn as opencode

HERE = Path(__file__).parent
PAYLOADS = HERE / "payloads" / "opencode"
MAIN, CHILD = "ses_dd36cb684ffei7UqJbt0ytCFcr", "ses_dd36c6183ffeIT02bUfOCnCXJd"
PARENT_OF_CHILD = "ses_dd36caadeffeH1bXx2TE2jZnaQ"
RECORDER = """
import json, os, sys
event = sys.argv[1]
row = {"scenario": os.environ.get("PAL_TEST_SCENARIO"), "agent": os.environ.get("PAL_AGENT"), "flags": sys.argv[2:]}
row.update(event=event, payload=json.loads(sys.stdin.buffer.read().decode("utf-8")))
with open(__file__ + ".jsonl", "a", encoding="utf-8") as out:
    out.write(json.dumps(row) + "\\n")
with open(__file__ + ".json", encoding="utf-8") as stream:
    said = json.load(stream).get(event)
if said:
    print(said if isinstance(said, str) else json.dumps(said))
"""
ANSWERS = {"session-start": {"context": "SESSION"}, "user-prompt": {"context": "PROMPT"}}

# captured file: what PAL is told of it, when it comes alone (event, what the payload must say)
ALONE = {
    "event-message-part-delta": [],
    "event-message-part-updated-patch": [],
    "event-message-part-updated-step-finish": [],
    "event-message-part-updated-step-start": [],
    "event-message-part-updated-text": [],
    "event-message-part-updated-tool-completed": [],
    "event-message-part-updated-tool-pending": [],
    "event-message-part-updated-tool-running": [],
    "event-message-updated-assistant": [],
    "event-message-updated-user": [],
    "event-permission-asked": [],
    "event-permission-replied": [],
    "event-session-compacted": [],
    "event-session-created": [],
    "event-session-created-subagent": [],
    "event-session-diff": [],
    "event-session-idle": [],  # no turn came before
    "event-session-status-busy": [],
    "event-session-status-idle": [],
    "event-session-updated": [],
    "hook-chat-headers": [],
    "hook-chat-message": [
        ("session-start", {"session_id": MAIN, "source": "startup"}),
        ("user-prompt", {"session_id": MAIN, "prompt": '"hi prompt"', "prompt_id": "msg_22c934a69001mEX2TSuo9Qub3X"}),
    ],
    "hook-chat-message-subagent": [],
    "hook-chat-params": [],
    "hook-command-execute-before": [],
    "hook-config": [],
    "hook-experimental-chat-messages-transform": [],
    "hook-experimental-chat-system-transform": [("session-start", {"session_id": MAIN})],
    "hook-experimental-session-compacting": [("pre-compact", {"session_id": "ses_dd3643695ffeeEKFEB7jQLJQZR"})],
    "hook-experimental-text-complete": [],
    "hook-shell-env": [],
    "hook-tool-execute-after": [("post-tool", {"tool_name": "bash"})],
    "hook-tool-execute-after-task": [],
    "hook-tool-execute-before": [
        (
            "pre-tool",
            {
                "tool_name": "bash",
                "tool_input": {"command": "echo hello-tool; touch ran.txt", "description": "say hello"},
            },
        )
    ],
}
# Files that are no call of a plugin.
NO_CALL = {
    "event-order",
    "hook-plugin",
    "request-after-block",
    "request-with-context",
    "run-json-stdout",
    "session-messages",
}


def load(name: str):
    return json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))


def step(name: str, **changes) -> dict:
    value = load(name)
    if name.startswith("event-"):
        return {"hook": "event", "input": {**value, **changes}}
    hook = name[len("hook-") :].replace("-subagent", "").replace("-task", "")
    if not {"input", "output"} <= set(value):
        value = {"input": value, "output": {}}
    return {"hook": HOOK_NAMES.get(hook, hook), **value, **changes}


HOOK_NAMES = {
    "chat-headers": "chat.headers",
    "chat-message": "chat.message",
    "chat-params": "chat.params",
    "command-execute-before": "command.execute.before",
    "experimental-chat-messages-transform": "experimental.chat.messages.transform",
    "experimental-chat-system-transform": "experimental.chat.system.transform",
    "experimental-session-compacting": "experimental.session.compacting",
    "experimental-text-complete": "experimental.text.complete",
    "shell-env": "shell.env",
    "tool-execute-after": "tool.execute.after",
    "tool-execute-before": "tool.execute.before",
}

REPLY = step(
    "hook-experimental-text-complete", input={"sessionID": MAIN, "messageID": "m2"}, output={"text": "More is done."}
)
WRITE = step(
    "hook-tool-execute-after",
    input={"tool": "write", "sessionID": MAIN, "args": {"filePath": "/home/user/project/a.py", "content": "x"}},
)
TITLE = step("hook-experimental-chat-system-transform", output={"system": ["You are a title generator. You output"]})
INFOS = {
    MAIN: {"id": MAIN, "time": {"created": 4e12}},
    CHILD: {"id": CHILD, "parentID": PARENT_OF_CHILD, "agent": "general", "time": {"created": 4e12}},
}
TURN = [
    step("event-session-created"),
    step("hook-chat-message"),
    step("event-session-diff"),
    TITLE,
    step("hook-experimental-chat-system-transform"),
    step("hook-tool-execute-before"),
    step("hook-experimental-text-complete"),
    WRITE,
    step("event-session-diff"),
    step("hook-experimental-chat-system-transform"),
    {**REPLY, "output": {"text": "All done."}},
    step("event-session-status-idle"),
    step("event-session-idle"),
    step("event-session-diff"),
    step("hook-shell-env"),
    {"hook": "dispose"},
]
SUBAGENT = [
    step("event-session-created-subagent"),
    step("hook-chat-message-subagent"),
    step("hook-experimental-chat-system-transform", input={"sessionID": CHILD}),
    step("hook-experimental-text-complete", input={"sessionID": CHILD, "messageID": "m"}),
    {**WRITE, "input": {**WRITE["input"], "sessionID": CHILD}},
    step("event-session-idle", properties={"sessionID": CHILD}),
    {"hook": "dispose"},
]
OLD = {"infos": {MAIN: {"id": MAIN, "time": {"created": 1}}}, "messages": {MAIN: load("session-messages")}}
SCENARIOS = [
    *({"name": name, "infos": INFOS, "steps": [step(name)]} for name in ALONE),
    {"name": "turn", "infos": INFOS, "steps": TURN},
    {"name": "subagent", "infos": INFOS, "steps": SUBAGENT},
    {
        "name": "reopened",
        **OLD,
        "steps": [step("hook-chat-message"), REPLY, step("event-session-idle"), {"hook": "dispose"}],
    },
    {
        "name": "no text hook",
        "infos": INFOS,
        "messages": OLD["messages"],
        "steps": [
            step("event-session-created"),
            step("hook-chat-message"),
            step("event-session-idle"),
            {"hook": "wait"},
        ],
    },
    {
        "name": "compaction",
        "infos": INFOS,
        "steps": [
            step("event-session-created"),
            step("hook-chat-message"),
            step("hook-experimental-session-compacting", input={"sessionID": MAIN}),
            step("event-session-compacted", properties={"sessionID": MAIN}),
            step("hook-experimental-chat-system-transform"),
        ],
    },
    {
        "name": "our own model call",
        "infos": INFOS,
        "env": {"PAL_SPAWNED_INFERENCE": "1"},
        "steps": [step("hook-chat-message"), step("hook-tool-execute-before"), step("event-session-idle")],
    },
]
HOSTILE = [
    {"hook": hook, "input": value, "output": value}
    for hook in (*HOOK_NAMES.values(), "event", "dispose")
    for value in (None, {}, {"sessionID": 7, "tool": [], "parts": "x", "system": {}, "message": None})
]


@pytest.fixture(scope="module")
def node(require):
    return require(shutil.which("node"), "no Node.js, which opencode's plugin is tried with")


class Played:
    """What the plugin did with the scenarios: `calls` of PAL by scenario, and what opencode was given back."""

    def __init__(self, folder: Path, node: str, answers: dict, hook: list[str], scenarios: list[dict]) -> None:
        self.recorder = folder / "recorder.py"
        self.recorder.write_text(RECORDER, encoding="utf-8")
        Path(f"{self.recorder}.json").write_text(json.dumps(answers), encoding="utf-8")
        words = json.dumps(hook or [sys.executable, "-I", "-S", str(self.recorder)])
        plugin = folder / "pal.mjs"
        plugin.write_bytes(assets.read("targets/opencode/pal.js").replace(b"{{hook}}", words.encode()))
        plans = folder / "scenarios.json"
        plans.write_text(
            json.dumps([{"directory": "/home/user/project", **each} for each in scenarios]), encoding="utf-8"
        )
        env = {key: value for key, value in os.environ.items() if not key.startswith("PAL_")}
        temporary = folder / "tmp"
        temporary.mkdir()
        done = subprocess.run(
            [node, str(HERE / "opencode_host.mjs"), str(plugin), str(plans)],
            capture_output=True,
            env={**env, "TMPDIR": str(temporary), "TEMP": str(temporary), "TMP": str(temporary)},
            timeout=120,
        )
        self.left = list(temporary.iterdir())
        self.stderr = done.stderr.decode("utf-8", "replace")
        assert done.returncode == 0, self.stderr
        self.results = json.loads(done.stdout)

    def rows(self) -> list[dict]:
        log = Path(f"{self.recorder}.jsonl")
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []

    def calls(self, scenario: str, expected: int) -> list[dict]:
        """This scenario's calls, once as many as expected are there (those left behind may still be on their way)."""
        deadline = time.monotonic() + 20
        while True:
            found = [row for row in self.rows() if row["scenario"] == scenario]
            if len(found) >= expected or time.monotonic() > deadline:
                return found
            time.sleep(0.02)


@pytest.fixture(scope="module")
def played(node, tmp_path_factory):
    return Played(tmp_path_factory.mktemp("played"), node, ANSWERS, [], SCENARIOS)


def told(rows: list[dict]) -> list[str]:
    return sorted(row["event"] for row in rows)


@pytest.mark.parametrize("name", ALONE)
def test_a_captured_payload_tells_pal_what_the_table_says(played, name):
    rows = played.calls(name, len(ALONE[name]))
    assert told(rows) == sorted(event for event, _ in ALONE[name])
    by_event = {row["event"]: row["payload"] for row in rows}
    for event, expected in ALONE[name]:
        assert {key: by_event[event][key] for key in expected} == expected
        assert by_event[event]["cwd"] == "/home/user/project"
    assert all(row["flags"] == ["--agent=opencode"] and row["agent"] == "opencode" for row in rows)


def test_every_captured_payload_has_its_row():
    assert {path.stem for path in PAYLOADS.glob("*.json")} == set(ALONE) | NO_CALL


def test_a_turn_is_told_once_with_its_reply_and_its_conversation(played):
    rows = played.calls("turn", 6)
    assert told(rows) == ["post-tool", "pre-tool", "session-end", "session-start", "stop", "user-prompt"]
    stop = next(row["payload"] for row in rows if row["event"] == "stop")
    assert stop["last_assistant_message"] == "All done."
    assert stop["prompt_id"] == "msg_22c934a69001mEX2TSuo9Qub3X"
    assert [(row["role"], row["text"]) for row in stop["transcript"]] == [
        ("user", '"hi prompt"'),
        ("assistant", "Looking."),
        ("assistant", "All done."),
    ]
    turn = opencode.parse("stop", stop, {})
    assert (turn.session, turn.reply, turn.cwd, turn.subagent) == (MAIN, "All done.", "/home/user/project", False)
    assert turn.attended is False, "no terminal"
    assert [said[:2] for said in turn.transcript()] == [
        ("user", "hi prompt"),
        ("assistant", "Looking."),
        ("assistant", "All done."),
    ]
    end = next(row["payload"] for row in rows if row["event"] == "session-end")
    assert opencode.parse("session-end", end, {}).source == "exit"


def test_prompt_context_is_a_synthetic_part_that_opencode_accepts(played):
    parts = played.results["turn"][1]["output"]["parts"]
    assert [part["text"] for part in parts] == ['"hi prompt"', "PROMPT"]
    added = parts[1]
    assert (added["type"], added["synthetic"], added["sessionID"]) == ("text", True, MAIN)
    assert added["messageID"] == "msg_22c934a69001mEX2TSuo9Qub3X"
    assert added["id"].startswith("prt_") and len(added["id"]) == len(parts[0]["id"])
    assert added["id"] > parts[0]["id"], "parts are ordered by their ids; the context stands behind the prompt"


def test_session_context_is_on_every_request_but_the_title_s(played):
    systems = [result["output"]["system"] for result in (played.results["turn"][at] for at in (3, 4, 9))]
    assert [system[1:] for system in systems] == [[], ["SESSION"], ["SESSION"]]


def test_a_command_is_told_its_session(played):
    assert played.results["turn"][14]["output"]["env"] == {"PAL_OPENCODE_SESSION": MAIN}


def test_a_subagent_is_no_turn_and_its_work_is_its_parent_s(played):
    rows = played.calls("subagent", 2)
    assert told(rows) == ["post-tool", "subagent-stop"]
    assert {row["payload"]["session_id"] for row in rows} == {PARENT_OF_CHILD}
    stop = next(row["payload"] for row in rows if row["event"] == "subagent-stop")
    turn = opencode.parse("subagent-stop", stop, {})
    assert (turn.agent_type, turn.subagent) == ("general", True)
    assert played.results["subagent"][2]["output"]["system"][1:] == []


def test_a_reopened_session_brings_its_past_and_is_told_anew(played):
    rows = played.calls("reopened", 4)
    assert told(rows) == ["session-end", "session-start", "stop", "user-prompt"]
    by_event = {row["event"]: row["payload"] for row in rows}
    assert opencode.parse("session-start", by_event["session-start"], {}).source == "reopened"
    texts = [row["text"] for row in by_event["stop"]["transcript"]]
    assert texts == ['"hi prompt"', "Looking.", "All done.", '"hi prompt"', "More is done."], "without what PAL added"


def test_without_the_hook_for_texts_the_reply_comes_from_the_session_s_messages(played):
    stop = [row for row in played.calls("no text hook", 3) if row["event"] == "stop"]
    assert [row["payload"]["last_assistant_message"] for row in stop] == ["All done."]


def test_after_a_compaction_the_session_is_told_where_it_was(played):
    rows = played.calls("compaction", 4)
    assert [row["payload"].get("source") for row in rows if row["event"] == "session-start"] == ["startup", "compact"]
    assert [row["payload"]["transcript"][-1]["text"] for row in rows if row["event"] == "pre-compact"] == [
        '"hi prompt"'
    ]


def test_in_a_model_call_of_pal_s_own_only_the_guard_is_asked(played):
    assert told(played.calls("our own model call", 1)) == ["pre-tool"]


def test_nothing_handed_over_stays_on_disk(played):
    assert played.left == []


def test_a_refusal_is_thrown_with_its_reason(node, tmp_path):
    answers = {"pre-tool": {"permission": "deny", "reason": "PAL stopped this: rm -rf /"}}
    steps = [
        step("hook-tool-execute-before"),
        step("hook-tool-execute-before", input={"tool": "todowrite", "sessionID": MAIN}),
    ]
    played = Played(tmp_path, node, answers, [], [{"name": "deny", "steps": steps}])
    assert [said["threw"] for said in played.results["deny"]] == ["PAL stopped this: rm -rf /", None]
    assert len(played.rows()) == 1, "a tool that can do no harm costs no time"


@pytest.mark.parametrize(
    ("answers", "hook"),
    [
        ({}, ["/home/user/no/such/python", "hook.py"]),
        ({}, [sys.executable, "-I", "-S", "/home/user/no/such/hook.py"]),
        (dict.fromkeys(("session-start", "user-prompt", "pre-tool"), "{not JSON"), []),
        (dict.fromkeys(("session-start", "user-prompt", "pre-tool"), "[7]"), []),
        (dict.fromkeys(("session-start", "user-prompt", "pre-tool"), "null"), []),
    ],
    ids=["no interpreter", "no launcher", "garbage", "a list", "null"],
)
def test_no_fault_ends_a_turn(node, tmp_path, answers, hook):
    scenarios = [{"name": "turn", "infos": INFOS, "steps": TURN}, {"name": "broken", "broken": True, "steps": TURN}]
    played = Played(tmp_path, node, answers, hook, scenarios)
    for name in ("turn", "broken"):
        assert [said["threw"] for said in played.results[name]] == [None] * len(TURN)
        assert len(played.results[name][1]["output"]["parts"]) == 1
    assert played.stderr == ""


def test_no_call_of_a_later_opencode_ends_a_turn(node, tmp_path):
    played = Played(tmp_path, node, {}, [sys.executable, "-c", ""], [{"name": "hostile", "steps": HOSTILE}])
    assert {said["threw"] for said in played.results["hostile"]} == {None}
    assert played.stderr == ""


# PAL's side alone


@pytest.mark.parametrize(
    ("event", "reply", "stdout"),
    [
        ("session-start", "hello", {"context": "hello"}),
        ("user-prompt", "hello", {"context": "hello"}),
        ("stop", "never said", None),
        ("session-end", "never said", None),
        ("pre-compact", "never said", None),
        ("post-tool", "never said", None),
        ("session-start", "", None),
    ],
)
def test_an_answer_has_the_form_the_plugin_reads(event, reply, stdout):
    said = opencode.render(event, HookReply(reply))
    assert (json.loads(said) if said else None) == stdout


def test_a_verdict_has_the_form_the_plugin_reads():
    reply = HookReply()
    reply.permission, reply.reason = "deny", 'it "hurts"'
    assert json.loads(opencode.render("pre-tool", reply)) == {"permission": "deny", "reason": 'it "hurts"'}
    assert opencode.render("stop", reply) == "", "no other event knows a permission"


def test_nobody_is_asked_since_no_hook_can_ask():
    assert opencode.parse("pre-tool", {"session_id": "s", "tool_name": "bash"}, {}).can_ask is False


@pytest.mark.parametrize(
    ("prompt", "meant"),
    [
        ('"9 - clear and short"', "9 - clear and short"),
        ('"hello"', '"hello"'),  # one word is passed on as it is, so these quotes are the person's
        ('"one" and "two"', '"one" and "two"'),
        ("plain words", "plain words"),
        ('"', '"'),
    ],
)
def test_the_quotes_of_the_command_line_are_no_part_of_a_prompt(prompt, meant):
    assert opencode.parse("user-prompt", {"prompt": prompt}, {}).prompt == meant


@pytest.mark.parametrize(
    ("tool", "arguments", "changed"),
    [
        ("write", {"filePath": "/p/a.py", "content": "x"}, "/p/a.py"),
        ("edit", {"filePath": "/p/a.py"}, "/p/a.py"),
        ("edit", {"file_path": "/p/a.py"}, "/p/a.py"),
        ("apply_patch", {"patchText": "*** Begin Patch\n*** Update File: b.py\n@@\n"}, "b.py"),
        ("patch", {"patchText": "*** Begin Patch\n*** Add File: c.py\n+x\n"}, "c.py"),
        ("bash", {"command": "true"}, ""),
        ("read", {"filePath": "/p/a.py"}, ""),
    ],
)
def test_the_file_a_tool_wrote_is_known(tool, arguments, changed):
    turn = opencode.parse("post-tool", {"tool_name": tool, "tool_input": arguments}, {})
    assert turn.changed_file == changed


def test_a_file_of_another_agent_s_is_not_read_as_opencode_s():
    turn = opencode.parse("stop", {"transcript": [{"role": "user", "text": "mine"}]}, {})
    assert turn.transcript() == [("user", "mine", "")]
    assert turn.read_transcript("/home/user/.claude/projects/p/t.jsonl") == []


def test_a_skill_is_named_where_the_guard_looks_for_it():
    payload = {"tool_name": "skill", "tool_input": {"name": "keybindings-help"}}
    turn = opencode.parse("pre-tool", payload, {})
    assert (turn.tool, turn.tool_input["skill"]) == ("skill", "keybindings-help")


def test_unknown_keys_and_wrong_types_are_ignored():
    payload = {"session_id": 7, "prompt": None, "tool_input": [1], "transcript": [7, {"role": "tool", "text": "x"}, {}]}
    turn = opencode.parse("stop", payload, {})
    assert (turn.session, turn.prompt, turn.tool_input, turn.transcript()) == ("", "", {}, [])


def test_both_spellings_and_json_inside_a_string_are_read():
    one = {"session_id": "s", "prompt_id": "p", "tool_name": "edit", "tool_input": {"filePath": "/a"}}
    other = {"sessionID": "s", "promptId": "p", "tool": "edit", "args": '{"filePath": "/a"}'}
    names = ("session", "event_id", "tool", "tool_input", "changed_file")
    first, second = opencode.parse("post-tool", one, {}), opencode.parse("post-tool", other, {})
    assert [getattr(first, name) for name in names] == [getattr(second, name) for name in names]
