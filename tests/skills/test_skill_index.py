"""The skill index: what is read of each SKILL.md, and when it is built anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pal.base.home import Home
from pal.skills import index


def skill(home: Home, name: str, header: str, folder: str | None = None) -> Path:
    path = Path(folder or home.skills) / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\n{header}\n---\n\n# {name}\n\nDo it.\n", "utf-8")
    return path


def read(home: Home) -> dict:
    return json.loads(Path(home.skill_index).read_text("utf-8"))["skills"]


@pytest.mark.parametrize(
    ("header", "triggers"),
    [
        (
            'name: s\nmetadata:\n  triggers: ["s", "Extract Wisdom", "Key-Points"]',
            ["s", "extract wisdom", "key points"],
        ),
        (
            "name: s\nmetadata:\n  triggers:\n    - first principles\n    - root cause",
            ["first principles", "root cause"],
        ),
        ("name: s\nmetadata:\n  triggers: sum up, in short", ["sum up", "in short"]),
        ("name: s\nmetadata:\n  triggers: [one, ONE, one!]", ["one"]),
        ("name: s\ndescription: no triggers", ["make a plan"]),
        ("name: s\nmetadata: nonsense", ["make a plan"]),
    ],
)
def test_triggers_are_kept_as_plain_words_and_a_skill_without_any_has_its_name(home, header, triggers) -> None:
    skill(home, "make-a-plan", header)
    index.build(home)
    assert read(home)["make-a-plan"]["triggers"] == triggers


def test_a_skill_bears_its_folders_name_and_its_whole_description(home: Home) -> None:
    skill(home, "b-skill", 'name: other\ndescription: "Sums up: short.\\nUse when asked."')
    skill(home, "a-skill", "description: >-\n  Looks closely.\n  Use when: in doubt.")
    built = index.build(home)
    assert list(built) == ["a-skill", "b-skill"]
    assert built == read(home)
    assert built["b-skill"]["name"] == "b-skill"
    assert built["b-skill"]["description"] == "Sums up: short. Use when asked."
    assert built["a-skill"]["description"] == "Looks closely. Use when: in doubt."


def test_folders_without_a_main_file_and_hidden_ones_are_no_skills(home: Home, tmp_path: Path) -> None:
    (Path(home.skills) / "empty").mkdir(parents=True)
    (Path(home.skills) / "README.md").write_text("not a skill", "utf-8")
    skill(home, ".hidden", "name: hidden")
    skill(home, "linked", "name: linked", str(tmp_path / "elsewhere"))
    try:
        os.symlink(tmp_path / "elsewhere" / "linked", Path(home.skills) / "linked")
    except OSError:
        pytest.skip("this user may not make links")
    assert list(index.build(home)) == ["linked"]


def test_a_home_without_skills_gets_an_empty_index(home: Home) -> None:
    assert index.build(home) == {}
    assert read(home) == {}


def test_the_index_is_built_anew_only_when_a_skill_came_went_or_changed(home: Home) -> None:
    assert not index.refresh(home)
    path = skill(home, "one", "description: first")
    assert index.refresh(home)
    assert not index.refresh(home)

    path.write_text("---\ndescription: second\n---\n", "utf-8")
    os.utime(path, (2_000_000_000, 2_000_000_000))
    os.utime(home.skills, (1_000_000_000, 1_000_000_000))
    os.utime(home.skill_index, (1_900_000_000, 1_900_000_000))
    assert index.refresh(home)
    assert read(home)["one"]["description"] == "second"

    path.unlink()
    path.parent.rmdir()
    os.utime(home.skills, (2_100_000_000, 2_100_000_000))
    assert index.refresh(home)
    assert read(home) == {}


def test_a_touched_folder_with_the_same_skills_is_looked_into_once(home: Home) -> None:
    skill(home, "one", "description: first")
    index.build(home)
    before = Path(home.skill_index).read_bytes()
    now = os.stat(home.skill_index).st_mtime
    os.utime(home.skills, (now + 5, now + 5))
    os.utime(home.skill_index, (now, now))
    assert index.refresh(home)
    assert Path(home.skill_index).read_bytes() == before
    os.utime(home.skills, (now - 5, now - 5))
    assert not index.refresh(home)
