"""A model call of PAL's starts no other: three layers, each alone with the other two taken away, and none at all.

The stand-in behaves like an agent with PAL's hooks: asked for an answer, it runs a hook and asks a question itself."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from stand_in import StandIn

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

NOTHING = {"PAL_SPAWNED_INFERENCE": "", "PAL_SPAWN_DEPTH": "", "PAL_INFERENCE_DEPTH": ""}
# What is left of the marks in the child's environment, and whether that alone holds.
MARKS = [
    pytest.param({**NOTHING, "PAL_SPAWNED_INFERENCE": "1"}, True, id="the sentinel alone"),
    pytest.param({**NOTHING, "PAL_SPAWN_DEPTH": "1"}, True, id="the depth alone"),
    pytest.param({**NOTHING, "PAL_INFERENCE_DEPTH": "1"}, True, id="the older depth alone"),
    pytest.param(NOTHING, False, id="none of them"),
]


@pytest.fixture
def asks(run_pal, tmp_path, archive):
    """asks(marks, *command): PAL asks a stand-in, which runs `pal COMMAND` with these marks; the stand-in's starts."""

    def ask(marks, *command, feed=""):
        program = StandIn(tmp_path, "copilot")
        outside = {"PAL_INFERENCE_DISABLED": "", "PAL_AGENT": "copilot", "PATH": program.path_variable()}
        run = [sys.executable, str(archive), *command]
        program.does({"stdout": "outer", "run": run, "feed": feed, "env": marks}, {"stdout": "inner"})
        done = run_pal("infer", stdin="a question", env=outside)
        assert (done.returncode, done.stdout) == (0, "outer\n"), done.stderr
        return program.calls

    return ask


@pytest.mark.parametrize(("marks", "holds"), MARKS)
def test_a_question_inside_a_question_is_refused(asks, marks, holds):
    assert len(asks(marks, "infer", feed="another question")) == (1 if holds else 2)


@pytest.mark.parametrize(("marks", "holds"), MARKS)
def test_a_hook_inside_a_question_does_nothing(asks, installed, marks, holds):
    before = snapshot(installed.pal)
    payload = installed.payload("user-prompt", prompt="2, wrong file")
    asks(marks, "hook", "user-prompt", "--agent=claude", feed=json.dumps(payload))
    changed = {name for name, data in snapshot(installed.pal).items() if before.get(name) != data}
    counted = {"memory/state/model-spend.json", "memory/state/debug.log"}
    assert (changed <= counted) is holds, changed


@pytest.mark.parametrize("event", ["session-start", "user-prompt", "stop", "session-end"])
@pytest.mark.parametrize("marks", [mark.values[0] for mark in MARKS if mark.values[1]])
def test_every_registered_event_is_silent_and_leaves_no_trace(installed, event, marks):
    installed.speak()
    before = snapshot(installed.pal)
    installed.env.update({name: value for name, value in marks.items() if value})
    assert installed.hook(event).stdout == b""
    assert snapshot(installed.pal) == before


def test_the_variable_that_tells_a_nested_session_is_dropped_in_the_child_alone(run_pal, tmp_path):
    program = StandIn(tmp_path, "claude")
    program.does({"stdout": json.dumps({"is_error": False, "result": "fine"})})
    env = {"PAL_INFERENCE_DISABLED": "", "PAL_AGENT": "claude", "PATH": program.path_variable(), "CLAUDECODE": "1"}
    assert run_pal("infer", stdin="x", env=env).stdout == "fine\n"
    assert "CLAUDECODE" not in program.calls[0]["env"]


def snapshot(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".lock"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
