"""Doctor names what is wrong, how bad it is, and the command that mends it."""

from __future__ import annotations

import os
import shlex
import sys
import time

import pytest

from pal.base import clock, log
from pal.base.home import Home
from pal.guard import ledger
from pal.install import doctor, engine, launcher
from pal.install.status import Agent, Registration, Remark
from pal.memory import counts

TAG = sys.implementation.cache_tag
# What a live guard does, put before everything else in the launcher.
GUARD = 'import sys\n\nif "rm -rf" in sys.stdin.read():\n    print("deny", flush=True)\n'


@pytest.fixture
def sound(home, clean_env):
    """examine() over a home and an agent where nothing is wrong; examine(agent) with another agent."""
    data = b"an engine"
    script = launcher.text(engine.name(data), TAG, 0, 0).replace("import sys\n", GUARD, 1)
    engine.place(home, data)
    for path, text in (
        (home.launcher, script),
        (home.archive, ""),
        (home.settings, "{}"),
    ):
        with open(path, "w") as stream:
            stream.write(text)
    os.makedirs(home.bin)
    for name in ("pal", "pal.cmd"):
        open(os.path.join(home.bin, name), "w").close()

    def examine(agent=None, now=None):
        return doctor.examine(home, clean_env, time.time() if now is None else now, [agent or agent_of(home)])

    return examine


def agent_of(home, **changes) -> Agent:
    registered = [registration(home, event) for event in ("stop", "pre-tool")]
    values = {"folder": home.root, "installed": True, "registered": registered, **changes}
    return Agent("claude", "Claude Code", **values)


def registration(home, event, python=sys.executable, script="") -> Registration:
    words = [python, "-I", "-S", script or home.launcher, event]
    return Registration(event, " ".join(map(shlex.quote, words)))


def worst(findings) -> dict[str, str]:
    return {finding.id: finding.level for finding in findings if finding.level not in (doctor.PASS, doctor.NOTE)}


def one(findings, id) -> doctor.Finding:
    (found,) = [finding for finding in findings if finding.id == id]
    return found


def test_a_sound_install_passes_every_check(sound):
    findings = sound()
    assert worst(findings) == {}
    assert len(findings) >= 8


def test_no_home_means_install(tmp_path, clean_env, now):
    (finding,) = doctor.examine(Home(str(tmp_path / "none")), clean_env, now, [])
    assert (finding.level, finding.fix) == (doctor.FAIL, "pal install")


@pytest.mark.parametrize(
    ("changes", "id", "level", "fix"),
    [
        ({"drift": ["hooks/Stop is missing in x"]}, "claude-drift", doctor.FAIL, "pal install --claude"),
        ({"problem": "settings.json cannot be read"}, "claude-settings", doctor.FAIL, "pal install --claude"),
        ({"folder": "/gone"}, "claude", doctor.WARNING, "pal uninstall --claude"),
        ({"installed": False, "registered": []}, "claude", doctor.WARNING, "pal install --claude"),
    ],
)
def test_what_is_wrong_with_an_agent_is_named_with_its_mending(sound, home, changes, id, level, fix):
    found = one(sound(agent_of(home, **changes)), id)
    assert found.level == level
    assert fix in found.fix


def test_a_hook_registered_twice_is_named(sound, home):
    twice = [registration(home, "pre-tool"), registration(home, "stop"), registration(home, "stop")]
    found = one(sound(agent_of(home, registered=twice)), "claude-doubled")
    assert found.level == doctor.FAIL
    assert "stop" in found.title


def test_a_vanished_interpreter_fails_and_is_named(sound, home):
    gone = [registration(home, "pre-tool", python="/gone/python3")]
    findings = sound(agent_of(home, registered=gone))
    assert "/gone/python3" in one(findings, "interpreter").title
    assert one(findings, "interpreter").level == doctor.FAIL


def test_a_vanished_launcher_fails(sound, home):
    elsewhere = [registration(home, "pre-tool", script="/gone/hook.py")]
    assert one(sound(agent_of(home, registered=elsewhere)), "claude-launcher").level == doctor.FAIL


def test_an_engine_for_another_python_is_slow_not_broken(sound, home):
    with open(home.launcher, "w") as stream:
        stream.write(launcher.text(engine.name(b"an engine"), "cpython-38", 0, 0))
    assert one(sound(), "bytecode").level == doctor.WARNING


def test_a_damaged_engine_fails(sound, home):
    for name in os.listdir(home.engine):
        with open(os.path.join(home.engine, name), "wb") as stream:
            stream.write(b"torn")
    assert one(sound(), "engine").level == doctor.FAIL


def test_a_vanished_command_fails(sound, home):
    os.remove(home.archive)
    assert one(sound(), "command").level == doctor.FAIL


def test_settings_that_cannot_be_read_fail(sound, home):
    with open(home.settings, "w") as stream:
        stream.write("{")
    found = one(sound(), "settings")
    assert found.level == doctor.FAIL
    assert home.settings in found.fix


def test_a_time_zone_nobody_knows_here_is_worth_a_warning(sound, home):
    with open(home.settings, "w") as stream:
        stream.write('{"identity": {"principal": {"timezone": "No/Where"}}}')
    found = one(sound(), "settings")
    assert found.level == doctor.WARNING
    assert "No/Where" in found.title


def test_state_files_set_aside_are_named(sound, home):
    open(os.path.join(home.state, "sessions.json.corrupt-20260302-081500"), "w").close()
    found = one(sound(), "state")
    assert found.level == doctor.WARNING
    assert "sessions.json.corrupt-20260302-081500" in found.title


def test_errors_of_the_last_day_are_counted_with_the_last_message(sound, home):
    log.error(home, "hook", "first")
    log.error(home, "hook", "second", "Traceback\n  File x")
    log.error(home, "digests", "third")
    found = one(sound(), "errors")
    assert found.level == doctor.WARNING
    assert "3 error(s)" in found.title
    assert "hook 2" in found.title
    assert "third" in found.title
    assert found.fix == "pal debug log"
    assert one(sound(now=time.time() + 2 * doctor.DAY), "errors").level == doctor.PASS


@pytest.mark.parametrize(
    ("row", "source"),
    [
        ("[2026-03-02 08:15:00] ERROR hook: broke: badly", "hook"),
        ("[2026-03-02 08:15:00] DEBUG hook: fine", ""),
        ("    Traceback", ""),
        ("[2026-99-02 08:15:00] ERROR hook: broke", ""),
        ("", ""),
    ],
)
def test_only_rows_of_errors_count(row, source):
    stamp, found, message = doctor.parse_log_row(row)
    assert found == source
    if source:
        assert clock.iso(stamp) == "2026-03-02T08:15:00Z"
        assert message == "broke: badly"


def test_memory_without_a_backup_is_named_only_after_memory_began(sound, home):
    assert one(sound(), "backup").level == doctor.PASS
    with open(home.sessions, "w") as stream:
        stream.write("{}")
    found = one(sound(), "backup")
    assert (found.level, found.fix) == (doctor.WARNING, "pal backup now")


@pytest.mark.skipif(os.name == "nt", reason="POSIX shell")
@pytest.mark.parametrize(
    ("command", "level", "said"),
    [
        ("cat > /dev/null", doctor.PASS, "answered in"),
        ("cat > /dev/null; exit 3", doctor.FAIL, "exit code 3"),
        ("cat > /dev/null; echo lost >&2", doctor.FAIL, "lost"),
        ("cat", doctor.FAIL, "harmless"),
    ],
)
def test_a_registered_command_is_run_as_the_agent_runs_it(sound, home, command, level, said):
    entries = [Registration("pre-tool", command)]
    (found,) = [finding for finding in sound(agent_of(home, registered=entries)) if finding.id == "run"]
    assert (found.level, said in found.title) == (level, True)


@pytest.mark.skipif(os.name == "nt", reason="POSIX shell")
@pytest.mark.parametrize(
    ("command", "level", "said"),
    [
        ("if grep -q 'rm -rf'; then echo deny; fi", doctor.PASS, "refuses"),
        ("cat > /dev/null", doctor.FAIL, "says nothing"),
        ("if grep -q 'rm -rf'; then echo allow; fi", doctor.FAIL, "answers allow"),
        ("if grep -q 'rm -rf'; then exit 3; fi", doctor.FAIL, "exit code 3"),
    ],
)
def test_a_dead_guard_is_found_through_the_registered_command(sound, home, command, level, said):
    found = one(sound(agent_of(home, registered=[Registration("pre-tool", command)])), "guard")
    assert (found.level, said in found.title) == (level, True)
    assert found.fix == ("" if level == doctor.PASS else "pal install --claude")


def test_a_guard_that_failed_is_counted(sound, home, now):
    assert one(sound(), "guard-faults").level == doctor.PASS
    counts.bump(home, ledger.FAULTS, now)
    log.error(home, "guard", "RuntimeError: bad table")
    found = one(sound(), "guard-faults")
    assert (found.level, found.fix) == (doctor.WARNING, "pal debug log")
    assert "1 time(s)" in found.title


def test_examining_leaves_nothing_behind(sound, home):
    before = sorted(os.listdir(home.state))
    sound()
    assert sorted(os.listdir(home.state)) == before


@pytest.mark.skipif(os.name == "nt", reason="root and modes")
def test_a_home_that_cannot_be_written_fails(sound, home, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.files, "write", refuse)
    assert one(sound(), "home").level == doctor.FAIL


def test_a_client_too_old_switched_off_or_never_run_is_named(sound, home):
    agent = agent_of(home, version="1.0.64 (Claude Code)")
    agent.needs = (("1.0.65", "prompt context"),)
    agent.remarks = [Remark("off", "its hooks are off", "switch them on"), Remark("so", "it is so")]
    agent.standing_down = ["Another"]
    findings = sound(agent)
    assert one(findings, "claude-old").title.endswith("is older than 1.0.65, which brings prompt context")
    assert (one(findings, "claude-off").level, one(findings, "claude-off").fix) == (doctor.WARNING, "switch them on")
    assert one(findings, "claude-so").level == doctor.NOTE
    assert "never run with the real program" in one(findings, "claude-unproven").title
    assert "PAL stands down in those" in one(findings, "claude-shadow").title
    agent.proven = "2.0.0"
    assert one(sound(agent), "claude-proven").level == doctor.PASS


def test_two_events_of_a_client_may_be_one_of_pals_and_the_same_one_twice_is_wrong(sound, home):
    twice = [Registration("pre-tool", registration(home, "pre-tool").command, "", place) for place in ("a", "b")]
    assert worst(sound(agent_of(home, registered=twice))) == {}
    twice[1].place = "a"
    assert worst(sound(agent_of(home, registered=twice))) == {"claude-doubled": doctor.FAIL}
