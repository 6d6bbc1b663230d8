"""The interpreter in a hook command is one that an upgrade leaves at its path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base.errors import PalError
from pal.install import interpreter

posix = pytest.mark.skipif(os.name == "nt", reason="links and POSIX paths")


@pytest.fixture
def env(clean_env):
    return clean_env


def program(path: Path) -> Path:
    """Something that stands where a Python would; nothing starts it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def first(running: Path, env) -> str:
    return next(interpreter.candidates(str(running), {**env, "PATH": ""}))


def test_the_chosen_interpreter_starts_and_is_in_no_virtual_environment(env):
    chosen = interpreter.choose(env)
    assert os.path.isabs(chosen.path)
    assert not os.path.exists(Path(chosen.path).parent.parent / "pyvenv.cfg")
    done = subprocess.run([chosen.path, *interpreter.FLAGS, "-c", "print(1)"], capture_output=True, check=True)
    assert done.stdout.strip() == b"1"


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="the tests run outside a virtual environment")
def test_a_virtual_environment_is_left_for_the_python_it_was_made_from(env):
    chosen = interpreter.choose(env)
    assert os.path.realpath(chosen.path) == os.path.realpath(sys.executable)
    assert not chosen.path.startswith(sys.prefix)
    assert chosen.running


@posix
def test_an_environment_inside_an_environment_leads_to_the_real_one(tmp_path, env):
    real = program(tmp_path / "real" / "bin" / "python3.12")
    for name, home in (("outer", real.parent), ("inner", tmp_path / "outer" / "bin")):
        folder = tmp_path / name / "bin"
        folder.mkdir(parents=True)
        (folder / "python3.12").symlink_to(real)
        (tmp_path / name / "pyvenv.cfg").write_text(f"home = {home}\nversion = 3.12.1\n")
    assert first(tmp_path / "inner" / "bin" / "python3.12", env) == str(real)


@posix
@pytest.mark.parametrize(
    ("real", "stable", "target"),
    [
        ("brew/Cellar/python@3.12/3.12.1/bin/python3.12", "brew/opt/python@3.12", "../Cellar/python@3.12/3.12.1"),
        ("uv/cpython-3.12.1-linux/bin/python3.12", "uv/cpython-3.12-linux", "cpython-3.12.1-linux"),
        ("mise/python/3.12.1/bin/python3.12", "mise/python/3.12", "3.12.1"),
    ],
)
def test_a_versioned_folder_gives_way_to_its_stable_name(tmp_path, env, real, stable, target):
    path = program(tmp_path / real)
    link = tmp_path / stable
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)
    assert first(path, env) == str(link / "bin" / "python3.12")


@posix
def test_a_stable_name_of_another_version_is_not_taken(tmp_path, env):
    path = program(tmp_path / "mise" / "3.12.1" / "bin" / "python3.12")
    program(tmp_path / "mise" / "3.12" / "bin" / "python3.12")
    assert first(path, env) == str(path)


@posix
def test_a_bare_python_gives_way_to_the_program_with_its_version(tmp_path, env):
    path = program(tmp_path / "3.12.1" / "bin" / "python3.12")
    (path.parent / "python").symlink_to("python3.12")
    assert first(path.parent / "python", env) == str(path)


@posix
def test_a_shim_is_followed_to_the_program_behind_it(tmp_path, env):
    shim = tmp_path / "shims" / "python3"
    program(shim).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    found = interpreter.probe(str(shim), env)
    assert found is not None
    assert found.path == sys.executable


def test_pal_python_has_the_last_word(env):
    assert interpreter.choose({**env, "PAL_PYTHON": sys.executable}).path == sys.executable


@posix
@pytest.mark.parametrize(
    "answer", ["exit 3", "echo 3.8.1; echo cpython-38; echo /x; echo cpython", "echo hello", "kill -9 $$"]
)
def test_a_named_python_that_does_not_serve_is_refused_in_one_sentence(tmp_path, env, answer):
    path = program(tmp_path / "python")
    path.write_text(f"#!/bin/sh\n{answer}\n")
    with pytest.raises(PalError, match="PAL_PYTHON"):
        interpreter.choose({**env, "PAL_PYTHON": str(path)})


@posix
def test_when_the_running_one_is_no_choice_path_is_searched(tmp_path, env):
    folder = tmp_path / "bin"
    folder.mkdir()
    broken = program(folder / "python3")
    broken.write_text("#!/bin/sh\nexit 1\n")
    (folder / "python3.10").symlink_to(interpreter.outside_environment(sys.executable))
    chosen = interpreter.choose({**env, "PATH": str(folder)}, running=str(tmp_path / "gone"))
    assert chosen.path == str(folder / "python3.10")


def test_nothing_usable_is_said_in_one_sentence(tmp_path, env):
    with pytest.raises(PalError, match="PAL_PYTHON"):
        interpreter.choose({**env, "PATH": ""}, running=str(tmp_path / "gone"))


@pytest.mark.parametrize(
    ("path", "stub"),
    [
        ("WindowsApps/python.exe", True),
        ("WindowsApps/PythonSoftwareFoundation.Python.3.12_q/python.exe", False),
        ("Python312/python.exe", False),
    ],
)
def test_the_shop_alias_of_windows_is_no_python(path, stub):
    assert interpreter.is_store_stub(path.replace("/", os.sep)) is stub
