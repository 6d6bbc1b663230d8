"""A board as it changes: server-sent events that carry its revision, so that a page reads it again when it must.

The revision is the event's id: a page that comes back with the one it saw is told at once when it missed something."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from pal.base import jsontext
from pal.external.loopback import Answer, Request, answer_json
from pal.switchboard import scan, store
from pal.switchboard.desk import Desk
from pal.switchboard.errors import Refused
from pal.switchboard.workspace import Workspace

READERS = 16
LOOK = 0.25  # seconds between two looks at the revision
SCAN = 2.0  # seconds between two looks at the plans folder, for all readers of a board together
HEARTBEAT = 15.0  # seconds


class Watch:
    """Who reads which board live; `stop` ends every stream."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._readers = 0
        self._scanned: dict[str, float] = {}

    def stop(self) -> None:
        self._ended.set()

    def room(self) -> bool:
        return self._readers < READERS

    def stream(self, desk: Desk, last: str) -> Iterator[bytes]:
        with self._lock:
            self._readers += 1
        try:
            yield b"retry: 2000\n\n"
            yield from self._changes(desk, last)
        finally:
            with self._lock:
                self._readers -= 1

    def _changes(self, desk: Desk, last: str) -> Iterator[bytes]:
        quiet = time.monotonic()
        while not self._ended.is_set():
            told = self._look(desk)
            if told and told != last:
                last, quiet = told, time.monotonic()
                number = int(told)
                yield f"id: {number}\ndata: {jsontext.dumps({'rev': number})}\n\n".encode()
            elif time.monotonic() - quiet > HEARTBEAT:
                quiet = time.monotonic()
                yield b": hb\n\n"
            self._ended.wait(LOOK)

    def _look(self, desk: Desk) -> str:
        """The revision as it is now; empty while the board cannot be read, which the page learns when it asks."""
        try:
            if self._due(desk.workspace):
                scan.scan(Desk(desk.home, desk.workspace, time.time()))
            return str(store.revision(desk.workspace))
        except Refused:
            return ""

    def _due(self, place: Workspace) -> bool:
        now = time.monotonic()
        with self._lock:
            due = now - self._scanned.get(place.root, -SCAN) >= SCAN
            if due:
                self._scanned[place.root] = now
        return due


def answer(watch: Watch, desk: Desk, request: Request) -> Answer:
    """The stream of one board, from the revision that its reader saw last."""
    if not watch.room():
        return answer_json(503, {"error": "too_many_readers"}, {"Retry-After": "2"})
    last = request.header("Last-Event-ID") or request.query.get("last_event_id", "")
    pieces = watch.stream(desk, last if last.isascii() and last.isdigit() else "")
    return Answer(200, kind="text/event-stream", headers={"X-Accel-Buffering": "no"}, stream=pieces)
