"""The child's side of detached work: claim a job, call its handler, delete it; then take over what still waits."""

from __future__ import annotations

import os
import threading
import time

from pal.base import files, jsontext, locks, log
from pal.jobs import queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pal.base.home import Home

    Handler = Callable[[dict[str, Any]], object]


def run(home: Home, job: str, handlers: Mapping[str, Handler], now: float) -> int:
    """Work on the job of this id, then on any other that waits; the number of jobs done.

    A handler gets the payload. What it raises is logged and the job goes to `failed/`. When enough jobs run
    already, this one waits and the next process that gets free takes it; when it was claimed by another, nothing
    happens."""
    started = time.monotonic()
    done = 0
    while job:
        moment = now + (time.monotonic() - started)
        claimed = _claim(home, job, moment)
        if not claimed:
            break  # another process has it, and takes over what waits when it is through
        _work(home, job, claimed, handlers)
        done += 1
        waiting = queue.waiting(home, moment)
        job = waiting[0].id if waiting else ""
    return done


def _claim(home: Home, job: str, now: float) -> str:
    """The claimed file's path; empty when the job is not there or enough of them run."""
    path = os.path.join(home.jobs, job + queue.WAITING)
    into = os.path.join(home.jobs, f"{job}@{os.getpid()}{queue.RUNNING}")
    with locks.Lock(home.jobs):
        if queue.running(home, now) >= queue.AT_ONCE:
            log.debug(home, "jobs", f"{job} waits: {queue.AT_ONCE} jobs run already")
            return ""
        if not files.claim(path, into):
            return ""
        queue.touch(into, now)
    return into


def _work(home: Home, job: str, claimed: str, handlers: Mapping[str, Handler]) -> None:
    began = time.monotonic()
    end = threading.Timer(queue.LONGEST, _too_long, (home, job, claimed))
    end.daemon = True
    end.start()
    entry: Any = None
    understood = False
    size = 0
    try:
        data = files.read_bytes(claimed) or b""
        size = len(data)
        entry = jsontext.loads(data)
        handler = handlers.get(entry["name"])
        if handler is None:
            raise LookupError("nothing handles it")
        payload = entry["payload"]
        understood = True
        handler(payload)
    except Exception as problem:  # whatever a handler does, the next job is not its concern
        import traceback

        log.error(home, "jobs", f"{job} failed: {problem!r}", traceback.format_exc())
        if understood:
            _say_why(claimed, entry, repr(problem))
        queue.give_up(home, claimed, job)
        return
    finally:
        end.cancel()
    files.remove(claimed)
    session = payload.get("session", "") if isinstance(payload, dict) else ""
    took = (time.monotonic() - began) * 1000
    log.debug(home, "jobs", f"{job} done: caller={entry['name']} sessionId={session or '-'} bytes={size} ms={took:.0f}")


def _too_long(home: Home, job: str, claimed: str) -> None:
    """A handler that hangs would hold one of the few places for ever: the job is given up, and its process ends."""
    log.error(home, "jobs", f"{job} ran for {queue.LONGEST:.0f} s and is given up (kept in jobs/failed)")
    queue.give_up(home, claimed, job)
    os._exit(1)


def _say_why(claimed: str, entry: dict[str, Any], problem: str) -> None:
    """Keep the reason with the job, for `pal jobs`."""
    from pal.base.redaction import scrub

    try:
        text = jsontext.dumps({**entry, "problem": scrub(problem)[:300]}) + "\n"
        files.put(claimed, text.encode("utf-8", "backslashreplace"))
    except OSError:
        pass  # a full disk; the log says it as well, if anything can
