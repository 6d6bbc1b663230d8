"""What `pal doctor` says about the way in for other programs."""

from __future__ import annotations

import io
import json
import os
import socket
import sys
from pathlib import Path

import pytest

from pal import targets
from pal.base.home import acl_token
from pal.cli import agents, main, probe_servers
from pal.cli.context import Context
from pal.cli.output import Output
from pal.install import apply
from pal.memory.acl import tiers
from pal.targets import mcp_entry

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes to check")


@pytest.fixture
def context(home, clean_env, now):
    return Context(home, clean_env, now, Output(clean_env, io.StringIO(), io.StringIO()))


@pytest.fixture
def said(context):
    """said(env={…}): (level, title) of every finding."""

    def run(env=()):
        found = probe_servers.findings(context, {**context.env, **dict(env)})
        return [(finding.level, finding.title) for finding in found]

    return run


@pytest.fixture
def register(context, now):
    """register("claude", …): the server's entry as an install leaves it."""

    def made(*names: str) -> None:
        for name in names:
            plan = list(targets.installer(name).mcp(context.home, context.env, sys.executable))
            apply.apply(plan, name, context.home, now)

    return made


@pytest.fixture
def launcher(home):
    """launcher(text): what the registered command runs."""

    def made(text: str) -> None:
        Path(home.launcher).write_text(text, encoding="utf-8")

    return made


def serving() -> str:
    return (
        f"import sys\nsys.path.insert(0, {str(ROOT / 'src')!r})\n"
        "from pal.app import from_launcher\nsys.exit(from_launcher(sys.argv[1:], __file__[:-8], True))\n"
    )


def test_a_home_that_asked_for_nothing_is_told_nothing(said):
    assert said() == []


def test_each_server_is_started_as_its_agent_would_start_it(said, register, launcher):
    launcher(serving())
    register("claude", "codex", "opencode")
    ((level, title),) = said()
    assert level == "pass"
    assert title.startswith("the MCP server registered in Claude Code and opencode and Codex offers 2 tools, in ")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("print('hello')", "does not answer as it should"),
        ("raise SystemExit('no room')", "does not answer as it should: no room"),
        ('print(\'{"id": 2, "result": {"tools": []}}\')', "offers no search of memory"),
        ("print('[]')", "does not answer as it should"),
    ],
)
def test_a_server_that_does_not_serve_fails(said, register, launcher, text, problem):
    launcher(text)
    register("claude")
    assert said() == [("fail", f"the MCP server registered in Claude Code {problem}")]


def test_a_server_whose_interpreter_is_gone_or_that_hangs_fails(home, context):
    assert probe_servers.ask(["/nowhere/python", "x"], home.root, context.env)[0].startswith("cannot be started")
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    assert probe_servers.ask(sleeper, home.root, context.env, 0.2) == ("did not answer within 0 s", 0)


def test_a_server_that_somebody_else_calls_pal_is_none_of_ours(context, register):
    register("claude")
    (change,) = targets.installer("claude").mcp(context.home, context.env, sys.executable)
    assert mcp_entry.standing(change)[-3:] == [context.home.launcher, "cli", "mcp"]
    theirs = {"mcpServers": {"pal": {"command": "npx", "args": ["pal"]}}}
    Path(change.path).write_text(json.dumps(theirs), encoding="utf-8")
    assert mcp_entry.standing(change) == []
    Path(change.path).write_text("{", encoding="utf-8")
    assert mcp_entry.standing(change) == []


def test_an_agent_without_the_server_is_not_asked(context):
    assert [agents.servers(name, context, sys.executable) for name in targets.NAMES] == [[]] * len(targets.NAMES)


@posix
def test_a_token_that_others_can_read_is_told_of(context, said):
    path = tiers.create(context.env)
    assert said() == [("pass", f"the token in {path} is for this user alone")]
    os.chmod(path, 0o644)
    assert said() == [("warning", f"others can read {path}, so it grants nothing")]
    assert path == acl_token(context.env)


def test_a_skill_that_is_refused_is_told_of_with_the_reason(home, said):
    for name, program in (("good", "echo hi"), ("bad", "rm -rf x")):
        folder = Path(home.skills, name)
        folder.mkdir(parents=True)
        schema = {"mcp_exposed": True, "description": "Does it.", "executable": program}
        (folder / "skill.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    (refused, passed) = said()
    assert refused[0] == "warning"
    assert refused[1].startswith("skill bad is no tool: it may start ")
    assert passed == ("pass", "1 skill(s) are tools for other programs")


@pytest.mark.parametrize(
    ("value", "more", "level", "words"),
    [
        ("grpc://c:4317", {}, "warning", "names no http or https address"),
        ("http://127.0.0.1:1", {}, "warning", "nothing answers at 127.0.0.1:1"),
        ("http://c", {"OTEL_SDK_DISABLED": "true"}, "note", "another variable switches it off"),
    ],
)
def test_a_collector_that_cannot_be_used_is_told_of(said, value, more, level, words):
    ((found, title),) = said({"OTEL_EXPORTER_OTLP_ENDPOINT": value, **more})
    assert found == level
    assert words in title


def test_a_collector_that_listens_is_sound_and_a_wrong_variable_is_named(said):
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        port = made.getsockname()[1]
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
        assert said(env) == [
            ("warning", "PAL speaks OTLP as http/json, not grpc"),
            ("pass", f"events are sent on to 127.0.0.1:{port}"),
        ]


def test_the_server_of_events_runs_is_to_come_or_finds_its_port_taken(home, said, monkeypatch):
    asked = {"PAI_OBSERVABILITY_SSE": "1"}
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port = made.getsockname()[1]
        monkeypatch.setattr("pal.cli.events.PORT", port)
        assert said(asked) == [("note", "the server of events does not run; the next session starts it")]
        made.listen()
        taken = f"port {port} belongs to another program, so events are not served there"
        assert said(asked) == [("warning", taken)]
        Path(home.servers).mkdir(parents=True)
        record = {"pid": os.getpid(), "port": port, "url": f"http://127.0.0.1:{port}"}
        Path(home.servers, "events.json").write_text(json.dumps(record), encoding="utf-8")
        assert said(asked) == [("pass", f"events are served at http://127.0.0.1:{port}/events")]


def test_a_port_that_is_taken_is_said_and_logged(home, clean_env, now):
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        port = made.getsockname()[1]
        out, err = io.StringIO(), io.StringIO()
        env = {**clean_env, "PAL_HOME": home.root}
        assert main.run(["events", "serve", "--port", str(port)], env, now, Output(env, out, err)) == 1
    assert f"port {port} of 127.0.0.1 cannot be used" in err.getvalue()
    assert f"port {port} of 127.0.0.1 cannot be used" in Path(home.log).read_text("utf-8")
