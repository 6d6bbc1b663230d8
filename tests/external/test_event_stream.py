"""Events over HTTP: every reader gets each event once and in order, from where it stopped, and a writer is checked."""

from __future__ import annotations

import http.client
import json
import threading

import pytest

from pal.events import log
from pal.external import event_stream, loopback


def made(now: float, call: str, kind: str = "tool_start") -> log.Event:
    if kind == "session_end":
        return log.event(kind, "hook", now, session_id=call)
    return log.event(kind, "hook", now, tool="Bash", call_id=call)


class Served:
    def __init__(self, home) -> None:
        self.home = home
        self.told: list[log.Event] = []
        self.broadcast = event_stream.Broadcast(home, self.told.extend)
        self.server = loopback.Server(loopback.Site(event_stream.routes(self.broadcast)), 0)
        self.broadcast.start()
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def stop(self) -> None:
        self.broadcast.stop()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def read(self, path: str = "/events", last: str = "") -> Reader:
        return Reader(self.server.port, path, last)

    def post(self, body: bytes, kind: str = "application/json") -> tuple[int, dict]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        connection.request("POST", "/events", body, {"Content-Type": kind})
        answer = connection.getresponse()
        told = answer.status, json.loads(answer.read())
        connection.close()
        return told


class Reader:
    """One open stream; `events(n)` waits for the next n."""

    def __init__(self, port: int, path: str, last: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.connection.request("GET", path, headers={"Last-Event-ID": last} if last else {})
        self.answer = self.connection.getresponse()
        self.comments: list[str] = []
        if self.answer.status == 200:
            assert self.answer.readline() == b"retry: 2000\n"
            self.answer.readline()

    def events(self, count: int) -> list[dict]:
        found, identity = [], ""
        while len(found) < count:
            line = self.answer.readline().decode()
            assert line, "the stream ended"
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "id":
                identity = value
            elif name == "data":
                found.append(json.loads(value))
                assert found[-1]["id"] == identity
            elif line.startswith(":"):
                self.comments.append(line.strip())
        return found

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


@pytest.fixture
def served(home):
    made = Served(home)
    yield made
    made.stop()


def calls(events) -> list[str]:
    return [event.get("call_id") or event["session_id"] for event in events]


def test_a_reader_sees_what_happens_from_now_on(served, now):
    log.emit(served.home, made(now, "before"))
    reader = served.read()
    log.emit(served.home, made(now, "a"), made(now, "b"))
    assert calls(reader.events(2)) == ["a", "b"]
    assert reader.answer.getheader("Content-Type") == "text/event-stream"
    reader.close()


def test_a_reader_that_comes_back_goes_on_behind_its_last_event(served, now):
    events = [made(now, f"c{number}") for number in range(6)]
    log.emit(served.home, *events)
    reader = served.read(last=events[2]["id"])
    log.emit(served.home, made(now, "new"))
    assert calls(reader.events(4)) == ["c3", "c4", "c5", "new"]
    reader.close()
    reader = served.read(f"/events?last_event_id={events[4]['id']}")
    assert calls(reader.events(2)) == ["c5", "new"]
    reader.close()


@pytest.mark.parametrize("last", ["01KJQ000000000000000000000", "no id at all", "-"])
def test_an_id_the_log_does_not_hold_is_a_gap_and_the_newest(served, now, last):
    log.emit(served.home, made(now, "a"), made(now, "b"))
    reader = served.read(last=last)
    assert calls(reader.events(2)) == ["a", "b"]
    assert reader.comments == [": gap"]
    reader.close()


def test_a_reader_may_ask_for_the_last_few_and_for_some_kinds_only(served, now):
    log.emit(served.home, *[made(now, f"c{number}") for number in range(5)], made(now, "s1", "session_end"))
    reader = served.read("/events?replay=3")
    assert calls(reader.events(3)) == ["c3", "c4", "s1"]
    reader.close()
    reader = served.read("/events?replay=100&types=session_end,agent_end")
    log.emit(served.home, made(now, "c9"), made(now, "s2", "session_end"))
    assert calls(reader.events(2)) == ["s1", "s2"]
    reader.close()


def test_an_unknown_kind_is_refused(served):
    reader = served.read("/events?types=tool_stop")
    assert (reader.answer.status, json.loads(reader.answer.read())["faults"]) == (400, ["there is no type 'tool_stop'"])
    reader.close()


def test_many_readers_each_get_every_event_once_and_in_order(served, now):
    readers = [served.read() for _ in range(20)]
    seen: list[list[str]] = [[] for _ in readers]

    def follow(number: int) -> None:
        seen[number] = calls(readers[number].events(300))

    threads = [threading.Thread(target=follow, args=(number,)) for number in range(len(readers))]
    for thread in threads:
        thread.start()
    for number in range(100):
        log.emit(served.home, *[made(now, f"{number}-{part}") for part in range(3)])
    for thread in threads:
        thread.join(30)
    assert seen == [[f"{number}-{part}" for number in range(100) for part in range(3)]] * len(readers)
    assert calls(served.told) == seen[0]


def test_a_reader_that_falls_behind_is_closed_and_nobody_else_waits(home, now, monkeypatch):
    monkeypatch.setattr(event_stream, "KEPT", 2000)
    broadcast = event_stream.Broadcast(home)
    slow, quick = broadcast.stream("", 0, frozenset()), broadcast.stream("", 0, frozenset())
    next(slow)
    next(quick)
    got = b""
    for number in range(40):
        log.emit(home, made(now, f"c{number}"))
        broadcast.look()
        got += next(quick)
    assert got.count(b"data: ") == 40
    assert list(slow) == []


def test_too_many_readers_are_asked_to_come_back(served, monkeypatch):
    monkeypatch.setattr(event_stream, "READERS", 1)
    first = served.read()
    second = served.read()
    assert (second.answer.status, second.answer.getheader("Retry-After")) == (503, "2")
    first.close()
    second.close()


def test_stopping_ends_every_stream(served):
    reader = served.read()
    served.broadcast.stop()
    assert reader.answer.read() == b""


def test_a_posted_event_is_stamped_by_us_and_reaches_the_readers(served):
    reader = served.read()
    sent = {"type": "agent_end", "agent": "langgraph", "id": "x", "ts": "x", "v": 9, "source": "hook"}
    status, told = served.post(json.dumps(sent).encode())
    assert status == 202
    (event,) = reader.events(1)
    assert (event["id"], event["source"], event["agent"], event["v"]) == (told["id"], "sse", "langgraph", 1)
    reader.close()


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"type": "agent_end", "agent": "a"}', "text/plain", 415),
        (b'{"type": "agent_end", "agent": "a"}', "", 415),
        (b'{"type": "agent_end", "agent": "a"}', "Application/JSON; charset=utf-8", 202),
        (b"{", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"type": "agent_end"}', "application/json", 400),
        (b'{"type": "agent_end", "agent": "a", "output": "secret"}', "application/json", 400),
        (b'{"a":' * 30_000, "application/json", 413),
        (b'{"a":' * 9_000, "application/json", 400),
    ],
    ids=range(10),
)
def test_what_is_posted_is_checked_as_on_every_emit(served, body, kind, status):
    answer = served.post(body, kind)
    assert answer[0] == status
    assert len(log.recent(served.home, 10)) == (status == 202)


def test_more_posts_in_a_second_than_the_limit_are_refused(home, now):
    routes = event_stream.routes(event_stream.Broadcast(home), lambda: now)
    headers = http.client.HTTPMessage()
    headers["Content-Type"] = "application/json"
    request = loopback.Request("POST", "/events", {}, headers, b'{"type": "agent_end", "agent": "a"}')
    statuses = [routes["/events"]["POST"](request).status for _ in range(event_stream.POSTS + 1)]
    assert statuses == [202] * event_stream.POSTS + [429]
