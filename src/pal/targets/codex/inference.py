"""Codex's one-shot form: read-only, no hooks, no tools, no session file; the prompt on stdin (0.171.0).

Switches go by `-c`, which only warns where a version does not know one. Its values need no quotes: what is no TOML is
taken as it stands."""

from __future__ import annotations

from pal.inference.question import Call, Reply, events
from pal.targets.codex import facts
from pal.targets.places import program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.inference.question import Question

NAME = facts.NAME
PROGRAM = facts.PROGRAMS[0]
MODELS = {"small": "gpt-6-luna", "medium": "gpt-6-sol"}
FALLBACK = "openai"  # the same subscription's models, by a key
_OFF = (
    "hooks", "shell_tool", "unified_exec", "multi_agent", "goals", "view_image", "apps", "plugins", "memories",
)  # fmt: skip
_SETTINGS = (
    "agents.enabled=false",
    "web_search=disabled",
    "mcp_servers={}",
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "include_permissions_instructions=false",
    "include_environment_context=false",
    "model_reasoning_effort=low",
)
_SYSTEM = "system.txt"


def program(env: Mapping[str, str]) -> str:
    return program_of(env, facts.PROGRAMS, facts.PROGRAM_PLACES)


def call(question: Question, folder: str, env: Mapping[str, str]) -> Call:
    arguments = ["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules", "--color", "never"]
    arguments += ["--sandbox", "read-only"]
    if question.model:
        arguments += ["--model", question.model]
    settings = [*(f"features.{name}=false" for name in _OFF), *_SETTINGS]
    files = {}
    if question.instructions:
        settings.append(f"model_instructions_file={folder}/{_SYSTEM}")
        files[_SYSTEM] = question.instructions
    for setting in settings:
        arguments += ["-c", setting]
    return Call([*arguments, "-"], question.prompt, files=files)


def reply(out: str) -> Reply:
    """The last message of the agent; each line is one event."""
    text, tokens, problem = "", 0, ""
    for event in events(out):
        kind, item, usage = event.get("type"), _object(event, "item"), _object(event, "usage")
        if kind == "item.completed" and item.get("type") == "agent_message":
            text = str(item.get("text") or "")
        elif kind == "turn.completed":
            counts = (usage.get("input_tokens"), usage.get("output_tokens"))
            tokens = sum(count for count in counts if isinstance(count, int))
        elif kind in ("error", "turn.failed"):
            problem = str(event.get("message") or _object(event, "error").get("message") or kind)
    return Reply(text, tokens, sure=bool(text), problem="" if text else problem)


def _object(event: dict[str, Any], name: str) -> dict[str, Any]:
    value = event.get(name)
    return value if isinstance(value, dict) else {}


def left(question: Question, out: str, env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    return [], []
