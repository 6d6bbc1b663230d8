"""Where spans go and how: the standard variables, and a collector that answers well, badly, late or not at all."""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from pal.events import export, log, otlp

BASE = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
SECRET = "Bearer t0ken"


@pytest.mark.parametrize(
    ("env", "url"),
    [
        ({BASE: "http://c:4318"}, "http://c:4318/v1/traces"),
        ({BASE: "http://c:4318/otel/"}, "http://c:4318/otel/v1/traces"),
        ({TRACES: "http://c:4318"}, "http://c:4318/"),
        ({TRACES: "https://c/x", BASE: "http://other"}, "https://c/x"),
        ({TRACES: "", BASE: "http://c"}, "http://c/v1/traces"),
    ],
)
def test_the_endpoint_is_found_as_the_specification_says(env, url):
    found = otlp.endpoint(env)
    assert found is not None
    assert (found.url, found.warnings, found.timeout, found.gzip) == (url, [], 10.0, False)
    assert found.attributes == {"service.name": "pal"}


@pytest.mark.parametrize(
    "env",
    [
        {},
        {BASE: ""},
        {BASE: "grpc://c:4317"},
        {BASE: "http://"},
        {BASE: "http://c:99999"},
        {BASE: "http://c", "OTEL_SDK_DISABLED": "TRUE"},
        {BASE: "http://c", "OTEL_TRACES_EXPORTER": "none"},
    ],
)
def test_without_an_endpoint_nothing_is_sent(env):
    assert otlp.endpoint(env) is None


def test_headers_names_and_limits_come_from_their_variables():
    found = otlp.endpoint(
        {
            BASE: "http://c",
            "OTEL_EXPORTER_OTLP_HEADERS": "a=1,b=x%20y",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=2",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "500",
            "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "gzip",
            "OTEL_RESOURCE_ATTRIBUTES": "team=core,service.name=theirs",
            "OTEL_SERVICE_NAME": "mine",
        }
    )
    assert found is not None
    assert (found.headers, found.timeout, found.gzip) == ({"a": "2", "b": "x y"}, 0.5, True)
    assert found.attributes == {"service.name": "mine", "team": "core"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=1%0d%0ab: 2"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=%ff"),
        ("OTEL_RESOURCE_ATTRIBUTES", "=x"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
    ],
)
def test_a_variable_that_makes_no_sense_is_a_warning(name, value):
    found = otlp.endpoint({BASE: "http://c", name: value})
    assert found is not None
    assert len(found.warnings) == 1
    assert (found.headers, found.timeout) == ({}, 10.0)


class Collector:
    """Answers each request with the next of its answers (the last one again and again); keeps what it was sent."""

    def __init__(self, *answers: tuple[int, dict[str, str], bytes]) -> None:
        self.answers, self.seen = list(answers), []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.seen.append((self.path, dict(self.headers), body))
                status, headers, data = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                if not status:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    @property
    def env(self) -> dict[str, str]:
        return {BASE: f"http://127.0.0.1:{self.server.server_port}", "OTEL_EXPORTER_OTLP_HEADERS": f"key={SECRET}"}

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def collector(request):
    made = Collector(*request.param)
    yield made
    made.stop()


def call(home, now: float, number: int) -> None:
    fields = {"session_id": "s", "agent": "a", "tool": "Bash", "call_id": str(number)}
    log.emit(home, log.event("tool_start", "hook", now, **fields))
    log.emit(home, log.event("tool_end", "hook", now + 1, **fields, ok=True, duration_ms=1000))


def logged(home) -> str:
    path = Path(home.log)
    return path.read_text("utf-8") if path.exists() else ""


OK = (200, {}, b"{}")


@pytest.mark.parametrize("collector", [[OK]], indirect=True)
def test_each_span_is_sent_once(home, now, collector):
    call(home, now, 1)
    assert export.run(home, collector.env) == 1
    assert export.run(home, collector.env) == 0
    call(home, now, 2)
    call(home, now, 3)
    assert export.run(home, collector.env) == 2
    (path, headers, body), (_, _, second) = collector.seen
    assert (path, headers["Content-Type"], headers["Key"]) == ("/v1/traces", "application/json", SECRET)
    (resource,) = json.loads(body)["resourceSpans"]
    assert resource["resource"]["attributes"] == [{"key": "service.name", "value": {"stringValue": "pal"}}]
    assert [span["name"] for span in resource["scopeSpans"][0]["spans"]] == ["execute_tool Bash"]
    assert len(json.loads(second)["resourceSpans"][0]["scopeSpans"][0]["spans"]) == 2


@pytest.mark.parametrize("collector", [[OK]], indirect=True)
def test_a_start_that_was_exported_before_its_end_still_becomes_a_span(home, now, collector):
    fields = {"session_id": "s", "tool": "Bash", "call_id": "1"}
    log.emit(home, log.event("tool_start", "hook", now, **fields))
    assert export.run(home, collector.env) == 0
    log.emit(home, log.event("tool_end", "hook", now + 1, **fields, ok=True, duration_ms=1000))
    assert export.run(home, collector.env) == 1


@pytest.mark.parametrize("collector", [[OK]], indirect=True)
def test_the_body_is_packed_when_asked_for(home, now, collector):
    call(home, now, 1)
    assert export.run(home, {**collector.env, "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}) == 1
    _, headers, body = collector.seen[0]
    assert headers["Content-Encoding"] == "gzip"
    assert b"resourceSpans" in gzip.decompress(body)


@pytest.mark.parametrize(
    "collector",
    [[(status, {"Retry-After": "0"}, b""), OK] for status in export.RETRIED] + [[(0, {}, b""), OK]],
    indirect=True,
)
def test_a_busy_collector_is_asked_again(home, now, collector):
    call(home, now, 1)
    pauses: list[float] = []
    assert export.run(home, collector.env, pauses.append) == 1
    assert (len(collector.seen), len(pauses)) == (2, 1)
    assert collector.seen[0][2] == collector.seen[1][2]


@pytest.mark.parametrize("collector", [[(503, {"Retry-After": "3600"}, b""), OK]], indirect=True)
def test_what_was_not_taken_in_time_is_sent_the_next_time(home, now, collector):
    call(home, now, 1)
    assert export.run(home, collector.env) == 0
    assert export.run(home, collector.env) == 1
    assert collector.seen[0][2] == collector.seen[1][2]


@pytest.mark.parametrize(
    "collector", [[(400, {}, b"")], [(401, {}, b"")], [(302, {"Location": "/other"}, b"")]], indirect=True
)
def test_what_is_refused_is_dropped_with_one_line(home, now, collector):
    call(home, now, 1)
    export.run(home, collector.env)
    assert export.run(home, collector.env) == 0
    assert len(collector.seen) == 1
    assert logged(home).count("the collector answered") == 1
    assert SECRET not in logged(home)


@pytest.mark.parametrize(
    "collector",
    [[(200, {}, b'{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}')], [(200, {}, b"nonsense")]],
    indirect=True,
)
def test_a_partial_success_is_noted_and_not_sent_again(home, now, collector):
    call(home, now, 1)
    assert export.run(home, collector.env) == 1
    assert export.run(home, collector.env) == 0
    assert ("refused 1 spans: too old" in logged(home)) == (b"partial" in collector.answers[0][2])


def test_a_collector_that_is_not_there_costs_a_line(home, now):
    call(home, now, 1)
    env = {BASE: "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "50"}
    assert export.run(home, env) == 0
    assert "cannot be reached" in logged(home)


def test_without_an_endpoint_nothing_is_read_or_written(home, now):
    call(home, now, 1)
    assert export.run(home, {}) == 0
    assert not Path(home.export_place).exists()
