"""What an event must say, kind by kind, and what no event may."""

from __future__ import annotations

import pytest

from pal.events import log, schema

NOW = 1772439300.25
SOUND = {
    "tool_start": {"tool": "Bash", "call_id": "c1", "args_keys": ["command"], "args_sha256": "a" * 64},
    "tool_end": {"tool": "Bash", "call_id": "c1", "ok": True, "duration_ms": 12.5, "exit_code": 0, "output_bytes": 9},
    "agent_handoff": {"from_agent": "main", "to_agent": "critic", "call_id": "c2", "description": "look again"},
    "agent_end": {"agent": "critic", "ok": True, "duration_ms": 0},
    "memory_promoted": {"pending_id": "p1", "memory_id": "m1", "score": 0.9, "by": "auto"},
    "memory_rejected": {"pending_id": "p1", "reason": "not true", "score": 0.1, "by": "user"},
    "session_start": {"session_id": "s1", "cwd": "/srv/app", "agent_version": "2.1"},
    "session_end": {"session_id": "s1", "reason": "exit", "duration_ms": 60000},
}


def made(kind: str, **fields: object) -> dict[str, object]:
    return log.event(kind, "hook", NOW, **{**SOUND[kind], **fields})


@pytest.mark.parametrize("kind", SOUND)
def test_an_event_with_all_its_fields_is_sound(kind: str) -> None:
    common = {"agent": "a", "session_id": "s", "tier": "trusted", "trace_id": "1" * 32, "span_id": "2" * 16}
    assert schema.faults({**common, **made(kind), "meta": {"n": 1, "ok": True, "t": "x"}}) == []


@pytest.mark.parametrize("kind", SOUND)
def test_each_required_field_is_missed(kind: str) -> None:
    for name in [*schema.TYPES[kind][0], "v", "id", "ts", "source"]:
        event = made(kind)
        del event[name]
        assert f"{name} is missing" in schema.faults(event)


def test_the_table_above_knows_every_kind() -> None:
    assert set(SOUND) == set(schema.TYPES)


@pytest.mark.parametrize(
    ("kind", "change", "fault"),
    [
        ("tool_start", {"args": {"command": "ls"}}, "args is no field of tool_start"),
        ("tool_start", {"tool": ""}, "tool has a value that it cannot have"),
        ("tool_start", {"tool": 7}, "tool has a value that it cannot have"),
        ("tool_start", {"args_keys": ["a", 1]}, "args_keys has a value that it cannot have"),
        ("tool_start", {"args_sha256": "A" * 64}, "args_sha256 has a value that it cannot have"),
        ("tool_start", {"source": "web"}, "source has a value that it cannot have"),
        ("tool_start", {"v": 2}, "v has a value that it cannot have"),
        ("tool_start", {"v": True}, "v has a value that it cannot have"),
        ("tool_start", {"id": "x"}, "id has a value that it cannot have"),
        ("tool_start", {"ts": "yesterday"}, "ts has a value that it cannot have"),
        ("tool_start", {"trace_id": "0" * 32}, "trace_id has a value that it cannot have"),
        ("tool_start", {"tier": "admin"}, "tier has a value that it cannot have"),
        ("tool_start", {"meta": {"a": {"b": 1}}}, "meta has a value that it cannot have"),
        ("tool_start", {"meta": {str(n): n for n in range(21)}}, "meta has a value that it cannot have"),
        ("tool_end", {"ok": 1}, "ok has a value that it cannot have"),
        ("tool_end", {"ok": False}, "error_type is missing from a call that failed"),
        ("tool_end", {"duration_ms": -1}, "duration_ms has a value that it cannot have"),
        ("tool_end", {"duration_ms": float("nan")}, "duration_ms has a value that it cannot have"),
        ("tool_end", {"exit_code": 1.5}, "exit_code has a value that it cannot have"),
        ("agent_handoff", {"description": "x" * 201}, "description has a value that it cannot have"),
        ("memory_promoted", {"score": "high"}, "score has a value that it cannot have"),
    ],
)
def test_what_no_event_may_say(kind: str, change: dict[str, object], fault: str) -> None:
    assert schema.faults({**made(kind), **change}) == [fault]


@pytest.mark.parametrize("value", [None, [], "tool_start", 7, {}, {"type": []}, {"type": "tool_stop"}])
def test_what_is_no_event_at_all_is_said_in_one_sentence(value: object) -> None:
    assert len(schema.faults(value)) == 1
