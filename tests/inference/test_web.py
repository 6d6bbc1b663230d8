"""Model services on the loopback: what they are sent, by which way, and what becomes of every odd answer."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pal.inference import services, web
from pal.inference.question import Question

KEY = "sk-made-up-for-this-test-0123456789"
ANTHROPIC = {"content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}],
             "usage": {"input_tokens": 12, "output_tokens": 3}}  # fmt: skip
OPENAI = {"choices": [{"message": {"content": " Hello "}}], "usage": {"total_tokens": 15}}


class Server:
    """A service on the loopback that keeps what it is sent and answers (status, headers, body) as told."""

    def __init__(self) -> None:
        self.seen: list[dict] = []
        self.answer: tuple[int, dict, bytes] = (200, {}, b"{}")
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.seen.append({"path": self.path, "headers": headers, "body": json.loads(body or b"{}")})
                status, more, text = outer.answer
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def says(self, value, status=200, headers=()):
        self.answer = (status, dict(headers), value if isinstance(value, bytes) else json.dumps(value).encode())

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server():
    made = Server()
    yield made
    made.stop()


def env(server, **more):
    return {"PAL_ANTHROPIC_API_KEY": KEY, "PAL_OPENAI_API_KEY": KEY, "PAL_ANTHROPIC_BASE_URL": server.url,
            "PAL_OPENAI_BASE_URL": server.url + "/", "NO_PROXY": "127.0.0.1", **more}  # fmt: skip


def question(system="Be brief.", prompt="Say hello, ő.", model="m-1", schema=None, timeout=20.0):
    return Question(system, prompt, model, schema, timeout)


def test_the_messages_service_is_asked_in_its_form(server):
    server.says(ANTHROPIC)
    reply = services.ANTHROPIC.ask(question(), env(server))
    assert (reply.text, reply.tokens, reply.sure, reply.problem) == ("Hello", 15, True, "")
    (seen,) = server.seen
    assert seen["path"] == "/v1/messages"
    assert seen["headers"]["x-api-key"] == KEY
    assert seen["headers"]["anthropic-version"] == "2023-06-01"
    assert seen["body"]["model"] == "m-1"
    assert seen["body"]["system"] == "Be brief."
    assert seen["body"]["messages"] == [{"role": "user", "content": "Say hello, ő."}]
    assert seen["body"]["max_tokens"] > 0


def test_the_chat_service_is_asked_in_its_form(server):
    server.says(OPENAI)
    reply = services.OPENAI.ask(question(), env(server))
    assert (reply.text, reply.tokens, reply.sure, reply.problem) == ("Hello", 15, True, "")
    (seen,) = server.seen
    assert seen["path"] == "/v1/chat/completions"
    assert seen["headers"]["authorization"] == f"Bearer {KEY}"
    assert seen["body"]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Say hello, ő."},
    ]


def test_a_form_is_asked_for_in_the_system_text_and_no_system_text_is_none(server):
    server.says(ANTHROPIC)
    services.ANTHROPIC.ask(question(schema={"type": "object"}), env(server))
    services.ANTHROPIC.ask(question(system=""), env(server))
    first, second = (seen["body"] for seen in server.seen)
    assert first["system"].startswith("Be brief.\n\nAnswer with one JSON value")
    assert first["system"].endswith('{"type":"object"}')
    assert "system" not in second


@pytest.mark.parametrize(
    ("value", "status", "problem"),
    [
        ({"error": {"message": "no credit left"}}, 402, "answered 402 Payment Required: no credit left"),
        ({"error": "odd"}, 500, "answered 500"),
        (b"<html>busy</html>", 503, "answered 503"),
        (b"no json", 200, "sent no JSON"),
        (b"[" * 200_000, 200, "sent no JSON"),
        ({}, 200, "a form that is not known"),
        ([], 200, "a form that is not known"),
        ({"content": None, "choices": None}, 200, "a form that is not known"),
        ({"content": [5], "choices": [5]}, 200, "a form that is not known"),
    ],
)
@pytest.mark.parametrize("service", services.SERVICES, ids=lambda service: service.name)
def test_every_other_answer_is_a_problem_in_one_sentence(server, service, value, status, problem):
    server.says(value, status)
    reply = service.ask(question(), env(server))
    assert reply.text == ""
    assert problem in reply.problem
    assert KEY not in reply.problem


def test_a_message_that_repeats_the_key_is_told_without_it(server):
    server.says({"error": {"message": f"Incorrect API key provided: {KEY}."}}, 401)
    assert services.OPENAI.ask(question(), env(server)).problem.endswith("Incorrect API key provided: [key].")


def test_a_redirect_is_not_followed_with_the_key(server):
    server.says({}, 302, {"location": server.url + "/elsewhere"})
    assert "answered 302" in services.OPENAI.ask(question(), env(server)).problem
    assert len(server.seen) == 1


def test_more_than_an_answer_can_be_is_cut_off(server, monkeypatch):
    monkeypatch.setattr(web, "_LARGEST", 1000)
    server.says(b"1" * 5000)
    assert "more than 1,000 bytes" in services.OPENAI.ask(question(), env(server)).problem


def test_the_proxy_of_the_environment_is_used_and_asked_for_the_whole_address(server):
    server.says(OPENAI)
    through = {"PAL_OPENAI_API_KEY": KEY, "PAL_OPENAI_BASE_URL": "http://localhost:9/api", "http_proxy": server.url}
    assert services.OPENAI.ask(question(), through).text == "Hello"
    assert server.seen[0]["path"] == "http://localhost:9/api/v1/chat/completions"


@pytest.mark.parametrize(
    ("variables", "url", "proxy"),
    [
        ({"HTTPS_PROXY": "http://p:1"}, "https://api.example.com", {"https": "http://p:1"}),
        ({"https_proxy": "p:1"}, "https://api.example.com", {"https": "http://p:1"}),
        ({"https_proxy": "http://a", "HTTPS_PROXY": "http://b"}, "https://x.org", {"https": "http://a"}),
        ({"ALL_PROXY": "http://p:1"}, "https://x.org", {"https": "http://p:1"}),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "*"}, "http://x.org", {}),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "a.org, example.com"}, "https://api.example.com", {}),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".example.com"}, "https://api.example.com", {}),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": "*.example.com:443"}, "https://api.example.com", {}),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "ample.com,,"}, "https://api.example.com", {"https": "http://p:1"}),
    ],
)
def test_which_proxy_stands_before_an_address(variables, url, proxy):
    assert web.proxies(web.urllib.parse.urlsplit(url), variables) == proxy


def test_a_service_that_never_answers_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with pytest.raises(web.Failed, match="gave no answer within"):
            web.post(url, {}, {}, {"NO_PROXY": "*"}, 0.2)


def test_a_service_that_trickles_is_given_up():
    stop = threading.Event()

    def trickle(listening):
        connection, _ = listening.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while not stop.wait(0.05):
                try:
                    connection.sendall(b"x: y\r\n")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as slow:
        thread = threading.Thread(target=trickle, args=(slow,), daemon=True)
        thread.start()
        with pytest.raises(web.Failed, match="gave no answer within"):
            web.post(f"http://127.0.0.1:{slow.getsockname()[1]}", {}, {}, {"NO_PROXY": "*"}, 0.4)
        stop.set()
        thread.join(20)


def test_a_service_that_is_not_there_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(web.Failed, match="cannot be reached"):
        web.post(f"http://127.0.0.1:{port}", {}, {}, {"NO_PROXY": "*"}, 20.0)


@pytest.mark.parametrize(
    "url", ["http://api.example.com/v1", "ftp://127.example.com", "file:///etc/passwd", "nonsense"]
)
def test_a_key_is_sent_over_https_alone_but_on_this_machine(url):
    with pytest.raises(web.Failed, match="no key is sent"):
        web.post(url, {}, {}, {"NO_PROXY": "*"}, 20.0)
