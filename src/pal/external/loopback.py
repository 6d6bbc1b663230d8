"""The one HTTP server of PAL, on 127.0.0.1 only: who may talk to it, how a request is read, how an answer is sent.

A site is a table of paths and functions from request to answer; the event stream, MCP, A2A and the page are sites. A
web page from elsewhere that reaches a loopback port (DNS rebinding, cross-origin requests) is turned away before
anything is read."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from pal.base import bare
from pal.base.errors import PalError

ADDRESS = "127.0.0.1"
HOSTS = ("127.0.0.1", "localhost", "[::1]")
BODY_LIMIT = 10 * 1024 * 1024  # bytes of a request
CONNECTIONS = 320  # at once, streams among them
PATIENCE = 65.0  # seconds for one request to arrive, from the end of the one before
SENDING = 30.0  # seconds in which a reader must take something
_JSON = "application/json"


class Request:
    """One request whose sender may talk to us, with its whole body."""

    __slots__ = ("body", "headers", "method", "path", "query")

    def __init__(self, method: str, path: str, query: Mapping[str, str], headers: Message, body: bytes) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers  # names in any case
        self.body = body

    def header(self, name: str) -> str:
        return str(self.headers.get(name) or "").strip()

    @property
    def content_type(self) -> str:
        """The media type alone, in lower case."""
        return self.header("Content-Type").partition(";")[0].strip().lower()


class Answer:
    """What goes back: a body of known length, or a stream of pieces after which the connection closes."""

    __slots__ = ("body", "headers", "status", "stream")

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        kind: str = "",
        headers: Mapping[str, str] | None = None,
        stream: Iterable[bytes] | None = None,
    ) -> None:
        self.status = status
        self.body = body
        self.headers = {**({"Content-Type": kind} if kind else {}), **(headers or {})}
        self.stream = stream


def answer_json(status: int, value: object, headers: Mapping[str, str] | None = None) -> Answer:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Answer(status, text.encode("utf-8", "backslashreplace"), _JSON, headers)


Handler = Callable[[Request], Answer]


class Site:
    """The paths of a server, each with its methods, and which other origins may call it."""

    def __init__(
        self,
        routes: Mapping[str, Mapping[str, Handler]],
        origins: Iterable[str] = (),
        body_limit: int = BODY_LIMIT,
        refused: Callable[[str], object] | None = None,
    ) -> None:
        self.routes = routes
        self.origins = frozenset(origins)
        self.body_limit = body_limit
        self.refused = refused or (lambda why: {"error": why})  # the body of a refusal, from its one word


class Server(ThreadingHTTPServer):
    """A site on a port of 127.0.0.1; 0 takes a free one. PalError when the port is taken."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    allow_reuse_address = not bare.WINDOWS  # on Windows it would let another process take the port over
    allow_reuse_port = False

    def __init__(self, site: Site, port: int, note: Callable[[str], object] = lambda text: None) -> None:
        self.site = site
        self.note = note  # is told, in a line, what went wrong
        self._free = threading.BoundedSemaphore(CONNECTIONS)
        self._reading: dict[socket.socket, float] = {}
        try:
            super().__init__((ADDRESS, port), _Connection)
        except OSError as fault:
            hint = "choose another with --port, or 0 for a free one"
            raise PalError(f"port {port} of {ADDRESS} cannot be used ({fault.strerror}); {hint}") from None
        except OverflowError:
            raise PalError(f"{port} is no port; a port is a number from 0 to 65535") from None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.port}"

    def server_bind(self) -> None:
        # The library asks for the machine's full name here, which can hang where there is no DNS.
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = ADDRESS, self.port

    def service_actions(self) -> None:
        """Called twice a second: whoever sends a request too slowly is cut off."""
        late = time.monotonic() - PATIENCE
        for connection, began in list(self._reading.items()):
            if began < late:
                self._reading.pop(connection, None)
                _shut(connection)

    def reading(self, connection: socket.socket, now: bool) -> None:
        if now:
            self._reading[connection] = time.monotonic()
        else:
            self._reading.pop(connection, None)

    def process_request(self, request: object, client_address: object) -> None:
        if not self._free.acquire(blocking=False):
            assert isinstance(request, socket.socket)
            try:
                request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n\r\n")
            except OSError:
                pass
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)  # type: ignore[arg-type]

    def process_request_thread(self, request: object, client_address: object) -> None:
        try:
            super().process_request_thread(request, client_address)  # type: ignore[arg-type]
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        import sys

        fault = sys.exc_info()[1]
        if not isinstance(fault, (OSError, ValueError)):  # they left, or sent nonsense: theirs to know
            self.note(f"{type(fault).__name__} while answering: {fault}")

    def allowed_origins(self) -> frozenset[str]:
        own = {f"http://{host}:{self.port}" for host in HOSTS}
        return self.site.origins | own


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "PAL"
    sys_version = ""
    timeout = PATIENCE
    disable_nagle_algorithm = True  # head and body are two writes: the second would wait 40 ms for the reader's receipt
    server: Server

    def handle_one_request(self) -> None:
        self.server.reading(self.connection, True)
        try:
            super().handle_one_request()
        finally:
            self.server.reading(self.connection, False)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what happened is an event, what went wrong a note."""

    def respond(self) -> None:
        """One request: who asks, for what, with which body; then the site's answer."""
        site, server = self.server.site, self.server
        url = urlsplit(self.path)
        refusal = self._refusal()
        if refusal:
            server.note(f"refused {self.headers.get('Host')!r} from {self.headers.get('Origin')!r}: {refusal}"[:300])
            return self._send(answer_json(403, site.refused(refusal)), last=True)
        methods = site.routes.get(url.path)
        if methods is None:
            return self._send(answer_json(404, site.refused("not_found")), last=True)
        method = "GET" if self.command == "HEAD" and "GET" in methods else self.command
        if method not in methods:
            allow = {"Allow": ", ".join(sorted(methods))}
            return self._send(answer_json(405, site.refused("method_not_allowed"), allow), last=True)
        body = b""
        if method not in ("GET", "DELETE"):
            length, fault = self._length(site.body_limit)
            if fault:
                return self._send(answer_json(fault, site.refused(_BODY_FAULTS[fault])), last=True)
            body = self.rfile.read(length)
            if len(body) < length:
                self.close_connection = True
                return None
        elif self.headers.get("Content-Length", "0").strip() != "0" or self.headers.get("Transfer-Encoding"):
            self.close_connection = True  # a body that nobody reads must not pass for the next request
        server.reading(self.connection, False)
        query = dict(parse_qsl(url.query, keep_blank_values=True, max_num_fields=50))
        try:
            answer = methods[method](Request(method, url.path, query, self.headers, body))
        except PalError as fault_of_theirs:
            answer = answer_json(400, site.refused(str(fault_of_theirs)))
        except Exception as fault_of_ours:
            server.note(f"{type(fault_of_ours).__name__} at {method} {url.path}: {fault_of_ours}")
            answer = answer_json(500, site.refused("internal_error"))
        return self._send(answer)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_TRACE = do_CONNECT = respond

    def _refusal(self) -> str:
        """Why this sender is turned away, in one word; empty when it is not."""
        hosts = self.headers.get_all("Host") or []
        allowed = {f"{host}:{self.server.port}" for host in HOSTS}
        if self.client_address[0] not in (ADDRESS, "::1") or len(hosts) != 1 or hosts[0].strip().lower() not in allowed:
            return "forbidden_host"
        origins = self.headers.get_all("Origin") or []
        if len(origins) > 1 or (origins and origins[0].strip() not in self.server.allowed_origins()):
            return "forbidden_origin"
        if (self.headers.get("Sec-Fetch-Site") or "").strip().lower() == "cross-site":
            return "forbidden_origin"
        return ""

    def _length(self, limit: int) -> tuple[int, int]:
        """(the length of the body, the status that refuses it or 0)."""
        named = self.headers.get_all("Content-Length") or []
        if self.headers.get("Transfer-Encoding") or not named:
            return 0, 411
        text = named[0].strip()
        if len(named) > 1 or not (text.isascii() and text.isdigit()):
            return 0, 400
        length = int(text) if len(text) < 16 else limit + 1
        return (length, 0) if length <= limit else (0, 413)

    def _send(self, answer: Answer, last: bool = False) -> None:
        self.send_response(answer.status)
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **answer.headers}
        origin = self.headers.get("Origin")
        if origin and not last:
            headers.update({"Access-Control-Allow-Origin": origin.strip(), "Vary": "Origin"})
        if answer.stream is not None or last or self.close_connection:
            headers["Connection"] = "close"
        if answer.stream is None and answer.status not in (204, 304):
            headers["Content-Length"] = str(len(answer.body))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if answer.stream is None:
            if answer.body:
                self.wfile.write(answer.body)
            return
        self.connection.settimeout(SENDING)
        pieces = iter(answer.stream)
        try:
            for piece in pieces:
                self.wfile.write(piece)
        except OSError:
            pass  # gone, or too slow: that one only
        finally:
            close = getattr(pieces, "close", None)
            if close:
                close()
            self.close_connection = True


_BODY_FAULTS = {400: "bad_length", 411: "length_required", 413: "too_large"}


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
