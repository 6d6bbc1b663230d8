"""The server of events that a session's start begins: once, only when asked for, and never waited for."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from pal.base.settings import Settings
from pal.hooks import event_server, session_start, stop
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput

NOBODY = 2**22 + 12345  # above the highest process number of any system's default


@pytest.fixture
def started(home):
    """started(env): the commands that a call of `ensure` began."""

    def run(env=None):
        begun = []

        def start(argv, env, cwd):
            begun.append((argv, env, cwd))
            return 1

        event_server.ensure(home, env or {}, start)
        return begun

    return run


@pytest.fixture
def listening():
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen()
    yield made.getsockname()[1]
    made.close()


def record(home, value: object) -> None:
    Path(home.servers).mkdir(parents=True, exist_ok=True)
    Path(home.servers, "events.json").write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")


def test_the_launcher_starts_it_for_this_home_and_from_there(home, started):
    ((argv, env, cwd),) = started({"PAL_HOME": "/elsewhere", "A": "b"})
    assert argv[-5:] == [home.launcher, "cli", "events", "serve", "--until-upgrade"]
    assert (env["PAL_HOME"], env["A"], cwd) == (home.root, "b", home.root)


def test_one_that_runs_is_enough(home, started, listening):
    record(home, {"pid": os.getpid(), "port": listening})
    assert started() == []


@pytest.mark.parametrize(
    "value",
    [{"pid": NOBODY, "port": 1}, {"pid": os.getpid(), "port": 1}, {"pid": os.getpid()}, {"pid": "x"}, [], "{", ""],
)
def test_what_is_left_of_one_that_ended_is_no_server(home, started, value):
    record(home, value)
    assert len(started()) == 1


def test_a_process_of_that_number_that_does_not_listen_is_another_one(home, started, listening):
    free = socket.socket()
    free.bind(("127.0.0.1", 0))  # taken, and nobody listens
    record(home, {"pid": os.getpid(), "port": free.getsockname()[1]})
    assert len(started()) == 1
    free.close()


@pytest.mark.parametrize(
    ("env", "asked"),
    [
        ({}, False),
        ({"PAI_OBSERVABILITY_SSE": "1"}, True),
        ({"PAL_OBSERVABILITY_SSE": "1"}, True),
        ({"PAL_OBSERVABILITY_SSE": "0"}, False),
        ({"PAI_OBSERVABILITY_SSE": ""}, False),
    ],
)
def test_a_session_asks_for_it_only_where_a_variable_does(home, now, clean_env, monkeypatch, env, asked):
    begun = []
    monkeypatch.setattr(event_server, "ensure", lambda *surroundings: begun.append(surroundings))
    frame = Frame(home, Settings({}), now, {**clean_env, **env}, lambda *_: None, lambda: None)
    turn = HookInput("session-start", "claude", "s-1", "/srv/site")
    assert session_start.run(turn, frame).context
    assert bool(begun) is asked


@pytest.mark.parametrize(
    ("name", "asked"),
    [("OTEL_EXPORTER_OTLP_ENDPOINT", True), ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", True), ("OTEL_SERVICE_NAME", False)],
)
def test_a_stop_leaves_the_export_to_a_job_only_where_a_collector_is_named(home, now, clean_env, name, asked):
    jobs = []
    env = {**clean_env, name: "http://127.0.0.1:9"}
    frame = Frame(home, Settings({}), now, env, lambda job, *_: jobs.append(job), lambda: None)
    stop.run(HookInput("stop", "claude", "s-1", "/srv/site"), frame)
    assert ("export" in jobs) is asked
