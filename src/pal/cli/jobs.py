"""`pal jobs`: the detached work that runs, waits or failed, and what to do about what failed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pal.base import text
from pal.base.errors import PalError
from pal.cli.parser import json_option
from pal.jobs import queue, start

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context
    from pal.jobs.queue import Job

EXAMPLES = """
pal jobs
pal jobs retry learn~1a2b3c4d-19c0a1b2c3d-0e0f1a2b
pal jobs forget --all
"""
NONE = "Nothing runs, waits or failed."
_PROBLEM = 70  # UTF-16 units in the table


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "retry", "forget"),
        default="list",
        help="list what runs, waits and failed (default); let a failed job run once more; remove it for good",
    )
    parser.add_argument("id", nargs="?", default="", help="a failed job's id, or how it begins")
    parser.add_argument("--all", action="store_true", help="retry or forget every failed job")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action in ("retry", "forget"):
        return _settle(options, context)
    rows = [_facts(job) for job in queue.listing(context.home, context.now)]
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line(NONE)
    else:
        cells = [
            (row["state"], row["kind"], _age(row["age"]), row["offers"], row["id"], text.clip(row["problem"], _PROBLEM))
            for row in rows
        ]
        context.output.table(cells, ("state", "does", "for", "tries", "id", "problem"))
    return 0


def _settle(options: argparse.Namespace, context: Context) -> int:
    retried = options.action == "retry"
    done = []
    for job in _chosen(options, context):
        if retried:
            job_id = queue.retry(context.home, job, context.now)
            if job_id:
                done.append(job_id)
        elif queue.forget(job):
            done.append(job.id)
    if retried and done:
        start.child(context.home, sys.executable, done[0], context.env)  # it goes on with the others
    if options.json:
        context.output.json({"action": options.action, "jobs": done})
    elif not done:
        context.output.line("No job failed.")
    else:
        for job_id in done:
            context.output.line(f"{job_id} {'waits again' if retried else 'is forgotten'}")
    return 0


def _chosen(options: argparse.Namespace, context: Context) -> list[Job]:
    """The failed jobs that are meant; PalError when that is not clear."""
    failed = [job for job in queue.listing(context.home, context.now) if job.state == "failed"]
    if options.all:
        return failed
    if not options.id:
        raise PalError(f"Name a job to {options.action}, or say --all; `pal jobs` shows the ids.")
    found = [job for job in failed if job.id == options.id] or [job for job in failed if job.id.startswith(options.id)]
    if len(found) != 1:
        count = f"{len(found)} failed jobs begin" if found else "No failed job begins"
        raise PalError(f"{count} with {options.id!r}; `pal jobs` shows the ids.")
    return found


def _facts(job: Job) -> dict[str, Any]:
    entry = queue.entry(job)
    payload = entry.get("payload")
    return {
        "id": job.id,
        "kind": job.kind,
        "state": job.state,
        "age": round(job.age),
        "offers": job.offers,
        "pid": job.pid,
        "created": str(entry.get("created") or ""),
        "session": str(payload.get("session") or "") if isinstance(payload, dict) else "",
        "problem": str(entry.get("problem") or ""),
        "path": job.path,
    }


def _age(seconds: int) -> str:
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
