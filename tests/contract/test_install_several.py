"""Several agents installed at once, as a user does it: one that cannot be edited stops nobody but itself."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def broken(fresh_home):
    hooks = fresh_home / ".cursor" / "hooks.json"
    hooks.parent.mkdir()
    hooks.write_text('{"version": 1, "hooks": [')
    return hooks


def test_a_file_that_cannot_be_understood_leaves_its_agent_out_and_the_others_in(run_pal, fresh_home, broken):
    done = run_pal("install", "--claude", "--cursor", "--json")
    assert done.returncode == 1
    (said,) = [row for row in done.stderr.splitlines() if "not installed for" in row]
    assert "Cursor" in said
    assert str(broken) in said
    facts = json.loads(done.stdout)
    assert [agent["name"] for agent in facts["agents"]] == ["claude"]
    assert len(facts["refused"]) == 1
    assert (fresh_home / ".claude" / "settings.json").is_file()
    assert broken.read_text() == '{"version": 1, "hooks": ['
    status = {row["name"]: row for row in json.loads(run_pal("status", "--json").stdout)["agents"]}
    assert (status["claude"]["installed"], status["cursor"]["installed"]) == (True, False)
    assert "hooks.json" in status["cursor"]["problem"]
    assert run_pal("uninstall").returncode == 0
    assert broken.read_text() == '{"version": 1, "hooks": ['


def test_where_none_can_be_installed_nothing_is_changed(run_pal, fresh_home, broken):
    done = run_pal("install", "--cursor")
    assert (done.returncode, done.stdout) == (1, "")
    assert "left alone" in done.stderr
    assert not (fresh_home / ".pal").exists()


def test_an_agent_that_is_not_found_is_installed_with_a_warning_and_then_counts_as_wanted(run_pal, fresh_home):
    first = run_pal("install", "--antigravity")
    assert first.returncode == 0
    assert "Antigravity was not found on this machine; installing for it all the same" in first.stderr
    again = run_pal("install")
    assert "nothing to change" in again.stdout
    assert run_pal("uninstall").returncode == 0
    assert sorted(path.name for path in fresh_home.iterdir()) == [".pal"]
