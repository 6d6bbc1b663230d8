"""The inner archive of `pal.pyz`: every module is found in it, and a traceback shows its lines."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile

import pytest

from pal import bundled

FILES = {"pal/a.py": b"x = 1\n", "pal/b/__init__.py": b"", "pal/b/c.py": "é = 'ő'\n".encode(), "assets/x": b"\0" * 99}


@pytest.fixture
def data() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in FILES.items():
            made.writestr(name, content)
    return buffer.getvalue()


def test_the_directory_says_where_each_file_is(data: bytes) -> None:
    places = bundled.directory(data)
    assert {name: data[begin:end] for name, (begin, end) in places.items()} == FILES


@pytest.mark.parametrize(("name", "package"), [("pal.a", False), ("pal.b", True), ("pal.b.c", False)])
def test_modules_and_packages_are_found_with_their_sources(data: bytes, name: str, package: bool) -> None:
    finder = bundled.Finder(data, "/x/pal.pyz")
    spec = finder.find_spec(name)
    assert spec is not None
    assert spec.origin == f"/x/pal.pyz/{name.replace('.', '/')}{'/__init__.py' if package else '.py'}"
    assert (spec.submodule_search_locations is not None) is package
    assert finder.get_source(name).encode() == FILES[spec.origin[len("/x/pal.pyz/") :]]


@pytest.mark.parametrize("name", ["pal", "pal.c", "pal.b.d", "json", "palx.a", "assets.x"])
def test_everything_else_is_somebody_elses(data: bytes, name: str) -> None:
    assert bundled.Finder(data, "/x").find_spec(name) is None


def test_an_archive_without_one_is_left_to_python() -> None:
    class Loader:
        archive = "/x"

        def get_data(self, name: str) -> bytes:
            raise OSError(name)

    before = list(sys.meta_path)
    bundled.install(Loader())
    assert sys.meta_path == before


def test_a_traceback_from_the_built_archive_shows_the_line(archive, clean_env) -> None:
    program = (
        f"import sys, traceback\nsys.path.insert(0, {str(archive)!r})\nfrom pal.base import clock\n"
        "try: clock.local('x', '')\nexcept TypeError: traceback.print_exc()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=clean_env)
    assert f'File "{archive.as_posix()}/pal/base/clock.py"' in done.stderr
    assert "return time.localtime(moment)" in done.stderr
