"""The files of detached work below `memory/state/jobs/`: handing a job over, offering a dead one again, listing.

`<id>.json` waits, `<id>@<pid>.run` is being worked on, `failed/<id>.json` is given up. Every step from one to the next
is a rename, so a crash at any point leaves the job in exactly one place. An id is `<name>-<milliseconds>-<random>`,
with `~<key>` after the name of a job that is for one session, and `.2`, `.3` at the end of one offered again."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, locks, log, process, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from pal.base.home import Home

STALE = 600.0  # seconds after which a job that waits has lost its process
LONGEST = 900.0  # seconds a job may run; its own process ends it then
AT_ONCE = 3  # more children than this at a time would be felt by whoever works on the machine
OFFERS = 3  # the first time and twice more
FAILED_KEPT = 20
_FAILED_FOR = 30 * 86_400.0  # seconds
WAITING, RUNNING = ".json", ".run"


class Job:
    """One job as its file name and age tell it; `state` is "waiting", "running" or "failed", `pid` who works on it."""

    __slots__ = ("age", "id", "name", "path", "pid", "state")

    def __init__(self, path: str, state: str, now: float) -> None:
        self.path = path
        self.id, _, pid = os.path.basename(path).rsplit(".", 1)[0].partition("@")
        self.pid = int(pid) if pid.isdecimal() else 0
        self.name = self.id.rsplit("-", 2)[0]
        self.state = state
        self.age = max(0.0, now - files.modified(path))

    @property
    def kind(self) -> str:
        """What it does, without whom it does it for."""
        return self.name.partition("~")[0]

    @property
    def offers(self) -> int:
        """How often the job has been offered: 1 at first."""
        number = self.id.rpartition(".")[2]
        return int(number) if number.isdigit() and number != self.id else 1

    @property
    def lost(self) -> bool:
        """True when nobody can be working on it any more, or nobody came for it."""
        if self.state == "running" and self.pid:
            return not process.alive(self.pid) or self.age > 2 * LONGEST  # by then the number is somebody else's
        return self.age >= STALE


def keep(home: Home, name: str, payload: dict[str, Any], now: float, unique: bool = False, key: str = "") -> str:
    """Put a job's file there, for whoever is started next; its id. OSError when it cannot be kept.

    With `unique` nothing happens, and the id is empty, when a job of this name waits or runs already; with a `key`
    (a session's id), when one of this name and key still waits."""
    kept = keep_all(home, [(name, payload, unique, key)], now)
    return kept[0] if kept else ""


def keep_all(home: Home, asked: Sequence[tuple[str, dict[str, Any], bool, str]], now: float) -> list[str]:
    """`keep` several at once, each (name, payload, unique, key): the ids of those that were not there already."""
    kept = []
    files.make_folder(home.jobs)
    with locks.Lock(home.jobs):  # unheld, the worst is one job too many
        there = _names(home.jobs) if any(unique or key for _, _, unique, key in asked) else []
        for kind, payload, unique, key in asked:
            name = f"{kind}~{_mark(key)}" if key else kind
            if (unique or key) and _is_there(there, name, waiting_only=bool(key)):
                continue
            job = f"{name}-{int(now * 1000):x}-{os.urandom(4).hex()}"
            said = jsontext.dumps({"name": kind, "created": clock.iso(now), "payload": payload}) + "\n"
            path = os.path.join(home.jobs, job + WAITING)
            files.put(path, said.encode("utf-8", "backslashreplace"))
            touch(path, now)
            there.append(job + WAITING)
            kept.append(job)
    return kept


def _mark(key: str) -> str:
    return f"{text.fingerprint(key) & 0xFFFFFFFF:08x}"


def submit(
    home: Home, name: str, payload: dict[str, Any], now: float, spawn: Callable[[str], int], unique: bool = False
) -> str:
    """`keep` a job and start a child for it with `spawn(id)`, which gives the child's pid or 0; returns the id.

    A child that does not start costs only time: the job stays and `orphans` offers it again."""
    job = keep(home, name, payload, now, unique)
    if job and not spawn(job):
        log.error(home, "jobs", f"no process could be started for {job}; it is offered again later")
    return job


def orphans(home: Home, now: float) -> list[str]:
    """Offer again what has lost its process: the ids to start a child for. Given up after two more offers."""
    offered = []
    present = _present(home, now)
    busy = sum(1 for job in present if job.state == "running" and not job.lost) >= AT_ONCE
    for job in present:
        if not job.lost or (busy and job.state == "waiting"):
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
    folder = _failed(home)
    return jobs + [Job(os.path.join(folder, name), "failed", now) for name in _names(folder) if name.endswith(WAITING)]


def entry(job: Job) -> dict[str, Any]:
    """What stands in the job's file (name, created, payload, problem); empty when it is gone or makes no sense."""
    try:
        value = jsontext.loads(files.read_bytes(job.path) or b"")
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def waiting(home: Home, now: float) -> list[Job]:
    """The jobs nobody works on, oldest first."""
    return sorted((job for job in _present(home, now) if job.state == "waiting"), key=lambda job: (-job.age, job.id))


def running(home: Home, now: float) -> int:
    """How many jobs are being worked on; one whose process must be dead does not count."""
    return sum(1 for job in _present(home, now) if job.state == "running" and not job.lost)


def give_up(home: Home, path: str, job: str) -> None:
    """Move a job's file to `failed/`, where the newest few are kept for whoever looks into it."""
    folder = _failed(home)
    files.make_folder(folder)
    if not files.claim(path, os.path.join(folder, job + WAITING)):
        return
    names = sorted(_names(folder), key=lambda name: files.modified(os.path.join(folder, name)))
    for name in names[:-FAILED_KEPT]:
        files.remove(os.path.join(folder, name))


def retry(home: Home, job: Job, now: float) -> str:
    """Let a failed job wait once more, as if it had never been offered; its id, empty when it is gone."""
    again = job.id.partition(".")[0]
    path = os.path.join(home.jobs, again + WAITING)
    if os.path.exists(path) or not files.claim(job.path, path):
        return ""
    touch(path, now)
    return again


def forget(job: Job) -> bool:
    """Remove a failed job for good; False when it is gone already."""
    return files.remove(job.path)


def sweep(home: Home, now: float) -> None:
    """Remove failed jobs nobody looked into for a month; what killed writers left, `files.sweep` takes."""
    folder = _failed(home)
    for name in _names(folder):
        path = os.path.join(folder, name)
        if now - files.modified(path) > _FAILED_FOR:
            files.remove(path)


def touch(path: str, now: float) -> None:
    """Ages are counted from `now`, on the caller's clock; a file another process has taken is left alone."""
    try:
        os.utime(path, (now, now))
    except OSError:
        pass


def _is_there(there: list[str], name: str, waiting_only: bool) -> bool:
    for other in there:
        counts = other.endswith(WAITING) or (other.endswith(RUNNING) and not waiting_only)
        if counts and other.rsplit("-", 2)[0] == name:
            return True
    return False


def _present(home: Home, now: float) -> list[Job]:
    jobs = []
    for name in _names(home.jobs):
        if name[0] != "." and name.endswith((WAITING, RUNNING)):
            state = "waiting" if name.endswith(WAITING) else "running"
            jobs.append(Job(os.path.join(home.jobs, name), state, now))
    return jobs


def _failed(home: Home) -> str:
    return os.path.join(home.jobs, "failed")


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
