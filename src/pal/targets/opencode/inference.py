"""opencode's one-shot form: an agent without tools, no plugins and so no hooks, the prompt on stdin (1.18.33).

It always keeps a session, which is deleted afterwards by its own command."""

from __future__ import annotations

import json
import os

from pal.base import files
from pal.base.errors import PalError
from pal.inference.question import Call, Reply, events
from pal.install import jsonedit
from pal.targets.opencode import facts
from pal.targets.places import folder_of, program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.inference.question import Question

NAME = facts.NAME
PROGRAM = facts.PROGRAMS[0]
MODELS: dict[str, str] = {}  # what the user chose there
FALLBACK = ""
AGENT = "pal-inference"
_BARE = "Answer the request in plain text."
_QUIET = {
    "OPENCODE_PURE": "1",
    "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
    "OPENCODE_DISABLE_CLAUDE_CODE": "1",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
}


def program(env: Mapping[str, str]) -> str:
    return program_of(env, facts.PROGRAMS, facts.PROGRAM_PLACES)


def call(question: Question, folder: str, env: Mapping[str, str]) -> Call:
    arguments = ["run", "--pure", "--format", "json", "--title", "pal", "--agent", AGENT]
    model = question.model or (_small_model(env) if question.tier == "small" else "")
    if model:
        arguments += ["--model", model]
    agent = {
        "mode": "primary",
        "prompt": question.instructions or _BARE,
        "permission": {"*": "deny"},
        "tools": {"*": False},
    }
    config = json.dumps({"share": "disabled", "agent": {AGENT: agent}})
    return Call(arguments, question.prompt, env={**_QUIET, "OPENCODE_CONFIG_CONTENT": config})


def _small_model(env: Mapping[str, str]) -> str:
    """What the user chose there for small tasks; it takes that for its own alone."""
    chosen = ""
    folder = os.path.join(folder_of(env, (facts.CONFIG_VARIABLE,), facts.CONFIG), facts.FOLDER)
    for name in facts.SETTINGS:
        try:
            settings = jsonedit.value((files.read_bytes(os.path.join(folder, name)) or b"").decode("utf-8", "replace"))
        except (PalError, OSError):
            continue  # it says so itself when a person starts it
        found = settings.get("small_model") if isinstance(settings, dict) else None
        chosen = found if isinstance(found, str) else chosen
    return chosen


def reply(out: str) -> Reply:
    """What the last step said; each line is one event."""
    parts: list[str] = []
    tokens, problem = 0, ""
    for event in events(out):
        part = event.get("part")
        part = part if isinstance(part, dict) else {}
        kind = event.get("type")
        if kind == "step_start":
            parts = []
        elif kind == "text" and part.get("type", "text") == "text":
            parts.append(str(part.get("text") or ""))
        elif kind == "step_finish" and isinstance(part.get("tokens"), dict):
            tokens += sum(value for value in part["tokens"].values() if isinstance(value, int))
        elif kind == "error":
            problem = json.dumps(event.get("error") or event)[:200]
    text = "".join(parts)
    return Reply(text, tokens, sure=bool(text.strip()) and not problem, problem=problem)


def left(question: Question, out: str, env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    session = next((str(event["sessionID"]) for event in events(out) if event.get("sessionID")), "")
    named = session.startswith("ses_") and session.isascii() and session.replace("_", "").isalnum()
    return [], ["session", "delete", session] if named else []
