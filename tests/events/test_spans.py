"""Events become spans: what began and ended, under its session, with the names OpenTelemetry gives them."""

from __future__ import annotations

from pal.events import log, spans

NOW = 1772439300.25


def of_session(kind: str, after: float = 0.0, **fields: object) -> log.Event:
    return log.event(kind, "hook", NOW + after, session_id="s1", agent="a", **fields)


def test_a_tool_call_is_one_span_under_its_session() -> None:
    start = of_session("tool_start", tool="Bash", call_id="c1")
    made, waiting = spans.fold(
        [start, of_session("tool_end", 1.5, tool="Bash", call_id="c1", ok=True, duration_ms=1)], []
    )
    (span,) = made
    assert (span.name, span.scope, span.kind, span.error) == ("execute_tool Bash", "pal.hooks", spans.INTERNAL, "")
    assert (span.begin, span.end - span.begin) == (1772439300250000000, 1_500_000_000)
    assert span.parent == spans.session_span("s1")
    assert span.attributes["gen_ai.tool.call.id"] == "c1"
    assert span.attributes["gen_ai.conversation.id"] == "s1"
    assert waiting == []


def test_a_failed_call_of_a_server_says_what_went_wrong() -> None:
    ends = {"tool": "pai_icm_search", "call_id": "7"}
    events = [
        log.event("tool_start", "mcp", NOW, **ends),
        log.event("tool_end", "mcp", NOW, **ends, ok=False, error_type="timeout", duration_ms=2),
    ]
    (span,) = spans.fold(events, [])[0]
    assert (span.name, span.scope, span.kind) == ("tools/call pai_icm_search", "pal.mcp", spans.SERVER)
    assert (span.error, span.attributes["error.type"], span.parent) == ("timeout", "timeout", "")
    assert spans.as_json(span)["status"] == {"code": 2, "message": "timeout"}


def test_a_session_and_its_agents_are_spans_of_one_trace() -> None:
    events = [
        of_session("session_start"),
        of_session("agent_handoff", 1, from_agent="a", to_agent="critic"),
        log.event("agent_end", "hook", NOW + 2, session_id="s1", agent="critic", ok=False),
        of_session("session_end", 3),
    ]
    agent, session = spans.fold(events, [])[0]
    assert (agent.name, agent.error, session.name) == ("invoke_agent critic", "agent_error", "invoke_agent a")
    assert agent.trace == session.trace
    assert agent.parent == session.span == spans.session_span("s1")
    assert session.parent == ""


def test_a_start_waits_for_its_end_across_two_exports() -> None:
    start = of_session("tool_start", tool="Bash", call_id="c1")
    made, waiting = spans.fold([start], [])
    assert (made, waiting) == ([], [start])
    made, waiting = spans.fold([of_session("tool_end", 1, tool="Bash", call_id="c1", ok=True, duration_ms=1)], waiting)
    assert ([span.name for span in made], waiting) == (["execute_tool Bash"], [])


def test_an_end_without_a_start_is_no_span_and_starts_do_not_pile_up() -> None:
    assert spans.fold([of_session("session_end")], []) == ([], [])
    many = [of_session("tool_start", tool="Bash", call_id=str(number)) for number in range(spans.OPEN_KEPT + 5)]
    assert spans.fold(many, [])[1] == many[5:]


def test_a_decision_about_a_memory_is_a_span_without_length() -> None:
    event = log.event("memory_promoted", "hook", NOW, pending_id="p", memory_id="m", score=0.9, by="auto")
    (span,) = spans.fold([event], [])[0]
    assert (span.name, span.begin, span.attributes["pal.memory.score"]) == ("memory_promoted", span.end, 0.9)


def test_ids_of_the_caller_are_kept_and_the_same_event_makes_the_same_span() -> None:
    given = {"trace_id": "a" * 32, "span_id": "b" * 16, "parent_span_id": "c" * 16}
    start = of_session("tool_start", tool="t", call_id="1", **given)
    end = of_session("tool_end", 1, tool="t", call_id="1", ok=True, duration_ms=1)
    first, second = (spans.as_json(spans.fold([start, end], [])[0][0]) for _ in range(2))
    assert first == second
    assert (first["traceId"], first["spanId"], first["parentSpanId"]) == ("a" * 32, "b" * 16, "c" * 16)


def test_the_json_form_has_text_for_64_bit_numbers_and_numbers_for_enums() -> None:
    start = of_session("tool_start", tool="t", call_id="1")
    (span,) = spans.fold([start, of_session("tool_end", 1, tool="t", call_id="1", ok=True, duration_ms=1)], [])[0]
    span.attributes.update({"flag": True, "count": 3, "share": 0.5})
    made = spans.as_json(span)
    assert (made["startTimeUnixNano"], made["kind"], made["flags"]) == ("1772439300250000000", 1, 257)
    assert "status" not in made
    assert {each["key"]: each["value"] for each in made["attributes"][-3:]} == {
        "flag": {"boolValue": True}, "count": {"intValue": "3"}, "share": {"doubleValue": 0.5}
    }  # fmt: skip
