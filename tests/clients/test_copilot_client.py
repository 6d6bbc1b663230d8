"""The real GitHub Copilot CLI with PAL installed: what the model was sent, and what stands on disk afterwards."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from run_copilot import Machine, find_client

USER_HOOKS = '{\n\t"version": 1,\n\t"hooks": {"agentStop": [{"type": "command", "bash": "true"}]}\n}'
USER_SERVERS = '{\r\n  "mcpServers": {}\r\n}\r\n'
USER_WORDS = "# How I work\n\nShort answers, please."


@pytest.fixture(scope="module")
def client(require):
    return require(find_client(), "no Copilot CLI (npm install @github/copilot, or PAL_COPILOT_CLIENT)")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    return tmp_path_factory.mktemp("copilot")


@pytest.fixture
def machine(tmp_path, client, unpacked):
    return Machine(tmp_path, client, unpacked)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def asks(tool: str, **arguments: str) -> dict:
    return {"replies": [{"tool_calls": [{"name": tool, "arguments": arguments}]}, {"text": "I see."}]}


def shell(command: str) -> dict:
    return asks("bash", command=command, description="run it")


def told(turn) -> str:
    """The result of the tool, as the model was sent it."""
    return "\n".join(text for role, text in turn.texts() if role == "tool")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_standing_text_digests_session_and_prompt_context_reach_the_model_once(machine, pal):
    pal("install", "--copilot")
    pal("handoff", "note", "--title", "Parser rewrite", "--text", "The tokenizer is done; error recovery is next.")
    turn = machine.turn("please debug why the parser fails")
    assert turn.status == 0, turn.stderr
    where = {
        words: [role for role, text in turn.texts() for _ in range(text.count(words))]
        for words in (
            "The tokenizer is done; error recovery is next.",
            "Have you seen the fault happen",
            "# How to work carefully",
            "gives you the same memory, rules and skills",
        )
    }
    assert list(where.values()) == [["user"], ["user"], ["system"], ["system"]]
    assert str(machine.home / ".pal" / "bin" / "pal") in turn.seen


def test_the_stop_files_the_reply_under_its_session_and_a_rating_keeps_it(machine, pal):
    pal("install", "--copilot")
    machine.turn("say hello", script={"default": {"text": "Hello from the stand-in."}})
    session = machine.session
    machine.turn("9 - clear and short", "--continue")
    (row,) = lines(machine.home / ".pal" / "memory" / "signals" / "ratings.jsonl")
    assert (row["rating"], row["session"], row["agent"]) == (9, session, "copilot")
    assert row["response_preview"] == "Hello from the stand-in."


def test_the_next_session_is_told_where_the_last_one_stopped_and_a_resumed_one_again(machine, pal):
    pal("install", "--copilot")
    script = {"default": {"text": "Half of it is moved: eviction is left."}}
    machine.turn("move the cache to its own module", script=script)
    turn = machine.turn("good morning")
    assert "Half of it is moved: eviction is left." in turn.seen
    pal("handoff", "note", "--title", "Cache", "--text", "Eviction comes next.")
    turn = machine.turn("go on", "--continue")
    assert turn.seen.count("Eviction comes next.") == 1


def test_the_guard_stops_a_command_and_the_model_is_told_why(machine, pal):
    pal("install", "--copilot")
    (machine.home / "thesis.txt").write_text("ten years of work")
    turn = machine.turn("clean up", script=shell("rm -rf ~"))
    assert turn.status == 0, turn.stderr
    assert (machine.home / "thesis.txt").exists()
    assert "PAL rule" in told(turn) and "Instead:" in told(turn)
    (row,) = lines(machine.home / ".pal" / "memory" / "state" / "guard.jsonl")
    assert (row["verdict"], row["agent"], row["session"]) == ("deny", "copilot", machine.session)
    assert "all-is-well" in told(machine.turn("look", script=shell("echo all-is-well")))


def test_a_key_is_not_read_and_a_source_file_is(machine, pal):
    pal("install", "--copilot")
    (machine.home / ".ssh").mkdir()
    (machine.home / ".ssh" / "id_ed25519").write_text("the key itself")
    turn = machine.turn(
        "look", "--allow-all-paths", script=asks("view", path=str(machine.home / ".ssh" / "id_ed25519"))
    )
    assert "the key itself" not in turn.seen
    assert "PAL rule" in told(turn)
    (machine.project / "a.py").write_text("print('plain')")
    assert "print('plain')" in told(machine.turn("look", script=asks("view", path=str(machine.project / "a.py"))))


def test_without_pal_s_folder_the_client_works_as_if_pal_had_never_been(machine, pal):
    pal("install", "--copilot")
    (machine.home / ".pal").rename(machine.home / "gone")
    turn = machine.turn("hello", script=shell("echo hi"))
    assert turn.status == 0, turn.stderr
    assert "hi" in told(turn), "a hook that fails would deny every tool there"
    assert not (machine.home / ".pal").exists()


def test_vs_code_s_hooks_in_the_same_folder_do_not_run_pal_twice(machine, pal):
    pal("install", "--copilot", "--vscode")
    machine.turn("say hello", script=shell("rm -rf ~"))
    assert len(lines(machine.home / ".pal" / "memory" / "state" / "guard.jsonl")) == 1
    (row,) = json.loads(pal("sessions", "list", "--json"))
    assert (row["agent"], row["session"]) == ("copilot", machine.session)


def test_one_skill_is_listed_once_by_the_client_whatever_else_is_installed(machine, pal):
    skill = machine.home / ".pal" / "skills" / "weekly-report" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    text = "---\nname: weekly-report\ndescription: Use when a weekly report is asked for.\n---\n\n# Weekly report\n"
    skill.write_text(text, encoding="utf-8")
    pal("install", "--all")
    turn = machine.turn("hello")
    assert json.dumps(turn.requests[0]).count("Use when a weekly report is asked for.") == 1


def test_install_run_uninstall_leaves_the_user_s_files_byte_for_byte(machine, pal):
    kept = {
        "hooks/mine.json": USER_HOOKS,
        "mcp-config.json": USER_SERVERS,
        "copilot-instructions.md": USER_WORDS,
        "instructions/mine.instructions.md": USER_WORDS,
    }
    for name, text in kept.items():
        path = machine.copilot / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    pal("install", "--copilot", "--mcp")
    machine.turn("hello", script=shell("echo hi"))
    pal("uninstall", "--copilot")
    after = tree(machine.copilot)
    assert {name: after.get(name) for name in kept} == {name: text.encode() for name, text in kept.items()}
    assert not [name for name in after if "pal" in name.lower()]
