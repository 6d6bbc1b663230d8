"""The tuned archive: quick to import, true to its sources, safe beside a Python it was not made for."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import find_python
import pytest

from pal.install import archive, engine

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = {
    "__main__.py": b"",
    "assets/templates/AGENTS.md": b"# you\n",
    "pal/__init__.py": b'"""Doc."""\n\nfrom __future__ import annotations\n',
    "pal/app.py": (
        b'"""Doc."""\n\nfrom __future__ import annotations\n\nTYPE_CHECKING = False\n\n\n'
        b"def typed(value: Undefined) -> Nowhere:\n    return value\n\n\n"
        b"def fail() -> None:\n    raise RuntimeError('here')  # line 13\n"
    ),
}
pythons = pytest.mark.parametrize(
    "python", [path for version, path in find_python.found() if version[:2] >= (3, 9)], ids=os.path.basename
)


def run(python: str, path: Path, program: str) -> str:
    start = "import sys; sys.path.insert(0, sys.argv[1])\n"
    done = subprocess.run(
        [python, "-I", "-S", "-X", "utf8", "-c", start + program, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tuned_by(python: str, path: Path) -> None:
    """The engine for another interpreter, made by that interpreter."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pal.install import archive, engine\n"
        "open(sys.argv[3], 'wb').write(engine.tune(archive.files(sys.argv[2])))"
    )
    source = path.with_suffix(".source")
    source.write_bytes(archive.pack(PROGRAM))
    subprocess.run([python, "-c", program, str(ROOT / "src"), str(source), str(path)], check=True)


@pythons
def test_importing_pal_from_it_costs_no_future_import_and_reads_no_source(python: str, tmp_path: Path) -> None:
    path = tmp_path / "engine.pyz"
    tuned_by(python, path)
    seen = run(python, path, "import pal.app; print('__future__' in sys.modules, pal.app.__file__, pal.app.__doc__)")
    assert seen.split() == ["False", str(path / "pal" / "app.pyc"), "None"]


@pythons
def test_annotations_stay_unevaluated(python: str, tmp_path: Path) -> None:
    path = tmp_path / "engine.pyz"
    tuned_by(python, path)
    seen = run(python, path, "import pal.app; print(pal.app.typed.__annotations__)")
    assert seen.strip() == "{'value': 'Undefined', 'return': 'Nowhere'}"


@pythons
def test_a_traceback_names_the_module_its_line_and_its_text(python: str, tmp_path: Path) -> None:
    path = tmp_path / "engine.pyz"
    tuned_by(python, path)
    program = "import pal.app, traceback\ntry: pal.app.fail()\nexcept RuntimeError: print(traceback.format_exc())"
    seen = run(python, path, program)
    assert 'File "pal/app.py", line 13, in fail' in seen
    assert "raise RuntimeError('here')  # line 13" in seen


def test_another_python_runs_the_source_beside_the_bytecode(tmp_path: Path) -> None:
    path = tmp_path / "engine.pyz"
    path.write_bytes(engine.tune(PROGRAM))
    others = [
        path for version, path in find_python.found() if version[:2] >= (3, 9) and version[:2] != sys.version_info[:2]
    ]
    for python in others:
        seen = run(python, path, "import pal.app; print(pal.app.__file__, pal.app.typed(3))")
        assert seen.split() == [str(path / "pal" / "app.py"), "3"]


def test_it_is_the_same_bytes_each_time_and_named_by_them(tmp_path: Path) -> None:
    files = archive.files(str(ROOT))
    data = engine.tune(files)
    assert engine.tune(dict(reversed(files.items()))) == data
    assert engine.name(data) == hashlib.sha256(data).hexdigest()[:12] + ".pyz"


def test_every_module_of_pal_can_be_imported_from_it(tmp_path: Path) -> None:
    files = archive.files(str(ROOT))
    path = tmp_path / "engine.pyz"
    path.write_bytes(engine.tune(files))
    modules = [name[:-3].replace("/", ".") for name in files if name.startswith("pal/") and name.endswith(".py")]
    modules = [name[: -len(".__init__")] if name.endswith(".__init__") else name for name in modules]
    program = (
        "import importlib, json\n"
        f"for name in {modules!r}:\n"
        "    module = importlib.import_module(name)\n"
        "    assert module.__file__.endswith('.pyc'), module\n"
        "print(json.dumps('__future__' in sys.modules))"
    )
    json.loads(run(sys.executable, path, program))


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


def test_retuning_points_the_launcher_at_an_engine_for_this_python(home, now: float) -> None:
    files = {**PROGRAM, "pal/app.py": b"def from_launcher(argv, home, tuned):\n    print(argv, home, tuned)\n"}
    Path(home.archive).write_bytes(archive.pack(files))
    path = engine.retune(home, now)
    assert archive.files(path) == files
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", "-u", home.launcher, "stop"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.strip() == f"['stop'] {home.root} True"
