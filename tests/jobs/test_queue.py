"""Detached work survives everything that can happen to its process: each job is somewhere, and is done once."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from pal.base import jsontext
from pal.jobs import handover, queue, run

MINUTE = 60.0


class Spawned:
    """Stands in for the start of a child: remembers the ids, answers with a pid or with a failure."""

    def __init__(self, pid: int = 4711) -> None:
        self.ids: list[str] = []
        self.pid = pid

    def __call__(self, job: str) -> int:
        self.ids.append(job)
        return self.pid


@pytest.fixture
def spawn() -> Spawned:
    return Spawned()


def states(home, now) -> dict[str, str]:
    return {job.id: job.state for job in queue.listing(home, now)}


def test_a_submitted_job_waits_in_a_readable_file_and_a_child_is_started_for_it(home, now, spawn):
    job = queue.submit(home, "note-take", {"text": "árvíz"}, now, spawn)
    assert spawn.ids == [job]
    kept = json.loads(Path(home.jobs, job + ".json").read_text("utf-8"))
    assert kept == {"name": "note-take", "created": "2026-03-02T08:15:00Z", "payload": {"text": "árvíz"}}
    (listed,) = queue.listing(home, now + 5)
    assert (listed.id, listed.name, listed.state, round(listed.age), listed.offers) == (
        job,
        "note-take",
        "waiting",
        5,
        1,
    )


def test_the_child_hands_the_payload_to_the_handler_of_that_name_and_the_file_is_gone(home, now, spawn):
    seen = []
    job = queue.submit(home, "greet", {"who": "you"}, now, spawn)
    assert run.run(home, job, {"greet": seen.append}, now) == 1
    assert seen == [{"who": "you"}]
    assert os.listdir(home.jobs) == []


def test_while_it_works_the_job_is_claimed_so_a_second_child_finds_nothing(home, now, spawn):
    job = queue.submit(home, "once", {}, now, spawn)
    calls = []

    def handler(_):
        calls.append(states(home, now))
        assert run.run(home, job, {"once": handler}, now) == 0

    assert run.run(home, job, {"once": handler}, now) == 1
    assert calls == [{job: "running"}]


def test_a_handler_that_raises_leaves_its_job_under_failed_and_a_line_in_the_log(home, now, spawn):
    def handler(_):
        raise RuntimeError("no such model")

    job = queue.submit(home, "ask", {"q": 1}, now, spawn)
    run.run(home, job, {"ask": handler}, now)
    assert states(home, now) == {job: "failed"}
    assert json.loads(Path(home.jobs, "failed", job + ".json").read_text())["payload"] == {"q": 1}
    logged = Path(home.log).read_text()
    assert "no such model" in logged and job in logged


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"name": "ask"}', b'{"name": "unknown", "payload": {}}'])
def test_a_job_nobody_can_make_sense_of_is_given_up_not_tried_for_ever(home, now, content):
    Path(home.jobs, "ask-1-ab.json").write_bytes(content)
    run.run(home, "ask-1-ab", {"ask": lambda _: None}, now)
    assert states(home, now) == {"ask-1-ab": "failed"}


def test_at_most_three_jobs_run_at_once_and_the_rest_are_done_by_whoever_gets_free(home, now, spawn):
    ids = [queue.submit(home, "slow", {"n": n}, now + n, spawn) for n in range(5)]
    for job in ids[:3]:
        os.rename(os.path.join(home.jobs, job + ".json"), os.path.join(home.jobs, job + ".run"))
    order = []
    handlers = {"slow": lambda payload: order.append(payload["n"])}
    assert run.run(home, ids[4], handlers, now + 10) == 0
    assert states(home, now + 10)[ids[4]] == "waiting"
    os.remove(os.path.join(home.jobs, ids[0] + ".run"))
    assert run.run(home, ids[4], handlers, now + 10) == 2
    assert order == [4, 3]


def test_three_dead_jobs_do_not_block_the_living(home, now, spawn):
    for number in range(3):
        path = Path(home.jobs, f"old-{number}-aa.run")
        path.write_text("{}")
        os.utime(path, (now - 11 * MINUTE, now - 11 * MINUTE))
    job = queue.submit(home, "new", {}, now, spawn)
    assert run.run(home, job, {"new": lambda _: None}, now) == 1


@pytest.mark.parametrize("ending", [".run", ".json"])
def test_a_job_left_behind_is_offered_twice_more_after_ten_minutes_and_then_given_up(home, now, spawn, ending):
    first = queue.submit(home, "ask", {"q": 1}, now, spawn)
    job, at = first, now
    for offer in (2, 3):
        if ending == ".run":
            os.rename(os.path.join(home.jobs, job + ".json"), os.path.join(home.jobs, job + ".run"))
        assert queue.orphans(home, at + 9 * MINUTE) == []
        at += 10 * MINUTE
        (job,) = queue.orphans(home, at)
        assert job == f"{first}.{offer}"
        assert jsontext.loads(Path(home.jobs, job + ".json").read_bytes())["payload"] == {"q": 1}
    assert queue.orphans(home, at + 10 * MINUTE) == []
    assert states(home, at) == {job: "failed"}


def test_a_job_offered_again_runs_like_a_new_one(home, now, spawn):
    queue.submit(home, "ask", {"q": 1}, now, spawn)
    (job,) = queue.orphans(home, now + 10 * MINUTE)
    seen = []
    assert run.run(home, job, {"ask": seen.append}, now + 10 * MINUTE) == 1
    assert seen == [{"q": 1}] and states(home, now) == {}


def test_a_unique_job_is_not_kept_twice_while_one_of_its_name_waits_or_runs(home, now, spawn):
    first = queue.submit(home, "digest", {}, now, spawn, unique=True)
    assert queue.submit(home, "digest", {}, now, spawn, unique=True) == ""
    assert queue.submit(home, "digest-more", {}, now, spawn, unique=True) != ""
    second = []
    run.run(
        home,
        first,
        {
            "digest": lambda _: second.append(queue.submit(home, "digest", {}, now, spawn, unique=True)),
            "digest-more": lambda _: None,
        },
        now,
    )
    assert second == [""]
    assert queue.submit(home, "digest", {}, now, spawn, unique=True) != ""


def test_a_child_that_does_not_start_costs_time_and_not_the_job(home, now):
    job = queue.submit(home, "ask", {}, now, Spawned(pid=0))
    assert states(home, now) == {job: "waiting"}
    assert job in Path(home.log).read_text()


def test_only_the_newest_failed_jobs_are_kept(home, now, spawn):
    for number in range(queue.FAILED_KEPT + 5):
        job = queue.submit(home, "bad", {}, now + number, spawn)
        run.run(home, job, {}, now + number)
    kept = [job.id for job in queue.listing(home, now)]
    assert len(kept) == queue.FAILED_KEPT and job in kept


def test_a_home_without_jobs_has_none(home, now):
    os.rmdir(home.jobs)
    assert queue.listing(home, now) == [] and queue.orphans(home, now) == []
    assert run.run(home, "ask-1-ab", {}, now) == 0


def test_a_running_job_names_its_process_and_is_offered_again_as_soon_as_that_is_gone(home, now, spawn):
    first = queue.submit(home, "ask", {"q": 1}, now, spawn)
    living = Path(home.jobs, f"{first}@{os.getpid()}.run")
    os.rename(os.path.join(home.jobs, first + ".json"), living)
    os.utime(living, (now, now))
    (listed,) = queue.listing(home, now)
    assert (listed.id, listed.pid, listed.kind) == (first, os.getpid(), "ask")
    assert queue.orphans(home, now + 11 * MINUTE) == [], "it works for as long as its process lives"
    living.rename(Path(home.jobs, f"{first}@{2**22 + 7}.run"))
    assert queue.running(home, now) == 0
    assert queue.orphans(home, now) == [f"{first}.2"]


def test_jobs_wait_patiently_while_enough_of_them_run(home, now, spawn):
    for number in range(queue.AT_ONCE):
        path = Path(home.jobs, f"slow-{number}-aa@{os.getpid()}.run")
        path.write_text("{}")
        os.utime(path, (now, now))
    job = queue.submit(home, "ask", {}, now, spawn)
    assert queue.orphans(home, now + 10 * MINUTE) == []
    assert states(home, now + 10 * MINUTE)[job] == "waiting"


def test_a_job_for_a_session_is_kept_once_while_it_waits_and_again_while_it_runs(home, now):
    first = queue.keep(home, "learn", {"session": "s1"}, now, key="s1")
    assert queue.keep(home, "learn", {"session": "s1"}, now, key="s1") == ""
    other = queue.keep(home, "learn", {"session": "s2"}, now, key="s2")
    assert other and {job.kind for job in queue.listing(home, now)} == {"learn"}
    seen = []
    again = []

    def handler(payload):
        seen.append(payload["session"])
        if not again:
            again.append(queue.keep(home, "learn", payload, now, key="s1"))

    run.run(home, first, {"learn": handler}, now)
    assert sorted(seen) == ["s1", "s1", "s2"] and again[0] not in ("", first)


def test_a_failed_job_says_why_and_can_be_retried_or_forgotten(home, now, spawn):
    def handler(_):
        raise RuntimeError("no such model")

    job = queue.submit(home, "ask", {"q": 1}, now, spawn)
    run.run(home, job, {"ask": handler}, now)
    (failed,) = queue.listing(home, now)
    assert queue.entry(failed)["problem"] == "RuntimeError('no such model')"
    assert queue.retry(home, failed, now) == job
    assert states(home, now) == {job: "waiting"} and queue.retry(home, failed, now) == ""
    run.run(home, job, {"ask": handler}, now)
    (failed,) = queue.listing(home, now)
    assert queue.forget(failed) and not queue.forget(failed)
    assert queue.listing(home, now) == []


def test_failed_jobs_nobody_looked_into_for_a_month_are_swept_away(home, now, spawn):
    for job in ("old", "new"):
        run.run(home, queue.submit(home, job, {}, now, spawn), {}, now)
    for path in Path(home.jobs, "failed").glob("old*"):
        os.utime(path, (now - 31 * 86_400, now - 31 * 86_400))
    for path in Path(home.jobs, "failed").glob("new*"):
        os.utime(path, (now, now))
    queue.sweep(home, now)
    assert [job.name for job in queue.listing(home, now)] == ["new"]


def test_a_handler_that_hangs_is_ended_and_its_job_given_up(home, now, spawn, monkeypatch):
    left = []
    hang = threading.Event()
    monkeypatch.setattr(queue, "LONGEST", 0.01)

    def leave(status):
        left.append((status, states(home, now)))
        hang.set()

    monkeypatch.setattr(run.os, "_exit", leave)
    job = queue.submit(home, "ask", {}, now, spawn)
    run.run(home, job, {"ask": lambda _: hang.wait(20)}, now)
    assert left == [(1, {job: "failed"})]
    assert "ran for" in Path(home.log).read_text()


def test_one_event_starts_one_child_for_all_it_leaves(home, now, spawn):
    handed = handover.Handover(home, now)
    handed.later("index")
    handed.later("index")
    handed.later("daily")
    handed.later("learn", {"session": "s1", "n": 1})
    handed.later("learn", {"session": "s1", "n": 2})
    assert spawn.ids == []
    handed.start(spawn)
    assert len(spawn.ids) == 1
    seen = []
    handlers = {name: (lambda payload, name=name: seen.append((name, payload))) for name in ("index", "daily", "learn")}
    assert run.run(home, spawn.ids[0], handlers, now) == 3
    assert sorted(name for name, _ in seen) == ["daily", "index", "learn"]
    assert ("learn", {"session": "s1", "n": 1}) in seen


def test_an_event_that_leaves_nothing_starts_nothing_and_a_dead_job_is_revived(home, now, spawn):
    handover.Handover(home, now).start(spawn)
    assert spawn.ids == []
    Path(home.jobs, "ask-1-ab@4194311.run").write_text('{"name": "ask", "payload": {}}')
    handed = handover.Handover(home, now)
    handed.revive()
    handed.start(Spawned(pid=0))
    assert "no process could be started for ask-1-ab.2" in Path(home.log).read_text()
