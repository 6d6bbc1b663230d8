"""What a session is told of the project's board when it begins."""

from __future__ import annotations

import os

import pytest

from pal.base.settings import Settings
from pal.base.text import units
from pal.context import board, session
from pal.context.session_parts import Start
from pal.switchboard import cards, messages, moves, roster, schema, workspace
from pal.switchboard.desk import Desk


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


@pytest.fixture
def start(home, project, now, clean_env):
    return Start(home, Settings({}), project, "", now, clean_env)


@pytest.fixture
def desk(home, project, now, monkeypatch):
    monkeypatch.setattr(schema, "SYNCHRONOUS", "off")
    return Desk(home, workspace.init(home, project, now)[0], now)


def test_nothing_is_said_or_made_where_there_is_no_board(start, project):
    assert board.standing(start) == ""
    assert os.listdir(project) == []


def test_a_board_that_nobody_wrote_to_is_not_opened(start, desk):
    assert board.standing(start) == ""
    assert not os.path.exists(desk.workspace.board)


def test_counts_next_plans_and_messages_are_told_below_the_note(start, desk, home, project, now, clean_env):
    first, second = cards.create(desk, "Fix the login"), cards.create(desk, "Draw the logo")
    moves.move(desk, first["sessionId"], "planned")
    moves.move(desk, second["sessionId"], "reviewed")
    roster.register(desk, "Rita")
    messages.send(desk, "status_update", "hi", "Rita")
    said = board.standing(start)
    assert "1 in Planned, 1 in Reviewed" in said
    assert f"next: Fix the login ({first['sessionId']})" in said and "Draw the logo" not in said
    assert "unread messages: 1 for Rita" in said
    told = session.render(home, Settings({}), project, "s1", "startup", now, clean_env)
    assert told.index(session.NOTE) < told.index("## Plans of this project")


def test_it_stays_within_its_room_whatever_plans_are_called(start, desk):
    for number in range(5):
        cards.create(desk, f"{number} " + "\U0001f600" * 150)
    for name in range(40):
        roster.register(desk, f"Agent {name} with a long name")
        messages.send(desk, "status_update", "x", f"Agent {name} with a long name")
    (part,) = [part for part in session.PARTS if part.name == "board"]
    assert units(board.standing(start)) <= part.cap == 1_200
