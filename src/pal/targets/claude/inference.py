"""Claude Code's one-shot form: no tools, no settings and so no hooks, no session file, one small request (2.1.332)."""

from __future__ import annotations

import json

from pal.inference.question import Call, Reply
from pal.targets.claude import facts
from pal.targets.places import program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.inference.question import Question

NAME = facts.NAME
PROGRAM = facts.PROGRAMS[0]
MODELS = {"small": "haiku", "medium": "sonnet"}  # its own names for the newest of each size
FALLBACK = ""
_SYSTEM = "system.txt"


def program(env: Mapping[str, str]) -> str:
    return program_of(env, facts.PROGRAMS, facts.PROGRAM_PLACES)


def call(question: Question, folder: str, env: Mapping[str, str]) -> Call:
    arguments = ["--print", "--setting-sources=", "--tools=", "--strict-mcp-config", "--no-session-persistence"]
    arguments += ["--output-format", "json"]
    if question.model:
        arguments += ["--model", question.model]
    if not question.instructions:
        return Call(arguments, question.prompt)
    # A file, since an argument could be read by everybody on the machine and cmd.exe would take it apart.
    arguments += ["--system-prompt-file", _SYSTEM]
    return Call(arguments, question.prompt, files={_SYSTEM: question.instructions})


def reply(out: str) -> Reply:
    try:
        found = json.loads(out[out.index("{") :])
        usage = found.get("usage") or {}
        tokens = sum(value for key, value in usage.items() if key.endswith("_tokens") and isinstance(value, int))
        if found.get("is_error"):
            return Reply("", tokens, problem=str(found.get("result") or found.get("subtype")))
        return Reply(found["result"], tokens, sure=True)
    except (ValueError, LookupError, TypeError, AttributeError):
        return Reply("", problem=out.strip()[:200])


def left(question: Question, out: str, env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    return [], []
