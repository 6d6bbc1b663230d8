"""The control room: the page's own files, and behind a word that only its opener knows, what the page reads and does.

Every call is the same function that the commands and the tools call. The address that `pal serve` prints carries the
word after its `#`, so it is in no request line; the page sends it back as a header, which no other site can do."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping

from pal.base import assets, clock, jsontext
from pal.base.home import Home
from pal.external import event_stream, page_board, page_live
from pal.external.loopback import Answer, Handler, Request, answer_json
from pal.switchboard import workspace
from pal.switchboard.desk import Desk
from pal.switchboard.errors import Refused, refused
from pal.switchboard.workspace import Workspace

TOKEN = "X-PAL-Token"
BODY_LIMIT = 1024 * 1024 + 64 * 1024  # bytes; a plan of the largest size, written as JSON
FOLDER = "web/"
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_SHIELD = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# What a program is told by the status alone; a code that is not here is a request that makes no sense: 422.
STATUS = {
    "E_JSON": 400,
    "E_TOKEN": 401,
    "E_READONLY": 403,
    "E_NOT_WORKSPACE": 404,
    "E_NOT_FOUND": 404,
    "E_AMBIGUOUS": 409,
    "E_STALE": 409,
    "E_STATUS": 409,
    "E_DEPS": 409,
    "E_CONFLICT": 409,
    "E_SIZE": 413,
    "E_RATE": 429,
    "E_DAMAGED": 500,
    "E_BUSY": 503,
    "E_LOCKED": 503,
}


class Room:
    """What the page of one server works on: a home, the project it was opened in, and the word that opens it."""

    def __init__(
        self,
        home: Home,
        here: Workspace | None,
        token: str,
        broadcast: event_stream.Broadcast,
        now: Callable[[], float] = clock.now,
        private: tuple[str, ...] = (),
    ) -> None:
        self.home = home
        self.here = here
        self.token = token
        self.broadcast = broadcast
        self.now = now
        self.private = private  # folders of agents' own memories, which no message may hand around
        self.watch = page_live.Watch()

    def stop(self) -> None:
        self.broadcast.stop()
        self.watch.stop()

    def projects(self) -> list[dict[str, object]]:
        """Every project with a board that still stands, the one the server was started in first."""
        known = workspace.others(self.home, self.here) if self.here else _standing(self.home)
        return page_board.projects(self.here, known)

    def desk(self, project: str) -> Desk:
        """The person at the board of a project, which is named by its id and never by a path."""
        if not project:
            if self.here is None:
                raise refused("E_NOT_WORKSPACE", "there is no board in this folder", "`pal switchboard init` makes one")
            return self._desk(self.here)
        for place in [*([self.here] if self.here else []), *_standing(self.home)]:
            if place.id == project:
                return self._desk(place)
        raise refused("E_NOT_FOUND", "that project is not known here", "open its board once: `pal switchboard board`")

    def _desk(self, place: Workspace) -> Desk:
        return Desk(self.home, place, self.now(), private=self.private)


def _standing(home: Home) -> list[Workspace]:
    return workspace.others(home, Workspace(""))


def routes(room: Room, env: Mapping[str, str] | None = None) -> dict[str, dict[str, Handler]]:
    """Every path of the page: its files for anybody on this machine, all else for who has the word."""
    table: dict[str, dict[str, Handler]] = {path: {"GET": handler} for path, handler in _files(env).items()}
    for path, call in page_board.READS.items():
        table[path] = {"GET": _guarded(room, _reading(room, call))}
    for path, call in page_board.WRITES.items():
        table[path] = {"POST": _guarded(room, _writing(room, call))}
    table["/api/start"] = {"GET": _guarded(room, lambda request: answer_json(200, page_board.start(room.projects())))}
    table["/api/live"] = {
        "GET": _guarded(room, lambda request: page_live.answer(room.watch, _at(room, request), request))
    }
    table["/events"] = {"GET": _guarded(room, event_stream.routes(room.broadcast)["/events"]["GET"])}
    return table


def _files(env: Mapping[str, str] | None) -> dict[str, Handler]:
    """A path for each file that ships with the page; there is no other way to a file, so no name leads out."""
    table: dict[str, Handler] = {}
    for name in assets.names(FOLDER, env):
        kind = _KINDS.get(name[name.rfind(".") :])
        if kind:
            table["/" + name[len(FOLDER) :]] = _file(assets.read(name, env), kind)
    table["/"] = table.pop("/index.html")
    return table


def _file(data: bytes, kind: str) -> Handler:
    tag = f'"{hashlib.sha256(data).hexdigest()[:20]}"'
    headers = {**_SHIELD, "Cache-Control": "no-cache", "ETag": tag}

    def get(request: Request) -> Answer:
        if request.header("If-None-Match") == tag:
            return Answer(304, headers=headers)
        return Answer(200, data, kind, headers)

    return get


def _guarded(room: Room, handler: Handler) -> Handler:
    """The handler for who knows the word; what it refuses becomes a status and a body a program can read."""

    def checked(request: Request) -> Answer:
        try:
            if not hmac.compare_digest(request.header(TOKEN).encode(), room.token.encode()):
                raise page_board.wrong("E_TOKEN", "this needs the address that `pal serve` printed", "open it again")
            return handler(request)
        except Refused as fault:
            return failed(fault)

    return checked


def failed(fault: Refused) -> Answer:
    """A refusal as an answer: its status, and `{code, message, hint, data}`."""
    status = STATUS.get(fault.code, 422)
    after = {"Retry-After": str(fault.data.get("retryAfter", 1))} if status in (429, 503) else None
    return answer_json(status, {"error": fault.shown()}, after)


def _at(room: Room, request: Request) -> Desk:
    return room.desk(request.query.get("project", ""))


def _reading(room: Room, call: Callable[[Desk, page_board.Fields], object]) -> Handler:
    def get(request: Request) -> Answer:
        found = call(_at(room, request), page_board.Fields(request.query))
        return Answer(204) if found is None else answer_json(200, found)

    return get


def _writing(room: Room, call: Callable[[Desk, page_board.Fields], object]) -> Handler:
    def post(request: Request) -> Answer:
        if request.content_type != "application/json":
            return answer_json(415, {"error": "unsupported_media_type"})
        try:
            given = jsontext.loads(request.body.decode("utf-8"))
        except ValueError:
            given = None
        if not isinstance(given, dict):
            raise page_board.wrong("E_JSON", "the body is no JSON object", "send one")
        return answer_json(200, call(_at(room, request), page_board.Fields(given)))

    return post
