"""`pal memory sync` as it is typed, and the driver it leaves for git."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pal.base.home import Home
from pal.cli import main
from pal.cli.output import Output

GIT = shutil.which("git")


@pytest.fixture(autouse=True)
def git(require):
    require(GIT, "git is not on PATH")


@pytest.fixture
def typed(tmp_path, now):
    """typed("a", "sync", …): (exit code, stdout, stderr) of `pal memory …` on the machine of that name."""

    def run(machine: str, *argv: str, path: str | None = None):
        user = tmp_path / machine
        user.mkdir(exist_ok=True)
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": str(user), "USERPROFILE": str(user), "PATH": os.environ["PATH"] if path is None else path}
        code = main.run(("memory", *argv), values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


def note(tmp_path: Path, machine: str, name: str, text: str) -> Path:
    path = Path(Home(str(tmp_path / machine / ".pal")).memory) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_two_machines_share_a_memory_through_a_folder(typed, tmp_path):
    for machine in "ab":
        code, out, err = typed(machine, "sync", "init", str(tmp_path / "share" / "memory.git"))
        assert (code, err) == (0, "") and "memory.git" in out
    note(tmp_path, "a", "knowledge/Ideas/x.md", "# X\n")
    assert typed("a", "sync")[1] == "3 files had changed here, 0 came from elsewhere; all is sent.\n"
    assert json.loads(typed("b", "sync", "--json")[1])["received"] == ["knowledge/Ideas/x.md"]
    assert (tmp_path / "b" / ".pal" / "memory" / "knowledge" / "Ideas" / "x.md").read_text() == "# X\n"
    assert json.loads(typed("a", "sync", "status", "--json")[1])["changed"] == 0
    assert "0 files" in typed("a", "sync", "status")[1]


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [(("sync",), 1, "is not synced yet"), (("sync", "now"), 2, "there is no step 'now'"), (("sync", "status"), 0, "")],
)
def test_before_it_was_begun_it_says_how(typed, argv, code, said):
    found = typed("a", *argv)
    assert found[0] == code and said in found[2] and found[2].count("\n") == (code > 0)


def test_without_git_one_line_says_so(typed):
    assert typed("a", "sync", path="") == (
        1, "", "pal: Syncing needs git, and there is none on PATH; install it, or copy the memory folder yourself.\n",
    )  # fmt: skip


def test_a_merge_by_hand_goes_through_the_driver(typed, tmp_path):
    typed("a", "sync", "init")
    memory = tmp_path / "a" / ".pal" / "memory"

    def git(*words: str) -> str:
        argv = [GIT, "-c", "user.name=P", "-c", "user.email=p@example.org", *words]
        done = subprocess.run(argv, cwd=memory, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    opinions = memory / "relationship" / "opinions.json"
    note(tmp_path, "a", "relationship/opinions.json", json.dumps({"opinions": [{"id": "a"}]}))
    git("add", "-A"), git("commit", "-qm", "one"), git("checkout", "-qb", "other")
    opinions.write_text(json.dumps({"opinions": [{"id": "a"}, {"id": "b"}]}))
    git("commit", "-qam", "two"), git("checkout", "-q", "main")
    opinions.write_text(json.dumps({"opinions": [{"id": "a"}, {"id": "c"}]}))
    git("commit", "-qam", "three"), git("merge", "-q", "other")
    assert sorted(row["id"] for row in json.loads(opinions.read_text())["opinions"]) == ["a", "b", "c"]
