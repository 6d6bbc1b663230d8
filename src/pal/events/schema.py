"""The eight kinds of events and what each must say. Every event is held against this before it is kept or sent.

Names and values of a tool's arguments are different things: events carry names only."""

from __future__ import annotations

from pal.base import clock, ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

VERSION = 1
LINE_LIMIT = 16 * 1024  # bytes of one event
SOURCES = ("hook", "mcp", "a2a", "sse", "cli")
_LONGEST = 512  # characters of a name, an id, a path
_DESCRIPTION = 200
_META_KEYS = 20
_ARGUMENTS = 100  # names of arguments
_HEX = frozenset("0123456789abcdef")


def _text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST


def _short(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _DESCRIPTION


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _names(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= _ARGUMENTS and all(_text(name) for name in value)


def _digits(count: int) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, str) and len(value) == count and set(value) <= _HEX and bool(value.strip("0"))
    )


def _flat(value: Any) -> bool:
    plain = (str, int, float, bool)
    return (
        isinstance(value, dict)
        and len(value) <= _META_KEYS
        and all(isinstance(name, str) and isinstance(each, plain) for name, each in value.items())
    )


def _moment(value: Any) -> bool:
    try:
        clock.parse(value)
    except ValueError:
        return False
    return True


_COMMON: dict[str, Callable[[Any], bool]] = {
    "v": lambda value: value == VERSION and _whole(value),
    "id": ids.is_sortable,
    "ts": _moment,
    "type": lambda value: isinstance(value, str) and value in TYPES,
    "source": lambda value: value in SOURCES,
}
_MAYBE: dict[str, Callable[[Any], bool]] = {
    "session_id": _text,
    "agent": _text,
    "tier": lambda value: value in ("trusted", "external", "readonly"),
    "trace_id": _digits(32),
    "span_id": _digits(16),
    "parent_span_id": _digits(16),
    "meta": _flat,
}
# kind → (what it must say, what it may say besides)
TYPES: dict[str, tuple[dict[str, Callable[[Any], bool]], dict[str, Callable[[Any], bool]]]] = {
    "tool_start": ({"tool": _text, "call_id": _text}, {"args_keys": _names, "args_sha256": _digits(64)}),
    "tool_end": (
        {"tool": _text, "call_id": _text, "ok": _flag, "duration_ms": _amount},
        {"error_type": _text, "exit_code": _whole, "output_bytes": _amount},
    ),
    "agent_handoff": ({"from_agent": _text, "to_agent": _text}, {"call_id": _text, "description": _short}),
    "agent_end": ({"agent": _text}, {"ok": _flag, "duration_ms": _amount}),
    "memory_promoted": ({"pending_id": _text, "memory_id": _text, "score": _amount, "by": _text}, {}),
    "memory_rejected": ({"pending_id": _text, "reason": _text}, {"score": _amount, "by": _text}),
    "session_start": ({"session_id": _text}, {"cwd": _text, "agent_version": _text}),
    "session_end": ({"session_id": _text}, {"reason": _text, "duration_ms": _amount}),
}


def faults(event: Any) -> list[str]:
    """What is wrong with an event, one sentence each; nothing when it is sound."""
    if not isinstance(event, dict):
        return ["an event is a JSON object"]
    kind = event.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        return [f"type is {kind!r}; it must be one of {', '.join(TYPES)}"]
    must, may = TYPES[kind]
    needed = {**_COMMON, **must}
    known = {**_MAYBE, **may, **needed}
    found = [f"{name} is missing" for name in needed if name not in event]
    for name, value in event.items():
        if name not in known:
            found.append(f"{str(name)[:60]} is no field of {kind}")
        elif not known[name](value):
            found.append(f"{name} has a value that it cannot have")
    if kind == "tool_end" and event.get("ok") is False and "error_type" not in event:
        found.append("error_type is missing from a call that failed")
    return found
