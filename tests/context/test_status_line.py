"""The status bar's line: what it is made of, where the branch comes from; odd files cost nothing but a part."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.base.home import Home
from pal.context import status_line
from pal.memory import counts, ratings, sessions

WHO = {"session": "s-1", "agent": "claude"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/feature/login\n")
    return folder


def line(home: Home, now: float, cwd: object = "", session: object = "s-1") -> str:
    return status_line.line(home, {"session_id": session, "cwd": str(cwd)}, now)


def rated(home: Home, now: float, text: str) -> None:
    ratings.record(home, ratings.parse(text), WHO, "a reply", "/srv/site", now)


def test_the_line_has_name_branch_ratings_and_counts(home: Home, repository: Path, now: float) -> None:
    sessions.open(home, WHO, str(repository), "startup", now)
    sessions.prompt_seen(home, WHO, str(repository), "repair the broken image gallery layout", now)
    rated(home, now, "8")
    counts.bump(home, "sessions", now, 12)
    counts.bump(home, "learnings", now, 7)
    name = sessions.get(home, "s-1")["name"]
    assert (
        line(home, now, repository)
        == f"{name} | feature/login | ratings 8.0 steady | remembers 12 sessions, 7 learnings"
    )


def test_a_session_without_a_name_is_called_like_its_folder(home: Home, repository: Path, now: float) -> None:
    assert line(home, now, repository, session="unknown") == "shop | feature/login"
    assert line(home, now, repository, session=3) == "shop | feature/login"


def test_a_new_rating_is_seen_at_once(home: Home, now: float) -> None:
    rated(home, now, "8")
    assert line(home, now) == "ratings 8.0 steady"
    rated(home, now + 60, "4")
    assert line(home, now + 60) == "ratings 6.0 steady"


def test_the_branch_is_found_from_below_and_in_a_worktree(home: Home, repository: Path, tmp_path: Path, now) -> None:
    deep = repository / "src" / "cart"
    deep.mkdir(parents=True)
    assert line(home, now, deep, "") == "cart | feature/login"
    tree = tmp_path / "tree"
    (repository / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (repository / ".git" / "worktrees" / "tree" / "HEAD").write_text("ref: refs/heads/fix\n")
    tree.mkdir()
    for named in (repository / ".git" / "worktrees" / "tree", Path("..", "shop", ".git", "worktrees", "tree")):
        (tree / ".git").write_text(f"gitdir: {named}\n")
        assert line(home, now, tree, "") == "tree | fix"


@pytest.mark.parametrize("head", [b"", b"d6cd1e2bd19e03a81132a23b2025920577f84e37\n", b"\xff\xfe"])
def test_without_a_branch_the_part_is_left_out(home: Home, repository: Path, now: float, head: bytes) -> None:
    (repository / ".git" / "HEAD").write_bytes(head)
    assert line(home, now, repository, "") == "shop"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"s-1": 3}', b"\xff\xfe"])
def test_a_broken_state_file_costs_only_its_part(home: Home, repository: Path, now: float, content: bytes) -> None:
    for path in (home.sessions, home.counts, home.signal_cache):
        Path(path).write_bytes(content)
    assert line(home, now, repository) == "shop | feature/login"


@pytest.mark.parametrize("raw", [b"", b"rubbish", b"[]", b"{}", b'{"session_id": 3}', b"\xff\xfe"])
def test_input_that_cannot_be_used_gives_no_line(home: Home, now: float, raw: bytes) -> None:
    assert status_line.answer(home, raw, now) == ""


def test_a_removed_home_stays_removed(tmp_path: Path, now: float) -> None:
    home = Home(str(tmp_path / "gone"))
    assert status_line.answer(home, b'{"cwd": "/srv/site"}', now) == ""
    assert not Path(home.root).exists()
