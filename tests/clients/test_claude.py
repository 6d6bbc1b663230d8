"""The real Claude Code client with PAL installed: what the model was sent, and what stands on disk afterwards."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from run_claude import Machine, find_client

USER_SETTINGS = (
    '{\r\n  // mine\r\n  "model": "opus",\r\n  "hooks": {\r\n    "Stop": [\r\n      {"hooks": '
    '[{"type": "command", "command": "true"}]},\r\n    ]\r\n  }\r\n}\r\n'
)
USER_MEMORY = "# How I work\n\nShort answers, please."


@pytest.fixture(scope="module")
def client(require):
    return require(find_client(), "no Claude Code client (npm install @anthropic-ai/claude-code, or PAL_CLAUDE_CLIENT)")


@pytest.fixture
def machine(tmp_path, client):
    return Machine(tmp_path, client)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_what_session_start_and_prompt_say_reaches_the_model(machine, pal):
    pal("install", "--claude")
    pal("handoff", "note", "--title", "Parser rewrite", "--text", "The tokenizer is done; error recovery is next.")
    turn = machine.turn("please debug why the parser fails")
    assert turn.status == 0, turn.stderr
    assert "The tokenizer is done; error recovery is next." in turn.seen  # session start
    assert "Now: " in turn.seen  # the prompt's clock
    assert turn.escapes == []


def test_tier_one_and_the_digests_it_imports_reach_the_model(machine, pal):
    pal("install", "--claude")
    frames = machine.home / ".pal" / "memory" / "wisdom" / "frames"
    frames.mkdir(parents=True)
    (frames / "development.md").write_text(
        "# Frame: Development\n\n## Core Principles\n\n### Write the failing test first [CRYSTAL: 92%]\n",
        encoding="utf-8",
    )
    machine.turn("hello")  # its stop writes the digests
    turn = machine.turn("hello again")
    assert "Write the failing test first" in turn.seen
    assert str(machine.home / ".pal" / "bin" / "pal") in turn.seen


def test_a_typed_rating_is_kept_with_the_reply_it_rates(machine, pal):
    pal("install", "--claude")
    first = machine.turn("say hello", script={"default": {"text": "Hello from the stand-in."}})
    machine.turn("9 - clear and short", "--resume", first.session)
    rows = lines(machine.home / ".pal" / "memory" / "signals" / "ratings.jsonl")
    assert [(row["rating"], row["context"], row["session"]) for row in rows] == [(9, "clear and short", first.session)]
    assert rows[0]["response_preview"] == "Hello from the stand-in."


def test_a_low_rating_becomes_a_failure_with_its_conversation(machine, pal):
    pal("install", "--claude")
    first = machine.turn("delete the old fixtures", script={"default": {"text": "I deleted the new ones."}})
    machine.turn("2 - wrong files", "--resume", first.session)
    found = list((machine.home / ".pal" / "memory" / "failures").rglob("*.md"))
    assert len(found) == 1
    text = found[0].read_text(encoding="utf-8")
    assert "wrong files" in text and "I deleted the new ones." in text


def test_the_next_session_is_told_where_the_last_one_stopped(machine, pal):
    pal("install", "--claude")
    machine.turn(
        "move the cache to its own module", script={"default": {"text": "Half of it is moved: eviction is left."}}
    )
    turn = machine.turn("good morning")
    assert "Half of it is moved: eviction is left." in turn.seen


def test_a_resumed_session_is_not_told_twice(machine, pal):
    pal("install", "--claude")
    pal("handoff", "note", "--title", "Parser", "--text", "Error recovery is next.")
    first = machine.turn("hello")
    turn = machine.turn("go on", "--resume", first.session)
    last = json.dumps(turn.requests[-1])
    assert last.count("Error recovery is next.") == 1


def test_a_subagent_is_no_turn_and_gets_no_heavy_context(machine, pal):
    pal("install", "--claude")
    script = {
        "replies": [
            {
                "tool_use": {
                    "name": "Agent",
                    "input": {"description": "look", "prompt": "look", "subagent_type": "general-purpose"},
                }
            }
        ],
        "default": {"text": "Done."},
    }
    turn = machine.turn("use an agent", "--allowedTools", "Agent", script=script)
    assert turn.status == 0, turn.stderr
    names = lines(next((machine.home / ".pal" / "memory" / "signals" / "interaction").glob("*.jsonl")))
    assert len(names) == 1, "one human prompt, one measured turn"


def test_without_pal_s_folder_the_client_works_as_if_pal_had_never_been(machine, pal):
    pal("install", "--claude")
    shutil.rmtree(machine.home / ".pal")
    turn = machine.turn("hello", "--allowedTools", "Bash", script=BASH_ONCE)
    assert (turn.status, turn.result["result"]) == (0, "It printed hi.")
    assert not (machine.home / ".pal").exists()
    assert "hook" not in turn.stderr.lower()


BASH_ONCE = {"replies": [{"tool_use": {"name": "Bash", "input": {"command": "echo hi"}}}, {"text": "It printed hi."}]}


def test_install_run_uninstall_leaves_the_user_s_files_byte_for_byte(machine, pal):
    claude = machine.home / ".claude"
    claude.mkdir()
    (claude / "settings.json").write_bytes(USER_SETTINGS.encode())
    (claude / "CLAUDE.md").write_bytes(USER_MEMORY.encode())
    before = tree(claude)
    pal("install", "--claude")
    machine.turn("hello", "--allowedTools", "Bash", script=BASH_ONCE)
    pal("uninstall", "--claude")
    after = tree(claude)
    assert {name: after.get(name) for name in before} == before
    left = set(after) - set(before)
    assert not [name for name in left if "pal" in name.lower()], left
