"""A backup holds what a user cannot replace, is whole or not there, and never touches a file that is not a backup."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pal.base import assets
from pal.base.errors import PalError
from pal.memory import backup

DAY = 86_400.0


def fill(home) -> None:
    for name, text in {
        "pal-settings.json": "{}",
        "telos/MISSION.md": "árvíz\r\n",
        "telos/deep/er/GOALS.md": "x",
        "memory/signals/ratings.jsonl": '{"a":1}\n{"b":2}\n',
        "memory/failures/2026-03/2026-03-01_x.md": "x",
        "memory/state/sessions.json": "{}",
        "memory/cache/index.sqlite": "cache",
        "memory/state/jobs/ask-1-a.json": "{}",
        "memory/state/spill/x-1": "{}",
        "memory/state/.sessions.json.lock": "",
        "memory/state/.pal-tmp-sessions.json-1": "half",
        "skills/mine/SKILL.md": "mine",
        "skills/mine/tools/__pycache__/a.pyc": "x",
        "agents/me.md": "me",
        "docs/README.md": "shipped",
        "install/changes.json": "{}",
        "pal.pyz": "x",
    }.items():
        path = Path(home.root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def held(path: str) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_holds_settings_telos_memory_and_the_users_own_skills_and_agents_and_nothing_rebuildable(home, now):
    fill(home)
    path = backup.run(home, now)
    assert path == os.path.join(home.backups, "pal-backup-20260302-081500.zip")
    assert list(held(path)) == [
        "pal-settings.json",
        "telos/MISSION.md",
        "telos/deep/er/GOALS.md",
        "memory/failures/2026-03/2026-03-01_x.md",
        "memory/signals/ratings.jsonl",
        "memory/state/sessions.json",
        "skills/mine/SKILL.md",
        "agents/me.md",
        "backup-manifest.json",
    ]
    assert held(path)["telos/MISSION.md"] == "árvíz\r\n".encode()


def test_the_manifest_says_when_by_which_version_and_how_much(home, now):
    fill(home)
    contents = held(backup.run(home, now))
    manifest = json.loads(contents.pop("backup-manifest.json"))
    assert manifest.pop("version")
    assert manifest == {
        "created": "2026-03-02T08:15:00Z",
        "files": len(contents),
        "bytes": sum(map(len, contents.values())),
    }


def test_unzipping_over_an_empty_home_restores_every_byte(home, now, tmp_path):
    fill(home)
    path = backup.run(home, now)
    zipfile.ZipFile(path).extractall(tmp_path / "new")
    for name, data in held(path).items():
        assert (tmp_path / "new" / name).read_bytes() == data


def test_a_shipped_skill_is_left_out_until_the_user_changes_it(home, now, monkeypatch, tmp_path):
    package = tmp_path / "package"
    for name in ("skills/ours/SKILL.md", "skills/ours/tool.py", "agents/ours.md"):
        for root in (package / "assets", Path(home.root)):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("shipped\n")
    monkeypatch.setenv("PAL_PKG", str(package))
    assert assets.names("skills/")
    assert list(held(backup.run(home, now))) == ["backup-manifest.json"]
    Path(home.skills, "ours", "tool.py").write_text("better\n")
    assert list(held(backup.run(home, now + 1))) == ["skills/ours/tool.py", "backup-manifest.json"]


def test_the_same_files_give_the_same_bytes(home, now):
    fill(home)
    first = Path(backup.run(home, now)).read_bytes()
    assert Path(backup.run(home, now)).read_bytes() == first


@pytest.mark.parametrize(
    ("log", "kept"),
    [
        ('{"a":1}\n{"b":2}\n', '{"a":1}\n{"b":2}\n'),
        ('{"a":1}\n{"b":', '{"a":1}\n'),
        ('{"a":1}\n{"b":2}', '{"a":1}\n{"b":2}'),
        ('{"b":', ""),
        ("", ""),
    ],
)
def test_a_log_is_cut_after_its_last_whole_record(home, now, log, kept):
    Path(home.ratings).write_text(log)
    assert held(backup.run(home, now))["memory/signals/ratings.jsonl"].decode() == kept


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_are_not_followed_and_pipes_are_not_read(home, now, tmp_path):
    (tmp_path / "secret").write_text("x")
    os.symlink(tmp_path / "secret", os.path.join(home.telos, "link.md"))
    os.symlink(tmp_path, os.path.join(home.telos, "folder"))
    os.mkfifo(os.path.join(home.telos, "pipe"))
    assert list(held(backup.run(home, now))) == ["backup-manifest.json"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], True),
        (["pal-backup-20260302-081459.zip"], False),
        (["pal-backup-20260301-081501.zip"], False),
        (["pal-backup-20260301-081500.zip"], True),
        (["pal-backup-20260301-081500.zip", "pal-backup-20260302-000000.zip"], False),
        (["pal-backup-20990101-000000.zip"], True),
        (["pal-backup-20260302-0000.zip", "pal-backup-20260302-000000.zip.tmp", "mine.zip"], True),
    ],
)
def test_it_is_due_once_a_day(home, now, names, expected):
    os.makedirs(home.backups)
    for name in names:
        Path(home.backups, name).touch()
    assert backup.due(home, now) is expected


def test_it_is_due_before_the_first_one(home, now):
    assert backup.due(home, now)
    backup.run(home, now)
    assert not backup.due(home, now)


def test_the_newest_fourteen_stay_and_only_files_of_that_exact_name_are_ever_removed(home, now):
    os.makedirs(home.backups)
    others = {
        "pal-backup-20200101-000000.zip.old",
        "pal-backup-2020010-0000000.zip",
        "pal-backup-20200101-00000a.zip",
        "pal-backup-.zip",
        "xpal-backup-20200101-000000.zip",
        "pal-export-20200101000000.zip",
        "notes.txt",
    }
    for name in others:
        Path(home.backups, name).touch()
    paths = [backup.run(home, now + day * DAY) for day in range(16)]
    assert set(os.listdir(home.backups)) - {".backup.lock"} == others | {os.path.basename(path) for path in paths[2:]}


def test_a_killed_backup_leaves_no_zip_under_the_final_name_and_the_next_run_clears_its_rest(home, now, tmp_path):
    fill(home)
    code = (
        "import os, sys\n"
        "from pal.base import files\nfrom pal.base.home import Home\nfrom pal.memory import backup\n"
        "files.replace = lambda *_: os._exit(9)\n"
        "backup.run(Home(sys.argv[1]), 0.0)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run([sys.executable, "-c", code, home.root], env=env, cwd=tmp_path, check=False)
    assert killed.returncode == 9
    (left,) = [name for name in os.listdir(home.backups) if not name.endswith(".lock")]
    assert left.endswith(".tmp")
    path = backup.run(home, now)
    assert [name for name in os.listdir(home.backups) if not name.endswith(".lock")] == [os.path.basename(path)]


def test_a_backup_that_cannot_be_written_is_one_sentence_and_leaves_nothing(home, now):
    Path(home.backups).write_text("a file stands in the way")
    with pytest.raises(PalError, match="could not be written"):
        backup.run(home, now)


def test_a_failure_half_way_leaves_no_rest(home, now, monkeypatch):
    fill(home)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PalError, match="No space left"):
        backup.run(home, now)
    assert [name for name in os.listdir(home.backups) if not name.endswith(".lock")] == []
