"""PAL's questions through the real clients: one request, no hook of PAL's entered, no session left, no folder left.

Each layer that keeps a model call from starting another is tried alone. The client's own switches: both marks are
taken from its environment. A mark alone: with clients that have no switch for hooks."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run_claude
import run_codex
import run_copilot
import run_gemini
import run_opencode
from mock_anthropic import MockAnthropic
from mock_gemini import MockGemini
from mock_openai import MockServer

from pal.base.home import Home
from pal.base.settings import Settings
from pal.inference import programs
from pal.inference.dispatcher import Dispatcher
from pal.targets import asking

FORM = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
SYSTEM, PROMPT = 'Name it in "two" words & no more.', "Mend the parser.\nőű 100% <b>"
SCRIPT = {"default": {"text": 'Here you are:\n```json\n{"title": "Parser mended"}\n```'}}
MARKS = ("PAL_SPAWNED_INFERENCE", "PAL_SPAWN_DEPTH")


class Claude:
    """`model` is the stand-in, running while the rig is asked."""

    def __init__(self, folder, client, _):
        self.machine = run_claude.Machine(folder, client)

    def serve(self):
        return MockAnthropic(SCRIPT)

    def env(self, model):
        return self.machine.env(model.url)

    def requests(self, model):
        assert model.escapes() == []
        return [entry["body"] for entry in model.messages()]

    def sessions(self):
        return list((self.machine.home / ".claude").rglob("*.jsonl"))


class Codex:
    def __init__(self, folder, client, _):
        self.machine = run_codex.Machine(folder, client)

    def serve(self):
        return MockServer(SCRIPT)

    def env(self, model):
        self.machine._point_at(model.url)
        return self.machine.env()

    def requests(self, model):
        return [entry["body"] for entry in model.requests if entry["path"].endswith("/responses")]

    def sessions(self):
        return [path for path in self.machine.codex.rglob("*.jsonl") if "session" in str(path).lower()]


class Opencode(Codex):
    def __init__(self, folder, client, _):
        self.machine = run_opencode.Machine(folder, client)

    def requests(self, model):
        return [entry["body"] for entry in model.requests]  # one for a title would count

    def sessions(self):
        kept = self.machine.home / ".local" / "share" / "opencode" / "opencode.db"
        with contextlib.closing(sqlite3.connect(kept)) as database:
            return database.execute("SELECT id, title FROM session").fetchall()


class Copilot(Codex):
    def __init__(self, folder, client, unpacked):
        self.machine = run_copilot.Machine(folder, client, unpacked)

    def env(self, model):
        return self.machine.env(model.url)

    def requests(self, model):
        return [entry["body"] for entry in model.requests if entry["path"].endswith("/chat/completions")]

    def sessions(self):
        state = self.machine.copilot / "session-state"
        return [path for path in state.rglob("*") if path.is_file()] if state.is_dir() else []


class Gemini(Codex):
    def __init__(self, folder, client, _):
        self.machine = run_gemini.Machine(folder, client)

    def serve(self):
        return MockGemini(SCRIPT)

    def env(self, model):
        return {**self.machine.env(), "GOOGLE_GEMINI_BASE_URL": model.url}

    def requests(self, model):
        return model.requests

    def sessions(self):
        return list((self.machine.config / "tmp").rglob("session-*"))


CLIENTS = {
    "claude": (Claude, run_claude.find_client),
    "codex": (Codex, run_codex.find_client),
    "opencode": (Opencode, run_opencode.find_client),
    "copilot": (Copilot, run_copilot.find_client),
    "gemini": (Gemini, run_gemini.find_client),
}
# What a question itself writes below PAL's folder.
OURS = {"memory/state/model-spend.json", "memory/state/debug.log", "memory/cache/asking/.gemini/settings.json"}
CASES = [
    ("claude", MARKS), ("claude", ()), ("codex", MARKS), ("codex", ()), ("opencode", ()), ("gemini", ()),
    ("copilot", MARKS), ("copilot", MARKS[:1]), ("copilot", MARKS[1:]),
]  # fmt: skip


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    return tmp_path_factory.mktemp("unpacked")


@pytest.fixture
def changed(tmp_path, require, archive, unpacked, monkeypatch):
    """changed(agent, marks): what differs in PAL's folder after one question, of which everything else is judged."""

    def ask(agent, marks):
        kind, find = CLIENTS[agent]
        client = require(find(), f"no client of {agent} (PAL_{agent.upper()}_CLIENT)")
        rig = kind(tmp_path / "machine", client, unpacked)
        temporary, programs_folder = tmp_path / "temporary", tmp_path / "bin"
        for folder in (temporary, programs_folder):
            folder.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        whole = programs.environment

        def marked(*given):
            return {name: value for name, value in whole(*given).items() if name not in set(MARKS) - set(marks)}

        monkeypatch.setattr(programs, "environment", marked)
        start = f"node '{client}'" if client.endswith(".js") else f"'{client}'"
        (programs_folder / agent).write_text(f'#!/bin/sh\nexec {start} "$@"\n', encoding="utf-8")
        (programs_folder / agent).chmod(0o755)
        with rig.serve() as model:
            env = rig.env(model)
            env["PATH"] = f"{programs_folder}{os.pathsep}{env['PATH']}"
            done = subprocess.run(
                [sys.executable, str(archive), "install", f"--{agent}"],
                env=env, cwd=rig.machine.project, capture_output=True, text=True, timeout=120,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            home = Home(str(rig.machine.home / ".pal"))
            before, project = snapshot(Path(home.root)), snapshot(rig.machine.project)
            env["PAL_INFERENCE_DISABLED"] = ""
            # The stand-in serves a model of another name than the one PAL would ask for.
            values = Settings({"inference": {"models": {"codex": {"small": ""}}}})
            asked = Dispatcher(home, values, env, agent, asking.shots())
            answer = asked.ask(SYSTEM, PROMPT, schema=FORM, timeout=300, caller="test", session="s")
            assert (answer.ok, answer.data) == (True, {"title": "Parser mended"}), answer.facts()
            (request,) = rig.requests(model)
        said = json.dumps(request, ensure_ascii=False)
        assert json.dumps(PROMPT, ensure_ascii=False)[1:-1] in said
        assert json.dumps(SYSTEM, ensure_ascii=False)[1:-1] in said
        assert rig.sessions() == []
        assert snapshot(rig.machine.project) == project
        assert list(temporary.glob("pal-ask-*")) == []
        return {name for name, data in snapshot(Path(home.root)).items() if before.get(name) != data} - OURS

    return ask


@pytest.mark.parametrize(("agent", "marks"), CASES, ids=[f"{agent}-{'+'.join(marks)}" for agent, marks in CASES])
def test_one_question_enters_no_hook(changed, agent, marks):
    assert changed(agent, marks) == set()


def test_a_client_without_a_switch_for_hooks_enters_them_where_both_marks_are_gone(changed):
    """Else the tests above would prove nothing."""
    assert "memory/state/sessions.json" in changed("copilot", ())


def snapshot(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".lock"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
