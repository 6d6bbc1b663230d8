"""PAL's own log: one line a message, small for ever, and never a reason for anything to fail."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pal.base import log

STAMPED = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] (ERROR|WARNING|DEBUG) ")


def read(home) -> list[str]:
    return Path(home.log).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    "message", ["plain", "two\nlines", "a\r\nb\tc", "űrlap 😀 \ud800", "\x00\x0b\x0c\u2028\x85", "x" * 99_999]
)
def test_a_message_is_one_stamped_line(home, message):
    log.error(home, "test", message)
    (line,) = read(home)
    assert STAMPED.match(line).group(1) == "ERROR"
    assert len(line) < 5000


def test_a_traceback_stands_indented_below_its_message(home):
    log.error(home, "test", "went wrong", "Traceback:\n  File x\nKeyError: 1\n")
    first, *rest = read(home)
    assert first.endswith("ERROR test: went wrong")
    assert rest == ["    Traceback:", "      File x", "    KeyError: 1"]


def test_warnings_are_always_written_and_debug_lines_only_when_they_are_wanted(home):
    log.warning(home, "test", "slow")
    log.debug(home, "test", "unseen")
    Path(home.debug_flag).write_text("")
    log.debug(home, "test", "seen")
    assert [line.split("] ")[1] for line in read(home)] == ["WARNING test: slow", "DEBUG test: seen"]


def test_a_secret_in_a_message_or_a_traceback_is_taken_out(home):
    secret = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
    log.error(home, "test", "could not call with " + secret, f"  token = {secret!r}\n")
    assert secret not in Path(home.log).read_text()
    assert Path(home.log).read_text().count("[redacted:github-token]") == 2


def test_old_lines_move_on_and_the_oldest_go(home):
    for number in range(400):
        log.error(home, "test", f"message {number} " + "x" * 1500)
    names = sorted(name for name in os.listdir(home.state) if name.startswith("debug.log"))
    assert names == ["debug.log"] + [f"debug.log.{number}" for number in range(1, log.OLD_FILES + 1)]
    assert all(os.path.getsize(os.path.join(home.state, name)) < log.ROTATE_AT + 5000 for name in names)
    shown = [line.split()[5] for name in reversed(names) for line in Path(home.state, name).read_text().splitlines()]
    assert shown == [str(number) for number in range(400 - len(shown), 400)]


def test_the_log_of_a_removed_pal_brings_nothing_back(home):
    import shutil

    shutil.rmtree(home.root)
    log.error(home, "test", "too late")
    assert not os.path.exists(home.root)


def test_a_folder_in_place_of_the_log_is_no_reason_to_fail(home):
    os.makedirs(home.log)
    log.error(home, "test", "nowhere to go")
    assert os.path.isdir(home.log)


def test_a_missing_state_folder_is_made_for_the_user_alone(home):
    import shutil

    shutil.rmtree(home.memory)
    log.error(home, "test", "here")
    assert len(read(home)) == 1
    if os.name != "nt":
        assert os.stat(home.log).st_mode & 0o777 == 0o600
        assert os.stat(home.memory).st_mode & 0o777 == 0o700
