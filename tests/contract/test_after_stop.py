"""What a model's program may do to a job, with stand-ins on PATH: the session never notices, the log says it, nothing
stays behind; and a burst of stops asks few at a time."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from stand_in import StandIn, wait_until_gone

from pal.base import frontmatter
from pal.base.settings import Settings
from pal.cli import asking
from pal.memory import excerpt, sessions, work
from pal.memory.learning import after_stop
from pal.memory.tools import relationship_notes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

PLAIN = Settings({"identity": {"principal": {"timezone": "UTC"}}})
WHO = {"session": "s1", "agent": "claude"}
TALK = [
    message
    for number in range(4)
    for message in (
        ("user", f"Mend the parser, step {number}. I prefer tabs over spaces.", ""),
        ("assistant", f"Step {number}. " + "The parser reads every line once. " * 20, ""),
    )
]
GOOD = {
    "title": "Mending the torn lines of the parser",
    "summary": "We made the parser keep torn lines.",
    "insights": ["Read the file to its end before cutting it."],
    "handoff": "",
    "name": "Parser Keeps Torn Lines",
    "notes": [],
    "entities": [],
}


def told(data: object) -> str:
    """What the program prints for an answer."""
    text = data if isinstance(data, str) else json.dumps(data)
    return json.dumps({"type": "result", "is_error": False, "result": text, "usage": {"output_tokens": 9}})


@pytest.fixture
def program(tmp_path):
    return StandIn(tmp_path, "claude")


@pytest.fixture
def learned(home, clean_env, program, now):
    """learned(patience): run the job that a stop of a session of eight messages hands over; gives what was done."""
    sessions.prompt_seen(home, WHO, "/srv/site", "Mend the parser of the site", now)
    work.capture(home, WHO, "/srv/site", TALK, "Mend Parser Site", now, zone="UTC")
    env = {key: value for key, value in clean_env.items() if key != "PAL_INFERENCE_DISABLED"}
    env["PATH"] = program.path_variable()

    def run(patience: float = 30.0) -> list[str]:
        dispatcher = asking.dispatcher(home, PLAIN, env, "claude")
        dispatcher._pause = lambda _: None

        def ask(*arguments, timeout=60.0, **named):
            return dispatcher.ask(*arguments, timeout=patience, **named)

        row = sessions.get(home, "s1") or {}
        payload = excerpt.handover(row, WHO, "/srv/site", TALK, PLAIN, env, "p1")
        return after_stop.run(home, PLAIN, ask, now + 60, payload)

    return run


def note(home) -> dict:
    (path,) = Path(home.session_learning).rglob("*.md")
    return frontmatter.parse(path.read_text("utf-8"))[0]


@pytest.mark.parametrize(
    "does",
    [
        {"stdout": told(GOOD)},
        {"stdout": told("Here you are:\n```json\n" + json.dumps(GOOD) + "\n```\nAnything else?")},
        {"stdout": told(GOOD), "code": 1},
        {"stdout": told(GOOD), "stderr": "a warning\n" * 10_000},
    ],
    ids=["plain", "prose around it", "exit 1 after a good answer", "much on stderr"],
)
def test_a_good_answer_is_used_whatever_stands_around_it(home, program, learned, does):
    program.does(does)
    assert "session" in learned()
    assert note(home)["title"] == GOOD["title"]
    assert sessions.get(home, "s1")["name"] == GOOD["name"]
    assert len(program.calls) == 1
    assert "caller=session sessionId=s1 route=claude-spawn" in Path(home.log).read_text("utf-8")


@pytest.mark.parametrize(
    ("does", "says"),
    [
        ({"hang": True, "child": True}, "no answer within"),
        ({"hang": True, "deaf": True}, "no answer within"),
        ({"stdout": "x" * 1_000_000, "times": 50}, "failed:"),
        ({}, "failed:"),
        ({"stdout": told("I would rather not.")}, "failed:"),
        ({"stdout": told({"title": 1}), "code": 3}, "failed:"),
    ],
    ids=["hangs with a child", "hangs and reads nothing", "50 MB", "nothing", "no JSON", "another form"],
)
def test_a_bad_answer_is_logged_the_rules_go_on_and_no_process_stays(home, program, learned, now, does, says):
    program.does(does)
    assert "session" in learned(0.6 if "hang" in does else 30.0)
    for call in program.calls:
        wait_until_gone(call["pid"])
        if "child" in call:
            wait_until_gone(call["child"])
    logged = Path(home.log).read_text("utf-8")
    assert "caller=session sessionId=s1" in logged and says in logged
    assert len({call["pid"] for call in program.calls}) <= 2, "asked once, and once more where it said nothing at all"
    assert "Traceback" not in logged
    assert "described" not in note(home)
    (kept,) = relationship_notes.noted(home, now, "UTC", 1)
    assert kept.text == "I prefer tabs over spaces"
    before = len(program.calls)
    learned()
    assert len(program.calls) == before, "what failed is not asked again at the next stop"


def test_without_the_program_nothing_is_started_and_the_rules_go_on(home, program, learned, now):
    program.path.unlink()
    assert "session" in learned()
    assert len(relationship_notes.noted(home, now, "UTC", 1)) == 1
    assert program.calls == []


COUNTING = """#!/bin/sh
cd "$(dirname "$0")"
touch "run-$$"
ls run-* | wc -l >> most
cat > /dev/null
sleep 0.2
rm "run-$$"
printf '%s' '{}'
"""
BURST = 8


def test_a_burst_of_stops_asks_few_models_at_a_time_and_every_session_is_learned_from(installed, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "claude").write_text(COUNTING.replace("{}", told(GOOD).replace("'", "'\\''")))
    (programs / "claude").chmod(0o755)
    installed.speak()
    long = [{"type": role, "message": {"role": role, "content": said}} for role, said, _ in TALK]
    installed.transcript.write_text("".join(json.dumps(line) + "\n" for line in long), encoding="utf-8")
    env = {key: value for key, value in installed.env.items() if key != "PAL_INFERENCE_DISABLED"}
    env["PATH"] = os.pathsep.join((str(programs), "/usr/bin", "/bin"))
    hooks = []
    for number in range(BURST):
        payload = json.dumps(installed.payload("stop", session_id=f"burst-{number}")).encode()
        hook = subprocess.Popen(
            installed.argv("stop", "--agent=claude"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
        )
        hooks.append((hook, payload))
    for hook, payload in hooks:
        assert hook.communicate(payload, timeout=60)[0] == b""
    installed.rest(60)
    most = [int(line) for line in (programs / "most").read_text().split()]
    assert len(most) == BURST and max(most) <= 3
    rows = json.loads((installed.pal / "memory/state/sessions.json").read_text("utf-8"))
    assert {rows[f"burst-{number}"]["learned"] for number in range(BURST)} == {9}
    assert not list(programs.glob("run-*"))
