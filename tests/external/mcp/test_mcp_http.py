"""MCP over HTTP: the headers that must fit, the sessions of the legacy era, and the status of each answer."""

from __future__ import annotations

import http.client
import json
import threading

import pytest
from external.mcp.fixture_server import fixture

from pal.external import loopback
from pal.external.mcp import http as door
from pal.external.mcp import wire

META = {wire.VERSION_KEY: wire.MODERN, wire.CAPABILITIES_KEY: {}}
HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}


class Served:
    def __init__(self, home) -> None:
        self.door = fixture(home)
        self.server = loopback.Server(loopback.Site(self.door.routes(), refused=door.refused), 0)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def stop(self) -> None:
        self.door.close()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def post(self, message: object, method: str = "POST", path: str = "/mcp", **headers: str):
        """(status, headers, the messages of the answer)."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(
            method, path, body if method == "POST" else None, {"Content-Type": "application/json", **named}
        )
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if answer.getheader("Content-Type") == "text/event-stream":
            found = [json.loads(line[6:]) for line in data.decode().splitlines() if line.startswith("data: ")]
        else:
            found = [json.loads(data)] if data else []
        return answer.status, dict(answer.getheaders()), found

    def modern(
        self, method: str, identity: object = 1, meta: dict | None = None, params: dict | None = None, **headers: str
    ):
        message = {
            "jsonrpc": "2.0",
            "id": identity,
            "method": method,
            "params": {**(params or {}), "_meta": {**META, **(meta or {})}},
        }
        return self.post(message, **{"MCP_Protocol_Version": wire.MODERN, "Mcp_Method": method, **headers})


@pytest.fixture
def served(home):
    made = Served(home)
    yield made
    made.stop()


def code(answer) -> int:
    return answer[2][0]["error"]["code"]


def test_a_modern_request_stands_alone(served):
    status, headers, (answer,) = served.modern("tools/list")
    assert (status, answer["result"]["resultType"]) == (200, "complete")
    assert "Mcp-Session-Id" not in headers


@pytest.mark.parametrize(
    ("headers", "status", "expected"),
    [
        ({"MCP_Protocol_Version": "2025-11-25"}, 400, wire.BAD_HEADER),
        ({"MCP_Protocol_Version": ""}, 400, wire.BAD_HEADER),
        ({"Mcp_Method": "tools/call"}, 400, wire.BAD_HEADER),
        ({"Mcp_Method": ""}, 400, wire.BAD_HEADER),
        ({"Mcp_Method": "TOOLS/LIST"}, 400, wire.BAD_HEADER),
        ({"Mcp_Method": "  tools/list  "}, 200, None),
        ({"Mcp_Method": "=?base64?dG9vbHMvbGlzdA==?="}, 200, None),
        ({"Mcp_Method": "=?base64?!?="}, 400, wire.BAD_HEADER),
        ({"Mcp_Session_Id": "ignored", "Last_Event_ID": "ignored"}, 200, None),
    ],
)
def test_its_headers_say_what_its_body_says(served, headers, status, expected):
    answer = served.modern("tools/list", **headers)
    assert answer[0] == status
    assert expected is None or code(answer) == expected


def test_the_name_of_a_tool_is_in_a_header_too(served):
    params = {"name": "test_simple_text"}
    assert code(served.modern("tools/call", params=params)) == wire.BAD_HEADER
    status, _, (answer,) = served.modern("tools/call", params=params, Mcp_Name="test_simple_text")
    assert (status, answer["result"]["content"][0]["type"]) == (200, "text")


@pytest.mark.parametrize(
    ("method", "meta", "status", "expected"),
    [
        ("no/such", {}, 404, wire.UNKNOWN_METHOD),
        ("initialize", {}, 404, wire.UNKNOWN_METHOD),
        ("tools/list", {wire.CAPABILITIES_KEY: None}, 400, wire.BAD_PARAMS),
        ("tools/list", {wire.VERSION_KEY: "1999-01-01"}, 400, wire.BAD_HEADER),
    ],
)
def test_the_status_goes_with_the_error(served, method, meta, status, expected):
    answer = served.modern(method, meta=meta)
    assert (answer[0], code(answer)) == (status, expected)


def test_a_version_nobody_knows_is_answered_so_that_a_modern_client_understands(served):
    meta = {wire.VERSION_KEY: "1999-01-01"}
    answer = served.modern("tools/list", meta=meta, MCP_Protocol_Version="1999-01-01")
    assert (answer[0], code(answer)) == (400, wire.UNKNOWN_VERSION)


def test_a_legacy_session_begins_with_initialize_and_ends_with_delete(served):
    status, headers, _ = served.post(HELLO)
    session = headers["Mcp-Session-Id"]
    assert (status, len(session)) == (200, 32)
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert served.post(listed)[0] == 400
    assert served.post(listed, Mcp_Session_Id="no-such")[0] == 404
    assert served.post(listed, Mcp_Session_Id=session)[2][0]["result"]["tools"]
    assert served.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)[0] == 202
    assert served.post(b"", "DELETE", Mcp_Session_Id=session)[0] == 200
    assert served.post(b"", "DELETE", Mcp_Session_Id=session)[0] == 404
    assert served.post(listed, Mcp_Session_Id=session)[0] == 404


def test_only_so_many_sessions_are_kept(served, monkeypatch):
    monkeypatch.setattr(door, "SESSIONS", 2)
    sessions = [served.post(HELLO)[1]["Mcp-Session-Id"] for _ in range(3)]
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert [served.post(listed, Mcp_Session_Id=session)[0] for session in sessions] == [404, 200, 200]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"7", "application/json", 400),
        (json.dumps(HELLO).encode(), "text/plain", 415),
        (json.dumps(HELLO).encode(), "application/json; charset=utf-8", 200),
    ],
)
def test_the_body_is_one_json_message(served, body, kind, status):
    assert served.post(body, Content_Type=kind)[0] == status


@pytest.mark.parametrize(("method", "status"), [("GET", 405), ("PUT", 405), ("DELETE", 404)])
def test_other_methods_have_their_status(served, method, status):
    assert served.post(b"", method)[0] == status


def test_progress_comes_before_the_answer_on_one_stream(served):
    params = {"name": "test_tool_with_progress"}
    status, headers, messages = served.modern(
        "tools/call", params=params, meta={"progressToken": "p"}, Mcp_Name="test_tool_with_progress"
    )
    assert (status, headers["Content-Type"]) == (200, "text/event-stream")
    assert [message.get("method", "answer") for message in messages] == ["notifications/progress"] * 3 + ["answer"]


def test_a_foreign_origin_is_refused_with_a_json_rpc_error(served):
    status, _, (answer,) = served.post(HELLO, Origin="http://evil.example")
    assert (status, answer["error"]["message"]) == (403, "forbidden_origin")
    assert "id" not in answer


def test_both_paths_serve(served):
    assert served.post(HELLO, path="/mcp/")[0] == 200
