"""MCP on standard input and output: one message a line, whatever comes, and nothing else ever written there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pal.external.mcp import stdio, wire
from pal.external.mcp.catalog import Catalog
from pal.external.mcp.dispatch import Server
from pal.external.tools import Tool, told

HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}
META = {"_meta": {wire.VERSION_KEY: wire.MODERN, wire.CAPABILITIES_KEY: {}}}


def ping(identity: object) -> dict:
    return {"jsonrpc": "2.0", "id": identity, "method": "ping"}


class Served:
    """A server behind two pipes, in threads of this process."""

    def __init__(self, home, tools=()) -> None:
        reading, self._feed = os.pipe()
        self._output, writing = os.pipe()
        self.fingerprint = 0
        self._in = os.fdopen(self._feed, "wb", 0)
        self._out = os.fdopen(self._output, "rb")
        writer = os.fdopen(writing, "wb")
        shell = stdio.Shell(Server(home, Catalog(lambda: list(tools))), os.fdopen(reading, "rb"), writer)

        def serve() -> None:
            shell.serve(lambda: self.fingerprint)
            writer.close()

        self.thread = threading.Thread(target=serve)
        self.thread.start()

    def send(self, *messages: object) -> None:
        for message in messages:
            data = message if isinstance(message, bytes) else json.dumps(message).encode()
            self._in.write(data + b"\n")

    def read(self) -> dict:
        return json.loads(self._out.readline())

    def rest(self) -> list[dict]:
        """Close the input and read what is left."""
        self._in.close()
        lines = [json.loads(line) for line in self._out]
        self.thread.join(20)
        assert not self.thread.is_alive()
        return lines


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", wire.NOT_JSON),
        (b"\xff\xfe", wire.NOT_JSON),
        (b"nonsense", wire.NOT_JSON),
        (b'{"a":' * 50_000, wire.NOT_JSON),
        (b"[]", wire.NOT_A_REQUEST),
        (b'"text"', wire.NOT_A_REQUEST),
    ],
    ids=range(6),
)
def test_a_line_that_is_no_message_is_refused_and_the_next_one_answered(home, line, code):
    served = Served(home)
    served.send(line, b"", b"   ", ping("é"))
    refused, answered = served.rest()
    assert (refused["error"]["code"], refused["id"]) == (code, None)
    assert answered == {"jsonrpc": "2.0", "id": "é", "result": {}}


def test_a_line_of_more_than_ten_megabytes_is_refused_and_passed_over(home):
    served = Served(home)
    served.send(b'{"x": "' + b"a" * (stdio.LINE_LIMIT + 100) + b'"}', ping(1))
    refused, answered = served.rest()
    assert (refused["error"]["code"], answered["id"]) == (wire.NOT_A_REQUEST, 1)


def test_a_batch_is_answered_as_one_only_where_its_revision_allows_it(home):
    served = Served(home)
    served.send([ping(1)], HELLO, [ping(2), {"jsonrpc": "2.0", "method": "notifications/x"}, 7, HELLO])
    served.send([{"jsonrpc": "2.0", "method": "notifications/x"}], [], ping(3))
    early, hello, batch, empty, last = served.rest()
    assert early["error"]["code"] == wire.NOT_A_REQUEST
    assert hello["result"]["protocolVersion"] == "2025-03-26"
    assert [answer.get("result", answer.get("error", {}).get("code")) for answer in batch] == [
        {},
        wire.NOT_A_REQUEST,
        wire.NOT_A_REQUEST,
    ]
    assert (empty["error"]["code"], last["id"]) == (wire.NOT_A_REQUEST, 3)


def call(identity: object, tool: str) -> dict:
    return {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": {"name": tool, **META}}


def test_a_ping_is_answered_while_tools_run_and_what_was_read_is_finished(home):
    gate = threading.Event()

    def hang(arguments, call):
        assert gate.wait(20)
        return told("done")

    served = Served(home, [Tool("hang", "Hang", "Hangs.", {"type": "object"}, hang)])
    served.send(*[call(number, "hang") for number in range(stdio.AT_ONCE)], ping("now"))
    assert served.read()["id"] == "now"
    threading.Timer(0.1, gate.set).start()
    assert sorted(answer["id"] for answer in served.rest()) == list(range(stdio.AT_ONCE))


def test_a_cancelled_call_gives_its_place_free(home):
    def hang(arguments, call):
        assert call.wait(20)
        return told("done")

    served = Served(home, [Tool("hang", "Hang", "Hangs.", {"type": "object"}, hang)])
    served.send(call(1, "hang"), ping(2))
    assert served.read()["id"] == 2
    served.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, ping(3))
    assert [answer["id"] for answer in served.rest()] == [3]


def test_a_new_list_of_tools_is_told(home, monkeypatch):
    monkeypatch.setattr(stdio, "LOOK", 0.01)
    served = Served(home)
    served.send(HELLO)
    served.read()
    served.fingerprint += 1
    assert served.read()["method"] == "notifications/tools/list_changed"
    served.rest()


def test_a_client_that_never_reads_and_one_that_vanishes_do_not_keep_the_server(archive, clean_env):
    server = subprocess.Popen(
        [sys.executable, str(archive), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=clean_env,
    )  # fmt: skip
    assert server.stdin and server.stdout
    server.stdout.close()
    try:
        server.stdin.write(json.dumps(ping(1)).encode() + b"\n" + json.dumps(ping(2)).encode() + b"\n")
        server.stdin.close()
    except OSError:
        pass
    assert server.wait(30) == 0


def test_the_built_server_writes_messages_and_nothing_else(archive, clean_env, fresh_home):
    broken = fresh_home / ".pal" / "skills" / "broken"
    broken.mkdir(parents=True)
    (broken / "skill.schema.json").write_text("{", "utf-8")
    (fresh_home / ".pal" / "memory" / "state").mkdir(parents=True)
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": META}
    done = subprocess.run(
        [sys.executable, str(archive), "mcp"], input=json.dumps(listed).encode() + b"\n", capture_output=True,
        env=clean_env, timeout=60,
    )  # fmt: skip
    (line,) = done.stdout.splitlines()
    assert [tool["name"] for tool in json.loads(line)["result"]["tools"]] == ["pai_icm_search", "pai_icm_store"]
    assert b"skill broken is no tool" in done.stderr
    assert done.returncode == 0
    assert not Path(fresh_home, ".switchboard").exists()
