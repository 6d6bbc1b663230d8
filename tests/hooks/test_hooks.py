"""What each lifecycle event does to the memory, in neutral terms: no agent, no process, a real home."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pal.base import settings as settings_file
from pal.base import state
from pal.hooks import (
    conversation,
    isolate,
    post_tool,
    pre_compact,
    session_end,
    session_start,
    stop,
    subagent_stop,
    user_prompt,
)
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput, HookReply
from pal.memory import exchange, handoff, interaction, ratings, sessions

LONG = "The parser keeps a stale handle when the cache is emptied, so the second read fails. " * 6


@pytest.fixture
def jobs() -> list[str]:
    return []


@pytest.fixture
def frame(home, now, jobs) -> Frame:
    env = {"HOME": os.path.dirname(home.root)}
    return Frame(home, settings_file.load(home), now, env, jobs.append, lambda: None)


def turn(event: str, **fields) -> HookInput:
    made = HookInput(event, "claude", "s-1", "/srv/site")
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def said(*messages: str):
    """A transcript reader: user and assistant in turns."""
    rows = [("assistant" if number % 2 else "user", text, "") for number, text in enumerate(messages)]
    return lambda path: rows


def log(home) -> str:
    return Path(home.log).read_text(encoding="utf-8") if os.path.exists(home.log) else ""


def turns(home) -> list[dict]:
    files = sorted(Path(home.interaction).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_session_is_noted_and_told_the_time(frame, home):
    reply = session_start.run(turn("session-start", source="startup"), frame)
    assert "Now: Mon 2026-03-02 08:15" in reply.context
    assert sessions.get(home, "s-1")["cwd"] == "/srv/site"


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_a_session_that_was_told_already_is_told_nothing(frame, source):
    assert session_start.run(turn("session-start", source=source), frame).context == ""


def test_a_subagent_is_told_nothing_and_leaves_no_session(frame, home):
    assert session_start.run(turn("session-start", source="startup", subagent=True), frame).context == ""
    assert sessions.get(home, "s-1") is None


def test_the_first_prompt_names_the_session_and_every_prompt_is_measured(frame, home):
    user_prompt.run(turn("user-prompt", prompt="Rename the gallery component of the shop", event_id="p1"), frame)
    user_prompt.run(turn("user-prompt", prompt="and run the linter", event_id="p2"), frame)
    row = sessions.get(home, "s-1")
    assert (row["name"], row["prompts"]) == ("Rename Gallery Component Shop", 2)
    assert len(turns(home)) == 2


def test_an_event_that_comes_twice_counts_once(frame, home):
    for _ in range(2):
        user_prompt.run(turn("user-prompt", prompt="9 - clear", event_id="p1"), frame)
    assert len(ratings.recent(home, 9)) == len(turns(home)) == sessions.get(home, "s-1")["prompts"] == 1


def test_a_prompt_no_person_wrote_is_told_the_time_and_counted_nowhere(frame, home):
    notice = turn("user-prompt", prompt="<task-notification> 3 - failed", human=False, event_id="p1")
    assert "Now: " in user_prompt.run(notice, frame).context
    assert (turns(home), sessions.get(home, "s-1"), ratings.recent(home, 9)) == ([], None, [])


def test_a_rating_goes_with_this_session_s_last_reply_or_with_none(frame, home, now):
    exchange.remember_reply(home, {"session": "other", "agent": "claude"}, "not mine", now)
    user_prompt.run(turn("user-prompt", prompt="8", event_id="p1"), frame)
    exchange.remember_reply(home, {"session": "s-1", "agent": "claude"}, "mine", now)
    user_prompt.run(turn("user-prompt", prompt="7 - fine", event_id="p2"), frame)
    assert [row.get("response_preview") for row in ratings.recent(home, 2)] == [None, "mine"]


def test_a_low_rating_is_filed_with_its_conversation_when_the_turn_ends(frame, home, jobs):
    user_prompt.run(turn("user-prompt", prompt="2 - wrong file", event_id="p1"), frame)
    stop.run(turn("stop", reply="Sorry.", read_transcript=said("mend a", "I mended b.", "2 - wrong file")), frame)
    (path,) = Path(home.failures).rglob("*.md")
    text = path.read_text(encoding="utf-8")
    assert "wrong file" in text and "I mended b." in text
    assert jobs == ["index", "daily"]


def test_the_end_of_a_turn_files_reply_handoff_work_project_and_digests(frame, home, now, tmp_path):
    project = tmp_path / "site"
    (project / ".git").mkdir(parents=True)
    user_prompt.run(turn("user-prompt", prompt="Find out why the parser fails", cwd=str(project), event_id="p1"), frame)
    ended = turn("stop", cwd=str(project), reply="It is mended.", event_id="p1")
    ended.read_transcript = said("Find out why the parser fails", LONG, "Mend it then", "It is mended.")
    assert stop.run(ended, frame).context == ""
    assert exchange.last_reply(home, "s-1") == "It is mended."
    assert handoff.for_folder(home, str(project), now)["lastAssistant"] == "It is mended."
    assert len(list(Path(home.session_learning).rglob("*.md"))) == 1
    assert state.read(home, home.projects)[str(project)]["history"][-1]["summary"] == "It is mended."
    assert sessions.get(home, "s-1")["turns"] == 1
    assert os.path.exists(os.path.join(home.digests, "stamp.json"))


def test_a_turn_whose_transcript_lacks_the_reply_is_filed_with_the_payload_s(frame, home):
    stop.run(turn("stop", reply="From the payload.", read_transcript=said("hello")), frame)
    assert exchange.last_reply(home, "s-1") == "From the payload."


@pytest.mark.parametrize("ended", [{"subagent": True}, {"session": ""}])
def test_a_stop_that_is_no_turn_files_nothing(frame, home, ended):
    stop.run(turn("stop", reply="x", **ended), frame)
    assert exchange.last_reply(home, "s-1") is None
    assert handoff.listing(home) == []


def test_what_tools_wrote_and_subagents_did_stands_in_the_session_s_note(frame, home):
    post_tool.run(turn("post-tool", tool="Edit", changed_file="/srv/site/a.py"), frame)
    post_tool.run(turn("post-tool", tool="Read"), frame)
    subagent_stop.run(turn("subagent-stop", agent_type="reviewer", subagent=True), frame)
    subagent_stop.run(turn("subagent-stop", agent_type="", subagent=True), frame)
    stop.run(turn("stop", reply="Done.", read_transcript=said("mend a", "Done.")), frame)
    (path,) = Path(home.session_learning).rglob("*.md")
    body = path.read_text(encoding="utf-8")
    assert "- /srv/site/a.py" in body and body.count("- reviewer") == 1


def test_what_was_said_last_survives_a_compaction_once(frame):
    pre_compact.run(
        turn("pre-compact", source="auto", read_transcript=said("keep the gist", "The gist is kept.")), frame
    )
    first = session_start.run(turn("session-start", source="compact"), frame).context
    second = session_start.run(turn("session-start", source="compact"), frame).context
    assert "The gist is kept." in first and "The gist is kept." not in second


def test_the_end_of_a_session_closes_it_and_completes_its_note(frame, home, jobs):
    talk = said("Find out why the parser fails", LONG, "Mend it", "Mended.")
    user_prompt.run(turn("user-prompt", prompt="Find out why the parser fails", event_id="p1"), frame)
    stop.run(turn("stop", reply="Mended.", read_transcript=talk), frame)
    session_end.run(turn("session-end", source="other", read_transcript=talk), frame)
    assert sessions.get(home, "s-1")["status"] == "completed"
    (path,) = Path(home.session_learning).rglob("*.md")
    assert 'status: "completed"' in path.read_text(encoding="utf-8")
    assert "index" in jobs


@pytest.mark.parametrize(
    ("talk", "user", "reply"),
    [
        (("mend it", "Mended.", "9 - quick and right", "Thank you."), "mend it", "Mended."),
        (("mend it", "Mended.", "perfect!", "Glad.", "8", "Thanks."), "mend it", "Mended."),
        (("mend it", "Mended.", "2 - wrong file", "Now the right one."), "2 - wrong file", "Now the right one."),
        (("mend it", "Mended.", "and b", "Also b."), "and b", "Also b."),
        (("8", "Thanks."), "8", "Thanks."),
        (("hello",), "hello", ""),
        ((), "", ""),
    ],
)
def test_praise_and_thanks_are_not_where_the_work_stands(talk, user, reply):
    assert conversation.last_exchange(conversation.work_of(said(*talk)(""))) == (user, reply)


def test_after_praise_the_handoff_still_tells_the_work(frame, home, now):
    talk = said("mend it", "Mended, b is left.", "9 - quick and right", "Thank you.")
    stop.run(turn("stop", reply="Thank you.", read_transcript=talk), frame)
    assert handoff.for_folder(home, "/srv/site", now)["lastAssistant"] == "Mended, b is left."
    assert exchange.last_reply(home, "s-1") == "Thank you."
    assert sessions.get(home, "s-1")["summary"] == "Mended, b is left."


def test_a_failing_handler_is_logged_and_stops_no_other(home):
    ran = []

    def fails() -> None:
        raise RuntimeError("broken handler")

    isolate.all_of(home, [("first", fails), ("second", lambda: ran.append("second"))])
    assert ran == ["second"]
    assert "ERROR first: RuntimeError: broken handler" in log(home) and "in fails" in log(home)


def test_a_slow_handler_is_told_of_in_the_log_and_its_result_kept(home, monkeypatch):
    monkeypatch.setattr(isolate, "BUDGET", -1.0)
    assert isolate.attempt(home, "slow", lambda: 7, 0) == 7
    assert "WARNING slow: took" in log(home)


@pytest.mark.parametrize("broken", ["sessions", "ratings"])
def test_one_broken_part_of_the_memory_leaves_the_answer_and_the_rest(frame, home, monkeypatch, broken):
    def fails(*_, **__):
        raise OSError("no room")

    monkeypatch.setattr(
        {"sessions": sessions, "ratings": ratings}[broken],
        {"sessions": "prompt_seen", "ratings": "record"}[broken],
        fails,
    )
    reply = user_prompt.run(turn("user-prompt", prompt="8 - good", event_id="p1"), frame)
    assert "Now: " in reply.context
    assert f"ERROR {broken}: OSError: no room" in log(home)
    assert len(turns(home)) == 1


def test_a_reply_says_nothing_unless_told_to():
    assert HookReply().context == ""


def test_the_time_since_a_prompt_is_known(frame, home, now):
    user_prompt.run(turn("user-prompt", prompt="go", event_id="p1"), frame)
    assert interaction.since_prompt(home, "s-1", now + 90) == pytest.approx(90, abs=0.01)
    assert interaction.since_prompt(home, "nobody", now) == 0
