"""A program within bounds: its time, its output, and everything it started."""

from __future__ import annotations

import os
import sys
import time
from types import SimpleNamespace

import pytest
from stand_in import StandIn, wait_until_gone

from pal.base import supervise

posix = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
pytestmark = posix
LONG = 30.0  # seconds; nothing here comes near it


@pytest.fixture
def program(tmp_path):
    return StandIn(tmp_path, "model")


def run(program, *words, stdin=b"", timeout=LONG, cap=1000, **env):
    return supervise.run(
        [str(program.path), *words], stdin, {"PATH": "/usr/bin:/bin", **env}, str(program.bin), timeout, cap
    )


def test_it_gets_its_words_its_input_its_environment_and_its_folder(program):
    program.does({"stdout": "said", "stderr": "warned", "code": 3})
    done = run(program, "a b", 'c"d', "", stdin="ő\n".encode(), MARK="1")
    assert (done.problem, done.status, done.out, done.err) == ("", 3, b"said", b"warned")
    (call,) = program.calls
    assert call["argv"] == ["a b", 'c"d', ""]
    assert (call["stdin"], call["env"]["MARK"], call["cwd"]) == ("ő\n", "1", str(program.bin))


@pytest.fixture
def late(monkeypatch):
    """late(when): to the module under test it is very late as soon as when() is true; nothing here waits for that."""

    def out(when):
        clock = SimpleNamespace(sleep=time.sleep, monotonic=lambda: time.monotonic() + (1000.0 if when() else 0.0))
        monkeypatch.setattr(supervise, "time", clock)

    return out


def test_one_that_hangs_is_ended_with_what_it_started(program, late):
    program.does({"hang": True, "child": True, "stdout": "so far"})
    late(lambda: program.spoke)
    done = run(program)
    assert (done.problem, done.out) == ("timeout", b"so far")
    assert "within 30 s" in done.detail
    (call,) = program.calls
    wait_until_gone(call["pid"])
    wait_until_gone(call["child"])


def test_what_an_ended_program_leaves_running_is_ended_and_keeps_nobody_waiting(program):
    program.does({"child": True, "stdout": "answer"})
    done = run(program)
    assert (done.problem, done.status, done.out) == ("", 0, b"answer")
    wait_until_gone(program.calls[0]["child"])


def test_one_that_ignores_the_polite_signal_is_ended_all_the_same(tmp_path, late):
    ready = tmp_path / "ready"
    code = (
        "import signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\nopen(sys.argv[1], 'w').close()\nwhile True: time.sleep(1)"
    )
    late(ready.exists)
    done = supervise.run([sys.executable, "-I", "-S", "-c", code, str(ready)], b"", {}, str(tmp_path), LONG, 100)
    assert (done.problem, done.out.strip()) == ("timeout", b"deaf")


@pytest.mark.parametrize("hang", [False, True])
def test_fifty_megabytes_are_cut_and_ended(program, hang):
    program.does({"stdout": "x" * 50_000, "times": 1000, "hang": hang})
    done = run(program, cap=100_000)
    assert done.problem == "overflow"
    assert done.out == b"x" * 100_000
    assert "100,000 bytes" in done.detail


def test_fifty_megabytes_of_complaints_are_read_and_dropped(program):
    program.does({"stderr": "y" * 5_000_000, "stdout": "ok"})
    done = run(program)
    assert (done.problem, done.out, len(done.err)) == ("", b"ok", 65_536)


def test_output_of_just_the_allowed_size_is_whole(program):
    program.does({"stdout": "x" * 1000})
    done = run(program, cap=1000)
    assert (done.problem, len(done.out)) == ("", 1000)


def test_one_that_reads_nothing_of_a_long_input_is_no_fault(program):
    program.does({"deaf": True, "stdout": "ok"})
    done = run(program, stdin=b"z" * 3_000_000)
    assert (done.problem, done.status, done.out) == ("", 0, b"ok")


def test_a_program_that_is_gone_is_missing(tmp_path):
    done = supervise.run([str(tmp_path / "none")], b"", {}, str(tmp_path), LONG, 10)
    assert done.problem == "missing"
    assert "none" in done.detail


def test_a_program_the_system_refuses_says_why(tmp_path):
    plain = tmp_path / "plain"
    plain.write_bytes(b"\x7fELF nothing")
    plain.chmod(0o755)
    done = supervise.run([str(plain)], b"", {}, str(tmp_path), LONG, 10)
    assert done.problem == "refused"
    assert done.detail


def test_words_longer_than_the_system_takes_are_refused(program):
    assert run(program, "w" * 5_000_000).problem == "refused"


@pytest.mark.parametrize("word", ['say "hi"', "50%", "a & b", "a | b", "x\ny", "a ^ b", "!x!", "f(x)"])
@pytest.mark.parametrize("name", ["agent.cmd", "AGENT.BAT"])
def test_a_batch_file_is_given_no_word_that_its_shell_would_read_as_more(tmp_path, name, word):
    done = supervise.run([str(tmp_path / name), "-p", word], b"", {}, str(tmp_path), LONG, 10)
    assert done.problem == "refused"
    assert "batch" in done.detail


def test_an_interrupted_caller_leaves_nothing_running(program, monkeypatch):
    program.does({"hang": True, "child": True})

    def impatient(seconds):
        if program.spoke:
            raise KeyboardInterrupt
        time.sleep(seconds)

    monkeypatch.setattr(supervise, "time", SimpleNamespace(sleep=impatient, monotonic=time.monotonic))
    with pytest.raises(KeyboardInterrupt):
        run(program)
    wait_until_gone(program.calls[0]["pid"])
    wait_until_gone(program.calls[0]["child"])
