"""The one file PAL ships as: the same bytes everywhere, runnable from anywhere, clear to a Python it cannot run on."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import find_python
import pytest

from pal import bundled
from pal.base import assets
from pal.base.errors import PalError
from pal.install import archive as packing
from pal.install import engine

ROOT = Path(__file__).resolve().parents[2]


def build(output: Path, python: str = sys.executable, **env: str) -> dict[str, str]:
    done = subprocess.run(
        [python, str(ROOT / "build_zipapp.py"), "--output", str(output)],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    return {row[0]: row[-1] for row in rows}


def interpreters(oldest: tuple[int, int], newest: tuple[int, int]) -> list[str]:
    return [path for version, path in find_python.found() if oldest <= version[:2] <= newest]


def test_every_python_here_builds_the_same_content_and_with_one_zlib_the_same_bytes(tmp_path: Path) -> None:
    contents = set()
    archives: dict[str, set[tuple[str, bytes]]] = {}
    for number, python in enumerate(interpreters((3, 9), (3, 99))):
        output = tmp_path / str(number) / "pal.pyz"
        printed = build(output, python)
        asked = subprocess.run([python, "-c", "import zlib; print(zlib.ZLIB_RUNTIME_VERSION)"], stdout=subprocess.PIPE)
        archives.setdefault(asked.stdout.decode(), set()).add((printed["archive"], output.read_bytes()))
        contents.add(printed["content"])
    assert len(contents) == 1
    assert [len(same) for same in archives.values()] == [1] * len(archives)


def test_the_time_of_the_build_folder_and_its_clutter_leave_no_trace(tmp_path: Path) -> None:
    first = packing.files(str(ROOT))
    copy = tmp_path / "copy"
    for name, data in first.items():
        path = copy / name.replace("pal/", "src/pal/", 1) if name.startswith("pal/") else copy / name
        if name == "__main__.py":
            path = copy / "pal.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.replace(b"\n", b"\r\n") if name.endswith(".py") else data)
    for clutter in ("src/pal/__pycache__/x.pyc", "src/pal/.swp", "src/pal/old.py~", "tests/test_x.py", "dist/pal.pyz"):
        (copy / clutter).parent.mkdir(parents=True, exist_ok=True)
        (copy / clutter).write_bytes(b"x")
    second = packing.files(str(copy))
    assert second == first
    assert packing.pack(second) == packing.pack(first)


def test_source_date_epoch_is_the_time_of_every_entry_and_nothing_else(tmp_path: Path) -> None:
    plain, dated = tmp_path / "plain.pyz", tmp_path / "dated.pyz"
    one = build(plain, SOURCE_DATE_EPOCH="")
    two = build(dated, SOURCE_DATE_EPOCH="1772439300")
    assert one["content"] == two["content"]
    assert one["archive"] != two["archive"]
    with zipfile.ZipFile(plain) as first, zipfile.ZipFile(dated) as second:
        assert {info.date_time for info in first.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.date_time for info in second.infolist()} == {(2026, 3, 2, 8, 15, 0)}


@pytest.mark.parametrize("value", ["yesterday", "-5", "1.5", "١"])
def test_a_source_date_epoch_that_is_no_number_is_refused(value: str) -> None:
    with pytest.raises(PalError, match="SOURCE_DATE_EPOCH"):
        packing.source_epoch({"SOURCE_DATE_EPOCH": value})


def test_entries_are_sorted_deflated_and_readable_by_all_and_come_from_no_particular_system() -> None:
    data = packing.pack(packing.files(str(ROOT)))
    assert data.startswith(b"#!/usr/bin/env python3\n")
    assert len(data) <= 1_000_000
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        entries = made.infolist()
    names = [info.filename for info in entries]
    assert names == sorted(names)
    assert {info.external_attr >> 16 for info in entries} == {0o100644}
    assert {info.create_system for info in entries} == {3}
    assert {info.compress_type for info in entries} == {zipfile.ZIP_DEFLATED}


def test_the_archive_holds_the_package_its_assets_its_licence_and_nothing_else() -> None:
    names = packing.files(str(ROOT))
    assert {"__main__.py", "LICENSE", "pal/__init__.py", "pal/install/archive.py"} <= set(names)
    outside = [name for name in names if not name.startswith(("pal/", "assets/"))]
    assert outside == ["LICENSE", "__main__.py"]
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc") or "tests" in name.split("/")]
    assert names["__main__.py"] == (ROOT / "pal.py").read_bytes()


@pytest.mark.parametrize("form", ["pal.pyz", "engine", "unpacked"])
def test_the_files_come_back_from_every_form_they_are_packed_in(tmp_path: Path, form: str) -> None:
    files = packing.files(str(ROOT))
    place = tmp_path / "place"
    if form == "unpacked":
        with zipfile.ZipFile(io.BytesIO(packing.pack(files))) as made:
            made.extractall(place)
        with zipfile.ZipFile(place / bundled.INNER) as inner:
            inner.extractall(place)
        with zipfile.ZipFile(place / assets.BUNDLE) as inner:
            inner.extractall(place / "assets")
    else:
        place.write_bytes(packing.pack(files) if form == "pal.pyz" else engine.tune(files))
    assert packing.files(str(place)) == files
    assert packing.content_digest(packing.files(str(place))) == packing.content_digest(files)


def test_the_content_digest_knows_where_a_name_ends_and_the_bytes_begin() -> None:
    alike = [{"a": b"bc"}, {"ab": b"c"}, {"a": b"b", "c": b""}, {"a": b"", "bc": b""}, {"a": b"bd"}]
    assert len({packing.content_digest(files) for files in alike}) == len(alike)
    assert packing.content_digest({"a": b"1", "b": b"2"}) == packing.content_digest({"b": b"2", "a": b"1"})


@pytest.mark.parametrize("content", [b"", b"#!/usr/bin/env python3\n", b"PK\x05\x06" + bytes(18), None])
def test_what_is_no_pal_is_refused_in_one_sentence(tmp_path: Path, content: bytes | None) -> None:
    place = tmp_path / "place"
    if content is None:
        place.mkdir()
    else:
        place.write_bytes(content)
    with pytest.raises(PalError, match="place"):
        packing.files(str(place))


def test_it_runs_from_any_folder_read_only_and_under_another_name(archive: Path, clean_env, tmp_path: Path) -> None:
    folder = tmp_path / "nur lesbär"
    folder.mkdir()
    renamed = folder / "my agent layer"
    renamed.write_bytes(archive.read_bytes())
    renamed.chmod(0o444)
    folder.chmod(0o555)
    try:
        for named in (str(renamed), os.path.relpath(renamed, tmp_path)):
            done = subprocess.run(
                [sys.executable, named, "version"],
                capture_output=True,
                text=True,
                env=clean_env,
                cwd=tmp_path,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, "")
            assert "0.1.0" in done.stdout
        assert os.listdir(folder) == ["my agent layer"]
    finally:
        folder.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="Windows starts no file by its first line")
def test_it_starts_by_its_own_first_line(tmp_path: Path, clean_env) -> None:
    output = tmp_path / "pal.pyz"
    build(output)
    clean_env["PATH"] = os.path.dirname(sys.executable) + os.pathsep + clean_env["PATH"]
    done = subprocess.run([str(output), "version"], capture_output=True, text=True, env=clean_env, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("version", [(2, 7), (3, 6), (3, 8)], ids=lambda pair: f"{pair[0]}.{pair[1]}")
@pytest.mark.parametrize("form", ["archive", "checkout"])
def test_an_old_python_is_told_which_one_pal_needs(archive: Path, require, version: tuple[int, int], form: str) -> None:
    python = require(interpreters(version, version), f"no Python {version[0]}.{version[1]} here")[0]
    target = archive if form == "archive" else ROOT / "pal.py"
    done = subprocess.run([python, str(target), "hook", "stop"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"PAL needs Python 3.9 or newer; this is Python {version[0]}.{version[1]}.")
    assert done.stderr.count("\n") == 1
