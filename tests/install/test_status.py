"""What a registered command says, and whether the engine behind it can run."""

from __future__ import annotations

import os

import pytest

from pal.install import engine, launcher, status


@pytest.mark.parametrize(
    ("command", "python", "script"),
    [
        (
            "/usr/bin/python3 -I -S -X utf8 /h/.pal/hook.py stop --agent=claude; exit 0",
            "/usr/bin/python3",
            "/h/.pal/hook.py",
        ),
        (
            "'/a b/python3' -I -S -X utf8 '/h o/it'\"'\"'s/hook.py' stop --agent=claude; exit 0",
            "/a b/python3",
            "/h o/it's/hook.py",
        ),
        (
            '& "C:\\Program Files\\Python\\python.exe" -I "C:\\Users\\A B\\.pal\\hook.py" stop --agent=claude; exit 0',
            "C:\\Program Files\\Python\\python.exe",
            "C:\\Users\\A B\\.pal\\hook.py",
        ),
        ("python3 /x/pal.pyz hook stop --agent=claude", "python3", "/x/pal.pyz"),
        ("say 'unfinished", "", ""),
        ("", "", ""),
    ],
)
def test_a_registered_command_is_read_as_a_shell_reads_it(command, python, script):
    entry = status.Registration("stop", command)
    assert (entry.python, entry.script) == (python, script)


@pytest.fixture
def data(home) -> bytes:
    """Bytes of an engine that is in its place, with the launcher that names it."""
    content = b"an engine"
    engine.place(home, content)
    with open(home.launcher, "w") as stream:
        stream.write(launcher.text(engine.name(content), "cpython-313", 0, 0))
    return content


def test_a_whole_engine_has_no_problem(home, data):
    found = status.Engine(home)
    assert (found.name, found.tag, found.problem) == (engine.name(data), "cpython-313", "")


def lose(path: str) -> None:
    os.remove(path)


def cut(path: str) -> None:
    with open(path, "r+b") as stream:
        stream.truncate(3)


@pytest.mark.parametrize(
    ("harm", "part", "said"),
    [(lose, "engine", "gone"), (cut, "engine", "damaged"), (lose, "launcher", "gone"), (cut, "launcher", "changed")],
)
def test_a_harmed_engine_or_launcher_is_named(home, data, harm, part, said):
    harm(status.Engine(home).path if part == "engine" else home.launcher)
    assert said in status.Engine(home).problem


def test_the_facts_say_where_everything_is(home, data):
    agent = status.Agent("claude", "Claude Code", "/c", registered=[status.Registration("stop", "x")], installed=True)
    facts = status.facts(home, None, [agent], {"ratings": 3})
    assert facts["home"] == home.root
    assert facts["engine"]["problem"] == ""
    assert facts["agents"][0]["registered"] is True
    assert facts["counts"] == {"ratings": 3}
    assert facts["installed"] is None


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("2.1.332 (Claude Code)", (2, 1, 332)),
        ("codex-cli 0.171.0", (0, 171, 0)),
        ("v1.18", (1, 18)),
        ("2026.09.10-abc", (2026, 9, 10)),
        ("agy 1.6.0-beta.2, build 7", (1, 6, 0)),
        ("who knows", ()),
        ("", ()),
    ],
)
def test_a_version_is_found_in_a_programs_own_words(said, numbers):
    assert status.numbers(said) == numbers


def test_a_client_that_is_too_old_is_told_which_version_brings_what():
    agent = status.Agent("x", "X", "/nowhere", version="X 1.0.64")
    agent.needs = (("1.0.60", "hooks"), ("1.0.65", "prompt context"))
    assert agent.lacking() == [("1.0.65", "prompt context")]
    assert agent.facts()["lacking"] == [{"version": "1.0.65", "brings": "prompt context"}]
    agent.version = ""
    assert agent.lacking() == [], "nobody can tell"
