"""A memory goes into one file and comes in from one: nothing is overwritten, nothing leads out of the home."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from pathlib import Path

import pytest

from pal.base.errors import PalError
from pal.base.home import Home
from pal.cli import main
from pal.cli.output import Output
from pal.memory import backup
from pal.memory.moving import earlier, exporting, packed, taking

TOKEN = "ghp_" + "0123456789abcdefghij0123456789abcdef"


def fill(home: Home, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(home.root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def full(home) -> Home:
    """A home with something in every corner."""
    fill(
        home,
        {
            "pal-settings.json": "{}",
            "telos/GOALS.md": "# Goals\n",
            "memory/signals/ratings.jsonl": '{"ts": "2026-03-02T08:15:00Z", "rating": 9}\n',
            "memory/relationship/2026-03/2026-03-02.md": f"# Day\n\n- W: {TOKEN}\n",
            "memory/state/threads.jsonl": '{"id": "t1"}\n',
            "memory/state/hosts.json": "{}",
            "memory/state/jobs/x.json": "{}",
            "memory/cache/index.sqlite": "x",
            "skills/mine/tools/run.py": f"TOKEN = '{TOKEN}'\n",
        },
    )
    return home


@pytest.fixture
def other(tmp_path) -> Home:
    return Home(str(tmp_path / "other" / ".pal"))


def held(home: Home) -> dict[str, bytes]:
    root = Path(home.root)
    skipped = (".lock", "import-log.jsonl")
    found = (path for path in root.rglob("*") if path.is_file() and not path.name.endswith(skipped))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def test_an_export_holds_what_is_the_users_and_nothing_of_the_machine(full, now):
    path, count = exporting.run(full, "", now)
    assert os.path.basename(path) == "pal-export-20260302081500.zip"
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == [
            "pal-settings.json", "telos/GOALS.md", "memory/relationship/2026-03/2026-03-02.md",
            "memory/signals/ratings.jsonl", "skills/mine/tools/run.py", "memory/state/threads.jsonl",
            "export-manifest.json",
        ]  # fmt: skip
        assert count == 6
        assert TOKEN not in archive.read("memory/relationship/2026-03/2026-03-02.md").decode()
        assert TOKEN in archive.read("skills/mine/tools/run.py").decode(), "program text is not rewritten"
    with pytest.raises(PalError, match="is there already"):
        exporting.run(full, path, now)


def test_an_empty_home_has_nothing_to_export(home, now):
    with pytest.raises(PalError, match="nothing to export"):
        exporting.run(home, "", now)


def test_an_export_comes_in_whole_once(full, other, now):
    path, _ = exporting.run(full, "", now)
    entries = list(packed.entries(path))
    dry = taking.take(other, entries, now, dry=True)
    assert not os.path.exists(other.root)
    done = taking.take(other, entries, now)
    assert (done.new, done.left) == (dry.new, ["export-manifest.json"]) and len(done.new) == 6
    first = held(other)
    again = taking.take(other, entries, now + 60)
    assert (again.new, again.united, again.aside, len(again.same)) == ([], [], [], 6)
    assert held(other) == first


def test_logs_are_united_and_what_differs_is_set_aside_once(full, other, now):
    fill(
        other,
        {
            "memory/signals/ratings.jsonl": '{"ts": "2026-03-01T08:15:00Z", "rating": 3}\n',
            "telos/GOALS.md": "# My own goals\n",
        },
    )
    path, _ = exporting.run(full, "", now)
    done = taking.take(other, packed.entries(path), now)
    assert (done.united, done.aside) == (["memory/signals/ratings.jsonl"], ["telos/GOALS.md"])
    assert done.folder == os.path.join(other.backups, "import-conflicts-20260302081500")
    assert Path(other.ratings).read_text().count("\n") == 2
    assert Path(other.telos, "GOALS.md").read_text() == "# My own goals\n"
    assert Path(done.folder, "telos", "GOALS.md").read_text() == "# Goals\n"
    before = held(other)
    assert taking.take(other, packed.entries(path), now + 60).folder == done.folder
    assert held(other) == before


HOSTILE = [
    "../evil.md", "memory/../../evil.md", "/etc/evil.md", "C:/evil.md", "memory\\..\\evil.md", "memory//evil.md",
    "memory/a\0b.md",
]  # fmt: skip


def zipped(path: Path, *rows: tuple[str, int, bytes]) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name, mode, data in rows:
            info = zipfile.ZipInfo("x")
            info.filename = name
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return str(path)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_leads_elsewhere_refuses_the_whole_archive(other, tmp_path, name):
    path = zipped(tmp_path / "x.zip", ("memory/ok.md", 0o100600, b"ok"), (name, 0o100600, b"evil"))
    if "\0" in name:
        assert [entry for entry, _ in packed.entries(path)] == ["memory/a", "memory/ok.md"], "zip ends a name there"
        return
    with pytest.raises(PalError, match="is refused"):
        list(packed.entries(path))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_a_link_or_a_device_refuses_the_whole_archive(tmp_path, kind):
    path = zipped(tmp_path / "x.zip", ("memory/ok.md", 0o100600, b"ok"), ("memory/l.md", kind | 0o777, b"/etc/passwd"))
    with pytest.raises(PalError, match="link or a device"):
        list(packed.entries(path))


@pytest.mark.parametrize(
    "name",
    [
        "memory/state/jobs/evil.json", "memory/state/hosts.json", "memory/cache/index.sqlite", "install/changes.json",
        "engine/x.pyz", "hook.py", "memory/.git/config", "machine.json", "bin/pal", "memory/.gitattributes",
    ],
)  # fmt: skip
def test_what_is_another_machines_own_is_left_out(other, now, name):
    done = taking.take(other, [(name, b"x")], now)
    assert done.left == [name] and held(other) == {}


def test_nothing_is_written_through_a_link(other, now, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    os.makedirs(other.memory)
    for folder in ("memory/knowledge", "telos"):
        os.symlink(outside, os.path.join(other.root, folder))
    names = ["memory/knowledge/Ideas/x.md", "telos/GOALS.md"]
    assert taking.take(other, [(name, b"x") for name in names], now).left == names
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x03\x04" + b"\0" * 40])
def test_what_is_no_zip_is_one_sentence(tmp_path, data):
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    with pytest.raises(PalError, match="no zip"):
        list(packed.entries(str(path)))


def test_an_entry_that_is_longer_than_it_says_is_refused(tmp_path):
    path = zipped(tmp_path / "x.zip", ("memory/a.md", 0o100600, b"12345678"))
    data = bytearray(Path(path).read_bytes())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(mark) + at
        data[place : place + 4] = (4).to_bytes(4, "little")
    Path(path).write_bytes(data)
    with pytest.raises(PalError):
        list(packed.entries(path))


EARLIER_PAL = {
    "telos/GOALS.md": "# Goals\n",
    "memory/learning/session/2026/01/20260105-101010_work_cart-mended.md": "---\ntitle: Cart\n---\n\n## Done\n",
    "memory/learning/failures/2026/01/20260106-090000_wrong-file/capture.md": "---\nrating: 2\n---\n\n## Why\n",
    "memory/learning/reflections/algorithm.jsonl": '{"task": "x"}\n',
    "memory/signals/ratings.jsonl": '{"timestamp": "2026-01-05T10:00:00Z", "rating": 8, "comment": "nice"}\nbroken\n',
    "memory/relationship/2026-01/2026-01-05.md": "# Day\n",
    "memory/knowledge/People/anna.md": "---\ntitle: Anna\n---\n",
    "memory/state/sessions.json": "{}",
    "machine.json": "{}",
}
PAI = {
    "LEARNING/SYSTEM/2026-01/2026-01-05-101010_LEARNING_cart.md": "# Cart\n",
    "LEARNING/FAILURES/2026-01/2026-01-06-090000_wrong-file/CONTEXT.md": "# It broke\n",
    "LEARNING/FAILURES/2026-01/2026-01-06-090000_wrong-file/transcript.jsonl": "{}\n",
    "LEARNING/SIGNALS/ratings.jsonl": '{"timestamp": "2026-01-05T10:00:00+01:00", "rating": 3, "session_id": "s1"}\n',
    "RELATIONSHIP/2026-01/2026-01-05.md": "# Day\n",
    "WISDOM/FRAMES/development.md": "# Frame: Development\n",
    "RESEARCH/2026-01/2026-01-07_zip-files.md": "# Zip files\n\nThey end a name at NUL.\n",
    "STATE/current-work.json": "{}",
    "README.md": "# MEMORY\n",
}
TAKEN = {
    "pal": [
        "memory/failures/2026-01/2026-01-06_wrong-file.md", "memory/knowledge/People/anna.md",
        "memory/relationship/2026-01/2026-01-05.md", "memory/session-learning/2026-01/2026-01-05_work-cart-mended.md",
        "memory/signals/algorithm-reflections.jsonl", "memory/signals/ratings.jsonl", "telos/GOALS.md",
    ],
    "pai": [
        "memory/failures/2026-01/2026-01-06_wrong-file.md", "memory/knowledge/Research/zip-files.md",
        "memory/relationship/2026-01/2026-01-05.md", "memory/session-learning/2026-01/2026-01-05_learning-cart.md",
        "memory/signals/ratings.jsonl", "memory/wisdom/frames/development.md",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "layout", "reader"), [("pal", EARLIER_PAL, earlier.earlier_pal), ("pai", PAI, earlier.pai)]
)
def test_what_was_before_finds_its_place_once_and_stays_where_it_was(home, now, tmp_path, kind, layout, reader):
    source = Home(str(tmp_path / "before"))
    fill(source, layout)
    before = held(source)
    done = taking.take(home, reader(home, source.root), now)
    assert sorted(done.new) == TAKEN[kind]
    again = taking.take(home, reader(home, source.root), now)
    assert (again.new, again.united, again.aside) == ([], [], [])
    assert held(source) == before
    (rating,) = [json.loads(line) for line in Path(home.ratings).read_text().splitlines()]
    assert rating["type"] == "rating" and rating["ts"] == (
        "2026-01-05T10:00:00Z" if kind == "pal" else "2026-01-05T09:00:00Z"
    )


@pytest.mark.parametrize("reader", [earlier.earlier_pal, earlier.pai])
def test_a_folder_of_another_layout_is_one_sentence(home, tmp_path, reader):
    with pytest.raises(PalError, match="is no"):
        list(reader(home, str(tmp_path)))


@pytest.fixture
def typed(home, fresh_home, now):
    def run(*argv: str):
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}
        code = main.run(argv, values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


def test_export_and_import_as_they_are_typed(typed, full, tmp_path):
    path = str(tmp_path / "x.zip")
    assert json.loads(typed("export", path, "--json")[1]) == {"path": path, "files": 6}
    assert typed("import", path, "--dry-run")[1].startswith("different; yours stays: memory/relationship")
    assert json.loads(typed("import", path, "--json")[1])["same"]
    assert "6 files would go along" in typed("export", "--dry-run")[1]
    code, out, err = typed("import")
    assert code == 1 and err.startswith("pal: say what to take in")


def test_migrate_lists_then_says_then_does(typed, fresh_home, home):
    assert "Nothing from before" in typed("migrate")[1]
    source = Home(str(fresh_home / ".claude" / "MEMORY"))
    fill(source, PAI)
    assert json.loads(typed("migrate", "--json")[1]) == [{"source": "pai", "path": source.root}]
    code, out, _ = typed("migrate", "pai")
    assert code == 0 and "Nothing was changed" in out and not os.path.exists(home.failures)
    assert json.loads(typed("migrate", "pai", "--apply", "--json")[1])["new"]
    assert typed("migrate", "zz")[0] == 1 and typed("migrate", "pal")[0] == 1


def test_a_backup_leaves_the_versions_of_a_sync_out(full, now):
    fill(full, {"memory/.git/objects/aa/bb": "x", "memory/.gitignore": "/state/\n"})
    with zipfile.ZipFile(backup.run(full, now)) as archive:
        names = archive.namelist()
    assert "memory/.gitignore" in names and not [name for name in names if "/.git/" in name]
