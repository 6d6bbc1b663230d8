"""Runs another program within bounds: so long and no longer, so much output and no more, and nothing of it stays.

The program, whatever it starts and whatever those start are one group, which is ended with it."""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from subprocess import Popen
    from typing import IO, Any

GRACE = 0.5  # seconds between the polite signal and the other one
_SETTLE = 2.0  # seconds in which what was printed must arrive once every writer is gone
_STDERR_KEPT = 65_536  # bytes; the rest is read and dropped
_BATCH = (".cmd", ".bat")
_UNSAFE_IN_BATCH = frozenset('"%&|<>^!()\r\n')


class Finished:
    """How a program ended: `problem` is "" or "missing", "timeout", "overflow", "refused" (the system would not)."""

    __slots__ = ("detail", "err", "out", "problem", "seconds", "status")

    def __init__(self, problem: str = "", detail: str = "") -> None:
        self.problem = problem
        self.detail = detail
        self.status = -1
        self.out = b""
        self.err = b""
        self.seconds = 0.0


def run(
    argv: Sequence[str],
    stdin: bytes,
    env: Mapping[str, str],
    cwd: str,
    timeout: float,
    cap: int,
    ending: Callable[[Callable[[], object]], object] = lambda end: None,
) -> Finished:
    """Start `argv` (its first word an absolute path), give it `stdin`, take at most `cap` bytes from its stdout.

    `ending` is handed a function that ends the program early, from whichever thread calls it.
    Raises nothing of its own; when the caller is interrupted, the group is ended too."""
    import subprocess

    if argv[0].lower().endswith(_BATCH) and any(_UNSAFE_IN_BATCH.intersection(word) for word in argv[1:]):
        # cmd.exe would read these characters as its own, so that a text could start a program.
        return Finished("refused", "its batch file cannot be given this text as an argument")
    began = time.monotonic()
    try:
        child = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            cwd=cwd,
            **_own_group(),
        )
    except FileNotFoundError:
        return Finished("missing", f"{argv[0]} is gone")
    except (OSError, ValueError) as fault:
        return Finished("refused", getattr(fault, "strerror", None) or str(fault))
    group = _Group(child)
    ending(lambda: group.end(politely=True))
    try:
        return _attend(child, group, stdin, began, timeout, cap)
    finally:
        group.end()
        for stream in (child.stdin, child.stdout, child.stderr):
            _close(stream)
        child.wait()


def _attend(child: Popen[bytes], group: _Group, stdin: bytes, began: float, timeout: float, cap: int) -> Finished:
    import threading

    done = Finished()
    out, err = _Drain(child.stdout, cap), _Drain(child.stderr, _STDERR_KEPT)
    threads = [
        threading.Thread(target=work, args=args, daemon=True)
        for work, args in ((out.read, (True,)), (err.read, (False,)), (_feed, (child.stdin, stdin)))
    ]
    for thread in threads:
        thread.start()
    pause = 0.002
    while child.poll() is None:
        if out.full:
            done.problem, done.detail = "overflow", f"it printed more than {cap:,} bytes"
        elif time.monotonic() - began >= timeout:
            done.problem, done.detail = "timeout", f"it gave no answer within {timeout:.0f} s"
        if done.problem:
            group.end(politely=True)
            break
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    done.status = child.wait()
    group.end()  # what it left behind would keep the streams open
    for thread in threads[:2]:
        thread.join(_SETTLE)
    if out.full and not done.problem:
        done.problem, done.detail = "overflow", f"it printed more than {cap:,} bytes"
    done.out, done.err = b"".join(out.kept), b"".join(err.kept)
    done.seconds = time.monotonic() - began
    return done


class _Drain:
    """Reads a stream to its end and keeps its beginning, so that the writer never waits."""

    __slots__ = ("_room", "_stream", "full", "kept")

    def __init__(self, stream: IO[bytes] | None, cap: int) -> None:
        self._stream = stream
        self._room = cap
        self.kept: list[bytes] = []
        self.full = False

    def read(self, stop_when_full: bool) -> None:
        try:
            while self._stream is not None:
                data = os.read(self._stream.fileno(), 65_536)
                if not data:
                    return
                if len(data) > self._room:
                    data, self.full = data[: self._room], True
                self._room -= len(data)
                if data:
                    self.kept.append(data)
                if self.full and stop_when_full:
                    return
        except (OSError, ValueError):
            return  # closed from our side


def _feed(stream: IO[bytes] | None, data: bytes) -> None:
    try:
        if stream is not None:
            stream.write(data)
            stream.close()
    except (OSError, ValueError):
        pass  # it does not read what it is told; its answer counts


def _close(stream: IO[bytes] | None) -> None:
    try:
        if stream is not None:
            stream.close()
    except (OSError, ValueError):
        pass


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Limits(ctypes.Structure):
        """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

        _fields_ = (
            ("times", ctypes.c_int64 * 2),
            ("flags", wintypes.DWORD),
            ("sets", ctypes.c_size_t * 2),
            ("active", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("priorities", wintypes.DWORD * 2),
            ("io", ctypes.c_uint64 * 6),
            ("memory", ctypes.c_size_t * 4),
        )

    _KILL_ON_CLOSE = 0x2000
    _EXTENDED_LIMITS = 9

    def _own_group() -> dict[str, Any]:
        import subprocess

        return {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}

    class _Group:
        """A job object that ends all its processes, also when this process dies."""

        __slots__ = ("_child", "_job", "_kernel")

        def __init__(self, child: Popen[bytes]) -> None:
            self._child = child
            self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            self._kernel.CreateJobObjectW.restype = wintypes.HANDLE
            self._job: int | None = self._kernel.CreateJobObjectW(None, None)
            limits = _Limits(flags=_KILL_ON_CLOSE)
            job, process = wintypes.HANDLE(self._job), wintypes.HANDLE(int(child._handle))  # type: ignore[attr-defined]
            self._kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
            self._kernel.AssignProcessToJobObject(job, process)

        def end(self, politely: bool = False) -> None:
            if self._job:
                self._kernel.TerminateJobObject(wintypes.HANDLE(self._job), 1)
                self._kernel.CloseHandle(wintypes.HANDLE(self._job))
                self._job = None
            if self._child.poll() is None:
                self._child.kill()  # where it could not be put into the job

else:
    import signal

    def _own_group() -> dict[str, Any]:
        return {"start_new_session": True}

    class _Group:
        """The process group that the child leads."""

        __slots__ = ("_child", "_ended")

        def __init__(self, child: Popen[bytes]) -> None:
            self._child = child
            self._ended = False

        def end(self, politely: bool = False) -> None:
            if self._ended:
                return  # the number may be another group's by now
            if politely:
                self._signal(signal.SIGTERM)
                until = time.monotonic() + GRACE
                while self._child.poll() is None and time.monotonic() < until:
                    time.sleep(0.01)
            self._signal(signal.SIGKILL)
            self._ended = True

        def _signal(self, number: int) -> None:
            try:
                os.killpg(self._child.pid, number)
            except OSError:
                pass  # nobody is left in it
