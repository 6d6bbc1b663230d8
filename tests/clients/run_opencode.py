"""Runs scripted turns of the real opencode against a stand-in for its model, on loopback only.

A test lays out a home and a project, gives the client prompts, and reads what the model was sent, word for word."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mock_openai import MockServer, texts

VERSION = "1.18.33"
ROOT = Path(__file__).resolve().parent.parent.parent
# Variables of an enclosing agent session that a client under test must not see.
INHERITED = ("OPENCODE", "OPENAI", "CLAUDE", "ANTHROPIC", "AGENT", "AI_AGENT", "PAL_", "PYTHON", "VIRTUAL_ENV", "XDG_")
CALM = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_SHARE": "1",
    "npm_config_offline": "true",  # it installs a package into each folder of settings; offline that fails at once
}
NOWHERE = "http://127.0.0.1:9/v1"
# A name for the session is asked for with a request of its own, which takes no reply of the script.
TITLE = {"when": "You are a title generator", "text": "A title", "side": True}
SETTINGS = {
    "$schema": "https://opencode.ai/config.json",
    "autoupdate": False,
    "share": "disabled",
    "model": "mock/mock-model",
    "small_model": "mock/mock-model",
    "enabled_providers": ["mock"],
    "provider": {
        "mock": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "mock",
            "options": {"baseURL": NOWHERE, "apiKey": "none"},
            "models": {"mock-model": {"name": "mock", "tool_call": True, "limit": {"context": 100000, "output": 8000}}},
        }
    },
}


def find_client() -> str | None:
    """The client's program file, or None: PAL_OPENCODE_CLIENT, else what `npm install` left in the checkout's cache."""
    named = os.environ.get("PAL_OPENCODE_CLIENT")
    if named:
        return named if os.path.exists(named) else None
    packages = ROOT / ".cache" / f"opencode-{VERSION}" / "node_modules"
    # Beside the program of this system there is one for old processors, and a script that finds either.
    others = ("opencode-ai", "baseline")
    found = [
        path for path in packages.glob("opencode-*/bin/opencode*") if not any(name in str(path) for name in others)
    ]
    return str(found[0]) if found else None


class Turn:
    """What one run of the client left behind."""

    def __init__(self, done: subprocess.CompletedProcess[str], mock: MockServer) -> None:
        self.status = done.returncode
        self.stderr = done.stderr
        self.requests = [entry["body"] for entry in mock.requests if not entry["side"]]
        self.titles = [entry["body"] for entry in mock.requests if entry["side"]]
        self.events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    @property
    def session(self) -> str:
        return str(self.events[0]["sessionID"])

    @property
    def reply(self) -> str:
        return next((str(event["part"]["text"]) for event in reversed(self.events) if event["type"] == "text"), "")

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
        self.config = self.home / ".config" / "opencode"
        for made in (self.home, self.project, self.config):
            made.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, env=self.env())
        self.settings = self.config / "opencode.json"
        self.settings.write_text(json.dumps(SETTINGS, indent=2) + "\n", encoding="utf-8")

    def env(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.upper().startswith(INHERITED)}
        kept.update(CALM, HOME=str(self.home), USERPROFILE=str(self.home), PAL_INFERENCE_DISABLED="1")
        kept.update(PWD=str(self.project))  # which it believes before it asks the system
        kept.update(PAL_NOTIFICATIONS_DISABLED="1", NO_COLOR="1", TERM="dumb")
        return kept

    def turn(self, prompt: str, *arguments: str, script: dict[str, Any] | None = None, env: Any = ()) -> Turn:
        """One turn without a person; the script says what the model answers."""
        script = dict(script or {"default": {"text": "Understood."}})
        script["rules"] = [TITLE, *script.get("rules", [])]
        with MockServer(script) as mock:
            self._point_at(mock.url)
            done = subprocess.run(
                [self.client, "run", "--format", "json", *arguments],
                input=prompt,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=self.project,
                env={**self.env(), **dict(env)},
                timeout=180,
            )
            self._point_at(NOWHERE)
            return Turn(done, mock)

    def _point_at(self, url: str) -> None:
        """Nothing else of the settings changes: an installer wrote into them."""
        text = self.settings.read_text(encoding="utf-8")
        self.settings.write_text(re.sub(r"http://127\.0\.0\.1:\d+/v1", url, text), encoding="utf-8")
