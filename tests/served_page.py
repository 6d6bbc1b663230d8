"""A page on a loopback port, with a project and a board of its own, for tests that talk to it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from pathlib import Path

from pal.base.home import Home
from pal.external import event_stream, loopback, page
from pal.switchboard import cards, workspace
from pal.switchboard.desk import Desk

KEY = "the-word-of-this-test"


class ServedPage:
    """`with ServedPage(home, folder) as served:` serves it; `served.desk()` is somebody else at the same board."""

    def __init__(self, home: Home, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.place, _ = workspace.init(home, str(folder), time.time())
        self.room = page.Room(home, self.place, KEY, event_stream.Broadcast(home))
        self.notes: list[str] = []
        site = loopback.Site(page.routes(self.room), body_limit=page.BODY_LIMIT)
        self.server = loopback.Server(site, 0, self.notes.append)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> ServedPage:
        self.room.broadcast.start()
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.room.stop()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def address(self) -> str:
        return f"{self.server.url}/#key={KEY}"

    def desk(self, host: str = "") -> Desk:
        return Desk(self.home, self.place, time.time(), host=host)

    def plan(self, title: str, score: int | str = "Unknown", tags: str = "", body: str = "") -> dict:
        text = f"# {title}\n\n## Goal\n\n{body or title}\n\n## Metadata\n\n**Tags:** {tags}\n**Complexity:** {score}\n"
        return cards.create(self.desk(), title, text)

    def ask(self, method: str, path: str, body: object = None, key: str | None = KEY, **headers: str):
        """(status, headers, body as JSON where it is JSON); a name in headers has `_` for `-`."""
        sent = {"Content-Type": "application/json"} if body is not None else {}
        if key is not None:
            sent[page.TOKEN] = key
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection = http.client.HTTPConnection(loopback.ADDRESS, self.server.port, timeout=20)
        try:
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            read = answer.read()
        finally:
            connection.close()
        kind = answer.getheader("Content-Type") or ""
        return answer.status, answer.headers, json.loads(read) if kind == "application/json" and read else read

    def get(self, path: str):
        status, _, body = self.ask("GET", path)
        assert status == 200, body
        return body

    def post(self, path: str, **fields: object):
        return self.ask("POST", path, fields)
