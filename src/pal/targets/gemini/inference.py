"""Gemini CLI's one-shot form: no extensions and so no hooks, every tool denied, the prompt on stdin (0.61.0).

It lists the folders it ever ran in, so it always gets the same one, whose settings switch off what belongs to the
user's own sessions. The transcript it keeps has an id of ours and is removed."""

from __future__ import annotations

import glob
import json
import os

from pal.base import bare
from pal.inference.question import Call, Reply
from pal.targets.gemini import facts
from pal.targets.places import folder_of, program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.inference.question import Question

NAME = facts.NAME
PROGRAM = facts.PROGRAMS[0]
MODELS = {"small": "flash-lite", "medium": "flash"}  # its own names for the newest of each size
FALLBACK = ""
_SETTINGS = {
    f"{facts.FOLDER}/{facts.SETTINGS}": '{"hooksConfig": {"enabled": false}, "context": {"fileName": "none"}}\n'
}
_SYSTEM, _POLICY = "system.md", "policy.toml"
_NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
_BARE = "Answer the request in plain text."


def program(env: Mapping[str, str]) -> str:
    return program_of(env, facts.PROGRAMS)


def call(question: Question, folder: str, env: Mapping[str, str]) -> Call:
    policy = f"{folder}/{_POLICY}"
    arguments = ["--skip-trust", "--output-format", "json", "--extensions", "none", "--policy", policy]
    arguments += ["--session-id", question.id]
    if question.model:
        arguments += ["--model", question.model]
    files = {_SYSTEM: question.instructions or _BARE, _POLICY: _NO_TOOLS}
    own = {"GEMINI_SYSTEM_MD": f"{folder}/{_SYSTEM}"}
    return Call(arguments, question.prompt, own, files, lasting=_SETTINGS)


def reply(out: str) -> Reply:
    try:
        found = json.loads(out[out.index("{") :])
        models = ((found.get("stats") or {}).get("models") or {}).values()
        tokens = sum(int(model["tokens"]["total"]) for model in models)
        if found.get("error"):
            return Reply("", tokens, problem=str(found["error"].get("message")))
        return Reply(found["response"], tokens, sure=True)
    except (ValueError, LookupError, TypeError, AttributeError):
        return Reply("", problem=out.strip()[:200])


def left(question: Question, out: str, env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    own = env.get(facts.HOME_VARIABLE)
    folder = os.path.join(own, facts.FOLDER) if own else folder_of(env, (), facts.FOLDER)
    named = os.path.join(glob.escape(folder), "tmp", "*", "chats", f"session-*-{question.id[:8]}.json*")
    return [path for path in glob.glob(named) if question.id.encode() in (bare.read_bytes(path) or b"")], []
