"""The events of an agent's tool calls: one start and one end for each, with the names of the arguments and no value.

A call that the guard passes unread is noted by `passed`, straight from the payload and without `os`; every other way
goes through the neutral turn. What nobody ended is closed as unknown at the end of the turn."""

from __future__ import annotations

import time

from pal.base import bare, jsontext
from pal.base import home as homes
from pal.events import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pal.base.home import Home
    from pal.base.settings import Settings
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput

    Sides = Callable[[str, Mapping[str, Any], Mapping[str, str]], tuple[str, str]]

_SESSIONS = ("session_id", "sessionId", "conversation_id", "conversationId")
_TOOLS = ("tool_name", "toolName")
_INPUTS = ("tool_input", "toolInput", "toolArgs", "tool_args")
_HANDS_ON = frozenset(("task", "agent", "spawn_agent", "runsubagent", "invoke_subagent", "delegate_to_agent"))
_TO = ("subagent_type", "subagentType", "agent_type", "agentType", "agent_name", "agentName", "agent", "name")
_KEYS = 50  # names of arguments
_LOOK_BACK = 64 * 1024  # bytes of the log in which a call's start is looked for
UNKNOWN = "unknown"  # how a call ended that nobody ended
_EVERY = b'"tools": "all"'  # as the settings are shipped


def passed(raw: bytes, root: str, agent: str, sides: Sides, call_of: Callable[[Mapping[str, Any]], str]) -> None:
    """A call that no rule concerns is about to run. Never raises: it is on its way already. `sides` tells whose turn
    it is where a client also runs what is registered for another."""
    try:
        if bare.variable("PAL_SPAWNED_INFERENCE"):
            return  # our own question to a model
        home = homes.of_launcher(root)
        payload = jsontext.loads(raw)
        tool, given = _first(payload, _TOOLS), _object(payload, _INPUTS)
        if not tool or not bare.exists(home.state) or not _every(home, tool):
            return
        if sides(agent, payload, bare.environment())[0] != agent:
            return
        call = call_of(payload) or named_after(tool, given)
        log.emit(home, _start(_first(payload, _SESSIONS), agent, tool, call, given, time.time()))
    except Exception as fault:
        from pal.base import log as own_log

        own_log.error(homes.of_launcher(root), "events", f"{type(fault).__name__}: {fault}")


def started(turn: HookInput, frame: Frame) -> None:
    """The guard lets a call run."""
    if wanted(turn, frame.settings):
        log.emit(frame.home, *_handed_on(turn, frame), _of_turn(turn, frame.now))


def refused(turn: HookInput, frame: Frame) -> None:
    """The guard stopped a call: it began and ended at once."""
    if wanted(turn, frame.settings):
        start = _of_turn(turn, frame.now)
        log.emit(frame.home, start, log.end_of(start, frame.now, False, "denied"))


def ended(turn: HookInput, frame: Frame, error: str = "", took: float | None = None) -> None:
    """A call came back. One whose start nobody saw gets it now; one that was closed already stays as it is."""
    if not wanted(turn, frame.settings):
        return
    start = _of_turn(turn, frame.now - (took or 0.0) / 1000)
    begun, over = _seen(frame.home, start["call_id"])
    if over:
        return
    if begun:
        end = log.end_of(begun, frame.now, not error, error)
        if took is not None:
            end["duration_ms"] = took
        log.emit(frame.home, end)
    else:
        log.emit(frame.home, start, log.end_of(start, frame.now, not error, error))


def close(turn: HookInput, frame: Frame) -> None:
    """The turn is over: what is still open in this session ended in a way that nobody saw."""
    lines = _recent(frame.home)
    session = session_id(turn.session)
    mark = b'"session_id": ' + jsontext.dumps(session).encode()
    if not turn.session or not any(mark in line and b'"tool_start"' in line for line in lines):
        return
    events = [event for event in (log.parse(line) for line in lines if mark in line) if event]
    ends = [log.end_of(start, frame.now, False, UNKNOWN) for start in log.open_calls(events, session)]
    if ends:
        log.emit(frame.home, *ends)


def session_id(session: str) -> str:
    """A session's id as events have it: an endless one is cut."""
    return session[:200]


def wanted(turn: HookInput, settings: Settings) -> bool:
    """Whether the calls of this tool are events, as the user chose (`events.tools`)."""
    return bool(turn.tool) and not turn.repeats and _chosen(settings.get("events.tools", "all"), turn.tool)


def named_after(tool: str, given: Mapping[str, Any]) -> str:
    """An id for a call whose agent gives none: the same for the same tool with the same arguments."""
    from binascii import crc32

    return f"{tool}-{crc32(jsontext.dumps(dict(given)).encode()):08x}"[:200]


def _of_turn(turn: HookInput, now: float) -> log.Event:
    call = turn.call or named_after(turn.tool, turn.tool_input)
    return _start(turn.session, turn.agent, turn.tool, call, turn.tool_input, now)


def _start(session: str, agent: str, tool: str, call: str, given: Mapping[str, Any], now: float) -> log.Event:
    keys = [str(name)[:200] for name in list(given)[:_KEYS] if name]
    who = {"session_id": session_id(session), "agent": agent}
    return log.event("tool_start", "hook", now, **who, tool=tool[:200], call_id=call[:200], args_keys=keys or None)


def _handed_on(turn: HookInput, frame: Frame) -> list[log.Event]:
    """The handoff, when a tool gives work to another agent."""
    if turn.tool.lower() not in _HANDS_ON:
        return []
    from pal.base.redaction import scrub

    to = _first(turn.tool_input, _TO) or turn.tool
    described = scrub(_first(turn.tool_input, ("description", "task_name", "prompt")))[:200]
    who = {"session_id": session_id(turn.session), "agent": turn.agent}
    fields = {**who, "from_agent": turn.agent, "to_agent": to[:200]}
    made = log.event("agent_handoff", "hook", frame.now, **fields, call_id=turn.call[:200], description=described)
    return [made]


def _seen(home: Home, call: str) -> tuple[log.Event | None, bool]:
    """(the start of a call, whether it has ended too), as far as the end of the log tells."""
    mark = b'"call_id": ' + jsontext.dumps(call).encode()
    last = None
    for line in _recent(home):
        event = log.parse(line) if mark in line else None
        if event and event["type"] in ("tool_start", "tool_end"):
            last = event
    if last is None:
        return None, False
    return (last, False) if last["type"] == "tool_start" else (None, True)


def _recent(home: Home) -> list[bytes]:
    from pal.base import files

    data = files.tail_bytes(home.events, _LOOK_BACK)
    return data.split(b"\n")


def _every(home: Home, tool: str) -> bool:
    data = bare.read_bytes(home.settings) or b""
    if _EVERY in data or b'"events"' not in data:
        return True
    from pal.base import settings

    return _chosen(settings.load(home).get("events.tools", "all"), tool)


def _chosen(choice: object, tool: str) -> bool:
    if isinstance(choice, list):
        from pal.guard import tools  # its table says what kind a tool is

        kind = "subagent" if tool.lower() in _HANDS_ON else "mcp" if "mcp" in tool.lower() else tools.kind_of(tool)
        return kind in choice or (kind in (tools.POWERSHELL,) and "shell" in choice)
    return choice != "none"


def _first(payload: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _object(payload: Mapping[str, Any], names: tuple[str, ...]) -> Mapping[str, Any]:
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value[:1] == "{":
            value = jsontext.loads(value)
        if isinstance(value, dict):
            return value
    return {}
