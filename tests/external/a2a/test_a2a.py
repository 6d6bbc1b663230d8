"""A2A 1.0: the card, every method, both spellings of a parameter, the errors with their reasons, and restarts."""

from __future__ import annotations

import http.client
import json
import threading
from pathlib import Path

import pytest

from pal.external import loopback
from pal.external.a2a import http as site
from pal.external.a2a import tasks, wire
from pal.external.a2a.agent import Agent, Caller
from pal.external.tools import Tool, failed, told

ANYBODY = Caller("", "peer")
ANY = {"type": "object"}


def hold(arguments, call):
    assert call.wait(20)
    return told("never")


TOOLS = [
    Tool("pai_icm_search", "Search", "Searches.", ANY, lambda a, call: told(f"found {a['query']}", {"total": 1})),
    Tool(
        "skill/echo", "Echo", "Says it again.", ANY, lambda a, call: told(str(a.get("text"))), None, None, "skill_echo"
    ),
    Tool("fail", "Fail", "Fails.", ANY, lambda a, call: failed("it broke")),
    Tool("denied", "Denied", "Is refused.", ANY, lambda a, call: failed("not you", "denied")),
    Tool("hold", "Hold", "Holds.", ANY, hold),
]


@pytest.fixture
def agent(home, now) -> Agent:
    return Agent(home, lambda: TOOLS, lambda: now)


def text(words: str, **fields: object) -> dict[str, object]:
    return {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": words}], **fields}


def ask(agent: Agent, method: str, params: object, caller: Caller = ANYBODY):
    return agent.answer({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, caller)


def send(agent: Agent, message: object, caller: Caller = ANYBODY, **configuration: object):
    answer = ask(agent, "SendMessage", {"message": message, "configuration": configuration}, caller)
    return answer["result"]["task"] if "result" in answer else answer["error"]


def held(agent: Agent) -> dict:
    return send(agent, text("x", metadata={"skill": "hold"}), returnImmediately=True)


def test_a_plain_text_is_a_search_and_its_result_an_artifact(agent):
    task = send(agent, text("where is the tea"))
    assert task["status"]["state"] == tasks.COMPLETED
    assert [artifact["parts"][0].get("text") for artifact in task["artifacts"]] == ["found where is the tea", None]
    assert task["artifacts"][1]["parts"][0]["data"] == {"total": 1}
    assert task["history"][0]["parts"] == [{"text": "where is the tea"}]
    assert task["history"][0]["taskId"] == task["id"]


@pytest.mark.parametrize(
    "message",
    [
        text("hi", metadata={"skill": "skill/echo"}),
        text("hi", metadata={"skill": "skill_echo"}),
        text("x", metadata={"skill": "skill/echo", "arguments": {"text": "hi"}}),
        {**text("x"), "parts": [{"data": {"skill": "skill/echo", "arguments": {"text": "hi"}}}]},
    ],
)
def test_a_message_names_its_skill_in_several_ways(agent, message):
    assert send(agent, message)["artifacts"][0]["parts"][0]["text"] == "hi"


@pytest.mark.parametrize(
    ("skill", "state"), [("fail", tasks.FAILED), ("denied", tasks.REJECTED), ("no_such", tasks.REJECTED)]
)
def test_what_goes_wrong_is_a_state_with_words(agent, skill, state):
    status = send(agent, text("x", metadata={"skill": skill}))["status"]
    assert status["state"] == state
    assert status["message"]["parts"][0]["text"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (None, wire.BAD_PARAMS),
        ({}, wire.BAD_PARAMS),
        ({"messageId": "m", "role": "ROLE_USER", "parts": []}, wire.BAD_PARAMS),
        ({"messageId": "m", "role": "user", "parts": [{"text": "x"}]}, wire.BAD_PARAMS),
        ({"messageId": "", "role": "ROLE_USER", "parts": [{"text": "x"}]}, wire.BAD_PARAMS),
        (text("x", parts=[{"text": "a", "url": "b"}]), wire.BAD_PARAMS),
        (text("x", parts=[{"text": 7}]), wire.BAD_PARAMS),
        (text("x", parts=[{}]), wire.BAD_PARAMS),
        (text("x", parts=["x"]), wire.BAD_PARAMS),
        (text("x", parts=[{"raw": "aGk="}]), wire.CONTENT_TYPE),
        (text("x", parts=[{"url": "http://x"}]), wire.CONTENT_TYPE),
        (text("x", parts=[{"text": "x", "mediaType": "image/png"}]), wire.CONTENT_TYPE),
        (text("x", taskId="no-such"), wire.NO_TASK),
        (text("x", contextId=7), wire.BAD_PARAMS),
    ],
)
def test_a_message_that_is_not_one_is_refused(agent, message, code):
    assert send(agent, message)["code"] == code


def test_both_spellings_of_a_parameter_are_taken_and_a_callers_own_keys_stay(agent):
    message = {
        "message_id": "m",
        "role": "ROLE_USER",
        "parts": [{"text": "hi"}],
        "metadata": {"my_key": 1},
        "unknown": 2,
    }
    answer = ask(agent, "SendMessage", {"message": message, "configuration": {"history_length": 1}})
    (kept,) = answer["result"]["task"]["history"]
    assert kept["metadata"] == {"my_key": 1}
    assert "unknown" not in kept


def test_a_caller_may_go_on_before_the_task_is_done_and_cancel_it(agent):
    task = held(agent)
    assert task["status"]["state"] in (tasks.SUBMITTED, tasks.WORKING)
    assert ask(agent, "CancelTask", {"id": task["id"]})["result"]["status"]["state"] == tasks.CANCELED
    again = ask(agent, "CancelTask", {"id": task["id"]})["error"]
    assert (again["code"], again["data"][0]["reason"]) == (wire.NOT_CANCELABLE, "TASK_NOT_CANCELABLE")
    assert again["data"][0]["metadata"] == {"taskId": task["id"]}


def test_tasks_are_seen_by_their_owner_only(agent):
    mine, theirs = Caller("token-a", "a"), Caller("token-b", "b")
    task = send(agent, text("x"), mine)
    assert ask(agent, "GetTask", {"id": task["id"]}, mine)["result"]["id"] == task["id"]
    for caller in (theirs, ANYBODY):
        assert ask(agent, "GetTask", {"id": task["id"]}, caller)["error"]["code"] == wire.NO_TASK
        assert ask(agent, "ListTasks", {}, caller)["result"]["totalSize"] == 0
    assert "token-a" not in Path(agent.home.a2a_tasks).read_text("utf-8")


@pytest.mark.parametrize(
    ("length", "history"),
    [(None, 1), (0, None), (5, 1), (-1, wire.BAD_PARAMS), (True, wire.BAD_PARAMS), ("1", wire.BAD_PARAMS)],
)
def test_as_much_history_as_is_asked_for(agent, length, history):
    task = send(agent, text("x"))
    answer = ask(agent, "GetTask", {"id": task["id"], **({} if length is None else {"historyLength": length})})
    if isinstance(history, int) and history < 0:
        assert answer["error"]["code"] == history
    else:
        assert (len(answer["result"]["history"]) if history else "history" in answer["result"]) == (history or False)


def test_tasks_are_listed_in_pages_without_artifacts(agent):
    made = [send(agent, text(f"q{number}", contextId="c"))["id"] for number in range(5)]
    held(agent)
    seen, token = [], ""
    while True:
        answer = ask(agent, "ListTasks", {"contextId": "c", "pageSize": 2, "pageToken": token})["result"]
        assert set(answer) == {"tasks", "nextPageToken", "pageSize", "totalSize"}
        seen += [task["id"] for task in answer["tasks"]]
        assert all("artifacts" not in task and "history" not in task for task in answer["tasks"])
        token = answer["nextPageToken"]
        if not token:
            break
    assert sorted(seen) == sorted(made)
    whole = ask(agent, "ListTasks", {"includeArtifacts": True, "status": tasks.COMPLETED})["result"]["tasks"]
    assert len(whole) == 5
    assert all(task["artifacts"] for task in whole)


@pytest.mark.parametrize(
    "params",
    [{"pageSize": 0}, {"pageSize": 101}, {"status": "DONE"}, {"pageToken": "x"}, {"statusTimestampAfter": "now"}],
)
def test_a_list_is_asked_for_properly(agent, params):
    assert ask(agent, "ListTasks", params)["error"]["code"] == wire.BAD_PARAMS


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({}, wire.NOT_A_REQUEST),
        ([], wire.NOT_A_REQUEST),
        ({"jsonrpc": "2.0", "id": None, "method": "GetTask"}, wire.NOT_A_REQUEST),
        ({"jsonrpc": "2.0", "id": 1, "method": "message/send"}, wire.UNKNOWN_METHOD),
        ({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": []}, wire.BAD_PARAMS),
        ({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {}}, wire.BAD_PARAMS),
        ({"jsonrpc": "2.0", "id": 1, "method": "GetExtendedAgentCard"}, wire.NO_EXTENDED_CARD),
        ({"jsonrpc": "2.0", "id": 1, "method": "GetTaskPushNotificationConfig"}, wire.NO_PUSH),
        ({"jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": {"id": "x"}}, wire.NO_TASK),
    ],
)
def test_requests_that_cannot_be_served_have_their_codes(agent, message, code):
    assert agent.answer(message, ANYBODY)["error"]["code"] == code


def test_a_stream_begins_with_the_task_and_ends_with_its_last_state(agent):
    updates = [answer["result"] for answer in ask(agent, "SendStreamingMessage", {"message": text("tea")})]
    assert list(updates[0]) == ["task"]
    kinds = [next(iter(update)) for update in updates[1:]]
    assert kinds.count("artifactUpdate") + ("artifacts" in updates[0]["task"]) >= 1
    last = updates[-1]
    assert last.get("statusUpdate", last.get("task"))["status"]["state"] == tasks.COMPLETED


def test_several_followers_see_the_same(agent):
    task = held(agent)
    streams = [ask(agent, "SubscribeToTask", {"id": task["id"]}) for _ in range(3)]
    firsts = [next(stream)["result"]["task"]["id"] for stream in streams]
    streams.pop().close()
    ask(agent, "CancelTask", {"id": task["id"]})
    ends = [[update["result"] for update in stream][-1]["statusUpdate"]["status"]["state"] for stream in streams]
    assert (firsts, ends) == ([task["id"]] * 3, [tasks.CANCELED] * 2)


def test_tasks_outlive_the_server_and_what_it_was_doing_has_failed(agent, home, now):
    done, open_ = send(agent, text("tea")), held(agent)
    after = Agent(home, lambda: TOOLS, lambda: now)
    assert ask(after, "GetTask", {"id": done["id"]})["result"] == ask(agent, "GetTask", {"id": done["id"]})["result"]
    assert ask(after, "GetTask", {"id": open_["id"]})["result"]["status"]["state"] == tasks.FAILED
    later = Agent(home, lambda: TOOLS, lambda: now + tasks.AGE + 1)
    assert ask(later, "ListTasks", {})["result"]["totalSize"] == 0
    ask(agent, "CancelTask", {"id": open_["id"]})


def test_only_so_many_tasks_are_kept(agent, monkeypatch):
    monkeypatch.setattr(tasks, "KEPT", 3)
    for number in range(6):
        send(agent, text(str(number)))
    assert ask(agent, "ListTasks", {})["result"]["totalSize"] <= 4


@pytest.fixture
def served(agent):
    server = loopback.Server(loopback.Site(site.routes(agent, lambda: server.url)), 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def over_http(server, method: str, path: str, body: object = None, **headers: str):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    data = json.dumps(body).encode() if body is not None else None
    connection.request(method, path, data, {"Content-Type": "application/json", **named})
    answer = connection.getresponse()
    told_ = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), told_


def test_the_card_mirrors_the_tools_and_is_cached_by_its_tag(served):
    status, headers, body = over_http(served, "GET", "/.well-known/agent-card.json")
    shown = json.loads(body)
    assert [skill["id"] for skill in shown["skills"]] == [tool.name for tool in TOOLS]
    assert shown["supportedInterfaces"][0]["url"] == f"{served.url}/a2a"
    assert (status, headers["Cache-Control"]) == (200, "public, max-age=300")
    assert over_http(served, "GET", "/.well-known/agent-card.json", If_None_Match=headers["ETag"])[0] == 304


@pytest.mark.parametrize(
    ("version", "code"), [("1.0", None), ("1.0.3", None), ("0.3", wire.WRONG_VERSION), ("", wire.WRONG_VERSION)]
)
@pytest.mark.parametrize("path", ["/a2a", "/a2a/"])
def test_a_request_names_its_version(served, path, version, code):
    request = {"jsonrpc": "2.0", "id": 7, "method": "ListTasks"}
    status, _, body = over_http(served, "POST", path, request, A2A_Version=version)
    answer = json.loads(body)
    assert (status, answer["id"], answer.get("error", {}).get("code")) == (200, 7, code)


def test_another_content_type_is_an_error_with_its_reason(served):
    _, _, body = over_http(served, "POST", "/a2a", {}, A2A_Version="1.0", Content_Type="text/plain")
    assert json.loads(body)["error"]["data"][0]["reason"] == "CONTENT_TYPE_NOT_SUPPORTED"


def test_a_stream_over_http_is_server_sent_events(served):
    request = {"jsonrpc": "2.0", "id": 7, "method": "SendStreamingMessage", "params": {"message": text("tea")}}
    status, headers, body = over_http(served, "POST", "/a2a", request, A2A_Version="1.0")
    updates = [json.loads(line[6:]) for line in body.decode().split("\n") if line.startswith("data: ")]
    assert (status, headers["Content-Type"], {update["id"] for update in updates}) == (200, "text/event-stream", {7})
