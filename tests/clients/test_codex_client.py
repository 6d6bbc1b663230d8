"""The real Codex client with PAL installed: what the model was sent, and what stands on disk afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run_claude
import run_codex

USER_CONFIG = "\r\n# mine\r\n[tui]\r\n\ttheme = 'dark' # best\r\n"
USER_HOOKS = (
    '{\n  "description": "mine",\n  "hooks": {\n    "SessionStart": [\n'
    '      {"hooks": [{"type": "command", "command": "true"}]}\n    ]\n  }\n}\n'
)
USER_WORDS = "# How I work\n\nShort answers, please."


@pytest.fixture(scope="module")
def client(require):
    return require(run_codex.find_client(), "no Codex client (npm install @openai/codex, or PAL_CODEX_CLIENT)")


@pytest.fixture
def machine(tmp_path, client):
    return run_codex.Machine(tmp_path, client)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def ratings(machine) -> list[tuple]:
    rows = lines(machine.home / ".pal" / "memory" / "signals" / "ratings.jsonl")
    return [(row["agent"], row["rating"], row["session"]) for row in rows]


def asks(command: str) -> dict:
    return {"replies": [{"tool_calls": [{"name": "exec_command", "arguments": {"cmd": command}}]}, {"text": "I see."}]}


def role_of(turn, words: str, number: int = -1) -> list[str]:
    return [role for role, text in turn.texts(number) if words in text]


def test_the_client_trusts_every_hook_by_the_hashes_that_pal_worked_out(machine, pal):
    (machine.codex / "hooks.json").write_text(USER_HOOKS, encoding="utf-8")
    pal("install", "--codex")
    listed = machine.hooks()
    ours = {hook["key"]: hook for hook in listed if "--agent=codex" in hook["command"]}
    assert len(ours) == 8
    assert {hook["trustStatus"] for hook in ours.values()} == {"trusted"}
    assert [hook["trustStatus"] for hook in listed if hook["command"] == "true"] == ["untrusted"], "not ours to trust"
    assert f"{machine.codex}/hooks.json:session_start:1:0" in ours


def test_a_trust_that_is_gone_is_found_and_given_back(machine, pal):
    pal("install", "--codex")
    machine.config.write_text(machine.config.read_text(encoding="utf-8").partition("[hooks.state")[0], encoding="utf-8")
    assert "does not trust" in pal("doctor", status=1)
    pal("install", "--codex")
    assert {hook["trustStatus"] for hook in machine.hooks()} == {"trusted"}
    assert "does not trust" not in pal("doctor")


def test_standing_text_digests_session_and_prompt_context_reach_the_model(machine, pal):
    pal("install", "--codex")
    pal("handoff", "note", "--title", "Parser rewrite", "--text", "The tokenizer is done; error recovery is next.")
    turn = machine.turn("please debug why the parser fails")
    assert turn.status == 0, turn.stderr
    assert role_of(turn, "The tokenizer is done; error recovery is next.") == ["developer"]  # session start
    assert role_of(turn, "How to work carefully") == ["developer"]  # a digest, beside it
    assert role_of(turn, "Have you seen the fault happen") == ["developer"]  # the prompt's own
    assert role_of(turn, str(machine.home / ".pal" / "bin" / "pal")) == ["user"]  # AGENTS.md
    assert "truncated output" not in turn.seen


def test_the_stop_files_the_reply_under_its_session_and_a_rating_keeps_it(machine, pal):
    pal("install", "--codex")
    first = machine.turn("say hello", script={"default": {"text": "Hello from the stand-in."}})
    machine.turn("9 - clear and short", "resume", first.session)
    (row,) = lines(machine.home / ".pal" / "memory" / "signals" / "ratings.jsonl")
    assert (row["rating"], row["session"], row["agent"]) == (9, first.session, "codex")
    assert row["response_preview"] == "Hello from the stand-in."


def test_the_guard_stops_a_command_and_the_model_is_told_why(machine, pal):
    pal("install", "--codex")
    (machine.home / "thesis.txt").write_text("ten years of work")
    turn = machine.turn("clean up", script=asks("rm -rf ~"))
    assert turn.status == 0, turn.stderr
    assert (machine.home / "thesis.txt").exists()
    (told,) = [text for role, text in turn.texts() if role == "tool"]
    assert "PAL rule" in told and "Instead:" in told
    (row,) = lines(machine.home / ".pal" / "memory" / "state" / "guard.jsonl")
    assert (row["verdict"], row["agent"], row["session"]) == ("deny", "codex", turn.session)
    turn = machine.turn("look", script=asks("echo all-is-well"))
    assert any("all-is-well" in text for role, text in turn.texts() if role == "tool")


def test_a_subagent_is_no_turn(machine, pal):
    pal("install", "--codex")
    spawn = {"name": "spawn_agent", "namespace": "multi_agent_v1", "arguments": {"message": "HELPER TASK"}}
    wait = {"name": "wait_agent", "namespace": "multi_agent_v1", "arguments": {"timeout_ms": 10000}}
    script = {
        "rules": [{"when": "HELPER TASK", "unless": "use an agent", "text": "helper answer"}],
        "replies": [{"tool_calls": [spawn]}, {"tool_calls": [wait]}, {"text": "Done with help."}],
    }
    turn = machine.turn("use an agent", script=script)
    assert turn.reply == "Done with help.", turn.stderr
    tracks = lines(next((machine.home / ".pal" / "memory" / "signals" / "interaction").glob("*.jsonl")))
    assert [row.get("session") for row in tracks] == [turn.session], "one human prompt, one measured turn"


def test_a_resumed_session_is_not_told_twice(machine, pal):
    pal("install", "--codex")
    pal("handoff", "note", "--title", "Parser", "--text", "Error recovery is next.")
    first = machine.turn("hello")
    turn = machine.turn("go on", "resume", first.session)
    assert len(role_of(turn, "Error recovery is next.")) == 1


def test_the_mcp_server_is_one_the_client_knows(machine, pal):
    pal("install", "--codex", "--mcp")
    done = subprocess.run(
        [machine.client, "mcp", "get", "pal", "--json"], env=machine.env(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    transport = json.loads(done.stdout)["transport"]
    assert transport["args"][-3:] == [str(machine.home / ".pal" / "hook.py"), "cli", "mcp"]


def test_without_pal_s_folder_the_client_works_as_if_pal_had_never_been(machine, pal):
    pal("install", "--codex")
    (machine.home / ".pal").rename(machine.home / "gone")
    turn = machine.turn("hello", script=asks("echo hi"))
    assert (turn.status, turn.reply) == (0, "I see.")
    assert not (machine.home / ".pal").exists()
    assert not [event for event in turn.events if "hook" in json.dumps(event.get("item", {})).lower()]


def test_install_run_uninstall_leaves_the_user_s_files_byte_for_byte(machine, pal):
    config = machine.config.read_text(encoding="utf-8") + USER_CONFIG
    machine.config.write_bytes(config.encode())
    (machine.codex / "hooks.json").write_bytes(USER_HOOKS.encode())
    (machine.codex / "AGENTS.md").write_bytes(USER_WORDS.encode())
    pal("install", "--codex", "--mcp")
    machine.turn("hello", script=asks("echo hi"))
    pal("uninstall", "--codex")
    assert machine.config.read_bytes() == config.encode()
    assert (machine.codex / "hooks.json").read_bytes() == USER_HOOKS.encode()
    assert (machine.codex / "AGENTS.md").read_bytes() == USER_WORDS.encode()
    assert not (machine.home / ".agents").exists()


@pytest.fixture
def both(tmp_path, client, require):
    """One user with two clients: (the machine for Claude Code, the machine for Codex)."""
    other = require(run_claude.find_client(), "no Claude Code client (PAL_CLAUDE_CLIENT)")
    return run_claude.Machine(tmp_path, other), run_codex.Machine(tmp_path, client)


def test_a_session_started_in_claude_code_is_continued_in_codex(both, archive):
    claude, codex = both

    def pal(*arguments):
        done = subprocess.run(
            [sys.executable, str(archive), *arguments],
            env=codex.env(),
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    pal("install", "--claude", "--codex")
    first = claude.turn(
        "move the cache to its own module", script={"default": {"text": "Half of it is moved: eviction is left."}}
    )
    second = codex.turn(
        "go on where we stopped", script={"default": {"text": "Eviction is moved as well; the tests pass."}}
    )
    assert role_of(second, "Half of it is moved: eviction is left.") == ["developer"]
    assert role_of(second, "move the cache to its own module") == ["developer"]
    third = claude.turn("good morning")
    assert "Eviction is moved as well; the tests pass." in third.seen

    codex.turn("8 - just right", "resume", second.session)
    claude.turn("9 - thank you", "--resume", first.session)
    assert ratings(codex) == [("codex", 8, second.session), ("claude", 9, first.session)]
    listed = pal("ratings", "list")
    assert "just right" in listed and "thank you" in listed
    rows = json.loads(pal("sessions", "list", "--json"))
    assert {row["agent"] for row in rows} == {"claude", "codex"}


def test_one_skill_is_listed_once_by_the_client_whatever_else_is_installed(machine, archive):
    skill = machine.home / ".pal" / "skills" / "weekly-report" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    text = "---\nname: weekly-report\ndescription: Use when a weekly report is asked for.\n---\n\n# Weekly report\n"
    skill.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(archive), "install", "--all"], env=machine.env(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    turn = machine.turn("hello")
    listed = "\n".join(text for role, text in turn.texts(0) if "## Skills" in text)
    assert listed.count("Use when a weekly report is asked for.") == 1


def test_a_subagent_of_pal_s_is_a_role_that_the_model_may_start(machine, pal):
    agent = machine.home / ".pal" / "agents" / "critic.md"
    agent.parent.mkdir(parents=True)
    text = '---\nname: critic\ndescription: "Reads a plan for gaps."\nclaude:\n  model: opus\n---\n\nFind gaps.\n'
    agent.write_text(text, encoding="utf-8")
    pal("install", "--codex")
    turn = machine.turn("hello")
    assert "Reads a plan for gaps." in json.dumps(turn.requests[0])
    pal("uninstall", "--codex")
    assert not (machine.codex / "agents").exists()
