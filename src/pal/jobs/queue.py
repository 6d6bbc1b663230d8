"""The files of detached work below `memory/state/jobs/`: handing a job over, offering a dead one again, listing.

`<id>.json` waits, `<id>.run` is being worked on, `failed/<id>.json` is given up. Every step from one to the next is a
rename, so a crash at any point leaves the job in exactly one place. An id is `<name>-<milliseconds>-<random>`, with
`.2` and `.3` added each time the job is offered again."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, locks, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.base.home import Home

STALE = 600.0  # seconds; a job that waits or runs for longer has lost its process (handlers end well before)
OFFERS = 3  # the first time and twice more
FAILED_KEPT = 20
WAITING, RUNNING = ".json", ".run"


class Job:
    """One job as its file name and age tell it; `state` is "waiting", "running" or "failed"."""

    __slots__ = ("age", "id", "name", "path", "state")

    def __init__(self, path: str, state: str, now: float) -> None:
        self.path = path
        self.id = os.path.basename(path).rsplit(".", 1)[0]
        self.name = self.id.rsplit("-", 2)[0]
        self.state = state
        self.age = max(0.0, now - files.modified(path))

    @property
    def offers(self) -> int:
        """How often the job has been offered: 1 at first."""
        number = self.id.rpartition(".")[2]
        return int(number) if number.isdigit() and number != self.id else 1


def submit(
    home: Home, name: str, payload: dict[str, Any], now: float, spawn: Callable[[str], int], unique: bool = False
) -> str:
    """Keep a job and start a child for it with `spawn(id)`, which gives the child's pid or 0; returns the id.

    With `unique` nothing happens, and the id is empty, when a job of this name waits or runs already. A child that
    does not start costs only time: the job stays and `orphans` offers it again. OSError when it cannot be kept."""
    job = f"{name}-{int(now * 1000):x}-{os.urandom(4).hex()}"
    path = os.path.join(home.jobs, job + WAITING)
    text = jsontext.dumps({"name": name, "created": clock.iso(now), "payload": payload}) + "\n"
    files.make_folder(home.jobs)
    with locks.Lock(home.jobs):  # unheld, the worst is one job too many
        if unique and any(other.name == name for other in _present(home, now)):
            return ""
        files.write(path, text)
        touch(path, now)
    if not spawn(job):
        log.error(home, "jobs", f"no process could be started for {job}; it is offered again later")
    return job


def orphans(home: Home, now: float) -> list[str]:
    """Offer again what has lost its process: the ids to start a child for. Given up after two more offers."""
    offered = []
    for job in _present(home, now):
        if job.age < STALE:
            continue
        if job.offers >= OFFERS:
            log.error(home, "jobs", f"{job.id} died {job.offers} times and is given up (kept in jobs/failed)")
            give_up(home, job.path, job.id)
            continue
        again = f"{job.id.partition('.')[0]}.{job.offers + 1}"
        path = os.path.join(home.jobs, again + WAITING)
        if files.claim(job.path, path):
            touch(path, now)
            log.error(home, "jobs", f"{job.id} was left {job.state} by its process and is offered again")
            offered.append(again)
    return offered


def listing(home: Home, now: float) -> list[Job]:
    """All jobs: waiting and running ones oldest first, then the failed ones."""
    jobs = _present(home, now)
    jobs.sort(key=lambda job: (-job.age, job.id))
    failed = os.path.join(home.jobs, "failed")
    return jobs + [Job(os.path.join(failed, name), "failed", now) for name in _names(failed) if name.endswith(WAITING)]


def waiting(home: Home, now: float) -> list[Job]:
    """The jobs nobody works on, oldest first."""
    return sorted((job for job in _present(home, now) if job.state == "waiting"), key=lambda job: (-job.age, job.id))


def running(home: Home, now: float) -> int:
    """How many jobs are being worked on; one whose process must be dead does not count."""
    return sum(1 for job in _present(home, now) if job.state == "running" and job.age < STALE)


def give_up(home: Home, path: str, job: str) -> None:
    """Move a job's file to `failed/`, where the newest few are kept for whoever looks into it."""
    folder = os.path.join(home.jobs, "failed")
    files.make_folder(folder)
    if not files.claim(path, os.path.join(folder, job + WAITING)):
        return
    names = sorted(_names(folder), key=lambda name: files.modified(os.path.join(folder, name)))
    for name in names[:-FAILED_KEPT]:
        files.remove(os.path.join(folder, name))


def touch(path: str, now: float) -> None:
    """Ages are counted from `now`, on the caller's clock; a file another process has taken is left alone."""
    try:
        os.utime(path, (now, now))
    except OSError:
        pass


def _present(home: Home, now: float) -> list[Job]:
    jobs = []
    for name in _names(home.jobs):
        if name[0] != "." and name.endswith((WAITING, RUNNING)):
            state = "waiting" if name.endswith(WAITING) else "running"
            jobs.append(Job(os.path.join(home.jobs, name), state, now))
    return jobs


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
