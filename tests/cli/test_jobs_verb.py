"""`pal jobs` as a person or a program reads it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from pal.cli import main
from pal.cli.output import Output
from pal.jobs import queue, run, start


@pytest.fixture
def pal(home, now, monkeypatch):
    """pal("jobs", …): (status, stdout, stderr); the ids of started children are in `pal.started`."""
    started: list[str] = []
    monkeypatch.setattr(start, "child", lambda _home, _python, job, _env: started.append(job) or 1)

    def type_in(*argv: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        status = main.run(argv, {"PAL_HOME": home.root}, now + 120, Output({}, out, err))
        return status, out.getvalue(), err.getvalue()

    type_in.started = started
    return type_in


@pytest.fixture
def failed(home, now) -> str:
    def handler(_):
        raise RuntimeError("no such model")

    job = queue.submit(home, "learn", {"session": "s1"}, now, lambda _: 1)
    run.run(home, job, {"learn": handler}, now)
    os.utime(Path(home.jobs, "failed", job + ".json"), (now, now))
    return job


def test_what_runs_waits_and_failed_is_one_table_and_one_list(home, now, pal, failed):
    waits = queue.submit(home, "index", {}, now, lambda _: 1)
    Path(home.jobs, f"daily-1-aa@{os.getpid()}.run").write_text('{"name": "daily", "payload": {}}')
    os.utime(Path(home.jobs, f"daily-1-aa@{os.getpid()}.run"), (now, now))
    status, out, err = pal("jobs")
    assert (status, err) == (0, "")
    for words in (("running", "daily"), ("waiting", "index", "2 min", waits), ("failed", "learn", "no such model")):
        assert any(all(word in line for word in words) for line in out.splitlines()), words
    rows = {row["state"]: row for row in json.loads(pal("jobs", "--json")[1])}
    assert (rows["running"]["pid"], rows["failed"]["session"], rows["failed"]["id"]) == (os.getpid(), "s1", failed)
    assert rows["failed"]["problem"] == "RuntimeError('no such model')" and rows["waiting"]["age"] == 120


def test_a_failed_job_is_retried_by_the_beginning_of_its_id(home, now, pal, failed):
    status, out, _ = pal("jobs", "retry", failed[:10])
    assert (status, out) == (0, f"{failed} waits again\n")
    assert pal.started == [failed]
    assert [job.state for job in queue.listing(home, now)] == ["waiting"]
    assert json.loads(pal("jobs", "retry", "--all", "--json")[1]) == {"action": "retry", "jobs": []}


def test_a_failed_job_is_forgotten(home, now, pal, failed):
    assert pal("jobs", "forget", "--all")[:2] == (0, f"{failed} is forgotten\n")
    assert pal("jobs", "forget", "--all")[:2] == (0, "No job failed.\n")
    assert pal("jobs")[:2] == (0, "Nothing runs, waits or failed.\n")
    assert json.loads(pal("jobs", "--json")[1]) == []


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("retry",), "Name a job to retry, or say --all"),
        (("forget", "nothing"), "No failed job begins with 'nothing'"),
    ],
)
def test_an_unclear_wish_is_answered_with_what_to_do(pal, failed, argv, says):
    status, out, err = pal("jobs", *argv)
    assert (status, out) == (1, "") and says in err and "`pal jobs`" in err
