"""Who may talk to a loopback server, and what it makes of requests that are wrong, slow, huge or without end."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from pal.base.errors import PalError
from pal.external import loopback


def echo(request: loopback.Request) -> loopback.Answer:
    told = {"method": request.method, "query": dict(request.query), "body": request.body.decode("utf-8", "replace")}
    return loopback.answer_json(200, told)


def fail(request: loopback.Request) -> loopback.Answer:
    raise ZeroDivisionError("secret detail")


def pieces(request: loopback.Request) -> loopback.Answer:
    return loopback.Answer(200, kind="text/event-stream", stream=iter([b": a\n\n", b": b\n\n"]))


@pytest.fixture
def connections() -> int:
    return loopback.CONNECTIONS


@pytest.fixture
def server(connections, monkeypatch):
    monkeypatch.setattr(loopback, "CONNECTIONS", connections)
    site = loopback.Site(
        {"/echo": {"GET": echo, "POST": echo}, "/fail": {"GET": fail}, "/pieces": {"GET": pieces}},
        origins=["http://localhost:3000"],
        body_limit=1000,
    )
    notes: list[str] = []
    made = loopback.Server(site, 0, notes.append)
    made.notes = notes
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def talk(server, text: str | bytes, answers: int = 1) -> list[tuple[int, dict[str, str], bytes]]:
    """Send bytes as they are; (status, headers, body) of so many answers."""
    found = []
    with socket.create_connection((loopback.ADDRESS, server.port), timeout=20) as connection:
        connection.sendall(text.encode() if isinstance(text, str) else text)
        connection.shutdown(socket.SHUT_WR)
        stream = connection.makefile("rb")
        for _ in range(answers):
            line = stream.readline()
            if not line:
                break
            status, headers = int(line.split()[1]), {}
            for row in iter(stream.readline, b"\r\n"):
                name, _, value = row.decode().partition(":")
                headers[name.lower()] = value.strip()
            length = headers.get("content-length")
            closes = headers.get("connection") == "close"
            body = stream.read(int(length)) if length else stream.read() if closes else b""
            found.append((status, headers, body))
    return found


def asked(server, path: str = "/echo", method: str = "GET", host: str = "", body: str = "", **headers: str):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{server.port}'}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return talk(server, "\r\n".join(lines) + "\r\n\r\n" + body)[0]


def test_a_request_is_read_whole_and_answered(server):
    status, headers, body = asked(server, "/echo?a=1&b=%C3%A9", "POST", body="hello", Content_Length="5")
    assert status == 200
    assert json.loads(body) == {"method": "POST", "query": {"a": "1", "b": "é"}, "body": "hello"}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["server"] == "PAL"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_our_own_names_are_hosts(server, host):
    assert asked(server, host=f"{host}:{server.port}")[0] == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", "localhost.:{port}", ":"],
)
def test_a_name_that_is_not_ours_is_turned_away(server, host):
    status, _, body = asked(server, host=host.format(port=server.port))
    assert (status, json.loads(body)) == (403, {"error": "forbidden_host"})


@pytest.mark.parametrize("hosts", ["", "Host: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n"])
def test_one_host_must_be_named(server, hosts):
    assert talk(server, f"GET /echo HTTP/1.1\r\n{hosts.format(port=server.port)}\r\n")[0][0] == 403


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:{port}", "http://localhost:{port}"])
def test_an_allowed_origin_is_echoed(server, origin):
    named = origin.format(port=server.port)
    status, headers, _ = asked(server, Origin=named)
    assert (status, headers["access-control-allow-origin"], headers["vary"]) == (200, named, "Origin")


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://localhost:3000",
        "http://localhost:3001",
        "http://evil.example",
        "http://localhost:{port}.evil",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_any_other_origin_is_turned_away_before_its_request_is_read(server, origin, method):
    status, headers, body = asked(server, "/echo", method, Origin=origin.format(port=server.port), Content_Length="9")
    assert (status, json.loads(body), headers["connection"]) == (403, {"error": "forbidden_origin"}, "close")
    assert "access-control-allow-origin" not in headers
    assert any("forbidden_origin" in note for note in server.notes)


def test_what_a_browser_calls_cross_site_is_turned_away(server):
    assert asked(server, Sec_Fetch_Site="cross-site")[0] == 403
    assert asked(server, Sec_Fetch_Site="same-origin")[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/", 404, None),
        ("GET", "/echo/", 404, None),
        ("GET", "/../echo", 404, None),
        ("PUT", "/echo", 405, "GET, POST"),
        ("OPTIONS", "/fail", 405, "GET"),
        ("TRACE", "/fail", 405, "GET"),
        ("BREW", "/fail", 501, None),
    ],
)
def test_unknown_paths_and_methods_have_their_own_answers(server, method, path, status, allow):
    answer = asked(server, path, method)
    assert (answer[0], answer[1].get("allow")) == (status, allow)


def test_head_is_get_without_its_body(server):
    status, headers, body = asked(server, method="HEAD", Connection="close")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 411),
        ({"Transfer_Encoding": "chunked"}, 411),
        ({"Transfer_Encoding": "chunked", "Content_Length": "3"}, 411),
        ({"Content_Length": "1001"}, 413),
        ({"Content_Length": "9" * 400}, 413),
        ({"Content_Length": "-1"}, 400),
        ({"Content_Length": "+5"}, 400),
        ({"Content_Length": "0x5"}, 400),
        ({"Content_Length": "٣"}, 400),
    ],
)
def test_a_body_needs_one_plain_length_within_the_limit(server, headers, status):
    answer = asked(server, method="POST", body="abc", **headers)
    assert (answer[0], answer[1]["connection"]) == (status, "close")


def test_two_lengths_are_one_too_many(server):
    text = f"POST /echo HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"
    assert talk(server, text)[0][0] == 400


def test_pipelined_requests_are_answered_in_order_and_a_hidden_one_never(server):
    one = f"POST /echo HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Length: 1\r\n\r\n"
    assert [json.loads(body)["body"] for _, _, body in talk(server, f"{one}a{one}b", 2)] == ["a", "b"]
    hiding = f"GET /echo HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Length: {len(one)}\r\n\r\n{one}x"
    assert len(talk(server, hiding, 2)) == 1


@pytest.mark.parametrize(
    "data", [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"\0" * 70_000, b"GET /echo HTTP/9.9\r\n\r\n"]
)
def test_what_is_no_request_ends_that_connection_only(server, data):
    try:
        talk(server, data)
    except (OSError, IndexError, ValueError):
        pass
    assert asked(server)[0] == 200


def test_a_fault_of_ours_tells_the_caller_nothing_and_the_log_everything(server):
    status, _, body = asked(server, "/fail")
    assert (status, json.loads(body)) == (500, {"error": "internal_error"})
    assert server.notes == ["ZeroDivisionError at GET /fail: secret detail"]


def test_a_stream_is_sent_piece_by_piece_and_closed(server):
    status, headers, body = asked(server, "/pieces")
    assert (status, headers["content-type"], body) == (200, "text/event-stream", b": a\n\n: b\n\n")
    assert "content-length" not in headers


def test_a_request_that_never_ends_is_cut_off(server, monkeypatch):
    monkeypatch.setattr(loopback, "PATIENCE", 0.2)
    with socket.create_connection((loopback.ADDRESS, server.port), timeout=20) as slow:
        slow.sendall(b"GET /echo HTTP/1.1\r\nX: ")
        assert slow.recv(100) == b""
    assert asked(server)[0] == 200


@pytest.mark.parametrize("connections", [1])
def test_beyond_so_many_connections_the_next_is_asked_to_wait(server):
    with socket.create_connection((loopback.ADDRESS, server.port), timeout=20) as first:
        first.sendall(f"GET /echo HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode())
        assert first.recv(15).startswith(b"HTTP/1.1 200")
        with socket.create_connection((loopback.ADDRESS, server.port), timeout=20) as second:
            assert second.recv(1000).startswith(b"HTTP/1.1 503")


def test_a_taken_port_is_said_in_one_sentence(server):
    with pytest.raises(PalError, match=f"port {server.port} .* choose another with --port"):
        loopback.Server(server.site, server.port)
    with pytest.raises(PalError, match="70000 is no port"):
        loopback.Server(server.site, 70000)
