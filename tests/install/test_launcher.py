"""The command an agent is given: the same words for every shell of its system, and exit status 0 from each."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from pal.base import process
from pal.base.home import Home
from pal.install import launcher, status

WORDS = ["stop", "--agent=claude"]
END = " ; exit 0 # || exit 0"


def form(python: str, root: str, windows: bool) -> dict[str, str]:
    home = Home(root)
    home.launcher = root + ("\\" if windows else "/") + "hook.py"
    return launcher.command(python, home, WORDS, windows)


@pytest.mark.parametrize(
    ("python", "root", "written"),
    [
        ("/usr/bin/python3", "/home/user/.pal", "/usr/bin/python3 -I -S -X utf8 /home/user/.pal/hook.py stop"),
        ("/a b/python3", "/home/user/it's", "'/a b/python3' -I -S -X utf8 '/home/user/it'\"'\"'s/hook.py' stop"),
    ],
)
def test_posix_gets_quoted_words_and_an_exit_of_its_own(python, root, written):
    assert form(python, root, False) == {"command": written + " --agent=claude; exit 0"}


SHORT = {r"C:\Program Files": r"C:\PROGRA~1", r"C:\Users\Ann Lee": r"C:\Users\ANNLEE~1", r"D:\b (1)": r"D:\b (1)"}


@pytest.mark.parametrize(
    ("python", "root", "started"),
    [
        (r"C:\Python\python.exe", r"C:\Users\Ann\.pal", "C:/Python/python.exe -I -S -X utf8 C:/Users/Ann/.pal/hook.py"),
        (r"C:\Python\python.exe", r"C:\Users\Őri\.pal", "C:/Python/python.exe -I -S -X utf8 C:/Users/Őri/.pal/hook.py"),
        (
            r"C:\Program Files\Python\python.exe",
            r"C:\Users\Ann Lee\.pal",
            "C:/PROGRA~1/Python/python.exe -I -S -X utf8 C:/Users/ANNLEE~1/.pal/hook.py",
        ),
    ],
)
def test_windows_gets_bare_words_with_short_names_only_where_they_are_needed(monkeypatch, python, root, started):
    monkeypatch.setattr(process, "short_path", SHORT.__getitem__)
    assert form(python, root, True) == {"command": f"{started} stop --agent=claude{END}"}


def test_a_path_that_has_no_bare_form_is_quoted_for_powershell(monkeypatch):
    monkeypatch.setattr(process, "short_path", SHORT.__getitem__)
    made = form(r"D:\b (1)\its\python.exe", r"C:\Users\Ann\.pal", True)
    command = f". 'D:/b (1)/its/python.exe' -I -S -X utf8 C:/Users/Ann/.pal/hook.py stop --agent=claude{END}"
    assert made == {"command": command, "shell": "powershell"}


@pytest.mark.parametrize("root", [r"C:\Users\Ann\.pal", r"D:\b (1)\.pal"])
def test_status_reads_back_what_was_written(monkeypatch, root):
    monkeypatch.setattr(process, "short_path", SHORT.__getitem__)
    entry = status.Registration("stop", **form(r"C:\Python\python.exe", root, True))
    assert entry.python == "C:/Python/python.exe"
    assert entry.script == root.replace("\\", "/") + "/hook.py"


@pytest.mark.skipif(not shutil.which("bash"), reason="Git Bash is bash")
@pytest.mark.parametrize("exit_status", [0, 2, None], ids=["works", "refuses", "is gone"])
def test_bash_runs_the_windows_form_and_ends_with_0_whatever_python_does(tmp_path, exit_status):
    if exit_status is not None:
        python = tmp_path / "C:" / "Python" / "python.exe"  # to a POSIX bash, a file below the current folder
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\necho "$@"\nexit {exit_status}\n')
        python.chmod(0o755)
    command = form(r"C:\Python\python.exe", r"C:\Users\Ann\.pal", True)["command"]
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0
    ran = "-I -S -X utf8 C:/Users/Ann/.pal/hook.py stop --agent=claude\n"
    assert done.stdout == ("" if exit_status is None else ran)


@pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="Git Bash is bash")
def test_bash_does_nothing_with_the_form_for_powershell_and_ends_with_0(monkeypatch, tmp_path):
    monkeypatch.setattr(process, "short_path", SHORT.__getitem__)
    command = form(r"D:\b (1)\python.exe", r"C:\Users\Ann\.pal", True)["command"]
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
