"""A2A over HTTP on loopback: the card at its well-known path, JSON-RPC at `/a2a`, streams as server-sent events."""

from __future__ import annotations

import email.utils
import hashlib
import json
import time
from collections.abc import Callable, Iterator

from pal.base import jsontext
from pal.external.a2a import card, wire
from pal.external.a2a.agent import Agent, Caller
from pal.external.a2a.wire import Fault, Json
from pal.external.loopback import Answer, Request, answer_json

PATHS = ("/a2a", "/a2a/")
_STREAM = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def routes(agent: Agent, url: Callable[[], str]) -> dict[str, dict[str, Callable[[Request], Answer]]]:
    """The paths of A2A; `url` gives the server's address once it is known."""
    began = email.utils.formatdate(time.time(), usegmt=True)

    def show(request: Request) -> Answer:
        body = json.dumps(card.card(url(), agent.offer()), ensure_ascii=False, indent=2).encode()
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = {"Cache-Control": "public, max-age=300", "ETag": tag, "Last-Modified": began}
        if tag in [each.strip() for each in request.header("If-None-Match").split(",")]:
            return Answer(304, headers=headers)
        return Answer(200, body, "application/json", headers)

    def post(request: Request) -> Answer:
        message: object = None
        try:
            if request.content_type != "application/json":
                raise Fault(wire.CONTENT_TYPE, "the body is application/json", {"mediaType": request.content_type})
            try:
                message = jsontext.loads(request.body.decode("utf-8"))
            except ValueError as fault:
                raise Fault(wire.NOT_JSON, str(fault)[:200]) from None
            version = request.header("A2A-Version") or request.query.get("A2A-Version", "")
            if ".".join(version.split(".")[:2]) != wire.VERSION:
                raise Fault(wire.WRONG_VERSION, f"PAL speaks A2A {wire.VERSION}", {"version": version[:20] or "0.3"})
        except Fault as fault:
            return answer_json(200, wire.error(wire.identity_of(message), fault))
        answer = agent.answer(message, _caller(request))
        if isinstance(answer, dict):
            return answer_json(200, answer)
        return Answer(200, kind="text/event-stream", headers=_STREAM, stream=_pieces(answer))

    return {card.PATH: {"GET": show}, **{path: {"POST": post} for path in PATHS}}


def _pieces(answers: Iterator[Json]) -> Iterator[bytes]:
    for answer in answers:
        if answer:
            text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
            yield b"data: " + text.encode("utf-8", "backslashreplace") + b"\n\n"
        else:
            yield b": hb\n\n"


def _caller(request: Request) -> Caller:
    scheme, _, token = request.header("Authorization").partition(" ")
    name = request.header("User-Agent").partition("/")[0][:64]
    return Caller(token.strip() if scheme.lower() == "bearer" else "", name)
