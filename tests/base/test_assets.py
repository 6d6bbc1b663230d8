"""Assets are found wherever PAL runs from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base import assets
from pal.base.errors import PalError
from pal.install import archive, engine

CONTENT = {
    "__main__.py": b"",
    "assets/skills/telos/SKILL.md": "árvíz\n".encode(),
    "assets/skills/think/SKILL.md": b"think\n",
    "assets/templates/AGENTS.md": b"# you\n",
    "pal/__init__.py": b"",
}


@pytest.fixture(params=["checkout", "unpacked archive", "pal.pyz", "engine"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same PAL in each of the forms it can be read from."""
    if request.param in ("checkout", "unpacked archive"):
        for name, data in CONTENT.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if request.param == "checkout":
            (tmp_path / "src").mkdir()
            (tmp_path / "pal").rename(tmp_path / "src" / "pal")
            (tmp_path / "__main__.py").rename(tmp_path / "pal.py")
        return tmp_path
    path = tmp_path / "pal.pyz"
    path.write_bytes(archive.pack(CONTENT) if request.param == "pal.pyz" else engine.tune(CONTENT))
    return path


def test_an_asset_is_read_by_its_name_from_every_form_of_pal(place: Path) -> None:
    env = {"PAL_PKG": str(place)}
    assert assets.read("skills/telos/SKILL.md", env) == "árvíz\n".encode()
    assert assets.read("templates/AGENTS.md", env) == b"# you\n"


def test_names_are_sorted_and_chosen_by_prefix(place: Path) -> None:
    env = {"PAL_PKG": str(place)}
    assert assets.names("skills/", env) == ["skills/telos/SKILL.md", "skills/think/SKILL.md"]
    assert assets.names("", env) == ["skills/telos/SKILL.md", "skills/think/SKILL.md", "templates/AGENTS.md"]
    assert assets.names("web/", env) == []


@pytest.mark.parametrize(
    "name",
    [
        "skills/none.md",
        "skills",
        "skills/",
        "",
        "../pal.py",
        "/etc/passwd",
        "skills/../templates/AGENTS.md",
        "skills//x",
    ],
)
def test_a_name_that_is_no_asset_is_said_in_one_sentence(place: Path, name: str) -> None:
    with pytest.raises(PalError, match="missing from"):
        assets.read(name, {"PAL_PKG": str(place)})


def test_without_pal_pkg_the_running_checkout_is_read() -> None:
    checkout = Path(assets.__file__).parents[3]
    assert Path(assets.package({})) == checkout
    assert assets.names("", {}) == assets.below(str(checkout / "assets"))


@pytest.mark.parametrize("content", [None, b"not a zip"])
def test_a_pal_pkg_that_is_no_pal_is_refused(tmp_path: Path, content: bytes | None) -> None:
    place = tmp_path / "elsewhere"
    if content is not None:
        place.write_bytes(content)
    with pytest.raises(PalError, match="elsewhere"):
        assets.read("templates/AGENTS.md", {"PAL_PKG": str(place)})


def test_windows_line_ends_of_a_checkout_do_not_reach_a_user(tmp_path: Path) -> None:
    for name, data in {"a.md": b"one\r\ntwo\r\n", "run.cmd": b"@echo off\r\n", "x.png": b"\x89PNG\r\n"}.items():
        (tmp_path / "assets").mkdir(exist_ok=True)
        (tmp_path / "assets" / name).write_bytes(data)
    env = {"PAL_PKG": str(tmp_path)}
    assert assets.read("a.md", env) == b"one\ntwo\n"
    assert assets.read("run.cmd", env) == b"@echo off\r\n"
    assert assets.read("x.png", env) == b"\x89PNG\r\n"


def test_hidden_files_and_bytecode_are_no_assets(tmp_path: Path) -> None:
    for name in ("a.md", ".DS_Store", "a.md~", "__pycache__/a.pyc", ".git/config", "b.pyc"):
        path = tmp_path / "assets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    assert assets.names("", {"PAL_PKG": str(tmp_path)}) == ["a.md"]


@pytest.mark.parametrize("form", ["pal.pyz", "engine"])
def test_the_running_archive_reads_its_own_assets_from_any_folder(tmp_path: Path, form: str) -> None:
    checkout = str(Path(assets.__file__).parents[3])
    contents = archive.files(checkout)
    contents["assets/templates/for-this-test.md"] = b"mine\n"
    path = tmp_path / "pal.pyz"
    path.write_bytes(archive.pack(contents) if form == "pal.pyz" else engine.tune(contents))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pal.base import assets\n"
        "assert 'zipfile' not in sys.modules, 'only who reads an asset pays for zipfile'\n"
        "print(assets.package({}), assets.read('templates/for-this-test.md', {}))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program, str(path)], capture_output=True, text=True, cwd=os.sep, check=False
    )
    assert done.stdout.split() == [str(path), "b'mine\\n'"], done.stderr
