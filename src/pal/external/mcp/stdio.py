"""MCP over standard input and output: one message a line. Nothing but messages is ever written there.

What a client waits for at once (a ping, a list) is answered by the reading thread; tools run in others, so that a
cancel arrives while one runs."""

from __future__ import annotations

import threading
import time

from pal.base import jsontext
from pal.external.mcp import wire
from pal.external.mcp.connection import Connection
from pal.external.mcp.wire import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

    from pal.external.mcp.dispatch import Server

LINE_LIMIT = 10 * 1024 * 1024  # bytes
AT_ONCE = 16  # tools
PATIENCE = 5.0  # seconds for what was read before the input ended
LOOK = 1.0  # seconds between two looks at what may have changed


class Shell:
    """One client on a pair of streams, until the input ends or nobody reads the output."""

    def __init__(self, server: Server, reading: BinaryIO, writing: BinaryIO) -> None:
        self.server = server
        self.connection = Connection(self.send)
        self._reading = reading
        self._writing = writing
        self._lock = threading.Lock()
        self._gone = threading.Event()
        self._workers = _Workers(self._answer)

    def send(self, message: Any) -> None:
        data = (jsontext.dumps(message) + "\n").encode()
        try:
            with self._lock:
                self._writing.write(data)
                self._writing.flush()
        except (OSError, ValueError):
            self._gone.set()  # nobody reads any more

    def serve(self, fingerprint: Callable[[], object], load: Callable[[], object] = lambda: None) -> None:
        """Answer until the end of the input. `fingerprint` differs when the list of tools does; `load` is called once
        the client has had its first answers."""
        threading.Thread(target=self._watch, args=(fingerprint, load), daemon=True).start()
        while not self._gone.is_set():
            line = self._reading.readline(LINE_LIMIT + 1)
            if not line:
                break
            if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
                self._skip_line()
                self.send(wire.error(None, Fault(wire.NOT_A_REQUEST, f"a message has at most {LINE_LIMIT} bytes")))
            elif line.strip():
                message = self._parsed(line)
                if _takes_long(message):
                    self._workers.give(message)
                elif message is not None:
                    self._answer(message)
        self._workers.finish(PATIENCE)
        self._gone.set()
        self.connection.close()

    def _parsed(self, line: bytes) -> Any:
        try:
            return jsontext.loads(line.decode("utf-8"))
        except ValueError as fault:
            self.send(wire.error(None, Fault(wire.NOT_JSON, str(fault)[:200])))
            return None

    def _answer(self, message: Any) -> None:
        if isinstance(message, list):
            answers = self._batch(message)
            if answers:
                self.send(answers)
            return
        answer = self.server.answer(message, self.connection)
        if answer is not None:
            self.send(answer)

    def _batch(self, messages: list[Any]) -> Any:
        if self.connection.version != wire.BATCHES or not messages:
            return wire.error(None, Fault(wire.NOT_A_REQUEST, "a message is one object"))
        answers: list[Any] = []
        for message in messages:
            if isinstance(message, dict) and message.get("method") == "initialize":
                fault = Fault(wire.NOT_A_REQUEST, "initialize is never in a batch")
                answers.append(wire.error(wire.identity_of(message), fault))
            else:
                answers.append(self.server.answer(message, self.connection))
        return [answer for answer in answers if answer is not None]

    def _skip_line(self) -> None:
        while True:
            rest = self._reading.readline(LINE_LIMIT)
            if not rest or rest.endswith(b"\n"):
                return

    def _watch(self, fingerprint: Callable[[], object], load: Callable[[], object]) -> None:
        known = fingerprint()
        time.sleep(LOOK)
        load()
        while not self._gone.is_set():
            now = fingerprint()
            if now != known:
                known = now
                self.connection.changed("tools")
            time.sleep(LOOK)


class _Workers:
    """A few threads, begun as they are needed, that take work in the order it comes."""

    def __init__(self, work: Callable[[Any], object]) -> None:
        self._work = work
        self._waiting: list[Any] = []
        lock = threading.Lock()
        self._more = threading.Condition(lock)
        self._none = threading.Condition(lock)
        self._threads = self._left = 0

    def give(self, item: Any) -> None:
        with self._more:
            self._left += 1
            begin = self._left > self._threads and self._threads < AT_ONCE
            self._threads += begin
            self._waiting.append(item)
            self._more.notify()
        if begin:
            threading.Thread(target=self._run, daemon=True).start()

    def finish(self, seconds: float) -> None:
        """Wait until all that was given is done, so long at most."""
        with self._none:
            self._none.wait_for(lambda: not self._left, seconds)

    def _run(self) -> None:
        while True:
            with self._more:
                self._more.wait_for(lambda: self._waiting)
                item = self._waiting.pop(0)
            self._work(item)
            with self._none:
                self._left -= 1
                self._none.notify_all()


def _takes_long(message: Any) -> bool:
    """Whether a message may run a tool."""
    each = message if isinstance(message, list) else [message]
    return any(isinstance(one, dict) and one.get("method") == "tools/call" for one in each)
