"""The courtesies to a person at a terminal: a tab's name and a notice, only where they are wanted."""

from __future__ import annotations

import os
import sys

import pytest

from pal.base import desktop, process
from pal.base import settings as settings_file
from pal.hooks import notify, user_prompt
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="terminals are found through /proc")


@pytest.fixture
def program(tmp_path):
    """A folder with a stand-in for a notice program."""

    def place(name: str) -> dict[str, str]:
        path = tmp_path / name
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return {"PATH": str(tmp_path)}

    return place


@pytest.fixture
def terminal():
    """A real pseudo-terminal: (its name, a function that reads what was written to it)."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    yield os.ttyname(theirs), lambda: os.read(ours, 4096)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Parser Rewrite", b"Parser Rewrite"), ("", b""), ("a\x07b\x1b]0;c\n", b"ab]0;c"), ("x" * 200, b"x" * 60)],
)
def test_a_title_is_written_without_anything_a_terminal_would_obey(terminal, name, shown):
    path, written = terminal
    desktop.set_title(path, name)
    assert written() == b"\x1b]0;" + shown + b"\x07"


@linux
def test_the_terminal_of_a_process_is_found_and_a_file_is_none(terminal, tmp_path):
    path, _ = terminal
    for target, expected in ((path, path), (str(tmp_path / "out"), "")):
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT, 0o600)
        child = os.fork()
        if not child:
            os.dup2(descriptor, 1)
            os.execv(sys.executable, [sys.executable, "-c", "import sys; sys.stdin.read()"])
        try:
            seen = ""
            for _ in range(2000):
                seen = desktop.terminal_of(child)
                if seen == expected and os.readlink(f"/proc/{child}/fd/1") == target:
                    break
            assert seen == expected
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)
            os.close(descriptor)
    assert desktop.terminal_of(2**22 + 1) == ""


@pytest.mark.parametrize(
    ("platform", "has", "env", "starts"),
    [
        ("linux", "notify-send", {"DISPLAY": ":0"}, "notify-send"),
        ("linux", "notify-send", {"WAYLAND_DISPLAY": "w"}, "notify-send"),
        ("linux", "notify-send", {}, ""),
        ("linux", "other", {"DISPLAY": ":0"}, ""),
        ("darwin", "osascript", {}, "osascript"),
        ("darwin", "other", {}, ""),
        ("win32", "other", {}, ""),
    ],
)
def test_a_notice_is_shown_by_what_the_system_offers(program, platform, has, env, starts):
    command = desktop.notice_command({**program(has), **env}, "Assistant", 'It\'s -- "done"', platform)
    assert os.path.basename(command[0]) == starts if starts else command == []
    assert not command or command[-2:] == ["Assistant", 'It\'s -- "done"']


@pytest.mark.parametrize(
    ("attended", "env", "wanted"),
    [(True, {}, True), (False, {}, False), (True, {"PAL_NOTIFICATIONS_DISABLED": "1"}, False)],
)
def test_nobody_is_told_who_is_not_there_or_asked_for_quiet(attended, env, wanted):
    turn = HookInput("stop", "claude")
    turn.attended = attended
    assert notify.wanted(turn, env) is wanted


@pytest.mark.parametrize(
    ("waited", "settings", "told"), [(61, "{}", 1), (59, "{}", 0), (61, '{"notifications": {"desktop": false}}', 0)]
)
def test_a_notice_comes_after_a_turn_long_enough_to_look_away(home, now, program, monkeypatch, waited, settings, told):
    with open(home.settings, "w", encoding="utf-8") as out:
        out.write(settings)
    env = {**program("notify-send"), "DISPLAY": ":0"}
    started = []
    monkeypatch.setattr(process, "detached", lambda argv, env, cwd=None: started.append(argv) or 1)
    turn = HookInput("user-prompt", "claude", "s-1", "/srv/site")
    turn.prompt, turn.event_id = "Rename the gallery component", "p1"
    frame = Frame(home, settings_file.load(home), now, env, lambda name: None, lambda: None)
    user_prompt.run(turn, frame)
    turn.attended = True
    notify.turn_ended(turn, Frame(home, frame.settings, now + waited, env, lambda name: None, lambda: None))
    assert len(started) == told
    assert not told or started[0][-1] == "Rename Gallery Component"
