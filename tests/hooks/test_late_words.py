"""Words that come late: a reply written after its turn's end, and a prompt's context that a later event must say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import clock
from pal.base import settings as settings_file
from pal.context import parked
from pal.hooks import prompt_transformed, session_end, stop, stop_deferred, user_prompt
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput
from pal.memory import exchange, interaction, sessions


class Agent:
    """An agent's side of one session: its transcript grows while the hooks run."""

    def __init__(self, home, now: float) -> None:
        self.home, self.now = home, now
        self.rows: list[tuple[str, str, str]] = []
        self.kept: list[tuple[str, dict]] = []
        self.slept = 0.0

    def frame(self, later: float = 0.0) -> Frame:
        env = {"HOME": os.path.dirname(self.home.root)}
        settings = settings_file.load(self.home)
        return Frame(self.home, settings, self.now + later, env, self.keep, lambda: None)

    def keep(self, name: str, payload: dict | None = None) -> None:
        if name == stop_deferred.JOB:
            self.kept.append((name, payload))

    def turn(self, event: str = "stop", **fields) -> HookInput:
        made = HookInput(event, "agent", "s-1", "/srv/site")
        made.late, made.transcript_path = True, "/a/transcript"
        made.read_transcript = lambda path: list(self.rows) if path == "/a/transcript" else []
        for name, value in fields.items():
            setattr(made, name, value)
        return made

    def says(self, role: str, text: str, later: float) -> None:
        self.rows.append((role, text, clock.iso_ms(self.now + later)))

    def ask(self, text: str, later: float = 0.0) -> None:
        user_prompt.run(self.turn("user-prompt", prompt=text), self.frame(later))

    def finish(self, after: float = 0.0, *, reply: str = "", patience: float = 15.0) -> bool:
        """Run the job that was kept; the reply is written once it has slept for `after` seconds."""
        (_, payload), self.kept = self.kept[0], []

        def sleep(seconds: float) -> None:
            self.slept += seconds
            if reply and self.slept >= after and (not self.rows or self.rows[-1][1] != reply):
                self.says("assistant", reply, 2.0)

        made = HookInput("stop", "")
        made.late, made.read_transcript = True, self.turn().read_transcript
        return stop_deferred.finish(made, payload, self.frame(5.0), sleep, patience)


@pytest.fixture
def agent(home, now):
    return Agent(home, now)


def test_a_stop_with_its_reply_on_disk_is_filed_at_once(agent, home):
    agent.ask("mend the parser")
    agent.says("user", "mend the parser", 0.1)
    agent.says("assistant", "Mended.", 1.0)
    stop.run(agent.turn(), agent.frame(1.1))
    assert agent.kept == []
    assert exchange.last_reply(home, "s-1") == "Mended."


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [("user", "mend the parser", 0.1)],
        [("user", "good morning", -60.0), ("assistant", "The reply before.", -50.0)],
        [("user", "good morning", -60.0), ("assistant", "The reply before.", -50.0), ("user", "mend the parser", 0.1)],
    ],
)
def test_a_stop_whose_reply_is_not_on_disk_waits_for_it_and_files_no_other(agent, home, rows):
    agent.ask("mend the parser")
    for role, text, later in rows:
        agent.says(role, text, later)
    stop.run(agent.turn(event_id="e7", folder="/srv/site"), agent.frame(1.1))
    assert exchange.last_reply(home, "s-1") is None
    if not any(text == "mend the parser" for _, text, _ in agent.rows):
        agent.says("user", "mend the parser", 0.1)
    assert agent.finish(0.6, reply="Mended, late.")
    assert agent.slept == pytest.approx(0.6)
    assert exchange.last_reply(home, "s-1") == "Mended, late."
    row = sessions.get(home, "s-1")
    assert (row["turns"], row["turn_event"]) == (1, "e7")


def test_a_reply_that_never_comes_is_filed_nowhere(agent, home):
    agent.ask("mend the parser")
    agent.says("user", "mend the parser", 0.1)
    stop.run(agent.turn(), agent.frame(1.1))
    assert agent.finish(patience=1.0) is False
    assert exchange.last_reply(home, "s-1") is None
    assert "turns" not in sessions.get(home, "s-1") or not sessions.get(home, "s-1")["turns"]


def test_a_user_who_went_on_meanwhile_does_not_change_which_reply_is_filed(agent, home):
    agent.ask("mend the parser")
    stop.run(agent.turn(), agent.frame(1.1))
    agent.says("user", "mend the parser", 0.1)
    agent.says("assistant", "Mended.", 1.2)
    agent.says("user", "and the tests?", 3.0)
    assert agent.finish()
    assert exchange.last_reply(home, "s-1") == "Mended."


def test_a_session_that_ended_meanwhile_has_its_work_noted_as_done(agent, home):
    agent.ask("mend the parser")
    stop.run(agent.turn(), agent.frame(1.1))
    session_end.run(agent.turn("session-end", source="complete"), agent.frame(1.2))
    said = "The parser keeps a stale handle when the cache is emptied, so the second read fails. " * 8
    for number in range(4):
        agent.says("user", f"mend the parser, step {number}", 0.1 + number / 10)
        agent.says("assistant", said, 0.15 + number / 10)
    agent.kept[0][1]["prompted"] = 0.0
    assert agent.finish()
    notes = list(Path(home.session_learning).rglob("*.md"))
    assert len(notes) == 1
    assert 'status: "completed"' in notes[0].read_text(encoding="utf-8")
    assert sessions.get(home, "s-1")["status"] == "completed"


def test_agents_that_hand_the_reply_over_or_write_in_time_never_wait(agent, home):
    stop.run(agent.turn(reply="Done."), agent.frame())
    assert exchange.last_reply(home, "s-1") == "Done."
    stop.run(agent.turn(late=False), agent.frame())
    assert agent.kept == []


def test_a_job_s_payload_says_all_that_the_stop_knew(agent):
    stop.run(agent.turn(event_id="e7", folder="/srv/site/deep", attended=True, process=7), agent.frame())
    (_, payload) = agent.kept[0]
    assert payload == {
        "agent": "agent", "session": "s-1", "cwd": "/srv/site", "folder": "/srv/site/deep", "event_id": "e7",
        "transcript_path": "/a/transcript", "attended": True, "process": 7, "prompted": 0.0,
    }  # fmt: skip


# A prompt's context


def transformed(agent, prompt: str, later: float = 0.1, **fields):
    turn = agent.turn("prompt-transformed", prompt=prompt, **{"parks": True, **fields})
    return prompt_transformed.run(turn, agent.frame(later)).context


def park(agent, **fields) -> str:
    turn = agent.turn("user-prompt", prompt="why does it fail", **{"parks": True, **fields})
    return user_prompt.run(turn, agent.frame()).context


def test_what_the_first_event_said_is_put_below_the_prompt_once(agent):
    context = park(agent)
    assert context
    assert transformed(agent, "dated\n\nwhy does it fail") == f"dated\n\nwhy does it fail\n\n{context}"
    assert transformed(agent, "dated\n\nwhy does it fail") == ""


def test_nothing_is_added_where_it_got_through(agent):
    context = park(agent)
    assert transformed(agent, f"why does it fail\n\n<system_reminder>\n{context}\n</system_reminder>") == ""


@pytest.mark.parametrize(
    ("fields", "later"),
    [({"session": "s-2"}, 0.1), ({"parks": False}, 0.1), ({"subagent": True}, 0.1), ({}, 600.0), ({"prompt": ""}, 0.1)],
)
def test_no_other_prompt_gets_it(agent, fields, later):
    park(agent)
    assert transformed(agent, fields.pop("prompt", "hello"), later, **fields) == ""


@pytest.mark.parametrize("fields", [{"parks": False}, {"subagent": True}])
def test_nothing_waits_where_it_is_heard_at_once(agent, home, fields):
    park(agent, **fields)
    assert not Path(home.parked).exists()


def test_only_the_last_sessions_wait(home, now):
    for number in range(parked.KEPT + 5):
        parked.keep(home, f"s-{number}", "context", now + number)
    assert parked.take(home, "s-0", now) == ""
    assert parked.take(home, f"s-{parked.KEPT + 4}", now + 30) == "context"


def test_the_moment_of_the_prompt_is_the_one_that_was_measured(agent, home, now):
    agent.ask("mend the parser", 3.0)
    assert interaction.since_prompt(home, "s-1", now + 4.0) == pytest.approx(1.0)
