"""Runs scripted turns of the real Codex client against a stand-in for its model, on loopback only.

A test lays out a home and a project, gives the client prompts, and reads what the model was sent, word for word."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mock_openai import MockServer, texts

VERSION = "0.171.0"
ROOT = Path(__file__).resolve().parent.parent.parent
# Variables of an enclosing agent session that a client under test must not see.
INHERITED = ("CODEX", "OPENAI", "CLAUDE", "ANTHROPIC", "AI_AGENT", "PAL_", "PYTHON", "VIRTUAL_ENV", "XDG_")
CONFIG = """\
model = "mock-model" # the stand-in
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "{url}"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[feedback]
enabled = false

[otel]
exporter = "none"
metrics_exporter = "none"
"""
NOWHERE = "http://127.0.0.1:9/v1"


def find_client() -> str | None:
    """The client's program file, or None: PAL_CODEX_CLIENT, else what `npm install` left in the checkout's cache."""
    named = os.environ.get("PAL_CODEX_CLIENT")
    if named:
        return named if os.path.exists(named) else None
    packages = ROOT / ".cache" / f"codex-{VERSION}" / "node_modules" / "@openai"
    found = [path for path in packages.glob("codex-*/vendor/*/bin/codex*") if path.name in ("codex", "codex.exe")]
    return str(found[0]) if found else None


class Turn:
    """What one run of the client left behind."""

    def __init__(self, done: subprocess.CompletedProcess[str], mock: MockServer) -> None:
        self.status = done.returncode
        self.stderr = done.stderr
        self.requests = [entry["body"] for entry in mock.requests if entry["path"].endswith("/responses")]
        self.events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    @property
    def session(self) -> str:
        return next(str(event["thread_id"]) for event in self.events if event["type"] == "thread.started")

    @property
    def reply(self) -> str:
        items = [event["item"] for event in self.events if event["type"] == "item.completed"]
        return next((str(item["text"]) for item in reversed(items) if item["type"] == "agent_message"), "")

    def texts(self, number: int = -1) -> list[tuple[str, str]]:
        """(role, text) of everything in one request, in order."""
        return texts(self.requests[number])

    @property
    def seen(self) -> str:
        """All text of all requests: what the model could know."""
        return "\n".join(text for number in range(len(self.requests)) for _, text in self.texts(number))


class Machine:
    """A throw-away user with a home and a project, on which the client runs."""

    def __init__(self, folder: Path, client: str) -> None:
        self.client = client
        self.home = folder / "home"
        self.project = folder / "project"
        self.codex = self.home / ".codex"
        for made in (self.home, self.project, self.codex):
            made.mkdir(parents=True, exist_ok=True)
        (self.project / ".git").mkdir(exist_ok=True)
        self.config = self.codex / "config.toml"
        if not self.config.exists():
            self.config.write_text(CONFIG.format(url=NOWHERE), encoding="utf-8")

    def env(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.upper().startswith(INHERITED)}
        kept.update(HOME=str(self.home), USERPROFILE=str(self.home), PAL_INFERENCE_DISABLED="1")
        kept.update(PAL_NOTIFICATIONS_DISABLED="1", NO_COLOR="1", TERM="dumb")
        return kept

    def turn(self, prompt: str, *arguments: str, script: dict[str, Any] | None = None) -> Turn:
        """One turn without a person; the script says what the model answers. `resume ID` may lead the arguments."""
        with MockServer(script or {"default": {"text": "Understood."}}) as mock:
            self._point_at(mock.url)
            resume = list(arguments[:2]) if arguments[:1] == ("resume",) else []
            done = subprocess.run(
                [self.client, "exec", *resume, "--skip-git-repo-check", "--json", *arguments[len(resume) :], "-"],
                input=prompt,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=self.project,
                env=self.env(),
                timeout=120,
            )
            self._point_at(NOWHERE)
            return Turn(done, mock)

    def _point_at(self, url: str) -> None:
        """Another port in the settings; what the client or an installer wrote there meanwhile stays."""
        text = self.config.read_bytes().decode("utf-8")
        self.config.write_bytes(re.sub(r"http://127\.0\.0\.1:\d+/v1", url, text).encode("utf-8"))

    def hooks(self) -> list[dict[str, Any]]:
        """The client's own account of every hook: key, currentHash, trustStatus and what else it says."""
        child = subprocess.Popen(
            [self.client, "app-server"],
            cwd=self.project,
            env=self.env(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert child.stdin and child.stdout
        watchdog = threading.Timer(60, child.kill)
        watchdog.start()
        try:
            calls = [
                {"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}},
                {"method": "initialized"},
                {"id": 1, "method": "hooks/list", "params": {"cwds": [str(self.project)]}},
            ]
            for call in calls:
                child.stdin.write(json.dumps({"jsonrpc": "2.0", **call}) + "\n")
            child.stdin.flush()
            for line in child.stdout:
                message = json.loads(line)
                if message.get("id") == 1 and "method" not in message:
                    return list(message["result"]["data"][0]["hooks"])
            raise AssertionError("the client ended without an answer")
        finally:
            watchdog.cancel()
            child.stdin.close()
            child.stdout.close()
            child.kill()
            child.wait()
