"""PAL's own part of the home: written whole, replaced without harm to a running hook, taken away last."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pal.install import archive, engine, home_setup
from pal.install.interpreter import Interpreter

ROOT = str(Path(__file__).resolve().parents[2])
PYTHON = Interpreter(sys.executable, "3.13.0", str(sys.implementation.cache_tag))


OLD, NEW = (engine.tune({"pal/__init__.py": source}) for source in (b"old = 1\n", b"new = 1\n"))


def own(home, engine_data=NEW, python=PYTHON, env=()):
    return home_setup.own_files(home, python, b"archive", engine_data, dict(env))


def test_a_second_placing_writes_nothing(home):
    now = time.time()
    assert [what for _, what in home_setup.place(home, own(home), now)] == ["create"] * 5
    assert home_setup.rows(own(home)) == []
    assert home_setup.place(home, own(home), now) == []


def test_the_launcher_is_written_after_the_engine_it_names(home):
    paths = [path for path, _, _ in own(home)]
    assert paths.index(home.launcher) > paths.index(os.path.join(home.engine, engine.name(NEW)))


def test_an_engine_that_hooks_ran_from_until_now_stays_for_a_day(home):
    now = time.time()
    home_setup.place(home, own(home, engine_data=OLD), now)
    old = os.path.join(home.engine, engine.name(OLD))
    os.utime(old, (now - 30 * engine.DAY, now - 30 * engine.DAY))
    home_setup.place(home, own(home, engine_data=NEW), now)
    assert os.path.isfile(old)
    assert home_setup.place(home, own(home, engine_data=NEW), now + 60) == []
    assert home_setup.place(home, own(home, engine_data=NEW), now + engine.DAY + 60) == [(old, "remove")]
    assert len(os.listdir(home.engine)) == 1


def test_clearing_takes_what_is_ours_and_leaves_what_is_not(home):
    home_setup.place(home, own(home), time.time())
    mine = os.path.join(home.bin, "mine.sh")
    open(mine, "w").close()
    os.makedirs(home.docs)
    for name, data in home_setup.shared(home)[0].files.items():
        with open(os.path.join(home.docs, name), "wb") as stream:
            stream.write(data)
    assert set(home_setup.leftovers(home)) == set(home_setup.clear(home))
    assert home_setup.leftovers(home) == []
    assert os.listdir(home.bin) == ["mine.sh"]
    assert not os.path.exists(home.docs)
    assert not os.path.exists(home.engine)
    assert os.path.isdir(home.telos)


@pytest.mark.parametrize(
    ("python", "profile", "written"),
    [
        (r"C:\Python\python.exe", r"C:\Users\Ann", r'"C:\Python\python.exe" -I'),
        (r"C:\Users\Ännä\Py\python.exe", r"C:\Users\Ännä", r'"%USERPROFILE%\Py\python.exe" -I'),
        (r"C:\100%\python.exe", "", r'"C:\100%%\python.exe" -I'),
    ],
)
def test_the_windows_command_is_plain_ascii_for_a_user_of_any_name(home, python, profile, written):
    files = own(home, python=Interpreter(python, "3.13.0", "x"), env={"USERPROFILE": profile})
    text = next(data for path, data, _ in files if path.endswith("pal.cmd")).decode("ascii")
    assert written in text
    assert text.endswith("%* && exit /b 0\r\n")


def test_the_engine_is_the_same_bytes_every_time(clean_env):
    assert home_setup.tuned(PYTHON, clean_env, ROOT) == home_setup.tuned(
        PYTHON, {**clean_env, "PYTHONHASHSEED": "7"}, ROOT
    )


def test_an_engine_is_made_once_for_the_same_sources_and_the_same_python(home, clean_env, monkeypatch):
    made = engine.tune(archive.files(ROOT))
    home_setup.place(home, own(home, made), time.time())
    monkeypatch.setattr(home_setup, "tuned", lambda *_: b"made anew")
    assert home_setup.engine_for(home, PYTHON, clean_env, ROOT) == made
    other = Interpreter(sys.executable, "3.99.0", "cpython-399")
    assert home_setup.engine_for(home, other, clean_env, ROOT) == b"made anew"
    Path(home.engine, engine.name(made)).write_bytes(made[:-9] + made[-8:])
    assert home_setup.engine_for(home, PYTHON, clean_env, ROOT) == b"made anew"


def test_retuning_points_the_launcher_at_the_engine_an_install_would_make(home, clean_env):
    spoken = b"def from_launcher(argv, home, tuned):\n    print(argv, home, tuned)\n"
    files = {**archive.files(ROOT), "pal/app.py": spoken}
    Path(home.archive).write_bytes(archive.pack(files))
    path = home_setup.retune(home, time.time(), clean_env)
    assert archive.files(path) == files
    assert Path(path).read_bytes() == home_setup.tuned(PYTHON, clean_env, home.archive)
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-u", home.launcher, "stop"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == f"['stop'] {home.root} True"
