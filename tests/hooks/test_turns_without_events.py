"""Agents that report less: no start of a session, no reply at a stop, no file of PAL's that they load by themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import settings as settings_file
from pal.base import text
from pal.context import session as session_context
from pal.hooks import agent_response, session_start, stop, user_prompt
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput
from pal.memory import exchange, handoff, sessions


@pytest.fixture
def frame(home, now) -> Frame:
    os.makedirs(home.docs, exist_ok=True)
    Path(home.docs, "STEERING_RULES.md").write_text("# Rules\n\nRead first, then change one thing.\n")
    env = {"HOME": os.path.dirname(home.root)}
    return Frame(home, settings_file.load(home), now, env, lambda *job: None, lambda: None)


def turn(event: str, **fields) -> HookInput:
    made = HookInput(event, "cursor", "s-1", "/srv/site")
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def later(frame: Frame, seconds: float) -> Frame:
    return Frame(frame.home, frame.settings, frame.now + seconds, frame.env, frame.later, frame.revive)


def test_the_first_prompt_of_a_conversation_opens_the_session_and_the_next_one_does_not(frame, home, now):
    handoff.snapshot(home, "/srv/site", "mend the parser", "half done", {"session": "s-0", "agent": "codex"}, now - 60)
    first = user_prompt.run(turn("user-prompt", prompt="go on", opens=True), frame)
    assert "half done" in first.context
    assert first.context.count("Now: ") == 2
    assert sessions.get(home, "s-1")["cwd"] == "/srv/site"
    again = user_prompt.run(turn("user-prompt", prompt="go on", opens=True, event_id="2"), frame)
    assert "half done" not in again.context


def test_a_reply_that_came_by_its_own_event_is_filed_at_the_stop(frame, home):
    user_prompt.run(turn("user-prompt", prompt="mend the parser"), frame)
    for said in ("I look at it.", "Mended, both tests pass."):
        agent_response.run(turn("agent-response", reply=said), later(frame, 5))
    stop.run(turn("stop", spoken=True), later(frame, 6))
    assert exchange.last_reply(home, "s-1") == "Mended, both tests pass."
    assert sessions.get(home, "s-1")["summary"] == "Mended, both tests pass."


def test_a_stop_without_a_reply_of_this_turn_files_none_of_an_earlier_one(frame, home):
    user_prompt.run(turn("user-prompt", prompt="mend the parser"), frame)
    agent_response.run(turn("agent-response", reply="Mended."), later(frame, 5))
    stop.run(turn("stop", spoken=True), later(frame, 6))
    user_prompt.run(turn("user-prompt", prompt="and the lexer", event_id="2"), later(frame, 60))
    aborted = turn("stop", spoken=True)
    stop.run(aborted, later(frame, 61))
    assert aborted.reply == ""


def test_a_subagents_words_are_not_the_sessions(frame, home):
    agent_response.run(turn("agent-response", reply="Looked around.", subagent=True), frame)
    assert exchange.last_reply(home, "s-1") is None


def test_what_a_client_loads_from_no_file_is_told_at_the_start_within_its_room(frame):
    untold = {"untold": ("standing", "digests"), "room": 20_000}
    told = session_start.run(turn("session-start", source="startup", **untold), frame).context
    assert told.startswith("# PAL")
    assert "Read first, then change one thing." in told
    assert "@~" not in told
    assert text.units(told) <= 20_000
    digests_only = session_start.run(turn("session-start", source="startup", untold=("digests",)), frame).context
    assert "# PAL" not in digests_only
    assert "Read first" in digests_only
    loaded = session_start.run(turn("session-start", source="startup"), frame).context
    assert "Read first" not in loaded


@pytest.mark.parametrize("source", session_context.REPLAYED)
def test_a_session_that_still_holds_it_is_told_neither(frame, source):
    told = session_start.run(turn("session-start", source=source, untold=("standing", "digests")), frame)
    assert told.context == ""


def test_a_narrow_room_keeps_the_standing_text_and_what_is_most_important(frame, home, now):
    handoff.snapshot(home, "/srv/site", "mend", "half done", {"session": "s-0", "agent": "codex"}, now - 60)
    narrow = turn("session-start", source="startup", untold=("standing", "digests"), room=4_500)
    told = session_start.run(narrow, frame).context
    assert text.units(told) <= 4_500
    assert "half done" in told
