"""What PAL plans for Claude Code, and what it recognises as its own there."""

from __future__ import annotations

import json
import os
import re
import shlex

import pytest

from pal import targets
from pal.base import settings
from pal.base.errors import PalError
from pal.install import apply
from pal.install.changes import Block, CopyTree, JsonElement, JsonMember
from pal.targets.claude import facts, install

PYTHON = "/usr/bin/python3"


@pytest.fixture
def env(fresh_home):
    return {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}


@pytest.fixture
def plan(home, env):
    return install.plan(home, env, PYTHON, settings.load(home))


def kind(plan, wanted):
    return [change for change in plan if isinstance(change, wanted)]


def test_every_target_of_the_table_answers_the_contract():
    for name in targets.NAMES:
        target = targets.installer(name)
        assert name == target.NAME
        for method in ("folder", "program", "plan", "routes", "registered"):
            assert callable(getattr(target, method))


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, "~/.claude"),
        ({"CLAUDE_CONFIG_DIR": "~/config"}, "~/config"),
        ({"CLAUDE_CONFIG_DIR": "~/config", "PAL_CLAUDE_DIR": "~/mine"}, "~/mine"),
        ({"CLAUDE_CONFIG_DIR": ""}, "~/.claude"),
    ],
)
def test_the_folder_is_pals_variable_then_the_clients_then_the_default(env, fresh_home, variables, folder):
    there = {name: value.replace("~", str(fresh_home)) for name, value in variables.items()}
    assert install.folder({**env, **there}) == os.path.normpath(folder.replace("~", str(fresh_home)))


@pytest.mark.skipif(os.name == "nt", reason="an executable bit")
def test_the_program_is_found_on_path_or_where_its_installers_put_it(env, fresh_home, tmp_path):
    assert install.program(env) == ""
    local = fresh_home / ".local" / "bin" / "claude"
    local.parent.mkdir(parents=True)
    local.touch(0o755)
    assert install.program(env) == str(local)
    (tmp_path / "claude").touch(0o755)
    assert install.program({**env, "PATH": str(tmp_path)}) == str(tmp_path / "claude")


def test_each_event_gets_one_nested_shell_command_with_a_timeout(plan, home):
    elements = kind(plan, JsonElement)
    assert [change.keys for change in elements] == [("hooks", row[0]) for row in facts.EVENTS]
    for change, (_, event, matcher, seconds) in zip(elements, facts.EVENTS):
        (entry,) = change.value["hooks"]
        assert entry["type"] == "command"
        assert entry["timeout"] == seconds
        assert isinstance(seconds, int)
        assert change.value.get("matcher", "") == matcher
        words = shlex.split(entry["command"].replace(";", " ;"))
        assert words[0] == PYTHON
        assert words[words.index(home.launcher) + 1 :][:2] == [event, "--agent=claude"]
        assert "args" not in entry


@pytest.mark.parametrize(
    ("tool", "guarded"),
    [(name, True) for name in facts.TOOLS]
    + [("mcp__files__read", True), ("TodoWrite", False), ("BashOutput", False), ("WebFetch", False), ("bash", False)],
)
def test_the_guarded_tools_are_matched_and_no_other(tool, guarded):
    assert bool(re.search(facts.GUARDED, tool)) is guarded


def test_the_client_does_not_wait_for_what_only_looks_on(plan):
    waits = {
        change.value["hooks"][0]["command"].split(" --agent")[0].split()[-1]: not change.value["hooks"][0].get("async")
        for change in kind(plan, JsonElement)
    }
    assert {event for event, waited in waits.items() if not waited} == set(facts.ASYNC)


def test_the_block_goes_into_the_instructions_and_is_recorded_as_a_route(plan, home, env):
    (block,) = kind(plan, Block)
    assert block.path == os.path.join(install.folder(env), "CLAUDE.md")
    assert "@" in block.text
    (route,) = install.routes(home, env)["blocks"]
    assert route == {"path": block.path, "owner": "claude", "imports": True}


def test_the_status_line_is_only_for_users_without_one(plan):
    (member,) = kind(plan, JsonMember)
    assert member.keys == ("statusLine",)
    assert member.only_if_absent
    assert "statusline" in member.value["command"]


def test_the_users_own_skills_and_agents_come_along_without_hidden_files(home, env):
    for path, text in (
        ("skills/mine/SKILL.md", "mine"),
        ("skills/mine/tools/run.py", "run"),
        ("skills/mine/.git/config", "no"),
        ("skills/.hidden/SKILL.md", "no"),
        ("agents/critic.md", "critic"),
    ):
        full = os.path.join(home.root, *path.split("/"))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as stream:
            stream.write(text)
    trees = {os.path.basename(change.path): change.files for change in kind(_plan(home, env), CopyTree)}
    assert {name for name in trees["skills"] if name.startswith((".", "mine"))} == {
        "mine/SKILL.md",
        "mine/tools/run.py",
    }
    assert trees["agents"]["critic.md"] == b"critic"


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_linked_skill_is_copied_and_a_loop_of_links_ends(home, env, tmp_path):
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "SKILL.md").write_text("linked")
    (tmp_path / "linked" / "again").symlink_to(tmp_path / "linked")
    os.makedirs(home.skills)
    os.symlink(tmp_path / "linked", os.path.join(home.skills, "linked"))
    trees = kind(_plan(home, env), CopyTree)
    skills = next(change.files for change in trees if change.path.endswith("skills"))
    assert skills["linked/SKILL.md"] == b"linked"


def _plan(home, env):
    return install.plan(home, env, PYTHON, settings.load(home))


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("'/p y/python3' -I -S -X utf8 '/a b/.pal/hook.py' stop --agent=claude; exit 0", True),
        ("python3 /elsewhere/pal.pyz hook stop --agent=claude", True),
        ("python3 /elsewhere/pal-0.9.pyz hook stop --agent=claude", True),
        ("python3 /a/hook.py stop --agent=claude-two", False),
        ("/opt/bin/my-hook stop --agent=claude", False),
        ("python3 /a/hook.py stop", False),
        ("say done", False),
    ],
)
def test_its_own_commands_are_recognised_wherever_they_point(env, fresh_home, command, ours):
    folder = fresh_home / ".claude"
    folder.mkdir()
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}
    (folder / "settings.json").write_text(json.dumps({"hooks": hooks}))
    found = install.registered(env)
    assert [(entry.event, entry.command) for entry in found] == ([("stop", command)] if ours else [])


@pytest.mark.parametrize("text", ["", "{}", '{"hooks": {}}', "// nothing\n{}\n"])
def test_settings_without_hooks_have_none_of_ours(env, fresh_home, text):
    (fresh_home / ".claude").mkdir()
    (fresh_home / ".claude" / "settings.json").write_text(text)
    assert install.registered(env) == []


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"hooks": 3}', b'{"hooks": {"Stop": 3}}', b'{"a": "\xff"}'])
def test_settings_that_cannot_be_read_are_said_in_one_sentence(env, fresh_home, data):
    (fresh_home / ".claude").mkdir()
    (fresh_home / ".claude" / "settings.json").write_bytes(data)
    with pytest.raises(PalError, match=r"settings\.json"):
        install.registered(env)


def test_the_plan_applied_leaves_no_drift_and_undone_leaves_nothing(home, env, fresh_home, now):
    plan = _plan(home, env)
    apply.apply(plan, "claude", home, now)
    assert apply.drift(plan, home) == []
    assert len(install.registered(env)) == len(facts.EVENTS)
    apply.undo("claude", home, now)
    assert not (fresh_home / ".claude").exists()
