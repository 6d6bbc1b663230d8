"""Whole files of ours among a user's: written, followed through upgrades, given up when the user makes them theirs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base.errors import PalError
from pal.install import trees
from pal.install.changes import CopyTree, WriteFile
from pal.install.staging import Staging

ONE = {"pal-a/SKILL.md": b"a1", "pal-a/more/x.txt": b"x1", "pal-b/SKILL.md": b"b1", "flat.md": b"f1"}
TWO = {"pal-a/SKILL.md": b"a2", "pal-c/SKILL.md": b"c2", "flat.md": b"f2"}


def put(folder: Path, contents, entry=None):
    """The entry after writing this tree, and what was kept."""
    stage = Staging()
    made, kept = trees.put(CopyTree(str(folder), contents), entry, stage)
    stage.commit()
    return {**made, "path": str(folder)}, kept


def take(entry):
    stage = Staging()
    kept = trees.take(entry, stage)
    stage.commit()
    return kept


def held(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_tree_is_copied_followed_by_an_upgrade_and_taken_away(tmp_path):
    entry, kept = put(tmp_path, ONE)
    assert (held(tmp_path), kept) == (ONE, [])
    assert put(tmp_path, ONE, entry) == (entry, [])
    entry, kept = put(tmp_path, TWO, entry)
    assert (held(tmp_path), kept) == (TWO, [])
    assert take(entry) == []
    assert held(tmp_path) == {}


def test_an_edited_file_is_kept_and_reported_by_upgrade_and_uninstall(tmp_path):
    entry, _ = put(tmp_path, ONE)
    (tmp_path / "pal-a" / "SKILL.md").write_bytes(b"mine")
    (tmp_path / "pal-b" / "SKILL.md").write_bytes(b"mine")
    entry, kept = put(tmp_path, TWO, entry)
    assert sorted(kept) == [
        (str(tmp_path / "pal-a" / "SKILL.md"), "kept: it was edited"),
        (str(tmp_path / "pal-b" / "SKILL.md"), "kept: it was edited"),
    ]
    assert take(entry) == [(str(tmp_path / "pal-a" / "SKILL.md"), "kept: it was edited")]
    assert held(tmp_path) == {"pal-a/SKILL.md": b"mine", "pal-b/SKILL.md": b"mine"}


def test_an_edit_that_is_taken_back_makes_the_file_ours_again(tmp_path):
    entry, _ = put(tmp_path, ONE)
    (tmp_path / "flat.md").write_bytes(b"mine")
    entry, _ = put(tmp_path, TWO, entry)
    (tmp_path / "flat.md").write_bytes(b"f1")
    entry, kept = put(tmp_path, TWO, entry)
    assert (held(tmp_path), kept) == (TWO, [])
    take(entry)
    assert held(tmp_path) == {}


@pytest.mark.parametrize("mine", [{"pal-a/own.txt": b"mine"}, {"flat.md": b"mine"}, {"pal-b/SKILL.md": b"b1"}])
def test_what_was_there_before_is_never_touched(tmp_path, mine):
    for name, data in mine.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    top = next(iter(mine)).split("/")[0]
    entry, kept = put(tmp_path, ONE)
    same = ONE.items() >= mine.items()
    assert kept == ([] if same else [(str(tmp_path / top), "kept: it was there before PAL")])
    assert trees.look(CopyTree(str(tmp_path), ONE), entry, Staging()) == []
    assert held(tmp_path) == {**{name: data for name, data in ONE.items() if name.split("/")[0] != top}, **mine}
    take(entry)
    assert held(tmp_path) == mine


def test_a_file_somebody_adds_to_our_folder_stays_and_is_not_overwritten(tmp_path):
    entry, _ = put(tmp_path, {"pal-a/SKILL.md": b"a1"})
    (tmp_path / "pal-a" / "new.txt").write_bytes(b"mine")
    entry, kept = put(tmp_path, {"pal-a/SKILL.md": b"a1", "pal-a/new.txt": b"ours"}, entry)
    assert kept == [(str(tmp_path / "pal-a" / "new.txt"), "kept: it was there before PAL")]
    take(entry)
    assert held(tmp_path) == {"pal-a/new.txt": b"mine"}


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_in_the_place_of_our_file_or_folder_is_the_users(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "SKILL.md").write_bytes(b"b1")
    os.symlink("theirs", tmp_path / "pal-b")
    entry, _ = put(tmp_path, ONE)
    os.remove(tmp_path / "flat.md")
    os.symlink("theirs/SKILL.md", tmp_path / "flat.md")
    entry, kept = put(tmp_path, ONE, entry)
    assert kept == [(str(tmp_path / "flat.md"), "kept: it was edited")]
    take(entry)
    assert held(tmp_path) == {"theirs/SKILL.md": b"b1", "flat.md": b"b1"} | (
        {"pal-b/SKILL.md": b"b1"} if (tmp_path / "pal-b/SKILL.md") in tmp_path.rglob("*") else {}
    )


def test_looking_tells_missing_altered_and_edited_files(tmp_path):
    change = CopyTree(str(tmp_path), ONE)
    assert {problem for _, problem in trees.look(change, None, Staging())} == {"missing"}
    entry, _ = put(tmp_path, ONE)
    assert trees.look(change, entry, Staging()) == []
    os.remove(tmp_path / "flat.md")
    (tmp_path / "pal-b" / "SKILL.md").write_bytes(b"mine")
    newer = CopyTree(str(tmp_path), {**ONE, "pal-a/SKILL.md": b"a2"})
    assert trees.look(newer, entry, Staging()) == [
        (str(tmp_path / "pal-a" / "SKILL.md"), "altered"),
        (str(tmp_path / "pal-b" / "SKILL.md"), "edited"),
        (str(tmp_path / "flat.md"), "missing"),
    ]


def test_a_file_of_our_own_is_overwritten_when_edited_but_not_deleted(tmp_path):
    path = tmp_path / "pal.json"
    stage = Staging()
    made, _ = trees.put(WriteFile(str(path), b"one"), None, stage)
    stage.commit()
    path.write_bytes(b"edited")
    assert trees.look(WriteFile(str(path), b"one"), made, Staging()) == [(str(path), "altered")]
    assert take({**made, "path": str(path)}) == [(str(path), "kept: it was edited")]
    stage = Staging()
    made, _ = trees.put(WriteFile(str(path), b"two"), made, stage)
    stage.commit()
    assert path.read_bytes() == b"two"
    assert take({**made, "path": str(path)}) == []
    assert not path.exists()


def test_a_foreign_file_in_the_place_of_our_own_stops_the_install_and_the_same_bytes_do_not(tmp_path):
    path = tmp_path / "pal.json"
    path.write_bytes(b"one")
    assert trees.put(WriteFile(str(path), b"one"), None, Staging())[1] == []
    with pytest.raises(PalError, match="is there already and is not PAL's"):
        trees.put(WriteFile(str(path), b"two"), None, Staging())
