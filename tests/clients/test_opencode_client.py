"""The real opencode with PAL installed: what the model was sent, and what stands on disk afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from aftermath import errors, state, wait_for
from run_opencode import Machine, find_client


@pytest.fixture(scope="module")
def client(require):
    return require(find_client(), "no opencode (npm install opencode-ai, or PAL_OPENCODE_CLIENT)")


@pytest.fixture
def machine(tmp_path, client):
    return Machine(tmp_path, client)


def call(name: str, **arguments: object) -> dict:
    return {"name": name, "arguments": {"description": "try", **arguments} if name == "bash" else arguments}


def test_a_turn_is_told_everything_and_leaves_its_reply(machine, pal):
    pal("install", "--opencode")
    pal("handoff", "note", "--title", "Parser rewrite", "--text", "The tokenizer is done; error recovery is next.")
    frames = machine.home / ".pal" / "memory" / "wisdom" / "frames"
    frames.mkdir(parents=True)
    (frames / "development.md").write_text(
        "# Frame: Development\n\n## Core Principles\n\n### Write the failing test first [CRYSTAL: 92%]\n",
        encoding="utf-8",
    )
    skill = machine.home / ".pal" / "skills" / "changelog"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        "---\nname: changelog\ndescription: Keeps the changelog.\n---\nDo so.\n", encoding="utf-8"
    )
    pal("install", "--opencode", "--claude")
    script = {
        "replies": [
            {
                "text": "Looking.",
                "tool_calls": [call("bash", command=f"rm -rf {machine.home}")],
            },
            {"tool_calls": [call("bash", command="echo session=$PAL_OPENCODE_SESSION")]},
            {"tool_calls": [call("write", filePath=str(machine.project / "parser.py"), content="x = 1\n")]},
            {"text": "The parser recovers now."},
        ]
    }
    turn = machine.turn("please debug why the parser fails", script=script)
    assert (turn.status, turn.reply) == (0, "The parser recovers now."), turn.stderr
    # What the model was told: session, prompt, tier 1, and each skill once though two folders hold it.
    assert "The tokenizer is done; error recovery is next." in turn.seen
    assert [text for role, text in turn.texts(0) if role == "user"][-1].startswith("<system-reminder>\nNow: ")
    first = "\n".join(text for _, text in turn.texts(0))
    assert str(machine.home / ".pal" / "bin" / "pal") in first
    assert first.count("<name>changelog</name>") == 1
    assert "error recovery" not in json.dumps(turn.titles), "a title needs no memory"
    # The guard stopped the one command and let the other run, which was told its session.
    results = [text for role, text in turn.texts() if role == "tool"]
    assert "PAL rule delete-protected" in results[0]
    assert machine.home.is_dir()
    assert results[1].strip() == f"session={turn.session}"
    # What it left.
    assert json.loads(wait_for(state(machine) / "last-responses.json"))[turn.session]["agent"] == "opencode"
    row = json.loads(wait_for(state(machine) / "sessions.json", '"ended"'))[turn.session]
    assert (row["prompts"], row["turns"], row["status"]) == (1, 1, "completed")
    learned = next((machine.home / ".pal" / "memory" / "session-learning").rglob("*.md")).read_text(encoding="utf-8")
    assert "parser.py" in learned

    # The session goes on: a rating is kept with the reply it rates, the digests have been written meanwhile.
    again = machine.turn("9 - clear and short", "--session", turn.session)
    rows = json.loads(pal("ratings", "list", "--json"))
    assert [(row["rating"], row["context"], row["session"]) for row in rows] == [(9, "clear and short", turn.session)]
    assert "Write the failing test first" in again.seen
    assert "The parser recovers now." in again.seen
    assert errors(machine) == []

    # And the next one is told where this one stopped.
    fresh = machine.turn("good morning")
    assert "The parser recovers now." in "\n".join(text for role, text in fresh.texts(0) if role == "system")


def test_a_subagent_is_no_turn(machine, pal):
    pal("install", "--opencode")
    script = {
        "rules": [{"when": "HELPER TASK", "unless": "ask the helper", "text": "The helper's answer."}],
        "replies": [
            {"tool_calls": [call("task", description="look", prompt="HELPER TASK", subagent_type="general")]},
            {"text": "The helper is done."},
        ],
    }
    turn = machine.turn("ask the helper", script=script)
    assert (turn.status, turn.reply) == (0, "The helper is done."), turn.stderr
    rows = json.loads(wait_for(state(machine) / "sessions.json", '"ended"'))
    assert list(rows) == [turn.session]
    assert (rows[turn.session]["prompts"], rows[turn.session]["turns"]) == (1, 1)
    replies = json.loads(wait_for(state(machine) / "last-responses.json"))
    assert {key: row["response"] for key, row in replies.items()} == {turn.session: "The helper is done."}


def test_the_mcp_server_is_one_the_client_connects_to(machine, pal):
    pal("install", "--opencode", "--mcp")
    done = subprocess.run(
        [machine.client, "mcp", "list"], env=machine.env(), cwd=machine.project, capture_output=True, timeout=120
    )
    assert "\u2713 pal" in done.stdout.decode("utf-8", "replace"), done.stdout
    pal("uninstall", "--opencode")
    assert "mcp" not in json.loads(machine.settings.read_text(encoding="utf-8"))


def test_words_written_for_another_agent_are_still_read(machine, pal):
    own = machine.home / ".claude" / "CLAUDE.md"
    own.parent.mkdir()
    own.write_text("Short answers, please.\n", encoding="utf-8")
    pal("install", "--opencode")
    told = "\n".join(text for _, text in machine.turn("hello").texts(0))
    assert "Short answers, please." in told
    assert told.count(str(machine.home / ".pal" / "bin" / "pal")) >= 1


def test_without_pal_s_folder_the_client_works_as_if_pal_had_never_been(machine, pal):
    pal("install", "--opencode")
    shutil.rmtree(machine.home / ".pal")
    script = {"replies": [{"tool_calls": [call("bash", command="echo hi")]}, {"text": "It printed hi."}]}
    turn = machine.turn("hello", script=script)
    assert (turn.status, turn.reply) == (0, "It printed hi."), turn.stderr
    assert not (machine.home / ".pal").exists()


def test_install_run_uninstall_leaves_the_user_s_files_byte_for_byte(machine, pal):
    def tree() -> dict[str, bytes]:
        return {
            str(path.relative_to(machine.home)): path.read_bytes()
            for folder in (machine.config, machine.home / ".agents")
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    before = tree()
    folders = set(os.listdir(machine.home))
    pal("install", "--opencode")
    machine.turn("hello")
    pal("uninstall", "--opencode")
    assert {name: tree().get(name) for name in before} == before
    assert not [name for name in set(tree()) - set(before) if "pal" in name.lower()]
    assert set(os.listdir(machine.home)) - folders <= {".pal", ".local", ".cache", ".npm", ".bun"}
