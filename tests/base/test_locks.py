"""Advisory locks between processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pal.base import files, locks

SOURCE = str(Path(locks.__file__).resolve().parents[2])

# Takes the lock, says so, and keeps it until its standard input ends.
HOLDER = """
import sys
sys.path.insert(0, sys.argv[1])
from pal.base import locks
with locks.Lock(sys.argv[2]) as held:
    print(held, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path):
    """A process that holds the lock of tmp_path/file."""
    script = [sys.executable, "-I", "-S", "-c", HOLDER, SOURCE, str(tmp_path / "file")]
    process = subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"True"
    yield process
    process.stdin.close()
    process.stdout.close()
    process.wait(30)


def test_a_lock_is_held_by_one_process_and_free_when_that_lets_go(tmp_path, holder):
    path = str(tmp_path / "file")
    begin = time.monotonic()
    with locks.Lock(path, wait=0.1) as held:
        assert held is False
    assert 0.1 <= time.monotonic() - begin < 20
    holder.stdin.close()
    with locks.Lock(path, wait=30) as held:
        assert held is True


def test_a_waiting_process_gets_the_lock_when_its_holder_is_killed(tmp_path, holder):
    holder.kill()
    with locks.Lock(str(tmp_path / "file"), wait=30) as held:
        assert held is True


def test_without_a_wait_a_held_lock_is_not_given(tmp_path, holder):
    with locks.Lock(str(tmp_path / "file"), wait=0) as held:
        assert held is False


def test_replacing_the_file_does_not_free_its_lock(tmp_path, holder):
    files.write(str(tmp_path / "file"), "new")
    with locks.Lock(str(tmp_path / "file"), wait=0) as held:
        assert held is False


def test_the_locks_of_two_files_are_two(tmp_path, holder):
    with locks.Lock(str(tmp_path / "other"), wait=0) as held:
        assert held is True


def test_a_lock_is_free_again_after_an_error_and_can_be_used_again(tmp_path):
    lock = locks.Lock(str(tmp_path / "file"), wait=0)
    for _ in range(3):
        with pytest.raises(KeyError), lock as held:
            assert held is True
            raise KeyError
    with lock as held:
        assert held is True


def test_one_process_cannot_take_a_lock_twice(tmp_path):
    with locks.Lock(str(tmp_path / "file")) as first, locks.Lock(str(tmp_path / "file"), wait=0) as second:
        assert (first, second) == (True, False)
    assert os.listdir(tmp_path) == [os.path.basename(locks.beside(str(tmp_path / "file")))]


@pytest.mark.parametrize("place", ["no/folder/file", "plain/file"])
def test_a_lock_that_cannot_be_made_is_not_held(tmp_path, place):
    (tmp_path / "plain").write_text("x")
    with locks.Lock(str(tmp_path / place), wait=30) as held:
        assert held is False
