"""MCP, message by message: both eras, what is refused and with which code, and what every list and call looks like."""

from __future__ import annotations

import json
import threading

import pytest

from pal.base.asking import nobody
from pal.base.errors import PalError
from pal.events import log
from pal.external.mcp import wire
from pal.external.mcp.catalog import Catalog
from pal.external.mcp.connection import Connection
from pal.external.mcp.dispatch import Server
from pal.external.mcp.own import Offer, server
from pal.external.tools import Missing, Tool, failed, told
from pal.memory import search
from pal.memory.icm import store

META = {wire.VERSION_KEY: wire.MODERN, wire.CAPABILITIES_KEY: {}, wire.CLIENT_KEY: {"name": "Some Client"}}
NAMED = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}


def crash(arguments, call):
    raise ZeroDivisionError("inner detail")


def refuse(arguments, call):
    raise PalError("there is no such thing; make one")


def lack(arguments, call):
    raise Missing({"sampling": {}})


def steps(arguments, call):
    for done in (1.0, 0.5, 2.0):
        call.progress(done, 3.0, "step")
    return told("done")


def who(arguments, call):
    return told(f"{call.agent} {call.token}")


TOOLS = [
    Tool("greet", "Greet", "Greets.", NAMED, lambda arguments, call: told(f"hello {arguments['name']}", {"n": 1})),
    Tool("crash", "Crash", "Crashes.", {"type": "object"}, crash),
    Tool("refuse", "Refuse", "Refuses.", {"type": "object"}, refuse),
    Tool("fail", "Fail", "Fails.", {"type": "object"}, lambda arguments, call: failed("no", "timeout")),
    Tool("lack", "Lack", "Lacks.", {"type": "object"}, lack),
    Tool("steps", "Steps", "Takes steps.", {"type": "object"}, steps),
    Tool("skill/who", "Who", "Tells.", {"type": "object"}, who, None, None, "skill_who"),
]  # fmt: skip


class Client:
    """One connection to a server; requests get ids of their own."""

    def __init__(self, home, tools=TOOLS, modern=False, **options) -> None:
        self.sent: list[dict] = []
        self.home = home
        self.modern = modern
        self.server = Server(home, Catalog(lambda: tools, **options))
        self.connection = Connection(self.sent.append)
        self.count = 0
        if not modern:
            self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "Old Client"})

    def ask(self, method: str, **params):
        self.count += 1
        if self.modern:
            params["_meta"] = {**META, **params.get("_meta", {})}
        return self.raw({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})

    def raw(self, message):
        return self.server.answer(message, self.connection)

    def call(self, tool: str, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)


@pytest.fixture(params=[False, True], ids=["legacy", "modern"])
def client(home, request):
    return Client(home, modern=request.param)


def code(answer) -> int:
    return answer["error"]["code"]


@pytest.mark.parametrize(
    ("asked", "given"),
    [(version, version) for version in wire.LEGACY] + [("2026-07-28", "2025-11-25"), ("1", "2025-11-25")],
)
def test_a_legacy_client_gets_its_revision_or_our_newest(home, asked, given):
    client = Client(home)
    answer = client.ask("initialize", protocolVersion=asked)["result"]
    assert (answer["protocolVersion"], answer["serverInfo"]["name"]) == (given, "pal")
    assert answer["capabilities"] == {"tools": {"listChanged": True}}


def test_a_modern_client_discovers_and_every_result_is_complete(home):
    answer = Client(home, modern=True).ask("server/discover")["result"]
    assert answer["supportedVersions"] == list(wire.SPOKEN)
    assert (answer["resultType"], answer["cacheScope"], answer["_meta"][wire.SERVER_KEY]["name"]) == (
        "complete",
        "private",
        "pal",
    )
    assert answer["ttlMs"] > 0


def test_before_initialize_only_a_ping_is_answered(home):
    client = Client(home, modern=True)
    assert client.raw({"jsonrpc": "2.0", "id": 1, "method": "ping"}) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert code(client.raw({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})) == wire.NOT_A_REQUEST


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such", ""])
def test_what_the_modern_era_dropped_is_unknown_there(home, method):
    assert code(Client(home, modern=True).ask(method)) == wire.UNKNOWN_METHOD


@pytest.mark.parametrize("method", ["server/discover", "subscriptions/listen", "resources/list", "prompts/list"])
def test_what_the_legacy_era_does_not_know_is_unknown_there(home, method):
    assert code(Client(home).ask(method)) == wire.UNKNOWN_METHOD


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({wire.VERSION_KEY: "1999-01-01"}, wire.UNKNOWN_VERSION),
        ({wire.VERSION_KEY: 7}, wire.BAD_PARAMS),
        ({wire.CAPABILITIES_KEY: None}, wire.BAD_PARAMS),
        ({wire.CAPABILITIES_KEY: []}, wire.BAD_PARAMS),
    ],
)
def test_a_modern_request_says_what_it_speaks_and_can(home, meta, expected):
    answer = Client(home, modern=True).ask("tools/list", _meta=meta)
    assert code(answer) == expected
    if expected == wire.UNKNOWN_VERSION:
        assert answer["error"]["data"] == {"supported": list(wire.SPOKEN), "requested": "1999-01-01"}


@pytest.mark.parametrize(
    ("message", "identity"),
    [
        (None, None), ("text", None), (7, None), ([], None), ({}, None),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 1),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": [], "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 3, "method": 4}, 3),
        ({"jsonrpc": "2.0", "id": 3}, 3),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_with_the_id_it_has(client, message, identity):
    answer = client.raw(message)
    assert (code(answer), answer["id"]) == (wire.NOT_A_REQUEST, identity)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "unknown"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {"a": 1}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []},
        {"jsonrpc": "2.0", "method": "no/such"},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}},
    ],
)
def test_notifications_and_responses_are_never_answered(client, message):
    assert client.raw(message) is None


@pytest.mark.parametrize("params", [[], "x", 7])
def test_params_are_an_object(home, params):
    answer = Client(home).raw({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params})
    assert code(answer) == wire.BAD_PARAMS


def test_the_list_describes_every_tool_and_is_the_same_each_time(client):
    first, second = client.ask("tools/list")["result"], client.ask("tools/list")["result"]
    assert first == second
    greet = first["tools"][0]
    assert (greet["name"], greet["title"], greet["description"], greet["inputSchema"]) == (
        "greet",
        "Greet",
        "Greets.",
        NAMED,
    )
    assert [tool["name"] for tool in first["tools"]][-1] == "skill/who"


def test_a_long_list_comes_in_pages(home):
    client = Client(home, page=3)
    names, cursor, pages = [], None, 0
    while True:
        page = client.ask("tools/list", **({"cursor": cursor} if cursor else {}))["result"]
        names += [tool["name"] for tool in page["tools"]]
        pages += 1
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert (names, pages) == ([tool.name for tool in TOOLS], 3)


@pytest.mark.parametrize("cursor", ["", "x", "YWZ0ZXI6OTk=", "YWZ0ZXI6LTE=", "é", 7, None, {}])
def test_a_cursor_that_is_not_ours_is_refused(home, cursor):
    answer = Client(home, page=3).ask("tools/list", cursor=cursor)
    assert ("error" in answer) == (cursor is not None)


def test_both_spellings_of_a_tool_can_be_called_and_one_is_listed(home):
    client = Client(home, safe_names=True)
    assert client.ask("tools/list")["result"]["tools"][-1]["name"] == "skill_who"
    for name in ("skill/who", "skill_who"):
        assert client.call(name)["result"]["content"][0]["text"] == "Old Client "


def test_a_call_gives_text_and_the_same_as_data(client):
    result = client.call("greet", name="you")["result"]
    assert result["content"] == [{"type": "text", "text": "hello you"}]
    assert result["structuredContent"] == {"n": 1}
    assert "isError" not in result


@pytest.mark.parametrize(
    ("tool", "arguments", "told_"),
    [
        ("greet", {}, "the input has no name"),
        ("greet", {"name": 7}, "name"),
        ("greet", {"name": "x", "more": 1}, "more"),
        ("crash", {}, "failed inside PAL"),
        ("refuse", {}, "there is no such thing; make one"),
        ("fail", {}, "no"),
    ],
)
def test_what_a_model_can_mend_is_an_error_of_the_tool_not_of_the_protocol(client, tool, arguments, told_):
    result = client.call(tool, **arguments)["result"]
    assert result["isError"] is True
    assert told_ in result["content"][0]["text"]
    assert "inner detail" not in json.dumps(result)


@pytest.mark.parametrize(
    "params",
    [{}, {"name": 7}, {"name": "no_such"}, {"name": "greet", "arguments": []}, {"name": "greet", "arguments": "x"}],
)
def test_a_call_of_nothing_is_an_error_of_the_protocol(client, params):
    assert code(client.ask("tools/call", **params)) == wire.BAD_PARAMS


def test_a_tool_that_needs_more_of_the_client_says_what(client):
    answer = client.call("lack")
    assert (code(answer), answer["error"]["data"]) == (
        wire.MISSING_CAPABILITY,
        {"requiredCapabilities": {"sampling": {}}},
    )


def test_every_call_is_one_start_and_one_end_without_values(client):
    client.call("greet", name="hunter2")
    client.call("fail")
    client.call("crash")
    client.call("greet", secret="hunter2")
    events = log.recent(client.home, 20)
    assert [event["type"] for event in events] == ["tool_start", "tool_end"] * 4
    assert [event["ok"] for event in events[1::2]] == [True, False, False, False]
    assert [event.get("error_type") for event in events[3::2]] == ["timeout", "internal_error", "bad_arguments"]
    assert all(start["call_id"] == end["call_id"] for start, end in zip(events[::2], events[1::2]))
    assert (events[0]["args_keys"], events[0]["source"]) == (["name"], "mcp")
    assert "hunter2" not in json.dumps(events)


def test_the_callers_trace_is_the_parent_of_the_call(home):
    client = Client(home, modern=True)
    parent = f"00-{'a' * 32}-{'b' * 16}-01"
    client.ask("tools/call", name="greet", arguments={"name": "x"}, _meta={"traceparent": parent})
    client.ask("tools/call", name="greet", arguments={"name": "x"}, _meta={"traceparent": "00-nonsense"})
    first, _, third, _ = log.recent(home, 4)
    assert (first["trace_id"], first["parent_span_id"]) == ("a" * 32, "b" * 16)
    assert "trace_id" not in third


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"_auth": "t0ken"}, "t0ken"),
        ({"_auth": "Bearer t0ken"}, "t0ken"),
        ({"_meta": {"pal/auth": "t0ken"}}, "t0ken"),
        ({"_auth": "first", "_meta": {"pal/auth": "second"}}, "first"),
        ({"_auth": 7}, ""),
        ({}, ""),
    ],
)
def test_a_token_is_taken_from_where_a_client_can_put_it(home, params, expected):
    result = Client(home).ask("tools/call", name="skill/who", **params)["result"]
    assert result["content"][0]["text"] == f"Old Client {expected}"


def test_progress_only_grows_and_comes_only_where_it_is_wanted(home):
    client = Client(home, modern=True)
    client.call("steps")
    assert client.sent == []
    client.ask("tools/call", name="steps", _meta={"progressToken": 0})
    assert [message["params"]["progress"] for message in client.sent] == [1.0, 2.0]
    assert {message["params"]["progressToken"] for message in client.sent} == {0}


def test_a_cancelled_call_ends_and_is_never_answered(home):
    begun, answers = threading.Event(), []

    def hang(arguments, call):
        begun.set()
        assert call.wait(20)
        return told("too late")

    client = Client(home, [Tool("hang", "Hang", "Hangs.", {"type": "object"}, hang)])
    thread = threading.Thread(target=lambda: answers.append(client.call("hang")))
    thread.start()
    assert begun.wait(20)
    client.raw({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
    thread.join(20)
    assert answers == [None]
    assert log.recent(home, 1)[0]["error_type"] == "cancelled"


def test_who_listens_hears_of_changes_and_of_nothing_else(home):
    client = Client(home, modern=True)
    assert (
        client.ask("subscriptions/listen", notifications={"toolsListChanged": True, "promptsListChanged": True}) is None
    )
    acknowledged = client.sent.pop()
    assert acknowledged["params"] == {"notifications": {"toolsListChanged": True}, "_meta": {wire.SUBSCRIPTION_KEY: 1}}
    client.connection.changed("tools")
    client.connection.changed("prompts")
    (change,) = client.sent
    assert (change["method"], change["params"]["_meta"]) == (
        "notifications/tools/list_changed",
        {wire.SUBSCRIPTION_KEY: 1},
    )
    client.connection.close()
    assert client.sent[-1] == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"resultType": "complete", "_meta": {wire.SUBSCRIPTION_KEY: 1}},
    }


def test_a_listener_that_was_cancelled_hears_nothing(home):
    client = Client(home, modern=True)
    client.ask("subscriptions/listen", notifications={"toolsListChanged": True})
    client.raw({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    client.sent.clear()
    client.connection.changed("tools")
    assert client.sent == []


def test_a_legacy_client_is_told_of_changes_without_asking(home):
    client = Client(home)
    client.connection.changed("tools")
    assert [message["method"] for message in client.sent] == ["notifications/tools/list_changed"]


def test_our_own_tools_search_and_remember_and_are_cheap_to_list(home, clean_env, now):
    store.store(home, "The tea is kept in the blue tin.", now, topic="facts-kitchen", source_tier="trusted")
    search.refresh(home, now)
    offer = Offer(home, clean_env, nobody, print)
    client = Client(home, [])
    client.server = server(offer, clean_env)
    listed = client.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == ["pai_icm_search", "pai_icm_store"]
    assert len(json.dumps(listed)) <= 3072
    found = client.call("pai_icm_search", query="where is the tea")["result"]["structuredContent"]
    assert (found["total"], found["hits"][0]["content"]) == (1, "The tea is kept in the blue tin.")
    offered = client.call("pai_icm_store", topic="facts", content="The cat sleeps on the shelf.")["result"]
    assert (offered["structuredContent"]["status"], offered["structuredContent"]["tier"]) == ("staged", "external")
    assert client.call("pai_icm_search", query="cat shelf")["result"]["structuredContent"]["hits"] == []
