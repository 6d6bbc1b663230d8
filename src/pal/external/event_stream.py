"""Events as server-sent events: `GET /events` follows the log, `POST /events` adds to it.

One thread reads the log and makes each frame once; every reader takes the frames from where it stands, in a thread of
its own, so a slow one delays nobody. The frames of the last few megabytes are kept: a reader that falls behind them
is closed, and comes back with the id of the last event it saw, from which the log itself serves it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

from pal.base import clock, ids, jsontext
from pal.base.home import Home
from pal.events import follow, log, schema
from pal.external.loopback import Answer, Request, answer_json

READERS = 256
KEPT = 4 * 1024 * 1024  # bytes of frames that wait for the slowest reader
HEARTBEAT = 15.0  # seconds
LOOK = 0.05  # seconds between two looks at the log
REPLAY_LIMIT = 1000
POST_LIMIT = 64 * 1024  # bytes
POSTS = 50  # a second
_STREAM = {"X-Accel-Buffering": "no"}

Frame = tuple[str, str, bytes]  # id, kind, what is sent


class Broadcast:
    """What is new in the log of a home, for many readers. `start` begins, `stop` ends every stream."""

    def __init__(self, home: Home, tell: Callable[[list[log.Event]], object] = lambda events: None) -> None:
        self.home = home
        self.tell = tell  # is told every new event too
        self.stopped = False
        self._changed = threading.Condition()
        self._frames: deque[Frame] = deque()
        self._readers: set[int] = set()
        self._first = 0  # the number of the oldest frame that is kept
        self._size = 0
        self._follower = follow.Follower(home)
        newest = follow.newest(home, 1)
        self._last = newest[0][0]["id"] if newest else ""
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self.stopped = True
            self._changed.notify_all()

    def _run(self) -> None:
        while not self.stopped:
            self.look()
            time.sleep(LOOK)

    def look(self) -> None:
        """Take in what the log has now."""
        with self._changed:
            found = self._take()
        if found:
            self.tell(found)

    def _take(self) -> list[log.Event]:
        """Bring the frames up to the log's end; the caller holds the lock."""
        lines = self._follower.poll()
        for event, line in lines:
            frame = framed(event, line)
            self._frames.append(frame)
            self._size += len(frame[2])
            self._last = event["id"]
        while self._size > KEPT and self._frames:
            self._size -= len(self._frames.popleft()[2])
            self._first += 1
        if lines:
            self._changed.notify_all()
        return [event for event, _ in lines]

    def room(self) -> bool:
        return len(self._readers) < READERS

    def stream(self, last: str, replay: int, kinds: frozenset[str]) -> Iterator[bytes]:
        """What one reader is sent: first what it missed, then what happens, with a sign of life in between."""
        reader = threading.get_ident()
        self._readers.add(reader)
        try:
            yield from self._pieces(last, replay, kinds)
        finally:
            self._readers.discard(reader)

    def _pieces(self, last: str, replay: int, kinds: frozenset[str]) -> Iterator[bytes]:
        with self._changed:
            taken = self._take()
            place, end = self._first + len(self._frames), self._last
        if taken:
            self.tell(taken)
        yield b"retry: 2000\n\n" + self._missed(last, replay, kinds, end)
        while True:
            with self._changed:
                woken = self._changed.wait_for(self._beyond(place), HEARTBEAT)
                if self.stopped or place < self._first:
                    return  # over, or too slow: the log serves it when it comes back
                fresh = [self._frames[number - self._first] for number in range(place, self._end)] if woken else []
                place = self._end
            data = b"".join([frame[2] for frame in fresh if not kinds or frame[1] in kinds])
            if data or not woken:
                yield data or b": hb\n\n"

    @property
    def _end(self) -> int:
        return self._first + len(self._frames)

    def _beyond(self, place: int) -> Callable[[], bool]:
        return lambda: self.stopped or self._end > place

    def _missed(self, last: str, replay: int, kinds: frozenset[str], end: str) -> bytes:
        begin, lines = b"", None
        if last:
            lines = follow.since(self.home, last)
            if lines is None:
                begin, lines = b": gap\n\n", follow.newest(self.home, follow.REPLAY)
        elif replay:
            lines = follow.newest(self.home, replay)
        frames = [framed(event, line) for event, line in lines or []]
        # What came to the log in this moment, behind the end as it was read, is with the frames that follow.
        known = next((number for number in range(len(frames), 0, -1) if frames[number - 1][0] == end), 0)
        return begin + b"".join([frame[2] for frame in frames[:known] if not kinds or frame[1] in kinds])


def framed(event: log.Event, line: bytes) -> Frame:
    return event["id"], event["type"], b"id: " + event["id"].encode() + b"\ndata: " + line + b"\n\n"


def routes(broadcast: Broadcast, now: Callable[[], float] = time.time) -> dict[str, dict[str, Callable[..., Answer]]]:
    """The paths of the event stream."""
    budget = _Budget(POSTS)

    def get(request: Request) -> Answer:
        if not broadcast.room():
            return answer_json(503, {"error": "too_many_readers"}, {"Retry-After": "2"})
        unknown = [kind for kind in _kinds(request) if kind not in schema.TYPES]
        if unknown:
            return answer_json(400, {"error": "unknown_type", "faults": [f"there is no type {unknown[0]!r}"[:80]]})
        last = request.header("Last-Event-ID") or request.query.get("last_event_id", "")
        replay = request.query.get("replay", "")
        count = min(REPLAY_LIMIT, int(replay)) if replay.isascii() and replay.isdigit() and len(replay) < 9 else 0
        if last and not ids.is_sortable(last):
            last = "-"  # no event has this id, so the newest are replayed
        pieces = broadcast.stream(last, count, frozenset(_kinds(request)))
        return Answer(200, kind="text/event-stream", headers=_STREAM, stream=pieces)

    def post(request: Request) -> Answer:
        if request.content_type != "application/json":
            return answer_json(415, {"error": "unsupported_media_type"})
        if len(request.body) > POST_LIMIT:
            return answer_json(413, {"error": "too_large"})
        moment = now()
        if not budget.take(moment):
            return answer_json(429, {"error": "too_many_events"}, {"Retry-After": "1"})
        try:
            given = jsontext.loads(request.body.decode("utf-8"))
        except ValueError as fault:
            return answer_json(400, {"error": "not_json", "faults": [str(fault)[:200]]})
        if not isinstance(given, dict):
            return answer_json(400, {"error": "invalid_event", "faults": schema.faults(given)})
        # Only PAL says when something came in and by which door.
        stamp = {"v": schema.VERSION, "id": ids.sortable(moment), "ts": clock.iso_ms(moment), "source": "sse"}
        event = {**stamp, **given, **stamp}
        faults = log.emit(broadcast.home, event)
        return answer_json(400, {"error": "invalid_event", "faults": faults}) if faults else _accepted(event)

    return {"/events": {"GET": get, "POST": post}}


def _accepted(event: log.Event) -> Answer:
    return answer_json(202, {"id": event["id"]})


def _kinds(request: Request) -> list[str]:
    return [kind for kind in request.query.get("types", "").split(",") if kind]


class _Budget:
    """So many in any second, for all callers together."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._taken: deque[float] = deque()

    def take(self, moment: float) -> bool:
        with self._lock:
            while self._taken and self._taken[0] <= moment - 1.0:
                self._taken.popleft()
            if len(self._taken) >= self.limit:
                return False
            self._taken.append(moment)
            return True
