"""The real Gemini CLI with PAL installed: what the model was sent, and what stands on disk afterwards."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run_opencode
from aftermath import errors, state, wait_for
from run_gemini import Machine, find_client


@pytest.fixture(scope="module")
def client(require):
    return require(find_client(), "no Gemini CLI (npm install @google/gemini-cli, or PAL_GEMINI_CLIENT) or no Node.js")


@pytest.fixture
def machine(tmp_path, client):
    return Machine(tmp_path, client)


def call(name: str, **arguments: object) -> dict:
    return {"name": name, "arguments": arguments}


def test_a_turn_is_told_everything_and_leaves_its_reply(machine, pal):
    pal("install", "--gemini")
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
    pal("install", "--gemini", "--claude")
    script = {
        "replies": [
            {"text": "Looking.", "tool_calls": [call("run_shell_command", command=f"rm -rf {machine.home}")]},
            {"tool_calls": [call("run_shell_command", command="echo allowed")]},
            {"tool_calls": [call("write_file", file_path="parser.py", content="x = 1\n")]},
            {"text": "The parser recovers now."},
        ]
    }
    turn = machine.turn("please debug why the parser fails", script=script)
    assert (turn.status, turn.reply) == (0, "The parser recovers now."), turn.stderr
    # What the model was told: session, prompt, tier 1, and each skill once.
    assert "The tokenizer is done; error recovery is next." in turn.seen
    assert turn.seen.count("Now: ") >= 2, "at the session's start and with the prompt"
    assert "&lt;" not in turn.seen
    assert str(machine.home / ".pal" / "bin" / "pal") in turn.seen
    first = json.dumps(turn.requests[0])
    assert first.count("Keeps the changelog.") == 1
    # The guard stopped the one command and let the other run.
    assert "PAL rule delete-protected" in turn.seen
    assert machine.home.is_dir()
    assert "Output: allowed" in turn.seen
    # What it left.
    assert json.loads(wait_for(state(machine) / "last-responses.json"))[turn.session]["agent"] == "gemini"
    row = json.loads(wait_for(state(machine) / "sessions.json", '"turns"'))[turn.session]
    assert (row["prompts"], row["turns"]) == (1, 1)
    learned = next((machine.home / ".pal" / "memory" / "session-learning").rglob("*.md")).read_text(encoding="utf-8")
    assert "parser.py" in learned

    # The session goes on: a rating is kept with the reply it rates, the digests have been written meanwhile.
    again = machine.turn("9 - clear and short", "--resume", "latest")
    assert again.session == turn.session
    rows = json.loads(pal("ratings", "list", "--json"))
    assert [(row["rating"], row["context"], row["session"]) for row in rows] == [(9, "clear and short", turn.session)]
    assert "Write the failing test first" in again.seen
    assert json.dumps(again.requests[-1]).count("error recovery is next") == 1, "a resumed session is not told twice"

    # And the next one is told where this one stopped.
    fresh = machine.turn("good morning")
    assert "The parser recovers now." in fresh.seen
    assert errors(machine) == []


def test_the_next_agent_is_told_where_the_last_one_stopped(machine, pal, require):
    program = require(run_opencode.find_client(), "no opencode (npm install opencode-ai, or PAL_OPENCODE_CLIENT)")
    other = run_opencode.Machine(machine.home.parent, program)
    pal("install", "--gemini", "--opencode")
    script = {"default": {"text": "Half of the cache is moved: eviction is left."}}
    first = other.turn("move the cache to its own module", script=script)
    wait_for(state(machine) / "last-handoff.json", "eviction is left")
    turn = machine.turn("good morning")
    assert "Half of the cache is moved: eviction is left." in turn.seen
    assert {row["agent"] for row in json.loads((state(machine) / "sessions.json").read_text("utf-8")).values()} == {
        "opencode",
        "gemini",
    }
    machine.turn("7 - good, go on", "--resume", "latest")
    other.turn("8 - even better", "--session", first.session)
    rows = json.loads(pal("ratings", "list", "--json"))
    assert {(row["rating"], row["agent"]) for row in rows} == {(7, "gemini"), (8, "opencode")}


def test_the_mcp_server_is_one_the_client_connects_to(machine, pal):
    pal("install", "--gemini", "--mcp")
    done = subprocess.run(
        ["node", machine.client, "mcp", "list"],
        env={**machine.env(), "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        cwd=machine.project,
        capture_output=True,
        timeout=120,
    )
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert [line for line in said.splitlines() if " pal: " in line and line.endswith("Connected")], said
    pal("uninstall", "--gemini")
    assert "mcpServers" not in json.loads(machine.settings.read_text(encoding="utf-8"))


def test_without_pal_s_folder_the_client_works_as_if_pal_had_never_been(machine, pal):
    pal("install", "--gemini")
    shutil.rmtree(machine.home / ".pal")
    script = {"replies": [{"tool_calls": [call("run_shell_command", command="echo hi")]}, {"text": "It printed hi."}]}
    turn = machine.turn("hello", script=script)
    assert (turn.status, turn.reply) == (0, "It printed hi."), turn.stderr
    assert not (machine.home / ".pal").exists()


def test_install_run_uninstall_leaves_the_user_s_files_byte_for_byte(machine, pal):
    def tree() -> dict[str, bytes]:
        folder = machine.config
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = tree()
    pal("install", "--gemini")
    machine.turn("hello")
    pal("uninstall", "--gemini")
    assert {name: tree().get(name) for name in before} == before
    assert not [name for name in set(tree()) - set(before) if "pal" in name.lower()]
    assert not (machine.config / "extensions" / "pal").exists()
    assert not (machine.home / ".agents").exists()
