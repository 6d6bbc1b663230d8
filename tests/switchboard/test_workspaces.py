"""Where a board is found, from which folders, and that nothing makes one unasked."""

from __future__ import annotations

import os
import subprocess

import pytest

from pal.switchboard import store, workspace
from pal.switchboard.desk import Desk
from pal.switchboard.errors import EXIT, Refused


@pytest.fixture
def env(fresh_home):
    return {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home)}


def git(folder, *words):
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


def test_a_board_is_found_from_any_folder_below_it(env, place, project):
    deep = project / "src" / "a"
    deep.mkdir(parents=True)
    assert workspace.find(env, str(deep)).root == str(project)
    assert workspace.find(env, "/", str(project)).root == str(project)
    assert workspace.find({**env, workspace.ROOT: str(project)}, "/").root == str(project)


def test_looking_for_a_board_makes_nothing(env, project):
    assert workspace.find(env, str(project)) is None
    assert os.listdir(project) == []


def test_the_way_up_ends_at_the_repositorys_top(env, place, project):
    inner = project / "vendor" / "other"
    (inner / ".git").mkdir(parents=True)
    assert workspace.find(env, str(inner)) is None


def test_neither_the_users_folder_nor_a_link_is_a_project(env, home, fresh_home, tmp_path, place, now):
    (fresh_home / ".switchboard").mkdir()
    assert workspace.find(env, str(fresh_home)) is None
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".switchboard").symlink_to(place.folder)
    assert workspace.find(env, str(linked)) is None
    with pytest.raises(Refused, match="is a link"):
        workspace.init(home, str(linked), now)


def test_worktrees_share_the_board_of_the_main_checkout_unless_one_is_isolated(
    env, home, place, project, tmp_path, now
):
    git(project, "init", "-q")
    git(project, "commit", "-q", "--allow-empty", "-m", "begin")
    tree = tmp_path / "tree"
    git(project, "worktree", "add", "-q", str(tree))
    assert workspace.find(env, str(tree)).root == str(project)
    (tree / ".switchboard").mkdir()  # plans that were committed are in every worktree
    assert workspace.find(env, str(tree)).root == str(project)
    workspace.init(home, str(tree), now, isolated=True)
    assert workspace.find(env, str(tree)).root == str(tree)


def test_git_ignores_everything_but_the_plans(place, project):
    git(project, "init", "-q")
    open(os.path.join(place.plans, "a.md"), "w").close()
    listed = subprocess.run(
        ["git", "-C", str(project), "status", "--porcelain", "-uall"], capture_output=True, text=True, check=True
    ).stdout
    assert {line[3:] for line in listed.splitlines()} == {".switchboard/.gitignore", ".switchboard/plans/a.md"}


def test_a_second_init_changes_nothing(home, place, project, now):
    before = place.id
    again, new = workspace.init(home, str(project), now)
    assert (again.id, new) == (before, False)


def test_a_copied_folder_is_named(home, place, tmp_path, now):
    import shutil

    shutil.copytree(place.root, tmp_path / "copy")
    copy = workspace.Workspace(str(tmp_path / "copy"))
    workspace.note(home, copy, now)
    assert workspace.copies(home, copy) == [place.root]


def test_where_there_is_none_the_refusal_says_how_to_make_one(env, home, tmp_path):
    with pytest.raises(Refused) as refusal:
        workspace.need(home, env, str(tmp_path))
    assert (refusal.value.code, refusal.value.exit) == ("E_NOT_WORKSPACE", 3)
    assert "init" in str(refusal.value)


def test_a_board_in_a_folder_that_cannot_be_written_says_so(home, place, now):
    os.chmod(place.folder, 0o500)
    try:
        with pytest.raises(Refused) as refusal, store.Writing(Desk(home, place, now)):
            pass
        assert refusal.value.code == "E_READONLY"
    finally:
        os.chmod(place.folder, 0o700)


def test_every_exit_code_is_one_of_the_five():
    assert set(EXIT.values()) == {1, 3, 4, 5}
