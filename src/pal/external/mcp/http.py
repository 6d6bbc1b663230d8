"""MCP over HTTP on loopback (Streamable HTTP): `/mcp`, both eras, one answer or a stream of them for each request.

Modern requests stand alone and repeat version, method and name in their headers; legacy ones belong to a session that
`initialize` opened."""

from __future__ import annotations

import base64
import json
import queue
import secrets
import threading
from collections.abc import Callable, Iterator
from typing import Any

from pal.base import jsontext
from pal.external.loopback import Answer, Request, answer_json
from pal.external.mcp import wire
from pal.external.mcp.connection import Connection
from pal.external.mcp.dispatch import Server
from pal.external.mcp.wire import BAD_HEADER, BAD_PARAMS, Fault

PATHS = ("/mcp", "/mcp/")
SESSIONS = 200  # legacy sessions; the one that was idle longest makes room
HEARTBEAT = 15.0  # seconds
_STREAM = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_STATUS = {wire.UNKNOWN_METHOD: 404, wire.BAD_HEADER: 400, wire.UNKNOWN_VERSION: 400, wire.MISSING_CAPABILITY: 400}


def refused(why: str) -> object:
    """The body of an answer that is none of MCP's."""
    return {"jsonrpc": "2.0", "error": {"code": wire.NOT_A_REQUEST, "message": why}}


class Door:
    """The routes of one MCP server, and the legacy sessions that are open."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._sessions: dict[str, Connection] = {}
        self._streams: list[Connection] = []
        self._lock = threading.Lock()

    def routes(self) -> dict[str, dict[str, Callable[[Request], Answer]]]:
        return {path: {"POST": self.post, "DELETE": self.delete} for path in PATHS}

    def changed(self, part: str) -> None:
        """Tell everybody who listens that a list is another one now."""
        for connection in self._open():
            connection.changed(part)

    def updated(self, uri: str) -> None:
        for connection in self._open():
            connection.updated(uri)

    def close(self) -> None:
        for connection in self._open():
            connection.close()

    def _open(self) -> list[Connection]:
        with self._lock:
            return list(self._streams)

    def post(self, request: Request) -> Answer:
        if request.content_type != "application/json":
            return answer_json(415, refused("the body is application/json"))
        try:
            message = jsontext.loads(request.body.decode("utf-8"))
        except ValueError as fault:
            return _error(400, None, Fault(wire.NOT_JSON, str(fault)[:200]))
        version = request.header("MCP-Protocol-Version")
        if wire.is_modern(message) or (version and version not in wire.LEGACY):
            return self._modern(request, message, version)
        return self._legacy(request, message, version)

    def delete(self, request: Request) -> Answer:
        with self._lock:
            connection = self._sessions.pop(request.header("Mcp-Session-Id"), None)
        if connection is None:
            return answer_json(404, refused("no such session"))
        connection.close()
        return Answer(200)

    def _modern(self, request: Request, message: Any, version: str) -> Answer:
        try:
            if wire.form_of(message) != "request":
                return Answer(202)
            params = wire.params_of(message)
            _check_headers(request, message, params, version)
        except Fault as fault:
            return _error(400, wire.identity_of(message), fault)
        if message["method"] == "subscriptions/listen" or _wants_stream(params):
            return self._streamed(request, message, Connection(lambda sent: None))
        answer = self.server.answer(message, Connection(lambda sent: None), token=_bearer(request))
        assert answer is not None
        return answer_json(_status(answer), answer)

    def _legacy(self, request: Request, message: Any, version: str) -> Answer:
        named = request.header("Mcp-Session-Id")
        method = message.get("method") if isinstance(message, dict) else None
        with self._lock:
            connection = self._sessions.get(named)
        if method == "initialize" and not named:
            return self._open_session(request, message)
        if connection is None:
            what = "no such session" if named else "Mcp-Session-Id is missing; begin with initialize"
            fault = Fault(wire.NOT_A_REQUEST, what)
            return _error(404 if named else 400, wire.identity_of(message), fault)
        if isinstance(message, list):
            return self._batch(request, message, connection)
        if wire.is_modern(message):
            return _error(400, wire.identity_of(message), Fault(wire.NOT_A_REQUEST, "that belongs to no session"))
        try:
            request_form = wire.form_of(message)
            params = wire.params_of(message)
        except Fault as fault:
            return _error(400, wire.identity_of(message), fault)
        if request_form != "request":
            self.server.answer(message, connection)
            return Answer(202)
        if _wants_stream(params) or (method == "tools/call" and self.server.catalog.logs):
            return self._streamed(request, message, connection)
        answer = self.server.answer(message, connection, token=_bearer(request))
        return Answer(202) if answer is None else answer_json(200, answer)

    def _open_session(self, request: Request, message: Any) -> Answer:
        connection = Connection(lambda sent: None)
        answer = self.server.answer(message, connection)
        if answer is None or "error" in answer:
            return answer_json(400, answer)
        connection.session = secrets.token_hex(16)
        with self._lock:
            self._sessions[connection.session] = connection
            while len(self._sessions) > SESSIONS:
                self._sessions.pop(next(iter(self._sessions))).close()
        return answer_json(200, answer, {"Mcp-Session-Id": connection.session})

    def _batch(self, request: Request, messages: list[Any], connection: Connection) -> Answer:
        if connection.version != wire.BATCHES or not messages:
            return _error(400, None, Fault(wire.NOT_A_REQUEST, "a message is one object"))
        every = [self.server.answer(one, connection, token=_bearer(request)) for one in messages]
        answers = [answer for answer in every if answer is not None]
        return answer_json(200, answers) if answers else Answer(202)

    def _streamed(self, request: Request, message: Any, connection: Connection) -> Answer:
        """One request whose answer is a stream: what is sent on its way, then the response."""
        sent: queue.Queue[Any] = queue.Queue(1000)
        own = Connection(sent.put) if message["method"] == "subscriptions/listen" else connection

        def work() -> None:
            answer = self.server.answer(message, own, sent.put, _bearer(request))
            if answer is not None:
                sent.put(answer)
                sent.put(None)
            elif message["method"] != "subscriptions/listen":
                sent.put(None)  # cancelled

        def pieces() -> Iterator[bytes]:
            with self._lock:
                self._streams.append(own)
            threading.Thread(target=work, daemon=True).start()
            try:
                while True:
                    try:
                        one = sent.get(timeout=HEARTBEAT)
                    except queue.Empty:
                        yield b": hb\n\n"
                        continue
                    if one is None:
                        return
                    yield b"event: message\ndata: " + _text(one) + b"\n\n"
                    if isinstance(one, dict) and "result" in one and own is not connection:
                        return  # the listener was ended by us
            finally:
                with self._lock:
                    self._streams.remove(own)
                if wire.is_modern(message):
                    own.cancel(message["id"])  # closing the stream is the cancel

        return Answer(200, kind="text/event-stream", headers=_STREAM, stream=pieces())


def _check_headers(request: Request, message: Any, params: wire.Message, version: str) -> None:
    """Modern headers say what the body says, exactly."""
    meta = wire.meta_of(params)
    told = meta.get(wire.VERSION_KEY)
    if told is None or not isinstance(meta.get(wire.CAPABILITIES_KEY), dict):
        raise Fault(BAD_PARAMS, f"_meta needs {wire.VERSION_KEY} and {wire.CAPABILITIES_KEY}")
    if version != told:
        raise Fault(BAD_HEADER, "MCP-Protocol-Version must be the version in _meta")
    if told != wire.MODERN:
        data = {"supported": list(wire.SPOKEN), "requested": str(told)[:100]}
        raise Fault(wire.UNKNOWN_VERSION, "that version is not spoken here", data)
    if _decoded(request.header("Mcp-Method")) != message["method"]:
        raise Fault(BAD_HEADER, "Mcp-Method must be the method of the request")
    key = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(message["method"])
    if key and _decoded(request.header("Mcp-Name")) != params.get(key):
        raise Fault(BAD_HEADER, f"Mcp-Name must be params.{key}")


def _decoded(value: str) -> str:
    """A header's value; `=?base64?…?=` stands for text that a header cannot hold."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode("utf-8")
    except ValueError:
        return value


def _wants_stream(params: wire.Message) -> bool:
    meta = wire.meta_of(params)
    return wire.is_id(meta.get("progressToken")) or wire.LEVEL_KEY in meta


def _bearer(request: Request) -> str:
    scheme, _, token = request.header("Authorization").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _status(answer: wire.Message) -> int:
    return _STATUS.get(answer["error"]["code"], 200) if "error" in answer else 200


def _error(status: int, identity: Any, fault: Fault) -> Answer:
    return answer_json(status, wire.error(identity, fault))


def _text(message: Any) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
