"""Runs scripted turns of the real Gemini CLI against a stand-in for its model, on loopback only.

A test lays out a home and a project, gives the client prompts, and reads what the model was sent, word for word."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mock_gemini import MockGemini

VERSION = "0.61.0"
ROOT = Path(__file__).resolve().parent.parent.parent
# Variables of an enclosing agent session that a client under test must not see.
INHERITED = ("GEMINI", "GOOGLE", "CLAUDE", "ANTHROPIC", "AI_AGENT", "PAL_", "PYTHON", "VIRTUAL_ENV", "XDG_", "NODE_")
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}


def find_client() -> str | None:
    """The client's script for Node.js, or None: PAL_GEMINI_CLIENT, else what `npm install` left in the checkout's
    cache."""
    named = os.environ.get("PAL_GEMINI_CLIENT")
    if not named:
        packages = ROOT / ".cache" / f"gemini-{VERSION}" / "node_modules"
        named = str(packages / "@google" / "gemini-cli" / "bundle" / "gemini.js")
    return named if os.path.exists(named) and shutil.which("node") else None


class Turn:
    """What one run of the client left behind."""

    def __init__(self, done: subprocess.CompletedProcess[str], mock: MockGemini) -> None:
        self.status = done.returncode
        self.stderr = done.stderr
        self.requests = mock.requests
        try:
            self.result = json.loads(done.stdout)
        except ValueError:
            self.result = {"response": done.stdout}

    @property
    def session(self) -> str:
        return str(self.result["session_id"])

    @property
    def reply(self) -> str:
        return str(self.result["response"])

    @property
    def seen(self) -> str:
        """All text of all requests: what the model could know."""
        return "\n".join(text for body in self.requests for text in _texts(body))


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, each in value.items() for text in ([each] if key == "text" else _texts(each))]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


class Machine:
    """A throw-away user with a home and a project, on which the client runs."""

    def __init__(self, folder: Path, client: str) -> None:
        self.client = client
        self.home = folder / "home"
        self.project = folder / "project"
        self.config = self.home / ".gemini"
        for made in (self.home, self.project, self.config):
            made.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, env=self.env())
        self.settings = self.config / "settings.json"
        self.settings.write_text(json.dumps(SETTINGS, indent=2) + "\n", encoding="utf-8")

    def env(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.upper().startswith(INHERITED)}
        kept.update(HOME=str(self.home), USERPROFILE=str(self.home), PAL_INFERENCE_DISABLED="1")
        kept.update(PAL_NOTIFICATIONS_DISABLED="1", NO_COLOR="1", TERM="dumb", GEMINI_API_KEY="mock")
        return kept

    def turn(self, prompt: str, *arguments: str, script: dict[str, Any] | None = None) -> Turn:
        """One turn without a person; the script says what the model answers."""
        with MockGemini(script or {"default": {"text": "Understood."}}) as mock:
            done = subprocess.run(
                ["node", self.client, "-p", prompt, "-o", "json", "-m", "gemini-2.5-flash", "--skip-trust", "-y"]
                + list(arguments),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=self.project,
                env={**self.env(), "GOOGLE_GEMINI_BASE_URL": mock.url},
                timeout=180,
            )
            return Turn(done, mock)
