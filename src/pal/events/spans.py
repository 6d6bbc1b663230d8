"""From events to spans: what began and ended becomes one piece of a trace, in OpenTelemetry's terms (pure).

Names and attributes follow the GenAI and MCP semantic conventions (opentelemetry.io/docs/specs/semconv/gen-ai).
Arguments and results are never among them: they hold secrets."""

from __future__ import annotations

import hashlib
from typing import Any

from pal.base import clock

Event = dict[str, Any]
OPEN_KEPT = 1000  # starts that wait for their end; the oldest are given up
INTERNAL, SERVER = 1, 2  # span kinds
ERROR = 2  # status code
_SAMPLED = 0x101  # sampled, and known not to have a remote parent
_NANO = 1_000_000
_LONGEST = 4096  # characters of one value


class Span:
    """One finished piece of work. Times are nanoseconds since the epoch, ids hexadecimal."""

    __slots__ = ("attributes", "begin", "end", "error", "kind", "name", "parent", "scope", "span", "trace")

    def __init__(self, name: str, scope: str, kind: int, trace: str, span: str, parent: str, begin: int) -> None:
        self.name = name
        self.scope = scope
        self.kind = kind
        self.trace = trace
        self.span = span
        self.parent = parent
        self.begin = begin
        self.end = begin
        self.error = ""  # what went wrong; empty when nothing did
        self.attributes: dict[str, str | bool | int | float] = {}


def fold(events: list[Event], waiting: list[Event]) -> tuple[list[Span], list[Event]]:
    """(the spans that end among these events, the starts that wait for an end now); `waiting` are those of before."""
    open_: dict[tuple[str, ...], Event] = {_key(start): start for start in waiting}
    spans = []
    for event in events:
        kind = event["type"]
        if kind in ("tool_start", "session_start", "agent_handoff"):
            open_[_key(event)] = event
        elif kind in ("memory_promoted", "memory_rejected"):
            spans.append(_memory(event))
        else:
            start = open_.pop(_key(event), None)
            if start is not None:
                spans.append(_MAKERS[kind](start, event))
    return spans, list(open_.values())[-OPEN_KEPT:]


def _key(event: Event) -> tuple[str, ...]:
    """What a start and its end have in common."""
    session = str(event.get("session_id") or "")
    kind = event["type"]
    if kind in ("tool_start", "tool_end"):
        return "tool", session, str(event.get("call_id"))
    if kind in ("agent_handoff", "agent_end"):
        return "agent", session, str(event.get("to_agent") if kind == "agent_handoff" else event.get("agent"))
    return "session", session


def _tool(start: Event, end: Event) -> Span:
    tool = str(end.get("tool"))
    serves = start.get("source") in ("mcp", "a2a")
    name = f"tools/call {tool}" if serves else f"execute_tool {tool}"
    span = _span(name, "pal.mcp" if serves else "pal.hooks", SERVER if serves else INTERNAL, start, end)
    span.attributes.update({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool})
    if serves:
        span.attributes["mcp.method.name"] = "tools/call"
    else:
        span.attributes.update({"gen_ai.tool.type": "function", "gen_ai.tool.call.id": str(end.get("call_id"))})
    if end.get("ok") is False:
        span.error = str(end.get("error_type") or "tool_error")
        span.attributes["error.type"] = span.error
    return span


def _agent(start: Event, end: Event) -> Span:
    span = _span(f"invoke_agent {end.get('agent')}", "pal.hooks", INTERNAL, start, end)
    span.attributes.update({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": str(end.get("agent"))})
    if end.get("ok") is False:
        span.error = "agent_error"
    return span


def _session(start: Event, end: Event) -> Span:
    agent = str(start.get("agent") or end.get("agent") or "agent")
    span = _span(f"invoke_agent {agent}", "pal.hooks", INTERNAL, start, end)
    span.span, span.parent = session_span(str(start["session_id"])), ""
    span.attributes.update({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent})
    return span


def _memory(event: Event) -> Span:
    span = _span(event["type"], "pal.memory", INTERNAL, event, event)
    for name, attribute in (("memory_id", "pal.memory.id"), ("score", "pal.memory.score"), ("by", "pal.memory.by")):
        if name in event:
            span.attributes[attribute] = event[name]
    return span


_MAKERS = {"tool_end": _tool, "agent_end": _agent, "session_end": _session}


def _span(name: str, scope: str, kind: int, start: Event, end: Event) -> Span:
    session = str(start.get("session_id") or "")
    trace = str(start.get("trace_id") or hashlib.sha256((session or start["id"]).encode()).hexdigest()[:32])
    own = str(start.get("span_id") or hashlib.sha256(start["id"].encode()).hexdigest()[:16])
    parent = str(start.get("parent_span_id") or (session_span(session) if session else ""))
    span = Span(name, scope, kind, trace, own, parent, _nano(start["ts"]))
    span.end = max(span.begin, _nano(end["ts"]))
    if session:
        span.attributes["gen_ai.conversation.id"] = session
    for field, attribute in (("agent", "gen_ai.agent.name"), ("tier", "pal.tier"), ("id", "pal.event.id")):
        if start.get(field):
            span.attributes[attribute] = str(start[field])
    return span


def session_span(session: str) -> str:
    """The span id of a session, so that its tools know their parent before it ends."""
    return hashlib.sha256(f"session:{session}".encode()).hexdigest()[:16]


def _nano(ts: str) -> int:
    return round(clock.parse(ts) * 1000) * _NANO


def as_json(span: Span) -> dict[str, Any]:
    """The span in OTLP's JSON form: hexadecimal ids, 64-bit numbers as text, enums as numbers."""
    made: dict[str, Any] = {"traceId": span.trace, "spanId": span.span}
    if span.parent:
        made["parentSpanId"] = span.parent
    made.update(flags=_SAMPLED, name=span.name[:_LONGEST], kind=span.kind)
    made.update(startTimeUnixNano=str(span.begin), endTimeUnixNano=str(span.end))
    made["attributes"] = [attribute(name, value) for name, value in span.attributes.items()]
    if span.error:
        made["status"] = {"code": ERROR, "message": span.error[:_LONGEST]}
    return made


def attribute(name: str, value: str | bool | int | float) -> dict[str, Any]:
    kind: dict[str, Any]
    if isinstance(value, bool):
        kind = {"boolValue": value}
    elif isinstance(value, int):
        kind = {"intValue": str(value)}
    elif isinstance(value, float):
        kind = {"doubleValue": value}
    else:
        kind = {"stringValue": value[:_LONGEST]}
    return {"key": name, "value": kind}
