"""Which folder is a project, and what is remembered of the sessions in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import jsontext, records
from pal.base.home import Home
from pal.memory import projects

NOW = 1_772_439_300.0
DAY = 86400


def _who(session: str) -> dict[str, str]:
    return {"session": session, "agent": "claude"}


def _make(path: Path, marker: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    target = path / marker
    if marker == ".git":
        target.mkdir()
    else:
        target.write_text("", "utf-8")
    return path


@pytest.mark.parametrize("marker", projects.MARKERS)
def test_a_marker_makes_a_folder_a_project(tmp_path: Path, marker: str) -> None:
    root = _make(tmp_path / "p", marker)
    below = root / "a" / "b"
    below.mkdir(parents=True)
    assert projects.root_of(str(root)) == str(root)
    assert projects.root_of(str(below)) == str(root)


def test_the_nearest_marker_counts(tmp_path: Path) -> None:
    _make(tmp_path / "outer", ".git")
    inner = _make(tmp_path / "outer" / "inner", "package.json")
    assert projects.root_of(str(inner / "src")) == str(inner)


def test_a_marker_more_than_twelve_levels_up_is_too_far(tmp_path: Path) -> None:
    root = _make(tmp_path / "p", ".git")
    near = root.joinpath(*"abcdefghijkl")
    assert projects.root_of(str(near)) == str(root)
    assert projects.root_of(str(near / "m")) == ""


@pytest.mark.parametrize("cwd", ["", "/", "/nowhere/at/all", "\0", "\ud800", "relative"])
def test_a_folder_without_a_marker_is_no_project(cwd: str) -> None:
    assert projects.root_of(cwd, user="/home/user") == ""


def test_the_users_home_folder_is_never_a_project(tmp_path: Path) -> None:
    user = _make(tmp_path / "user", ".git")
    documents = user / "documents"
    documents.mkdir()
    assert projects.root_of(str(user), user=str(user)) == ""
    assert projects.root_of(str(documents), user=str(user)) == ""
    assert projects.root_of(str(_make(user / "p", ".git")), user=str(user)) == str(user / "p")


def test_a_worktree_counts_as_its_main_repository(tmp_path: Path) -> None:
    main = _make(tmp_path / "main", ".git")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {main}/.git/worktrees/tree\n", "utf-8")
    assert projects.root_of(str(tree / "src")) == str(main)
    (tree / ".git").write_text("gitdir: ../main/.git/worktrees/tree\n", "utf-8")
    assert projects.root_of(str(tree)) == str(main)


@pytest.mark.parametrize("content", ["gitdir: ../main/.git/modules/sub\n", "", "nonsense", "gitdir:", "\0\xff"])
def test_a_submodule_or_an_odd_git_file_is_its_own_root(tmp_path: Path, content: str) -> None:
    sub = tmp_path / "sub"
    sub.mkdir()
    (sub / ".git").write_text(content, "utf-8")
    assert projects.root_of(str(sub)) == str(sub)


def test_a_touch_remembers_the_session(home: Home) -> None:
    projects.touch(home, "/w/app", _who("s1"), "Fix Login", "Fixed the\nlogin page.", NOW)
    assert jsontext.loads(Path(home.projects).read_text("utf-8")) == {
        "/w/app": {
            "name": "app",
            "path": "/w/app",
            "touched": "2026-03-02T08:15:00Z",
            "sessions": 1,
            "history": [
                {
                    "ts": "2026-03-02T08:15:00Z",
                    "session": "s1",
                    "agent": "claude",
                    "title": "Fix Login",
                    "summary": "Fixed the login page.",
                }
            ],
        }
    }


def test_one_session_is_one_line_however_often_it_touches(home: Home) -> None:
    for number in range(3):
        projects.touch(home, "/w/app", _who("s1"), f"Title {number}", "", NOW + number)
    assert [line["title"] for line in projects.history(home, "/w/app")] == ["Title 2"]
    assert jsontext.loads(Path(home.projects).read_text("utf-8"))["/w/app"]["sessions"] == 1


def test_six_sessions_of_history_are_kept_newest_last(home: Home) -> None:
    for number in range(9):
        projects.touch(home, "/w/app", _who(f"s{number}"), f"T{number}", "", NOW + number)
    assert [line["title"] for line in projects.history(home, "/w/app")] == ["T3", "T4", "T5", "T6", "T7", "T8"]
    assert jsontext.loads(Path(home.projects).read_text("utf-8"))["/w/app"]["sessions"] == 9


def test_forty_projects_are_kept_and_older_ones_archived(home: Home) -> None:
    for number in range(43):
        projects.touch(home, f"/w/p{number}", _who("s1"), "T", "", NOW + number)
    assert len(jsontext.loads(Path(home.projects).read_text("utf-8"))) == projects.MOST_PROJECTS
    archived = records.each(os.path.join(home.archive_rows, "projects-2026-03.jsonl"))
    assert [row["key"] for row in archived] == ["/w/p0", "/w/p1", "/w/p2"]


def test_no_root_is_no_project(home: Home) -> None:
    projects.touch(home, "", _who("s1"), "T", "", NOW)
    assert projects.active(home, "/", NOW) == []


def test_the_current_project_comes_first_and_old_ones_are_stale(home: Home, tmp_path: Path) -> None:
    here = str(_make(tmp_path / "here", ".git"))
    projects.touch(home, "/w/old", _who("s1"), "T", "", NOW - 15 * DAY)
    projects.touch(home, here, _who("s1"), "T", "", NOW - 2 * DAY)
    projects.touch(home, "/w/new", _who("s1"), "T", "", NOW)
    found = projects.active(home, os.path.join(here, "src"), NOW)
    assert [(row["root"], row["current"], row["stale"]) for row in found] == [
        (here, True, False),
        ("/w/new", False, False),
        ("/w/old", False, True),
    ]


def test_foreign_rows_are_passed_over(home: Home) -> None:
    Path(home.projects).write_text(
        '{"/w/a": 3, "/w/b": {"history": "none"}, "/w/c": {"history": [1, {"ts": "x"}]}}', "utf-8"
    )
    projects.touch(home, "/w/a", _who("s1"), "T", "", NOW)
    assert len(projects.active(home, "/", NOW)) == 3
    assert projects.history(home, "/w/b") == []
    assert projects.history(home, "/w/c") == [{"ts": "x"}]


@pytest.mark.parametrize("said", ["\ud800", "nul \0", "x" * 3_000_000, "é😀"])
def test_any_text_can_touch(home: Home, said: str) -> None:
    projects.touch(home, "/w/" + said[:9], {"session": said[:9], "agent": "claude"}, said, said, NOW)
    assert len(projects.active(home, "/", NOW)) == 1


def test_secrets_are_not_kept(home: Home) -> None:
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    projects.touch(home, "/w/a", _who("s1"), f"t {key}", f"s {key} <private>diary</private>", NOW)
    text = Path(home.projects).read_text("utf-8")
    assert "sk-ant" not in text
    assert "diary" not in text
