"""Each agent's one-shot form, asked through a stand-in on PATH: its words, its input, its variables, its answer."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from stand_in import StandIn

from pal import targets
from pal.base.settings import Settings
from pal.inference.dispatcher import Dispatcher
from pal.inference.question import Question
from pal.targets import asking

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

SYSTEM, PROMPT = 'Be "brief" & kind.', 'Say\n"hello", ő.'
FLAT = f"{SYSTEM}\n\n{PROMPT}"
CONVERSATION = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"


def lines(*events):
    return "".join(json.dumps(event) + "\n" for event in events)


# agent → what its program prints for the answer "Hello."
ANSWERS = {
    "claude": json.dumps(
        {"type": "result", "is_error": False, "result": "Hello.\n", "session_id": "s",
         "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 2, "service_tier": "x"}}
    ),
    "codex": lines(
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Let me see."}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Hello."}},
        {"type": "turn.completed", "usage": {"input_tokens": 15, "cached_input_tokens": 4, "output_tokens": 2}},
    ),
    "opencode": "a warning\n" + lines(
        {"type": "step_start", "sessionID": "ses_abc123", "part": {"type": "step-start"}},
        {"type": "text", "sessionID": "ses_abc123", "part": {"type": "text", "text": "Not yet."}},
        {"type": "step_start", "sessionID": "ses_abc123", "part": {"type": "step-start"}},
        {"type": "text", "sessionID": "ses_abc123", "part": {"type": "text", "text": "Hel"}},
        {"type": "text", "sessionID": "ses_abc123", "part": {"type": "text", "text": "lo."}},
        {"type": "step_finish", "part": {"tokens": {"input": 15, "output": 2, "cache": {"read": 9}}}},
    ),
    "copilot": "Hello.\n",
    "cursor": "Hello.\n",
    "antigravity": lines(
        {"event": "started", "conversation_id": CONVERSATION},
        {"event": "delta", "text": "Hel"},
        {"event": "result", "result": {"status": "SUCCESS", "response": " Hello. "}},
    ),
    "gemini": "a warning\n" + json.dumps(
        {"session_id": "s", "response": "Hello.\n", "stats": {"models": {"m": {"tokens": {"input": 15, "total": 17}}}}}
    ),
}  # fmt: skip
PROGRAMS = {"cursor": "cursor-agent", "antigravity": "agy"}


class Machine:
    """A user's home with one agent's stand-in on PATH, and a dispatcher that asks it."""

    def __init__(self, root: Path, home, agent: str, **env: str) -> None:
        self.program = StandIn(root, PROGRAMS.get(agent, agent)).does({"stdout": ANSWERS[agent]})
        self.env = {"HOME": str(root / "user"), "PATH": self.program.path_variable(), "CLAUDECODE": "1", **env}
        self._asked = Dispatcher(home, Settings({}), self.env, agent, asking.shots(), pause=lambda _: None)

    def ask(self, system=SYSTEM, prompt=PROMPT, **options):
        answer = self._asked.ask(system, prompt, **options)
        return answer, self.program.calls[0]


@pytest.fixture
def machine(tmp_path, home):
    return lambda agent, **env: Machine(tmp_path, home, agent, **env)


@pytest.mark.parametrize("agent", [agent for agent in asking.ONE_SHOT if agent != "gemini"])
def test_an_agent_answers_as_a_marked_child_in_an_empty_folder_of_its_own(machine, agent):
    answer, call = machine(agent).ask()
    assert (answer.ok, answer.text, answer.route) == (True, "Hello.", f"{agent}-spawn")
    assert call["env"]["PAL_SPAWNED_INFERENCE"] == "1"
    assert call["env"]["PAL_SPAWN_DEPTH"] == "1"
    assert "CLAUDECODE" not in call["env"]
    assert os.path.basename(call["cwd"]).startswith("pal-ask-")
    assert not os.path.exists(call["cwd"])


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "copilot", "antigravity", "gemini"])
def test_no_prompt_is_an_argument_where_the_program_reads_it_from_stdin(machine, agent):
    _, call = machine(agent).ask()
    assert not [word for word in call["argv"] if PROMPT in word or "brief" in word]
    assert "hello" in call["stdin"]


@pytest.mark.parametrize("agent", [agent for agent in asking.ONE_SHOT if agent != "cursor"])
def test_no_word_needs_quoting_in_a_batch_file(machine, agent):
    """npm's programs are batch files on Windows, and cmd.exe would take these characters for its own."""
    _, call = machine(agent).ask(schema={"type": "object"})
    assert not set('"%&|<>^!()\r\n') & set("".join(call["argv"]))


def test_claude(machine):
    _, call = machine("claude").ask()
    assert call["argv"] == [
        "--print", "--setting-sources=", "--tools=", "--strict-mcp-config", "--no-session-persistence",
        "--output-format", "json", "--model", "haiku", "--system-prompt-file", "system.txt",
    ]  # fmt: skip
    assert (call["stdin"], call["files"]) == (PROMPT, {"system.txt": SYSTEM})


def test_claude_without_a_system_text(machine):
    _, call = machine("claude").ask(system="")
    assert "--system-prompt-file" not in call["argv"]
    assert call["files"] == {}


def test_codex(machine):
    _, call = machine("codex").ask()
    argv = call["argv"]
    assert argv[:8] == ["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules", "--color", "never",
                        "--sandbox"]  # fmt: skip
    assert argv[-1] == "-"
    assert argv[argv.index("--model") + 1] == "gpt-6-luna"
    settings = [word for before, word in zip(argv, argv[1:]) if before == "-c"]
    assert {"features.hooks=false", "features.shell_tool=false", "mcp_servers={}", "web_search=disabled"} <= set(
        settings
    )
    assert f"model_instructions_file={call['cwd']}/system.txt" in settings
    assert (call["stdin"], call["files"]) == (PROMPT, {"system.txt": SYSTEM})


def test_opencode(machine):
    machine = machine("opencode")
    _, call = machine.ask()
    assert call["argv"] == ["run", "--pure", "--format", "json", "--title", "pal", "--agent", "pal-inference"]
    assert call["stdin"] == PROMPT
    assert call["env"]["OPENCODE_PURE"] == "1"
    agent = json.loads(call["env"]["OPENCODE_CONFIG_CONTENT"])["agent"]["pal-inference"]
    assert agent == {"mode": "primary", "prompt": SYSTEM, "permission": {"*": "deny"}, "tools": {"*": False}}
    forget = machine.program.calls[1]
    assert forget["argv"] == ["session", "delete", "ses_abc123"]
    assert forget["env"]["PAL_SPAWNED_INFERENCE"] == "1"


@pytest.mark.parametrize(
    ("files", "tier", "model"),
    [
        ({}, "small", ""),
        ({"opencode.json": '{"small_model": "p/s"}'}, "small", "p/s"),
        ({"opencode.json": '{"small_model": "p/s", "model": "p/m"}'}, "medium", ""),
        (
            {"opencode.json": '{"small_model": "p/s"}', "opencode.jsonc": '{// mine\n"small_model": "p/t",}'},
            "small",
            "p/t",
        ),
        ({"opencode.json": '{"small_model": "p/s"}', "opencode.jsonc": "{}"}, "small", "p/s"),
        ({"opencode.json": '{"small_model": 5}'}, "small", ""),
        ({"opencode.json": "{"}, "small", ""),
        ({"opencode.json": "[]"}, "small", ""),
    ],
)
def test_opencode_s_small_model_is_the_user_s_own(tmp_path, files, tier, model):
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    env = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    arguments = asking.shots()["opencode"].call(Question("", "x", "", None, 1.0, tier), "/tmp/folder", env).arguments
    assert arguments[7:] == ["pal-inference", *(["--model", model] if model else [])]


def test_copilot(machine, tmp_path):
    state = tmp_path / "user" / ".copilot" / "session-state"
    (state / "of-the-user").mkdir(parents=True)
    _, call = machine("copilot").ask()
    argv = call["argv"]
    session = argv[argv.index("--session-id") + 1]
    assert argv[: argv.index("--log-dir")] == [
        "--silent", "--available-tools", "none", "--no-custom-instructions", "--stream", "off",
        "--disable-builtin-mcps", "--no-ask-user", "--no-auto-update", "--no-color", "--log-level", "none",
    ]  # fmt: skip
    assert argv[argv.index("--log-dir") + 1] == call["cwd"]
    assert call["stdin"] == FLAT
    assert len(session) == 36
    assert os.listdir(state) == ["of-the-user"]


@pytest.mark.parametrize("variable", ["", "COPILOT_HOME"])
def test_copilot_s_session_is_removed_where_it_is_kept(tmp_path, variable):
    shot = asking.shots()["copilot"]
    question = Question("", "x", "", None, 1.0)
    env = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    env.update({variable: str(tmp_path / "own")} if variable else {})
    folder = tmp_path / ("own" if variable else ".copilot") / "session-state"
    paths, arguments = shot.left(question, "", env)
    assert paths == [str(folder / question.id), str(folder / ".session-operation-locks" / f"{question.id}.lock")]
    assert arguments == []


def test_cursor(machine):
    _, call = machine("cursor").ask()
    assert call["argv"] == ["-p", "--mode", "ask", "--output-format", "text", "--trust", FLAT]
    assert call["stdin"] == ""


def test_antigravity(machine, tmp_path):
    folder = tmp_path / "user" / ".gemini" / "antigravity-cli"
    kept = [folder / "conversations" / f"{CONVERSATION}.db", folder / "brain" / CONVERSATION / "note.md",
            folder / "annotations" / f"{CONVERSATION}.pbtxt", folder / "presence" / f"{CONVERSATION}.lock"]  # fmt: skip
    others = [folder / "conversations" / "another.db", folder / "brain" / "another" / "note.md"]
    for path in kept + others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    _, call = machine("antigravity").ask()
    assert call["argv"] == [
        "--input-format", "stream-json", "--output-format", "stream-json", "--agent", "pal-inference",
        "--model", "gemini-3.8-flash-low",
    ]  # fmt: skip
    assert call["stdin"].count("\n") == 1
    assert json.loads(call["stdin"]) == {"event": "user", "message": {"content": FLAT}}
    text = call["files"][".agents/agents/pal-inference.md"]
    assert text.startswith("---\nname: pal-inference\n")
    assert "mainAgent: true\nsubagent: false\ntools: []\n---" in text
    assert [path.exists() for path in kept] == [False] * 4
    assert all(path.exists() for path in others)
    assert not (folder / "brain" / CONVERSATION).exists()


def test_gemini(machine, home, tmp_path):
    answer, call = machine("gemini").ask()
    assert (answer.ok, answer.text, answer.route) == (True, "Hello.", "gemini-spawn")
    argv = call["argv"]
    folder = os.path.dirname(argv[argv.index("--policy") + 1])
    assert argv[:7] == ["--skip-trust", "--output-format", "json", "--extensions", "none", "--policy",
                        f"{folder}/policy.toml"]  # fmt: skip
    assert argv[-2:] == ["--model", "flash-lite"]
    assert call["stdin"] == PROMPT
    assert call["env"]["GEMINI_SYSTEM_MD"] == f"{folder}/system.md"
    assert call["env"]["PAL_SPAWNED_INFERENCE"] == "1"
    assert os.path.basename(folder).startswith("pal-ask-")
    assert not os.path.exists(folder)
    assert os.path.samefile(call["cwd"], home.asking), "it lists every folder it ever ran in"
    assert list(call["files"]) == [".gemini/settings.json"]
    assert json.loads(call["files"][".gemini/settings.json"])["hooksConfig"] == {"enabled": False}


@pytest.mark.parametrize("variable", ["", "GEMINI_CLI_HOME"])
def test_gemini_s_transcript_is_removed_and_no_other(tmp_path, variable):
    shot = asking.shots()["gemini"]
    question = Question("", "x", "", None, 1.0)
    user, own = tmp_path / "user", tmp_path / "o*n"
    env = {"HOME": str(user), "USERPROFILE": str(user), **({variable: str(own)} if variable else {})}
    chats = (own if variable else user) / ".gemini" / "tmp" / "asking" / "chats"
    chats.mkdir(parents=True)
    ours = chats / f"session-2026-03-02T08-15-{question.id[:8]}.jsonl"
    ours.write_text(json.dumps({"sessionId": question.id}))
    (chats / f"session-2026-03-02T08-16-{question.id[:8]}.jsonl").write_text('{"sessionId": "somebody else\'s"}')
    (chats / "session-2026-03-02T08-15-00000000.jsonl").write_text("{}")
    assert shot.left(question, "", env) == ([str(ours)], [])


@pytest.mark.parametrize("conversation", ["", "..", "../../x", "*", CONVERSATION + "/..", None, 5])
def test_antigravity_removes_nothing_by_an_id_that_is_none(conversation):
    shot = asking.shots()["antigravity"]
    out = lines({"event": "started", "conversation_id": conversation})
    assert shot.left(Question("", "x", "", None, 1.0), out, {"HOME": "/h", "USERPROFILE": "/h"}) == ([], [])


@pytest.mark.parametrize("session", ["", "..", "--all", "ses_a b", "ses_a;b", None, 7, "ses_é"])
def test_opencode_forgets_nothing_by_an_id_that_is_none(session):
    shot = asking.shots()["opencode"]
    out = lines({"type": "step_start", "sessionID": session})
    assert shot.left(Question("", "x", "", None, 1.0), out, {}) == ([], [])


@pytest.mark.parametrize(
    ("agent", "out", "text", "sure", "problem"),
    [
        ("claude", '{"is_error": true, "result": "Invalid API key"}', "", False, "Invalid API key"),
        ("claude", '{"is_error": true, "subtype": "error_max_turns"}', "", False, "error_max_turns"),
        ("claude", 'note\n{"is_error": false, "result": "Hi"}', "Hi", True, ""),
        ("claude", "Not logged in", "", False, "Not logged in"),
        ("claude", "[1]", "", False, "[1]"),
        ("claude", "", "", False, ""),
        ("codex", lines({"type": "error", "message": "stream lost"}), "", False, "stream lost"),
        ("codex", lines({"type": "turn.failed", "error": {"message": "no quota"}}), "", False, "no quota"),
        ("codex", lines({"type": "turn.failed"}), "", False, "turn.failed"),
        ("codex", "plain\n5\n[]\n" + lines({"type": "item.completed", "item": 5}), "", False, ""),
        ("codex", lines({"type": "error", "message": "reconnecting"},
                        {"type": "item.completed", "item": {"type": "agent_message", "text": "Hi"}}), "Hi", True, ""),
        ("opencode", lines({"type": "error", "error": {"name": "AuthError"}}), "", False, "AuthError"),
        ("opencode", lines({"type": "text", "part": None}, {"type": "text"}), "", False, ""),
        ("opencode", "", "", False, ""),
        ("antigravity", lines({"event": "result", "result": {"status": "ERROR", "response": "x"}}), "", False, "ERROR"),
        ("antigravity", lines({"event": "result"}), "", False, "None"),
        ("antigravity", "hello", "", False, "without a result"),
        ("gemini", '{"error": {"type": "Error", "message": "no quota", "code": 1}}', "", False, "no quota"),
        ("gemini", "Please set an Auth method", "", False, "Auth method"),
        ("gemini", '{"response": "Hi"}', "Hi", True, ""),
        ("copilot", " Hi \n", "Hi", False, ""),
        ("cursor", " Hi \n", "Hi", False, ""),
    ],
)  # fmt: skip
def test_a_reply_is_read_and_a_complaint_is_told_from_it(agent, out, text, sure, problem):
    reply = asking.shots()[agent].reply(out)
    assert (reply.text, reply.sure) == (text, sure)
    assert problem in reply.problem
    assert bool(problem) == bool(reply.problem)


@pytest.mark.parametrize(
    ("agent", "tokens"),
    [("claude", 17), ("codex", 17), ("opencode", 17), ("gemini", 17), ("copilot", 0), ("cursor", 0)],
)
def test_tokens_are_read_where_the_program_tells_them(agent, tokens):
    assert asking.shots()[agent].reply(ANSWERS[agent]).tokens == tokens


@pytest.mark.parametrize("agent", list(asking.ONE_SHOT))
def test_a_model_of_the_user_s_is_handed_on(agent):
    call = asking.shots()[agent].call(Question("", "x", "my-model", None, 1.0), "/tmp/folder", {})
    assert call.arguments[call.arguments.index("--model") + 1] == "my-model"
    bare = asking.shots()[agent].call(Question("", "x", "", None, 1.0, "medium"), "/tmp/folder", {})
    assert "--model" not in bare.arguments


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "copilot", "cursor"])
def test_a_program_outside_path_is_found_where_its_installer_puts_it(tmp_path, agent):
    shot = asking.shots()[agent]
    env = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "PATH": "/usr/bin"}
    place = tmp_path.joinpath(*targets.facts(agent).PROGRAM_PLACES[0].split("/"))
    assert shot.program(env) == ""
    place.parent.mkdir(parents=True)
    place.write_text("#!/bin/sh\n")
    assert shot.program(env) == str(place)
