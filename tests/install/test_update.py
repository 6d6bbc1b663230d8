"""A newer archive is looked at, not run, before a person says yes."""

from __future__ import annotations

import hashlib
import zipfile

import pytest

from pal import __version__
from pal.base.errors import PalError
from pal.install import update


def test_an_archive_tells_its_version_and_digest_without_running(archive):
    found = update.inspect(str(archive))
    assert found.version == __version__
    assert found.sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert found.facts() == {"path": str(archive), "version": found.version, "sha256": found.sha256}


def packed(path, members):
    with zipfile.ZipFile(path, "w") as made:
        for name, text in members.items():
            made.writestr(name, text)
    return str(path)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "not one of PAL"),
        ({"__main__.py": ""}, "not one of PAL"),
        ({"__main__.py": "", "pal/__init__.py": ""}, "not one of PAL"),
        ({"__main__.py": "", "pal/__init__.py": "def ("}, "not one of PAL"),
        ({"pal/__init__.py": "__version__ = '9'"}, "not one of PAL"),
        ({"__main__.py": "", "pal/__init__.py": "import os\n__version__ = os.name"}, "not one of PAL"),
    ],
)
def test_another_archive_is_refused(tmp_path, members, said):
    with pytest.raises(PalError, match=said):
        update.inspect(packed(tmp_path / "x.pyz", members))


@pytest.mark.parametrize("data", [b"", b"text", b"PK\x05\x06"])
def test_a_file_that_is_no_archive_is_refused(tmp_path, data):
    (tmp_path / "x.pyz").write_bytes(data)
    with pytest.raises(PalError, match="not a whole archive"):
        update.inspect(str(tmp_path / "x.pyz"))


def test_a_damaged_member_is_found(tmp_path, archive):
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as whole:
        member = whole.getinfo("pal.zip")
    begin = member.header_offset + 30 + len(member.filename)  # what follows the local header is the member itself
    data[begin + member.compress_size // 2] ^= 0xFF
    (tmp_path / "x.pyz").write_bytes(bytes(data))
    with pytest.raises(PalError, match=r"x\.pyz"):
        update.inspect(str(tmp_path / "x.pyz"))


def test_a_missing_file_and_a_folder_are_said_in_one_sentence(tmp_path):
    with pytest.raises(PalError, match="no file"):
        update.inspect(str(tmp_path / "gone.pyz"))
    with pytest.raises(PalError, match="cannot be read"):
        update.inspect(str(tmp_path))


def test_a_home_without_an_archive_has_none_installed(home):
    assert update.installed(home) is None
