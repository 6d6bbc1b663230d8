"""The child's side of detached work: claim a job, call its handler, delete it; then take over what still waits."""

from __future__ import annotations

import os
import time

from pal.base import files, jsontext, locks, log
from pal.jobs import queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pal.base.home import Home

    Handler = Callable[[dict[str, Any]], object]

AT_ONCE = 3  # more children than this at a time would be felt by whoever works on the machine


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
    into = os.path.join(home.jobs, job + queue.RUNNING)
    with locks.Lock(home.jobs):
        if queue.running(home, now) >= AT_ONCE:
            log.debug(home, "jobs", f"{job} waits: {AT_ONCE} jobs run already")
            return ""
        if not files.claim(path, into):
            return ""
        queue.touch(into, now)
    return into


def _work(home: Home, job: str, claimed: str, handlers: Mapping[str, Handler]) -> None:
    began = time.monotonic()
    try:
        entry = jsontext.loads(files.read_bytes(claimed) or b"")
        handler = handlers.get(entry["name"])
        if handler is None:
            raise LookupError("nothing handles it")
        handler(entry["payload"])
    except Exception as problem:  # whatever a handler does, the next job is not its concern
        import traceback

        log.error(home, "jobs", f"{job} failed: {problem!r}", traceback.format_exc())
        queue.give_up(home, claimed, job)
        return
    files.remove(claimed)
    log.debug(home, "jobs", f"{job} done in {time.monotonic() - began:.1f} s")
