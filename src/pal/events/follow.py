"""Reading the event log as it grows, across rotations, and from an event that a reader saw last (cold)."""

from __future__ import annotations

import os

from pal.events import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pal.base.home import Home

    Line = tuple[log.Event, bytes]  # the event and its line without the line end

REPLAY = 200  # events for a reader whose last one is not in the log any more


class Follower:
    """What is added to the log after this was made. The file is opened anew each time: an open one cannot be rotated on
    Windows."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.file, self.offset = _identity(home.events)

    def poll(self) -> list[Line]:
        """The lines added since the last call, oldest first."""
        found: list[Line] = []
        identity, size = _identity(self.home.events)
        if identity != self.file:
            older = log.paths(self.home)[:-1]
            places = [_identity(path)[0] for path in older]
            if self.file in places:
                for path in older[places.index(self.file) :]:  # the end of the one followed, and all that came then
                    found += self._read(path)
                    self.offset = 0
            self.file, self.offset = identity, 0
        if size < self.offset:
            self.offset = 0  # somebody emptied the file
        return found + self._read(self.home.events)

    def _read(self, path: str) -> list[Line]:
        try:
            with open(path, "rb") as stream:
                stream.seek(self.offset)
                data = stream.read()
        except OSError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self.offset += len(whole)
        return list(_lines(whole))


def since(home: Home, last: str) -> list[Line] | None:
    """Every line behind the event with this id; None when the log holds no such event (any more)."""
    newer: list[bytes] = []
    for path in reversed(log.paths(home)):
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except OSError:
            continue
        at = data.rfind(b'"id": "' + last.encode("utf-8", "replace") + b'"')
        if at >= 0:
            newer.append(data[data.find(b"\n", at) + 1 :] if b"\n" in data[at:] else b"")
            return [line for text in reversed(newer) for line in _lines(text)]
        newer.append(data)
    return None


def newest(home: Home, count: int) -> list[Line]:
    """The last lines, oldest first, at most `count`."""
    found: list[Line] = []
    for path in reversed(log.paths(home)):
        if len(found) >= count:
            break
        try:
            with open(path, "rb") as stream:
                found = list(_lines(stream.read())) + found
        except OSError:
            continue
    return found[len(found) - count :] if count < len(found) else found


def _lines(data: bytes) -> Iterator[Line]:
    for line in data.split(b"\n"):
        made = log.parse(line) if line else None
        if made is not None:
            yield made, line[line.rfind(log.BEGIN) :] if line.rfind(log.BEGIN) > 0 else line


def _identity(path: str) -> tuple[tuple[int, int] | None, int]:
    """(which file stands there, its size); (None, 0) when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None, 0
    return (status.st_dev, status.st_ino), status.st_size
