"""Runs scripted turns of the real GitHub Copilot CLI against a stand-in for its model, on loopback only.

A test lays out a home and a project, gives the client prompts, and reads what the model was sent, word for word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mock_openai import MockServer, texts

VERSION = "1.0.102"
ROOT = Path(__file__).resolve().parent.parent.parent
# Variables of an enclosing agent session that a client under test must not see.
INHERITED = (
    "COPILOT",
    "GITHUB_",
    "GH_",
    "CODEX",
    "OPENAI",
    "CLAUDE",
    "ANTHROPIC",
    "PAL_",
    "PYTHON",
    "VIRTUAL_ENV",
    "XDG_",
)


def find_client() -> str | None:
    """The client's program file, or None: PAL_COPILOT_CLIENT, else what `npm install` left in the checkout's cache."""
    named = os.environ.get("PAL_COPILOT_CLIENT")
    if named:
        return named if os.path.exists(named) else None
    packages = ROOT / ".cache" / f"copilot-{VERSION}" / "node_modules" / "@github"
    found = [path for path in packages.glob("copilot-*/copilot*") if path.name in ("copilot", "copilot.exe")]
    return str(found[0]) if found else None


class Turn:
    """What one run of the client left behind."""

    def __init__(self, done: subprocess.CompletedProcess[str], mock: MockServer) -> None:
        self.status = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        self.requests = [entry["body"] for entry in mock.requests if entry["path"].endswith("/chat/completions")]

    def texts(self, number: int = -1) -> list[tuple[str, str]]:
        """(role, text) of everything in one request, in order."""
        return texts(self.requests[number])

    @property
    def seen(self) -> str:
        """All text of all requests: what the model could know."""
        return "\n".join(text for number in range(len(self.requests)) for _, text in self.texts(number))


class Machine:
    """A throw-away user with a home and a project, on which the client runs. `unpacked` is where the client keeps the
    parts of itself that it unpacks once, which several machines may share."""

    def __init__(self, folder: Path, client: str, unpacked: Path) -> None:
        self.client = client
        self.home = folder / "home"
        self.project = folder / "project"
        self.copilot = self.home / ".copilot"
        self.unpacked = unpacked
        for made in (self.home, self.project, self.copilot, unpacked):
            made.mkdir(parents=True, exist_ok=True)
        (self.project / ".git").mkdir(exist_ok=True)

    def env(self, mock_url: str = "") -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.upper().startswith(INHERITED)}
        kept.update(HOME=str(self.home), USERPROFILE=str(self.home), PAL_INFERENCE_DISABLED="1")
        kept.update(PAL_NOTIFICATIONS_DISABLED="1", NO_COLOR="1", TERM="dumb", XDG_CACHE_HOME=str(self.unpacked))
        if mock_url:
            kept.update(COPILOT_OFFLINE="true", COPILOT_AUTO_UPDATE="false", COPILOT_MODEL="gpt-4.1")
            kept.update(COPILOT_PROVIDER_BASE_URL=mock_url, COPILOT_PROVIDER_TYPE="openai")
            kept.update(COPILOT_PROVIDER_API_KEY="mock")
        return kept

    def turn(self, prompt: str, *arguments: str, script: dict[str, Any] | None = None) -> Turn:
        """One turn without a person; the script says what the model answers."""
        with MockServer(script or {"default": {"text": "Understood."}}) as mock:
            done = subprocess.run(
                [self.client, "-p", prompt, "--allow-all-tools", *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=self.project,
                env=self.env(mock.url),
                timeout=180,
            )
        self.settle()
        return Turn(done, mock)

    def settle(self, within: float = 30.0) -> None:
        """Until no detached job waits or runs: the client writes its transcript late, and a job files the reply."""
        jobs, deadline = self.home / ".pal" / "memory" / "state" / "jobs", time.monotonic() + within
        while any(path.suffix in (".json", ".run") for path in jobs.glob("*")):
            assert time.monotonic() < deadline, f"still at work after {within:.0f} s"
            time.sleep(0.05)

    @property
    def session(self) -> str:
        """The id of the session that was active last."""
        folders = (self.copilot / "session-state").iterdir()
        found = max((path for path in folders if path.is_dir()), key=lambda path: path.stat().st_mtime_ns)
        return found.name if re.fullmatch(r"[0-9a-f-]{36}", found.name) else ""
