"""When a telos topic counts as answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.base import assets
from pal.base.home import Home
from pal.context import telos


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("", False),
        ("# Goals\n\n<!-- What do you want? -->\n", False),
        ("# Goals\n<!-- one\ntwo: - not this\n-->\n- \n* \n1. \n- [ ] \n---\n", False),
        ("# Goals\n\n| goal | due |\n|---|---|\n| | |\n", False),
        ("# Goals\n\n| goal | due |\n|:--|--:|\n| ship | 2026 |\n", True),
        ("---\ntitle: Goals\n---\n# Goals\n", False),
        ("# Goals\n- ship it\n", True),
        ("# Goals\n<!-- what? --> ship it\n", True),
        ("ship it", True),
        ("# Goals\n## By 2030\n", False),
        ("# C\u00e9lok\n- k\u00e9sz\u00fclj\u00f6n el\n", True),
    ],
)
def test_a_topic_is_answered_by_anything_beyond_its_scaffold(text: str, answered: bool) -> None:
    assert telos.says_something(text) is answered


def test_topics_come_in_interview_order_then_the_users_own_by_name(home: Home) -> None:
    folder = Path(home.telos)
    (folder / "GOALS.md").write_text("# Goals\n- ship\n", "utf-8")
    (folder / "ZOO.md").write_text("# Zoo\n", "utf-8")
    (folder / "FAMILY.md").write_text("two cats\n", "utf-8")
    (folder / "README.md").write_text("about this folder\n", "utf-8")
    assert telos.answered(home) == [
        *((name, name == "GOALS") for name in telos.TOPICS),
        ("FAMILY", True),
        ("ZOO", False),
    ]
    assert telos.topics(home)[0].text is None


def test_a_missing_folder_answers_nothing(tmp_path: Path) -> None:
    assert [answered for _, answered in telos.answered(Home(str(tmp_path / "none")))] == [False] * len(telos.TOPICS)


def test_there_is_an_unanswered_scaffold_for_every_topic() -> None:
    assert assets.names("telos/") == sorted(f"telos/{name}.md" for name in telos.TOPICS)
    for name in telos.TOPICS:
        text = assets.read(f"telos/{name}.md").decode()
        assert not telos.says_something(text)
        assert "?" in text
