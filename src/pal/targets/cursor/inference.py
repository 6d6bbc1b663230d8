"""Cursor's one-shot form: `cursor-agent` in ask mode, which has no tool that changes anything.

The prompt is its last argument, since it reads no stdin. In print mode its prompt and stop hooks do not run; what else
does meets the sentinel variable."""

from __future__ import annotations

from pal.inference.question import Call, Reply
from pal.targets.cursor import facts
from pal.targets.places import program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.inference.question import Question

NAME = facts.NAME
PROGRAM = facts.PROGRAMS[0]
MODELS: dict[str, str] = {}  # what the user chose there
FALLBACK = ""


def program(env: Mapping[str, str]) -> str:
    return program_of(env, (PROGRAM,), facts.PROGRAM_PLACES)


def call(question: Question, folder: str, env: Mapping[str, str]) -> Call:
    # Without --trust it answers an unknown folder with a hint and exit 0.
    arguments = ["-p", "--mode", "ask", "--output-format", "text", "--trust"]
    if question.model:
        arguments += ["--model", question.model]
    return Call([*arguments, question.flat])


def reply(out: str) -> Reply:
    return Reply(out)


def left(question: Question, out: str, env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    return [], []
