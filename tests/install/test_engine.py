"""The tuned archive: quick to import, true to its sources, safe beside a Python it was not made for."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import find_python
import pytest

from pal.install import archive, engine, home_setup

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = {
    "__main__.py": b"",
    "assets/templates/AGENTS.md": b"# you\n",
    "pal/__init__.py": b'"""Doc."""\n\nfrom __future__ import annotations\n',
    "pal/app.py": (
        b'"""Doc."""\n\nfrom __future__ import annotations\n\nTYPE_CHECKING = False\n\n\n'
        b"def typed(value: Undefined, *more: Undefined) -> Nowhere:\n    kept: Undefined\n    return value\n\n\n"
        b"def fail() -> None:\n    raise RuntimeError('here')  # line 14\n\n\nLIMIT: Undefined = 7\n\n\n"
        b"class Row:\n    size: Undefined = 5\n    name: Undefined\n\n\n"
        b"from typing import NamedTuple\n\n\n"
        b"class Pair(NamedTuple):\n    one: int | Undefined\n    two: int = 2\n"
    ),
}
for shipped in ("pal/install/__init__.py", "pal/install/finder.py"):
    PROGRAM[shipped] = (ROOT / "src" / shipped).read_bytes()
pythons = pytest.mark.parametrize(
    "python", [path for version, path in find_python.found() if version[:2] >= (3, 9)], ids=os.path.basename
)


def stand(folder: Path, data: bytes, tag: str) -> Path:
    """A home's launcher and engine, and the launcher's path."""
    (folder / "engine").mkdir(parents=True)
    (folder / "engine" / engine.name(data)).write_bytes(data)
    launcher = folder / "hook.py"
    launcher.write_text(engine.launcher_text(data, tag), encoding="utf-8")
    return launcher


def run(python: str, launcher: Path, program: str) -> str:
    """What a program prints that runs where the launcher would have called PAL."""
    text = launcher.read_text(encoding="utf-8")
    before = textwrap.dedent(text.partition("try:\n")[2].partition("    from pal.app import")[0])
    done = subprocess.run(
        [
            python,
            "-I",
            "-S",
            "-X",
            "utf8",
            "-c",
            f"import sys\n__file__ = sys.argv[1]\n{before}\n{program}",
            str(launcher),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tuned_by(python: str, folder: Path) -> Path:
    """The launcher of an engine for another interpreter, made by that interpreter."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pal.install import archive, engine\n"
        "open(sys.argv[3], 'wb').write(engine.tune(archive.files(sys.argv[2])))\n"
        "print(sys.implementation.cache_tag)"
    )
    source, made = folder / "source", folder / "made"
    source.write_bytes(archive.pack(PROGRAM))
    command = [python, "-c", program, str(ROOT / "src"), str(source), str(made)]
    tag = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return stand(folder / "home", made.read_bytes(), tag)


@pythons
def test_importing_pal_from_it_costs_no_future_import_and_reads_no_source(python: str, tmp_path: Path) -> None:
    launcher = tuned_by(python, tmp_path)
    program = (
        "import pal.app; print('__future__' in sys.modules, 'zipimport' in str(pal.__loader__), pal.app.__doc__)\n"
        "print(pal.app.__file__, pal.__path__[0], pal.app.__package__)"
    )
    facts, places = run(python, launcher, program).splitlines()
    assert facts == "False False None"
    (made,) = launcher.parent.glob("engine/*.pyz")
    assert places == f"{made}/pal/app.py {made}/pal pal"


@pythons
def test_annotations_are_left_out_and_what_they_annotate_stays(python: str, tmp_path: Path) -> None:
    program = "from pal.app import *; print(typed.__annotations__, typed(3), LIMIT, Row.size, *Pair(1))"
    assert run(python, tuned_by(python, tmp_path), program).split() == ["{}", "3", "7", "5", "1", "2"]


def test_what_stands_for_checkers_only_is_left_out_and_its_other_branch_stays() -> None:
    source = b"""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object
if TYPE_CHECKING:
    import collections
def f(x: int) -> int:
    y: int
    y: int = 2
    return x + y
"""
    code = engine.bytecode("m", source)
    assert not {"typing", "collections"} & set(code.co_names)
    names: dict[str, object] = {}
    exec(code, names)
    assert (names["Protocol"], names["f"](1)) == (object, 3)  # type: ignore[operator]


@pythons
def test_a_traceback_names_the_module_its_line_and_its_text(python: str, tmp_path: Path) -> None:
    program = "import pal.app, traceback\ntry: pal.app.fail()\nexcept RuntimeError: print(traceback.format_exc())"
    seen = run(python, tuned_by(python, tmp_path), program)
    assert 'File "pal/app.py", line 14, in fail' in seen
    assert "raise RuntimeError('here')  # line 14" in seen


def test_another_python_runs_the_sources_in_it(tmp_path: Path) -> None:
    launcher = stand(tmp_path, engine.tune(PROGRAM), str(sys.implementation.cache_tag))
    (made,) = launcher.parent.glob("engine/*.pyz")
    others = [
        path for version, path in find_python.found() if version[:2] >= (3, 9) and version[:2] != sys.version_info[:2]
    ]
    for python in others:
        seen = run(python, launcher, "import pal.app; print(pal.app.__file__, pal.app.typed(3))")
        assert seen.split() == [str(made / "pal" / "app.py"), "3"]


@pythons
def test_processes_of_their_own_make_the_same_bytes_whose_digest_is_the_name(python: str, tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pal.install import archive, engine\n"
        "sys.stdout.buffer.write(engine.tune(archive.files(sys.argv[2])))"
    )
    env = {**os.environ, **home_setup.ALIKE}
    command = [python, "-S", "-c", program, str(ROOT / "src"), str(ROOT)]
    made = [subprocess.run(command, env=env, check=True, capture_output=True).stdout for _ in range(2)]
    assert made[0] == made[1]
    assert engine.name(made[0]) == hashlib.sha256(made[0]).hexdigest()[:12] + ".pyz"


def test_every_module_of_pal_can_be_imported_from_it(tmp_path: Path) -> None:
    files = archive.files(str(ROOT))
    launcher = stand(tmp_path, engine.tune(files), str(sys.implementation.cache_tag))
    modules = [name[:-3].replace("/", ".") for name in files if name.startswith("pal/") and name.endswith(".py")]
    modules = [name[: -len(".__init__")] if name.endswith(".__init__") else name for name in modules]
    program = f"import importlib\nfor name in {modules!r}:\n    importlib.import_module(name)\nprint(pal.__path__)"
    assert ".pyz/pal" in run(sys.executable, launcher, "import pal\n" + program)


def test_an_engine_that_stands_is_not_written_again_and_a_damaged_one_is(home) -> None:
    data = engine.tune(PROGRAM)
    path = engine.place(home, data)
    assert path == os.path.join(home.engine, engine.name(data))
    os.utime(path, (1, 1))
    assert engine.place(home, data) == path
    assert os.stat(path).st_mtime == 1
    Path(path).write_bytes(data[:100])
    engine.place(home, data)
    assert Path(path).read_bytes() == data


def test_sweeping_takes_only_old_engines_that_nothing_names(home, now: float) -> None:
    os.makedirs(home.engine)
    torn = ".pal-tmp-old.pyz-12345678"  # what a kill in the middle of writing leaves
    ages = {"kept.pyz": 9, "old.pyz": 2, torn: 2, "young.pyz": 0.5, "notes.txt": 9}
    for name, days in ages.items():
        path = os.path.join(home.engine, name)
        Path(path).write_bytes(b"")
        os.utime(path, (now - days * engine.DAY,) * 2)
    assert engine.sweep(home, {"kept.pyz"}, now) == [torn, "old.pyz"]
    assert sorted(os.listdir(home.engine)) == ["kept.pyz", "notes.txt", "young.pyz"]


def test_sweeping_a_home_without_engines_does_nothing(home, now: float) -> None:
    assert engine.sweep(home, set(), now) == []
