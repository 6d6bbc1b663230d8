"""Detached work, started by real hooks of a real install: it runs, it ends, and the agent never waits for it."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import find_python
import pytest

posix = pytest.mark.skipif(os.name == "nt", reason="process groups and the POSIX locks")
AT_ONCE = 5.0  # seconds; a hook takes a twentieth of one, and its job here would take for ever


@pytest.fixture
def held(installed):
    """The lock that a backup needs, held until `held.close()`: a job that is as slow as the test wants it to be.

    The job waits for two seconds; a test that is through with looking lets go well before."""
    fcntl = pytest.importorskip("fcntl")
    backups = installed.pal / "backups"
    backups.mkdir(exist_ok=True)
    with open(backups / ".backup.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def backups(installed) -> list[Path]:
    return sorted((installed.pal / "backups").glob("pal-backup-*.zip"))


def files_of_jobs(installed, ending: str) -> list[str]:
    return sorted(path.name for path in (installed.pal / "memory/state/jobs").glob(f"*{ending}"))


def test_a_stop_starts_what_is_due_and_it_ends(installed):
    installed.speak()
    installed.hook("user-prompt", installed.payload("user-prompt", prompt="Mend the torn lines of the parser"))
    installed.hook("post-tool", installed.payload("post-tool", tool_input={"file_path": "/a/parser.py"}))
    installed.hook("stop")
    installed.rest()
    (saved,) = backups(installed)
    with zipfile.ZipFile(saved) as archive:
        assert archive.testzip() is None
        assert {"pal-settings.json", "memory/state/sessions.json"} <= set(archive.namelist())
    with sqlite3.connect(f"file:{installed.home.index}?mode=ro", uri=True) as index:
        assert index.execute("select count(*) from doc").fetchone()[0] >= 1
    assert Path(installed.home.memory_gate).is_file()
    assert not (installed.pal / "memory/state/jobs/failed").exists()
    assert "ERROR" not in installed.logged()


def test_the_next_stop_of_the_day_starts_no_second_backup(installed):
    installed.speak()
    for _ in range(2):
        installed.hook("stop")
        installed.rest()
    assert len(backups(installed)) == 1


def test_what_a_job_indexed_reminds_the_next_prompt(installed):
    installed.speak()
    installed.hook(
        "user-prompt", installed.payload("user-prompt", prompt="Mend the torn lines of the parser", prompt_id="p1")
    )
    installed.hook("stop")
    installed.hook(
        "user-prompt",
        installed.payload("user-prompt", prompt="2, torn lines were lost again by the parser", prompt_id="p2"),
    )
    installed.hook("stop")
    installed.rest()
    asked = installed.payload(
        "user-prompt", prompt="Does the parser keep torn lines now?", session_id="s2", prompt_id="p3"
    )
    assert b"torn lines" in installed.hook("user-prompt", asked).stdout.lower()


@posix
def test_a_hook_ends_at_once_while_its_job_runs_on(installed, held, until):
    installed.speak()
    began = time.monotonic()
    hook = subprocess.Popen(
        installed.argv("stop", "--agent=claude"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=installed.env,
    )  # fmt: skip
    # The answer and the error stream end only when no process holds them any more.
    assert hook.communicate(json.dumps(installed.payload("stop")).encode(), timeout=AT_ONCE) == (b"", b"")
    assert time.monotonic() - began < AT_ONCE
    assert files_of_jobs(installed, ".json") or files_of_jobs(installed, ".run")
    assert backups(installed) == []
    held.close()
    until(lambda: backups(installed))
    installed.rest()


@posix
def test_a_job_outlives_the_process_group_and_the_session_of_its_hook(installed, held, until):
    installed.speak()
    script = f"{installed.command('stop').removesuffix('; exit 0')}; echo done; exec sleep 600"
    agent = subprocess.Popen(
        ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=installed.env, start_new_session=True
    )
    agent.stdin.write(json.dumps(installed.payload("stop")).encode())
    agent.stdin.close()
    assert agent.stdout.readline() == b"done\n"
    until(lambda: files_of_jobs(installed, ".run"))
    os.killpg(agent.pid, signal.SIGKILL)
    agent.wait()
    assert agent.stdout.read() == b""
    held.close()
    until(lambda: backups(installed))
    installed.rest()


def test_a_job_whose_process_died_is_done_by_a_later_stop(installed):
    installed.speak()
    jobs = installed.pal / "memory/state/jobs"
    jobs.mkdir(parents=True, exist_ok=True)
    left = jobs / "daily-18c0-00000000.run"
    left.write_text('{"name": "daily", "created": "2026-03-02T08:15:00Z", "payload": {}}\n')
    os.utime(left, (1772439300, 1772439300))
    installed.hook("stop")
    installed.rest()
    assert backups(installed)
    assert not left.exists()
    assert not (jobs / "failed").exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"name": "no such job", "payload": {}}', b'{"name": "index"}'])
def test_a_job_that_cannot_be_understood_is_put_away_and_the_others_run(installed, content):
    installed.speak()
    jobs = installed.pal / "memory/state/jobs"
    jobs.mkdir(parents=True, exist_ok=True)
    (jobs / "aaa-1-2.json").write_bytes(content)
    installed.hook("stop")
    installed.rest()
    assert (jobs / "failed" / "aaa-1-2.json").read_bytes() == content
    assert backups(installed)
    assert "ERROR jobs: aaa-1-2 failed" in installed.logged()


def engine_of(installed) -> tuple[str, str]:
    """(engine, cache tag) as the launcher names them."""
    text = (installed.pal / "hook.py").read_text(encoding="utf-8")
    return text.partition("/engine/")[2].partition('"')[0], text.partition('cache_tag == "')[2].partition('"')[0]


@pytest.mark.parametrize("event", ["session-start", "user-prompt", "pre-tool", "stop"])
def test_an_engine_tuned_for_another_python_is_answered_from_and_tuned_again(installed, until, event):
    launcher, tag = installed.pal / "hook.py", str(sys.implementation.cache_tag)
    launcher.write_text(launcher.read_text(encoding="utf-8").replace(tag, "cpython-399"))
    answer = installed.hook(event).stdout
    assert installed.answers(event, answer) == (event in ("session-start", "user-prompt"))
    until(lambda: engine_of(installed)[1] == tag)
    installed.rest()
    name, _ = engine_of(installed)
    data = (installed.pal / "engine" / name).read_bytes()
    assert hashlib.sha256(data).hexdigest().startswith(name.partition(".")[0])
    assert installed.answers("session-start", installed.hook("session-start").stdout)
    assert "ERROR" not in installed.logged()


def test_hooks_of_a_python_that_was_exchanged_get_an_engine_of_its_own(installed, require, until):
    here = sys.version_info[:2]
    others = [path for version, path in find_python.found() if version[:2] >= (3, 9) and version[:2] != here]
    other = require(others, "no second Python 3.9 or newer here")[0]
    before = engine_of(installed)
    argv = [other, *installed.argv("session-start", "--agent=claude")[1:]]
    payload = json.dumps(installed.payload("session-start")).encode()
    for _ in range(3):  # however many hooks notice it
        done = subprocess.run(argv, input=payload, capture_output=True, env=installed.env)
        assert (done.returncode, done.stderr) == (0, b"")
        assert installed.answers("session-start", done.stdout)
    until(lambda: engine_of(installed) != before)
    installed.rest()
    engine, tag = engine_of(installed)
    asked = subprocess.run([other, "-c", "import sys; print(sys.implementation.cache_tag)"], stdout=subprocess.PIPE)
    assert tag == asked.stdout.decode().strip()
    assert (installed.pal / "engine" / engine).is_file()
    assert (installed.pal / "engine" / before[0]).is_file(), "a process that runs from the old one may still import"
    assert "ERROR" not in installed.logged()
