"""Runs scripted turns of the real Claude Code client against a stand-in for its model, on loopback only.

A test lays out a home and a project, gives the client prompts, and reads what the model was sent, word for word."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from mock_anthropic import MockAnthropic, as_text

VERSION = "2.1.332"
ROOT = Path(__file__).resolve().parent.parent.parent
CALM = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
# Variables of an enclosing agent session that a client under test must not see.
INHERITED = ("CLAUDE", "ANTHROPIC", "AI_AGENT", "PAL_", "PYTHON", "VIRTUAL_ENV")


def find_client() -> str | None:
    """The client's program file, or None: PAL_CLAUDE_CLIENT, else what `npm install` left in the checkout's cache."""
    named = os.environ.get("PAL_CLAUDE_CLIENT")
    if named:
        return named if os.path.exists(named) else None
    packages = ROOT / ".cache" / f"claude-code-{VERSION}" / "node_modules" / "@anthropic-ai"
    found = [path for path in packages.glob("claude-code-*/claude*") if path.name in ("claude", "claude.exe")]
    return str(found[0]) if found else None


class Turn:
    """What one run of the client left behind."""

    def __init__(self, done: subprocess.CompletedProcess[str], mock: MockAnthropic) -> None:
        self.status = done.returncode
        self.stderr = done.stderr
        self.requests = [entry["body"] for entry in mock.messages()]
        self.escapes = mock.escapes()  # refused attempts to leave loopback
        try:
            self.result = json.loads(done.stdout)
        except ValueError:
            self.result = {"result": done.stdout}

    @property
    def session(self) -> str:
        return str(self.result["session_id"])

    @property
    def seen(self) -> str:
        """All text of all requests: what the model could know."""
        parts = []
        for body in self.requests:
            parts.append(as_text(body.get("system")))
            for message in body.get("messages", []):
                parts.append(message["content"] if isinstance(message["content"], str) else _blocks(message["content"]))
        return "\n".join(parts)


def _blocks(blocks: list[dict]) -> str:
    return "\n".join(
        block["text"] if block.get("type") == "text" else json.dumps(block, ensure_ascii=False) for block in blocks
    )


class Machine:
    """A throw-away user with a home and a project, on which the client runs."""

    def __init__(self, folder: Path, client: str) -> None:
        self.client = client
        self.home = folder / "home"
        self.project = folder / "project"
        for made in (self.home, self.project):
            made.mkdir(parents=True)

    def env(self, mock_url: str = "") -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.upper().startswith(INHERITED)}
        kept.update(CALM, HOME=str(self.home), USERPROFILE=str(self.home), PAL_INFERENCE_DISABLED="1")
        if mock_url:
            kept.update(ANTHROPIC_BASE_URL=mock_url, ANTHROPIC_API_KEY="sk-ant-mock-0000")
            for name in ("HTTPS_PROXY", "HTTP_PROXY"):  # the stand-in refuses CONNECT and logs it
                kept[name] = kept[name.lower()] = mock_url
            kept["NO_PROXY"] = kept["no_proxy"] = "127.0.0.1,localhost"
        return kept

    def turn(self, prompt: str, *arguments: str, script: dict | None = None) -> Turn:
        """One print-mode turn; the script says what the model answers."""
        with MockAnthropic(script or {"default": {"text": "Understood."}}) as mock:
            done = subprocess.run(
                [self.client, "-p", "--output-format", "json", *arguments],
                input=prompt,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=self.project,
                env=self.env(mock.url),
                timeout=120,
            )
            return Turn(done, mock)
