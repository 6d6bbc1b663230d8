"""What the tests of Switchboard stand on: a project with a board, and somebody at it."""

from __future__ import annotations

import os

import pytest

from pal.switchboard import cards, repair, schema, workspace
from pal.switchboard.desk import Desk


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch):
    """No test here cuts the power, and a busy disk would make every one slow."""
    monkeypatch.setattr(schema, "SYNCHRONOUS", "off")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def place(home, project, now):
    return workspace.init(home, str(project), now)[0]


@pytest.fixture
def at(home, place, now):
    """at(), at(seconds later), at(session=…): a desk at this project's board."""

    def make(later=0.0, **who):
        return Desk(home, place, now + later, **who)

    return make


@pytest.fixture
def plan(at):
    """plan("Title", score=3, tags="a, b"): a card and its file."""

    def make(title="Fix the login", score=0, tags="", deps="", **more):
        lines = [f"# {title}", "", "## Goal", "", "It works.", ""]
        lines += [f"**Complexity:** {score}"] if score else []
        lines += [f"**Tags:** {tags}"] if tags else []
        lines += ["", "## Dependencies", "", deps] if deps else []
        return cards.create(at(), title, "\n".join(lines), **more)

    return make


@pytest.fixture
def sound(at):
    """sound(): every invariant holds, and no half-written file lies around."""

    def check():
        assert repair.problems(at()) == []
        for _, _, names in os.walk(at().workspace.folder):
            assert not [name for name in names if name.startswith(".pal-tmp-")]

    return check
