"""What is asked and what comes back, as the routes see it; and what an agent's own one-shot form must offer."""

from __future__ import annotations

import json
import uuid

from pal.inference import schema as schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Protocol


class Question:
    """One question, scrubbed already; `model` is empty where the program's own choice for the tier holds."""

    __slots__ = ("id", "model", "prompt", "schema", "system", "tier", "timeout")

    def __init__(
        self, system: str, prompt: str, model: str, schema: dict[str, Any] | None, timeout: float, tier: str = "small"
    ) -> None:
        self.id = str(uuid.uuid4())  # names the session in programs that insist on keeping one
        self.system = system
        self.prompt = prompt
        self.model = model
        self.schema = schema
        self.timeout = timeout
        self.tier = tier

    @property
    def instructions(self) -> str:
        """The system text, with the form of the answer when there is one."""
        parts = (self.system.strip(), schemas.instruction(self.schema) if self.schema is not None else "")
        return "\n\n".join(part for part in parts if part)

    @property
    def flat(self) -> str:
        """Everything in one text, for programs that take no system text of their own."""
        parts = (self.system.strip(), self.prompt, schemas.instruction(self.schema) if self.schema is not None else "")
        return "\n\n".join(part for part in parts if part)


class Call:
    """How a program is asked: its arguments, stdin, variables of its own, and files laid into its empty folder.

    With `lasting` files it runs in a folder that stays, which holds these."""

    __slots__ = ("arguments", "env", "files", "lasting", "stdin")

    def __init__(
        self,
        arguments: Sequence[str],
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
        lasting: Mapping[str, str] | None = None,
    ) -> None:
        self.arguments = list(arguments)
        self.stdin = stdin
        self.env = dict(env or {})
        self.files = dict(files or {})
        self.lasting = dict(lasting or {})


class Reply:
    """What a program or a service said. `sure` when its form tells an answer from a message about a failure."""

    __slots__ = ("problem", "sure", "text", "tokens")

    def __init__(self, text: str, tokens: int = 0, sure: bool = False, problem: str = "") -> None:
        self.text = text.strip()
        self.tokens = tokens  # 0: it does not say
        self.sure = sure
        self.problem = problem


class Outcome:
    """A reply and how it came: `missing` when nobody was there to ask, `silent` when nothing at all was said."""

    __slots__ = ("failed", "missing", "reply", "silent", "size")

    def __init__(
        self, reply: Reply, size: int = 0, failed: bool = False, missing: bool = False, silent: bool = False
    ) -> None:
        self.reply = reply
        self.size = size  # bytes
        self.failed = failed
        self.missing = missing
        self.silent = silent


def events(out: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of an output that has one a line; other lines are passed over."""
    for line in out.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


if TYPE_CHECKING:

    class OneShot(Protocol):
        """An agent's `inference` module."""

        NAME: str
        PROGRAM: str  # what people call it
        MODELS: Mapping[str, str]  # tier → model; a tier left out is the program's own choice
        FALLBACK: str  # the service that stands in for a missing program before all others; or ""

        def program(self, env: Mapping[str, str]) -> str:
            """The absolute path of its program; empty when it is not on this machine."""

        def call(self, question: Question, folder: str, env: Mapping[str, str]) -> Call:
            """How to ask it; `folder` is an empty one, made for this question, where its files will be."""

        def reply(self, out: str) -> Reply:
            """What it answered, from its stdout."""

        def left(self, question: Question, out: str, env: Mapping[str, str]) -> tuple[list[str], list[str]]:
            """What it kept of the question: (files and folders to remove, arguments with which it forgets the rest)."""
