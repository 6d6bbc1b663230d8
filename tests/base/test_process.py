"""Children that outlive a hook and hold nothing of it, and finding programs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base import process

SOURCE = str(Path(process.__file__).resolve().parents[2])
posix = pytest.mark.skipif(os.name == "nt", reason="sessions, descriptors and fifos")

# A hook: keeps some descriptors that a child would inherit, starts the child, prints its number and ends.
HOOK = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pal.base import process
for number in (5, 200, 300, 900):
    os.dup2(1, number, inheritable=True)
print(process.detached([sys.executable, "-I", "-S", "-c", sys.argv[2], *sys.argv[3:5]], {"ONLY": "this"}, sys.argv[5]))
"""

# The child: waits at the first fifo until the hook is long gone, then tells through the second what it has.
CHILD = """
import os, sys
open(sys.argv[1]).read()
held = {}
for number in range(1024):
    try:
        held[number] = os.readlink("/proc/self/fd/%d" % number)
    except OSError:
        pass
told = {"pid": os.getpid(), "session": os.getsid(0), "parent": os.getppid(), "cwd": os.getcwd(), "held": held}
told["env"] = {key: value for key, value in os.environ.items() if key != "LC_CTYPE"}
import json
with open(sys.argv[2], "w") as out:
    out.write(json.dumps(told))
"""


@pytest.fixture
def patience():
    """A fifo that nobody opens at its other end fails the test instead of keeping it for ever."""

    def out(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, out)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@posix
@pytest.mark.usefixtures("patience")
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="reads /proc")
def test_a_child_outlives_the_hook_in_a_session_of_its_own_and_holds_none_of_its_streams(tmp_path):
    gate, answer, folder = tmp_path / "gate", tmp_path / "answer", tmp_path / "folder"
    os.mkfifo(gate)
    os.mkfifo(answer)
    folder.mkdir()
    # run() returns when nobody holds the hook's pipes any more: a child that kept one would keep it waiting.
    script = [sys.executable, "-I", "-S", "-c", HOOK, SOURCE, CHILD, str(gate), str(answer), str(folder)]
    done = subprocess.run(script, capture_output=True, timeout=30)
    child = int(done.stdout)
    assert done.stderr == b""
    assert process.alive(child)
    gate.write_text("go")
    told = json.loads(answer.read_text())
    assert told["pid"] == told["session"] == child
    assert told["parent"] != os.getpid()
    assert told["cwd"] == str(folder.resolve())
    assert told["env"] == {"ONLY": "this"}
    assert told["held"] == dict.fromkeys("012", os.devnull)


@posix
@pytest.mark.parametrize("program", ["/no/such/program", "folder", "plain"])
def test_a_program_that_cannot_start_has_no_number(tmp_path, program):
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("not executable")
    assert process.detached([str(tmp_path / program)], {}) == 0


def test_a_process_is_alive_until_it_has_ended_and_been_waited_for():
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "input()"], stdin=subprocess.PIPE)
    assert process.alive(child.pid) is True
    child.communicate()
    assert process.alive(child.pid) is False
    assert process.alive(os.getpid()) is True
    assert [process.alive(number) for number in (0, -1)] == [False, False]


@pytest.mark.parametrize(
    ("env", "spawned"),
    [
        ({}, False),
        ({"PAL_SPAWNED_INFERENCE": "1"}, True),
        ({"PAL_SPAWNED_INFERENCE": "0"}, False),
        ({"PAL_SPAWNED_INFERENCE": ""}, False),
        ({"PAL_SPAWN_DEPTH": "1"}, True),
        ({"PAL_SPAWN_DEPTH": "0"}, False),
        ({"PAL_INFERENCE_DEPTH": "2"}, True),
        ({"PAL_SPAWNED_INFERENCE": "0", "PAL_INFERENCE_DEPTH": "1"}, True),
    ],
)
def test_a_model_program_that_pal_started_is_known(env, spawned):
    assert process.spawned(env) is spawned


@posix
@pytest.mark.parametrize("name", ["tool", "missing", "folder", "plain", ""])
def test_a_program_is_the_first_executable_file_of_its_name_on_the_path(tmp_path, name):
    for number, folder in enumerate(("one", "two", "three")):
        (tmp_path / folder).mkdir()
        if number:
            (tmp_path / folder / "tool").write_text("#!/bin/sh\n")
            (tmp_path / folder / "tool").chmod(0o755)
    (tmp_path / "two" / "folder").mkdir()
    (tmp_path / "two" / "plain").write_text("x")
    path = os.pathsep.join(
        ["", str(tmp_path / "none"), *(str(tmp_path / folder) for folder in ("one", "two", "three"))]
    )
    found = process.find_program(name, {"PATH": path})
    assert found == (str(tmp_path / "two" / "tool") if name == "tool" else None)


def test_without_a_path_no_program_is_found():
    assert process.find_program("sh", {}) is None
    assert process.find_program("sh", {"PATH": ""}) is None
