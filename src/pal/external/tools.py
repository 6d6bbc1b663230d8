"""What a program from outside may call: a tool, one call of it, and what came of it; the same for MCP and A2A.

Each call is an event at its start and one at its end, whatever happens in between; a tool's own fault is an outcome
that says so, never an exception of the server."""

from __future__ import annotations

import threading
import time

from pal.base import ids
from pal.base.errors import PalError
from pal.events import log
from pal.inference import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.base.home import Home

_KEYS = 50  # names of arguments in an event


class Outcome:
    """What a tool gives back: content for a reader, the same as data where there is any, and whether it failed."""

    __slots__ = ("content", "error", "error_type", "structured")

    def __init__(
        self, content: list[dict[str, Any]], structured: Any = None, error: bool = False, error_type: str = "tool_error"
    ) -> None:
        self.content = content
        self.structured = structured
        self.error = error
        self.error_type = error_type  # what kind of failure, for the event


def told(text: str, structured: Any = None) -> Outcome:
    """An outcome of one text."""
    return Outcome([{"type": "text", "text": text}], structured)


def failed(text: str, error_type: str = "tool_error", structured: Any = None) -> Outcome:
    """An outcome that tells a model what went wrong and what to do."""
    return Outcome([{"type": "text", "text": text}], structured, True, error_type)


class Missing(Exception):
    """The tool needs something that the client cannot do; `capabilities` is what it would have to offer."""

    def __init__(self, capabilities: dict[str, Any]) -> None:
        super().__init__(", ".join(capabilities))
        self.capabilities = capabilities


class Call:
    """One call while it runs: who asks, how to say how far it is, and whether it is still wanted."""

    __slots__ = (
        "_cancelled",
        "_on_cancel",
        "agent",
        "capabilities",
        "channel",
        "log",
        "progress",
        "session",
        "token",
        "trace",
    )

    def __init__(
        self,
        channel: str,
        agent: str = "",
        token: str = "",
        session: str = "",
        trace: tuple[str, str] = ("", ""),
        progress: Callable[[float, float | None, str], object] = lambda done, total, text: None,
        capabilities: dict[str, Any] | None = None,
        log: Callable[[str, Any], object] = lambda level, data: None,
    ) -> None:
        self.channel = channel  # "mcp" or "a2a"
        self.agent = agent  # what the caller says it is called
        self.token = token  # what it shows for a higher tier; never logged
        self.session = session
        self.trace = trace  # trace id and parent span id, hexadecimal
        self.progress = progress
        self.capabilities = capabilities or {}
        self.log = log
        self._cancelled = threading.Event()
        self._on_cancel: Callable[[], object] | None = None

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Nobody waits for this any more: whatever runs for it ends."""
        self._cancelled.set()
        action = self._on_cancel
        if action:
            action()

    def on_cancel(self, action: Callable[[], object] | None) -> None:
        """What ends the work; at once when it is cancelled already."""
        self._on_cancel = action
        if action and self.cancelled:
            action()

    def wait(self, seconds: float) -> bool:
        """Sleep; True as soon as the call is cancelled."""
        return self._cancelled.wait(seconds)


class Tool:
    """A name, what it is for, what it takes and gives, and the function behind it."""

    __slots__ = ("annotations", "description", "input", "name", "output", "run", "safe_name", "title")

    def __init__(
        self,
        name: str,
        title: str,
        description: str,
        input: dict[str, Any],
        run: Callable[[dict[str, Any], Call], Outcome],
        output: dict[str, Any] | None = None,
        annotations: dict[str, bool] | None = None,
        safe_name: str = "",
    ) -> None:
        self.name = name
        self.safe_name = safe_name or name  # what every model's service takes as a name
        self.title = title
        self.description = description
        self.input = input
        self.output = output
        self.annotations = annotations or {}
        self.run = run


def run(home: Home, tool: Tool, arguments: dict[str, Any], call: Call) -> Outcome:
    """Call a tool. Arguments that do not fit come back as an outcome too, so that a model can mend them."""
    began = time.time()
    identity = ids.sortable(began)
    fields = {"session_id": call.session, "agent": call.agent, "tool": tool.name, "call_id": identity}
    trace, parent = call.trace
    keys = [name[:200] for name in list(arguments)[:_KEYS] if name]
    start = log.event(
        "tool_start", call.channel, began, **fields, args_keys=keys, trace_id=trace, parent_span_id=parent
    )
    log.emit(home, start)
    outcome = failed("the tool broke off", "crashed")
    try:
        wrong = schema.mismatch(arguments, tool.input, "the input")
        outcome = (
            failed(f"{wrong}; see the input schema of {tool.name}", "bad_arguments")
            if wrong
            else tool.run(arguments, call)
        )
    except Missing:
        raise
    except PalError as fault:
        outcome = failed(str(fault))
    except Exception as fault:
        from pal.base import log as own_log

        own_log.error(home, call.channel, f"{tool.name}: {type(fault).__name__}: {fault}")
        outcome = failed(f"{tool.name} failed inside PAL; `pal debug log` says more", "internal_error")
    finally:
        ended = time.time()
        size = sum(len(str(item.get("text") or "")) for item in outcome.content)
        if call.cancelled:
            outcome.error, outcome.error_type = True, "cancelled"
        kind = outcome.error_type if outcome.error else ""
        log.emit(home, log.end_of(start, ended, not outcome.error, kind, output_bytes=size))
    return outcome
