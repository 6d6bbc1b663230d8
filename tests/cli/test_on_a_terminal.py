"""What a person is asked on a terminal: PAL's four questions, and the word before memory is removed."""

from __future__ import annotations

import json
import os
import sys
import zipfile

import pytest

from pal.install import archive as packing

pty = pytest.importorskip("pty", reason="terminals as POSIX has them")


@pytest.fixture
def on_terminal(archive, clean_env, tmp_path):
    """on_terminal(["init"], ["Ann", "", ""]) → (exit code, what the terminal showed)."""

    def run(arguments, answers):
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(tmp_path)
            os.execve(sys.executable, [sys.executable, str(archive), *arguments], clean_env)
        for answer in answers:
            os.write(terminal, answer.encode() + b"\n")
        shown = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # Linux says so when the other side is gone
                break
            if not part:
                break
            shown += part
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode("utf-8", "replace")

    return run


def test_init_asks_for_names_zone_and_agents_and_keeps_the_answers(on_terminal, fresh_home):
    code, shown = on_terminal(["init"], ["Ann", "Ada", "europe/nowhere", "europe/budapest", "claude"])
    assert code == 0, shown
    settings = json.loads((fresh_home / ".pal" / "pal-settings.json").read_text())
    assert settings["identity"]["principal"] == {"name": "Ann", "timezone": "Europe/Budapest"}
    assert settings["identity"]["ai"]["name"] == "Ada"
    assert "'europe/nowhere' is not" in shown
    assert (fresh_home / ".claude" / "settings.json").is_file()
    assert "Ann" in (fresh_home / ".claude" / "CLAUDE.md").read_text()


def test_init_refuses_an_agent_it_does_not_know_and_writes_nothing(on_terminal, fresh_home):
    code, shown = on_terminal(["init"], ["Ann", "", "", "emacs"])
    assert code == 1
    assert "emacs" in shown
    assert list(fresh_home.iterdir()) == []


def test_purge_removes_everything_after_the_word_and_a_backup_outside(on_terminal, run_pal, fresh_home):
    assert run_pal("install", "--claude").returncode == 0
    home = fresh_home / ".pal"
    (home / "telos" / "MISSION.md").write_text("# Mission\n\nBe kind.\n")
    code, shown = on_terminal(["uninstall", "--purge"], ["forgot"])
    assert code == 1
    assert (fresh_home / ".claude" / "settings.json").is_file()
    code, shown = on_terminal(["uninstall", "--purge"], ["forget"])
    assert code == 0, shown
    assert not home.exists()
    assert not (fresh_home / ".claude").exists()
    (saved,) = fresh_home.glob("pal-backup-*.zip")
    with zipfile.ZipFile(saved) as backup:
        assert b"Be kind." in backup.read("telos/MISSION.md")


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("y", 0)])
def test_update_asks_before_it_installs(on_terminal, run_pal, archive, fresh_home, tmp_path, answer, code):
    assert run_pal("install", "--claude").returncode == 0
    newer = tmp_path / "newer.pyz"
    newer.write_bytes(packing.pack({**packing.files(str(archive)), "assets/templates/EXTRA.md": b"more\n"}))
    found, shown = on_terminal(["update", str(newer)], [answer])
    assert found == code, shown
    assert (fresh_home / ".pal" / "docs" / "EXTRA.md").is_file() is (answer == "y")


@pytest.mark.parametrize(("answer", "decisions"), [("y", [True, False, True]), ("n", [True, True, True])])
def test_a_person_lifts_one_denial_for_one_use(on_terminal, run_pal, fresh_home, answer, decisions):
    assert run_pal("install", "--claude").returncode == 0
    call = {"session_id": "s", "cwd": str(fresh_home), "tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}}

    def denied() -> bool:
        return "deny" in run_pal("hook", "pre-tool", "--agent=claude", stdin=call).stdout

    found = [denied()]
    (row,) = json.loads(run_pal("guard", "log", "--json").stdout)
    code, shown = on_terminal(["guard", "allow-once", row["code"]], [answer])
    assert code == 0, shown
    assert "rm -rf ~" in shown
    found += [denied(), denied()]
    assert found == decisions
    assert on_terminal(["guard", "allow-once", "ffffffff"], [])[0] == 1
