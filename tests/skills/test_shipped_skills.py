"""Every shipped skill and subagent keeps the rules: the doctor's, the public format's, and those they share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pal import targets
from pal.base import frontmatter
from pal.skills import checks, index, subagents, triggers

ASSETS = Path(__file__).resolve().parents[2] / "assets"
SKILLS = sorted(path.parent for path in (ASSETS / "skills").glob("*/SKILL.md"))
TOOLS = sorted((ASSETS / "skills").glob("*/tools/*.py"))
SUBAGENTS = sorted((ASSETS / "agents").glob("*.md"))
MOST_LINES = 300
DESCRIPTIONS = 9_000  # characters of all together; every agent loads them in every session

each_skill = pytest.mark.parametrize("folder", SKILLS, ids=lambda folder: folder.name)
each_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: f"{tool.parents[1].name}-{tool.stem}")


def header(folder: Path) -> dict:
    return frontmatter.parse((folder / "SKILL.md").read_text("utf-8"))[0]


def test_every_folder_of_skills_holds_one() -> None:
    assert sorted(path for path in (ASSETS / "skills").iterdir() if path.is_dir()) == SKILLS


@each_skill
def test_the_doctor_has_nothing_to_say(folder: Path) -> None:
    assert checks.findings(str(folder), shipped=True) == []


@each_skill
def test_a_skill_fits_one_reading(folder: Path) -> None:
    assert (folder / "SKILL.md").read_text("utf-8").count("\n") < MOST_LINES


@each_skill
def test_the_formats_own_validator_accepts_it(folder: Path, require) -> None:
    if sys.version_info < (3, 11):
        pytest.skip("the validator wants Python 3.11")
    try:
        import skills_ref
    except ImportError:
        skills_ref = None
    require(skills_ref, "skills-ref, the validator of the public Agent Skills format")
    assert skills_ref.validate(folder) == []


def test_the_descriptions_of_all_skills_stay_within_what_a_session_can_carry() -> None:
    assert sum(len(header(folder)["description"]) for folder in SKILLS) <= DESCRIPTIONS


def test_no_two_skills_are_asked_for_in_the_same_words() -> None:
    owner: dict[str, str] = {}
    for folder in SKILLS:
        for item in index.triggers_in(header(folder)):
            key = triggers.key(item)
            assert owner.setdefault(key, folder.name) == folder.name, f"{item}: {owner[key]} and {folder.name}"


@each_tool
def test_a_tool_explains_itself_with_an_example(tool: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(tool), "--help"], capture_output=True, cwd=tmp_path, timeout=60
    )
    said = done.stdout.decode("utf-8").lower()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "usage:" in said
    assert "example" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", SUBAGENTS, ids=lambda path: path.stem)
def test_the_doctor_has_nothing_to_say_of_a_subagent(path: Path) -> None:
    assert subagents.findings(str(path), targets.NAMES) == []
