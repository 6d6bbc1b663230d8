"""Whole files: old bytes or new ones, never half, whatever happens in between."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pal.base import files

SOURCE = str(Path(files.__file__).resolve().parents[2])
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX modes, links and limits")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def leftovers(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(files.TEMPORARY)]


@given(data=st.binary(max_size=2000) | st.text(alphabet=st.characters(exclude_categories=("Cs",))))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read_back_byte_for_byte(tmp_path, data):
    path = str(tmp_path / "file")
    files.write(path, data)
    raw = data.encode("utf-8") if isinstance(data, str) else data
    assert files.read_bytes(path) == raw
    assert files.read_text(path) == raw.decode("utf-8", "replace")
    assert files.write(path, data) is False
    assert leftovers(tmp_path) == []


def test_a_missing_file_reads_as_none_and_a_broken_byte_as_a_replacement(tmp_path):
    missing, broken = tmp_path / "no" / "file", tmp_path / "broken"
    broken.write_bytes(b"a\xffb\r\n")
    (tmp_path / "plain").write_bytes(b"")
    assert files.read_bytes(str(missing)) is None
    assert files.read_text(str(missing)) is None
    assert files.read_text(str(tmp_path / "plain" / "below")) is None
    assert files.tail_bytes(str(missing), 10) == b""
    assert files.read_text(str(broken)) == "a\ufffdb\r\n"


def test_a_lone_surrogate_is_written_as_an_escape(tmp_path):
    files.write(str(tmp_path / "file"), "a\ud800")
    assert (tmp_path / "file").read_bytes() == b"a\\ud800"


@pytest.mark.parametrize(
    ("limit", "tail"), [(0, b""), (1, b"9"), (4, b"6789"), (10, b"0123456789"), (99, b"0123456789")]
)
def test_the_tail_is_at_most_so_many_bytes(tmp_path, limit, tail):
    (tmp_path / "file").write_bytes(b"0123456789")
    assert files.tail_bytes(str(tmp_path / "file"), limit) == tail


def test_the_same_content_is_not_written_again(tmp_path):
    path = tmp_path / "file"
    assert files.write(str(path), "same") is True
    os.utime(path, ns=(10**18, 10**18))
    before = path.stat()
    assert files.write(str(path), "same") is False
    after = path.stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


@posix
def test_a_new_file_is_the_users_alone_and_so_are_the_folders_made_for_it(tmp_path):
    os.umask(0o022)
    files.write(str(tmp_path / "a" / "b" / "c" / "file"), "x")
    assert mode(tmp_path / "a" / "b" / "c" / "file") == 0o600
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3


@posix
@pytest.mark.parametrize("kept", [0o600, 0o640, 0o644, 0o755, 0o400])
def test_an_existing_file_keeps_its_mode(tmp_path, kept):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(kept)
    files.write(str(path), "new")
    assert (path.read_text(), mode(path)) == ("new", kept)


@posix
def test_a_mode_that_is_asked_for_is_given_to_a_file_that_is_replaced(tmp_path):
    (tmp_path / "run").write_text("old")
    files.write(str(tmp_path / "run"), "new", mode=0o755)
    assert mode(tmp_path / "run") == 0o755


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_new_file_gets_the_mode_that_is_asked_for_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        files.write(str(tmp_path / "run"), "x", mode=0o755)
    finally:
        os.umask(before)
    assert mode(tmp_path / "run") == 0o755


@posix
@pytest.mark.parametrize("relative", [True, False])
def test_a_link_stays_and_its_target_is_replaced(tmp_path, relative):
    target = tmp_path / "dotfiles" / "real"
    target.parent.mkdir()
    target.write_text("old")
    link = tmp_path / "link"
    link.symlink_to("dotfiles/real" if relative else target)
    second = tmp_path / "second"
    second.symlink_to("link")
    files.write(str(second), "new")
    assert link.is_symlink()
    assert second.is_symlink()
    assert target.read_text() == "new"
    assert leftovers(tmp_path) == leftovers(target.parent) == []


@posix
def test_a_link_to_nothing_gets_its_target(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "dotfiles" / "real")
    files.write(str(tmp_path / "link"), "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "dotfiles" / "real").read_text() == "new"


@posix
def test_links_that_go_round_are_an_error_and_leave_nothing(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError):
        files.read_bytes(str(tmp_path / "a"))
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_folder_in_place_of_the_file_is_an_error_and_stays(tmp_path):
    folder = tmp_path / "file"
    folder.mkdir()
    (folder / "inside").write_text("x")
    with pytest.raises(OSError):
        files.write(str(folder), "new")
    with pytest.raises(OSError):
        files.read_bytes(str(folder))
    assert (folder / "inside").read_text() == "x"
    assert leftovers(tmp_path) == []


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path):
    (tmp_path / "plain").write_text("x")
    with pytest.raises(OSError):
        files.write(str(tmp_path / "plain" / "file"), "new")
    assert (tmp_path / "plain").read_text() == "x"


def test_a_name_as_long_as_the_system_takes_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    files.write(str(path), "x")
    assert path.read_text() == "x"


def test_one_file_is_claimed_once(tmp_path):
    path = tmp_path / "job"
    path.write_text("x")
    assert files.claim(str(path), str(tmp_path / "mine")) is True
    assert files.claim(str(path), str(tmp_path / "yours")) is False
    assert os.listdir(tmp_path) == ["mine"]


def test_removing_says_whether_the_file_was_there(tmp_path):
    (tmp_path / "file").write_text("x")
    assert files.remove(str(tmp_path / "file")) is True
    assert files.remove(str(tmp_path / "file")) is False
    assert files.remove(str(tmp_path / "no" / "file")) is False


def test_only_old_half_written_files_are_swept(tmp_path, now):
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    for name in (files.TEMPORARY + "old", files.TEMPORARY + "new", "mine"):
        (below / name).write_text("x")
        age = 10 if name.endswith("new") else files.STALE + 10
        os.utime(below / name, (now - age, now - age))
    files.sweep(str(tmp_path), now)
    assert sorted(os.listdir(below)) == [files.TEMPORARY + "new", "mine"]


# Ends the process before its n-th file operation; a write ends half done. Prints how it ended otherwise.
KILLED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pal.base import files
left = int(sys.argv[3])
def counted(function, halved=False):
    def run(*arguments, **named):
        global left
        left -= 1
        if left == 0:
            if halved:
                function(arguments[0], arguments[1][: len(arguments[1]) // 2])
            os._exit(9)
        return function(*arguments, **named)
    return run
for name in ("open", "fsync", "close", "chmod", "replace", "unlink", "mkdir", "stat"):
    setattr(os, name, counted(getattr(os, name)))
os.write = counted(os.write, halved=True)
files.write(sys.argv[2], "new" * 5000, durable=True)
"""


@pytest.mark.parametrize("old", [b"old" * 4000, None], ids=["replaced", "made"])
def test_a_writer_killed_at_any_operation_leaves_the_old_file_or_the_new(tmp_path, old):
    path = tmp_path / "folder" / "file"
    seen = set()
    for operation in range(1, 60):
        if old is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(old)
        elif path.exists():
            path.unlink()
        script = [sys.executable, "-I", "-S", "-c", KILLED, SOURCE, str(path), str(operation)]
        status = subprocess.run(script, timeout=60).returncode
        found = files.read_bytes(str(path))
        assert found in (old, b"new" * 5000)
        seen.add(found == old)
        if status == 0:
            break
        assert status == 9
    assert operation > 6
    assert seen == {True, False}


FULL = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
from pal.base import files
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    files.write(sys.argv[2], "new" * 5000)
except OSError as problem:
    print(type(problem).__name__)
"""


@posix
def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", FULL, SOURCE, str(path)], capture_output=True, timeout=60)
    assert done.stdout == b"OSError\n"
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]
