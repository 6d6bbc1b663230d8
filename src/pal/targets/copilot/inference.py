"""GitHub Copilot CLI's one-shot form: no tools, no instructions, the prompt on stdin (1.0.102).

No flag turns its hooks off; they meet the sentinel variable. The session it keeps has an id of ours and is removed."""

from __future__ import annotations

import os

from pal.inference.question import Call, Reply
from pal.targets.copilot import facts
from pal.targets.places import folder_of, program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.inference.question import Question

NAME = facts.NAME
PROGRAM = facts.PROGRAMS[0]
MODELS: dict[str, str] = {}  # what the user chose there
FALLBACK = ""
# A name that no tool has leaves none; an empty list would leave them all.
_BARE = (
    "--silent", "--available-tools", "none", "--no-custom-instructions", "--stream", "off", "--disable-builtin-mcps",
    "--no-ask-user", "--no-auto-update", "--no-color", "--log-level", "none",
)  # fmt: skip


def program(env: Mapping[str, str]) -> str:
    return program_of(env, facts.PROGRAMS, facts.PROGRAM_PLACES)


def call(question: Question, folder: str, env: Mapping[str, str]) -> Call:
    arguments = [*_BARE, "--log-dir", folder, "--session-id", question.id]
    if question.model:
        arguments += ["--model", question.model]
    return Call(arguments, question.flat)


def reply(out: str) -> Reply:
    return Reply(out)


def left(question: Question, out: str, env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    # It knows nothing of PAL's own variable for its folder.
    sessions = os.path.join(folder_of(env, facts.FOLDER_VARIABLES[1:], facts.FOLDER), "session-state")
    lock = os.path.join(sessions, ".session-operation-locks", question.id + ".lock")
    return [os.path.join(sessions, question.id), lock], []
