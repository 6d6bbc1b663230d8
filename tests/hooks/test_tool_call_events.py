"""What the event log says of an agent's session: each tool call begins once and ends once, and no value is in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pal import targets
from pal.base.settings import Settings
from pal.events import log
from pal.hooks import post_tool, pre_tool, session_end, session_start, stop, subagent_stop, tool_calls
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput

SECRET = "hunter2-correct-horse"


@pytest.fixture
def frame(home, clean_env, now):
    """frame(seconds later, {settings}): the surroundings of one hook."""

    def made(after: float = 0.0, values: dict | None = None) -> Frame:
        settings = Settings(values or {})
        return Frame(home, settings, now + after, clean_env, lambda *_: None, lambda: None)

    return made


def turn(event: str, tool: str = "", call: str = "", session: str = "s1", **given: object) -> HookInput:
    made = HookInput(event, "claude", session, "/srv/app")
    made.tool, made.call, made.tool_input = tool, call, dict(given)
    return made


def run(handler, made: HookInput, frame: Frame) -> None:
    reply = handler.run(made, frame)
    if reply.afterwards:
        reply.afterwards()


def told(home) -> list[tuple[str, object, object]]:
    """(type, call, how it ended) of every event."""
    return [(event["type"], event.get("call_id"), event.get("error_type", event.get("ok"))) for event in log.each(home)]


def test_a_call_begins_and_ends_with_the_time_it_took(home, frame):
    run(pre_tool, turn("pre-tool", "Bash", "c1", command=f"echo {SECRET}"), frame())
    ended = turn("post-tool", "Bash", "c1", command=f"echo {SECRET}")
    run(post_tool, ended, frame(2.0))
    start, end = log.each(home)
    assert (start["type"], start["args_keys"], start["agent"], start["session_id"]) == (
        "tool_start", ["command"], "claude", "s1",
    )  # fmt: skip
    assert (end["type"], end["ok"], end["duration_ms"]) == ("tool_end", True, 2000.0)
    assert SECRET not in Path(home.events).read_text("utf-8")


def test_what_the_agent_says_it_took_counts(home, frame):
    run(pre_tool, turn("pre-tool", "Bash", "c1", command="ls"), frame())
    ended = turn("post-tool", "Bash", "c1", command="ls")
    ended.took = 288.0
    run(post_tool, ended, frame(5.0))
    assert list(log.each(home))[-1]["duration_ms"] == 288.0


def test_a_failure_ends_the_call_too(home, frame):
    run(pre_tool, turn("pre-tool", "Bash", "c1", command="false"), frame())
    run(post_tool, turn("post-tool-failure", "Bash", "c1", command="false"), frame(1.0))
    assert told(home) == [("tool_start", "c1", None), ("tool_end", "c1", "tool_error")]


def test_a_call_that_the_guard_stops_began_and_ended_at_once(home, frame):
    run(pre_tool, turn("pre-tool", "Bash", "c1", command="rm -rf /"), frame())
    assert told(home) == [("tool_start", "c1", None), ("tool_end", "c1", "denied")]


@pytest.mark.parametrize("after", ["post-tool", "post-tool-failure"])
def test_an_event_that_comes_twice_or_late_changes_nothing(home, frame, after):
    run(pre_tool, turn("pre-tool", "Bash", "c1", command="ls"), frame())
    run(post_tool, turn("post-tool", "Bash", "c1", command="ls"), frame(1.0))
    run(post_tool, turn(after, "Bash", "c1", command="ls"), frame(2.0))
    assert [kind for kind, _, _ in told(home)] == ["tool_start", "tool_end"]


def test_a_call_whose_beginning_nobody_saw_gets_one_with_its_end(home, frame):
    ended = turn("post-tool", "Bash", "c1", command="ls")
    ended.took = 500.0
    run(post_tool, ended, frame(3.0))
    start, end = log.each(home)
    assert (start["type"], end["type"], end["duration_ms"]) == ("tool_start", "tool_end", 500.0)


def test_the_end_of_a_turn_closes_what_is_open_in_its_session(home, frame):
    run(pre_tool, turn("pre-tool", "Bash", "c1", command="ls"), frame())
    run(pre_tool, turn("pre-tool", "Bash", "c2", session="other", command="ls"), frame())
    run(stop, turn("stop"), frame(9.0))
    assert told(home)[2:] == [("tool_end", "c1", "unknown")]
    run(stop, turn("stop"), frame(10.0))
    run(post_tool, turn("post-tool", "Bash", "c1", command="ls"), frame(11.0))
    assert len(told(home)) == 3
    run(session_end, turn("session-end", session="other"), frame(12.0))
    assert told(home)[3:] == [("tool_end", "c2", "unknown"), ("session_end", None, None)]


def test_an_agent_that_names_no_call_is_followed_all_the_same(home, frame):
    run(pre_tool, turn("pre-tool", "bash", "", command="make"), frame())
    run(post_tool, turn("post-tool", "bash", "", command="make"), frame(1.0))
    (_, first, _), (_, second, _) = told(home)
    assert first == second
    assert str(first).startswith("bash-")


def test_work_that_is_handed_on_is_a_handoff_and_its_end_an_end(home, frame):
    run(
        pre_tool,
        turn("pre-tool", "Task", "c1", subagent_type="critic", description="look again", prompt=SECRET),
        frame(),
    )
    ended = turn("subagent-stop")
    ended.agent_type = "critic"
    run(subagent_stop, ended, frame(1.0))
    handoff, start, end = log.each(home)
    assert (handoff["type"], handoff["from_agent"], handoff["to_agent"], handoff["description"]) == (
        "agent_handoff", "claude", "critic", "look again",
    )  # fmt: skip
    assert (start["type"], start["args_keys"]) == ("tool_start", ["subagent_type", "description", "prompt"])
    assert (end["type"], end["agent"]) == ("agent_end", "critic")
    assert SECRET not in Path(home.events).read_text("utf-8")


def test_a_session_begins_and_ends_and_a_compaction_is_neither(home, frame):
    for source in ("startup", "compact"):
        begun = turn("session-start")
        begun.source = source
        run(session_start, begun, frame())
    run(session_end, turn("session-end"), frame(60.0))
    assert [(event["type"], event.get("cwd")) for event in log.each(home)] == [
        ("session_start", "/srv/app"), ("session_end", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "seen"),
    [("all", {"Bash", "Read"}), ("none", set()), (["shell"], {"Bash"}), (["read"], {"Read"}), (7, {"Bash", "Read"})],
)
def test_the_user_chooses_whose_calls_are_events(home, frame, choice, seen):
    for number, (tool, given) in enumerate([("Bash", {"command": "ls"}), ("Read", {"file_path": "/srv/app/a.py"})]):
        run(pre_tool, turn("pre-tool", tool, f"c{number}", **given), frame(0, {"events": {"tools": choice}}))
    assert {event["tool"] for event in log.each(home)} == seen


def passed(home, payload: dict, agent: str = "claude") -> None:
    tool_calls.passed(json.dumps(payload).encode(), home.root, agent, targets.sides, targets.call_of)


PAYLOAD = {
    "session_id": "s1", "tool_name": "Bash", "tool_use_id": "c1", "tool_input": {"command": f"echo {SECRET}"}
}  # fmt: skip


def test_a_call_that_passes_unread_is_noted_from_its_payload(home, frame):
    passed(home, PAYLOAD)
    run(post_tool, turn("post-tool", "Bash", "c1", command="ls"), frame(1e9))
    assert [(kind, call) for kind, call, _ in told(home)] == [("tool_start", "c1"), ("tool_end", "c1")]
    assert SECRET not in Path(home.events).read_text("utf-8")


def test_arguments_written_as_json_inside_a_text_are_read(home):
    passed(home, {"sessionId": "s1", "toolName": "bash", "toolArgs": '{"command": "ls"}'}, "copilot")
    (start,) = log.each(home)
    assert (start["session_id"], start["tool"], start["args_keys"]) == ("s1", "bash", ["command"])


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b'{"tool_name": 7}', b"\xff" * 100])
def test_a_payload_that_is_none_is_passed_over(home, payload):
    tool_calls.passed(payload, home.root, "claude", targets.sides, targets.call_of)
    assert list(log.each(home)) == []


def test_settings_that_say_none_are_heeded_without_reading_the_call(home):
    Path(home.settings).write_text('{"events": {"tools": "none"}}', "utf-8")
    passed(home, PAYLOAD)
    assert list(log.each(home)) == []


def test_our_own_question_to_a_model_is_no_agents_call(home, monkeypatch):
    monkeypatch.setattr(tool_calls.bare, "variable", lambda name: "1" if name == "PAL_SPAWNED_INFERENCE" else "")
    passed(home, PAYLOAD)
    assert list(log.each(home)) == []


def test_a_client_that_runs_two_registrations_reports_a_call_once(home, monkeypatch):
    tool_calls.passed(json.dumps(PAYLOAD).encode(), home.root, "claude", lambda *_: ("", ""), targets.call_of)
    assert list(log.each(home)) == []
