"""Advisory locks on neighbouring `.lock` files, with a bounded wait; the one place where POSIX and Windows differ."""

from __future__ import annotations

import os
import sys
import time

WAIT = 2.0  # seconds; two hundred hooks at once each hold a lock for about a millisecond


class Busy(OSError):
    """Somebody else kept the lock for longer than the caller would wait."""


def beside(path: str) -> str:
    """The lock file of `path`; whoever deletes `path` for good deletes this too."""
    folder, name = os.path.split(path)
    return os.path.join(folder, "." + name + ".lock")


class Lock:
    """`with Lock(path) as held:` holds the lock of `path`, or says False when the wait ended.

    The lock belongs to the file `.<name>.lock` beside it, so replacing the file itself loses nothing. A lock that
    cannot be made at all (read-only folder) counts as not held."""

    __slots__ = ("_descriptor", "_path", "_wait")

    def __init__(self, path: str, wait: float = WAIT) -> None:
        self._path = beside(path)
        self._wait = wait
        self._descriptor = -1

    def __enter__(self) -> bool:
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return False
        until = time.monotonic() + self._wait
        pause = 0.001
        while not _try(self._descriptor):
            if time.monotonic() >= until:
                os.close(self._descriptor)
                self._descriptor = -1
                return False
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        return True

    def __exit__(self, *_: object) -> None:
        if self._descriptor >= 0:
            _release(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1


if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _release(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
