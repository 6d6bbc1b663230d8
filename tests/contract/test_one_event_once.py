"""Clients that also run what is registered for another agent: with everything installed, each event runs PAL once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from payload_examples import EXAMPLES

PAYLOADS = Path(__file__).parent / "payloads"


@pytest.fixture(scope="module")
def user(archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shared") / "user"
    folder.mkdir()
    inherited = ("PAL_", "CLAUDE", "CURSOR", "COPILOT", "CODEX", "PYTHON", "XDG_")
    env = {key: value for key, value in os.environ.items() if not key.startswith(inherited)}
    env.update(HOME=str(folder), USERPROFILE=str(folder), PAL_PYTHON=sys.executable, PAL_INFERENCE_DISABLED="1")
    words = ("install", "--claude", "--cursor", "--copilot", "--vscode")
    done = subprocess.run([sys.executable, str(archive), *words], capture_output=True, env=env, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder, env


def hook(user, agent: str, event: str, payload: dict, **variables: str) -> str:
    folder, env = user
    launcher = str(folder / ".pal" / "hook.py")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", launcher, event, f"--agent={agent}"],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env={**env, **variables},
        cwd=folder,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode("utf-8")


def example(agent: str, event: str, session: str) -> dict:
    payload = json.loads((PAYLOADS / agent / f"{EXAMPLES[agent][event]}.json").read_text("utf-8"))
    named = {key: session for key in ("session_id", "sessionId", "conversation_id") if key in payload}
    return {**payload, **named, "transcript_path": ""}


def turns(user, session: str) -> list[dict]:
    files = sorted((user[0] / ".pal/memory/signals/interaction").glob("*.jsonl"))
    rows = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]
    return [row for row in rows if row["session"] == session]


@pytest.mark.parametrize(
    ("client", "copies", "variables"),
    [
        ("cursor", ("claude", "cursor"), {"CURSOR_VERSION": "3.20.17"}),
        ("vscode", ("claude", "copilot", "vscode"), {}),
        ("copilot", ("vscode", "copilot"), {"COPILOT_CLI": "1"}),
        ("claude", ("claude",), {"CLAUDECODE": "1"}),
    ],
)
def test_each_event_is_answered_and_kept_by_the_clients_own_copy_alone(user, client, copies, variables):
    session = f"once-{client}"
    prompt = example(client, "user-prompt", session)
    answers = {copy: hook(user, copy, "user-prompt", prompt, **variables) for copy in copies}
    assert [copy for copy, said in answers.items() if said] == [client]
    (turn,) = turns(user, session)
    assert turn["agent"] == client
    for copy in copies:
        hook(user, copy, "stop", example(client, "stop", session), **variables)
    row = json.loads((user[0] / ".pal/memory/state/sessions.json").read_text("utf-8"))[session]
    assert (row["agent"], row["prompts"]) == (client, 1)
    assert row.get("turns", 0) <= 1


def test_the_guard_answers_once_too(user):
    payload = {**example("cursor", "pre-tool", "g"), "command": "rm -rf /"}
    variables = {"CURSOR_VERSION": "3.20.17"}
    assert hook(user, "claude", "pre-tool", payload, **variables) == ""
    assert json.loads(hook(user, "cursor", "pre-tool", payload, **variables))["permission"] == "deny"


def test_doctor_run_inside_one_of_these_clients_still_finds_every_guard_alive(user, archive):
    folder, env = user
    around = {**env, "CURSOR_AGENT": "1", "CURSOR_VERSION": "3.20.17", "COPILOT_CLI": "1"}
    done = subprocess.run(
        [sys.executable, str(archive), "doctor", "--json"], capture_output=True, env=around, timeout=120
    )
    rows = json.loads(done.stdout)
    assert [row["title"] for row in rows if row["level"] == "fail"] == []
    assert sum(row["id"] == "guard" for row in rows) == 4
