"""A project's files for agents: written when asked, the same at a second time, and out again to the byte."""

from __future__ import annotations

import os

import pytest

from pal.install import agent_files, owners
from pal.switchboard import detect

MINE = "# How we work\r\n\r\nShort answers.\r\n"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


def snapshot(folder):
    return {
        os.path.relpath(os.path.join(path, name), folder): open(os.path.join(path, name), "rb").read()
        for path, _, names in os.walk(folder)
        for name in names
    }


@pytest.mark.parametrize("before", [None, "", MINE, "# Mine", "# Mine\n\n", "\ufeff# Mine\n"])
def test_what_is_written_goes_to_the_byte(home, project, now, before):
    if before is not None:
        (project / "AGENTS.md").write_bytes(before.encode("utf-8"))
    start = snapshot(project)
    agent_files.write(home, str(project), now)
    assert (project / ".agent" / "workflows" / "challenge.md").exists()
    agent_files.take_out(home, str(project), now)
    assert snapshot(project) == start
    assert not (project / ".agent").exists()


def test_the_block_names_every_workflow_and_the_files_are_there(home, project, now):
    (project / "AGENTS.md").write_bytes(MINE.encode())
    agent_files.write(home, str(project), now)
    text = (project / "AGENTS.md").read_bytes().decode()
    assert text.startswith(MINE) and "\r\n# Switchboard\r\n" in text
    for name in detect.BUILT_IN:
        assert f"| `{name}.md` |" in text and f"`/{name}`" in text
        body = (project / ".agent" / "workflows" / f"{name}.md").read_text(encoding="utf-8")
        assert body.startswith("---\ndescription: ")
    assert "`/challenge --self`" in text
    for words in ("submit_result", "status_update", "move_kanban_card", "IsArtifact: false", "get_kanban_state"):
        assert words in text
    for skill in agent_files.SKILLS:
        assert (
            (project / ".agent" / "skills" / skill / "SKILL.md")
            .read_text(encoding="utf-8")
            .startswith("---\nname: " + skill)
        )


def test_a_second_time_changes_nothing(home, project, now):
    agent_files.write(home, str(project), now)
    before = snapshot(project)
    assert agent_files.write(home, str(project), now + 60) == []
    assert snapshot(project) == before


def test_what_people_changed_or_had_there_stays(home, project, now):
    (project / ".agent" / "workflows").mkdir(parents=True)
    (project / ".agent" / "workflows" / "mine.md").write_text("mine", encoding="utf-8")
    agent_files.write(home, str(project), now)
    (project / ".agent" / "workflows" / "chat.md").write_text("ours, in our words", encoding="utf-8")
    text = (project / "AGENTS.md").read_text(encoding="utf-8")
    (project / "AGENTS.md").write_text(text + "\nAnd a rule of ours.\n", encoding="utf-8")
    agent_files.take_out(home, str(project), now)
    left = snapshot(project)
    assert set(left) == {
        "AGENTS.md",
        os.path.join(".agent", "workflows", "mine.md"),
        os.path.join(".agent", "workflows", "chat.md"),
    }
    assert left["AGENTS.md"].decode().strip() == "And a rule of ours."


def test_another_machines_files_go_by_their_content(home, project, now):
    (project / "AGENTS.md").write_text("# Mine\n", encoding="utf-8")
    agent_files.write(home, str(project), now)
    os.remove(home.changes)  # the project came by git; nothing is recorded here
    agent_files.take_out(home, str(project), now)
    assert snapshot(project) == {"AGENTS.md": b"# Mine\n"}


def test_a_projects_files_make_it_no_installed_agent(home, project, now):
    agent_files.write(home, str(project), now)
    assert owners.installed(home) == []


def test_a_board_is_kept_in_a_zip_before_it_goes(home, project, now):
    import zipfile

    folder = project / ".switchboard"
    (folder / "plans").mkdir(parents=True)
    (folder / "plans" / "a.md").write_text("# A\n", encoding="utf-8")
    kept = agent_files.remove_board(home, str(folder), now)
    assert not folder.exists()
    with zipfile.ZipFile(kept) as contents:
        assert contents.read("plans/a.md") == b"# A\n"
