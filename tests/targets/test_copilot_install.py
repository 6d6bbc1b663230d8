"""What PAL plans for Copilot CLI, and what it recognises as its own there."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from pal.base import settings
from pal.base.errors import PalError
from pal.install import apply
from pal.install.changes import Block, CopyTree, JsonElement, JsonMember
from pal.targets.copilot import facts, install

PYTHON = "/usr/bin/python3"


@pytest.fixture
def env(fresh_home):
    return {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}


@pytest.fixture
def copilot(fresh_home):
    folder = fresh_home / ".copilot"
    (folder / "hooks").mkdir(parents=True)
    return folder


def plan_of(home, env):
    return install.plan(home, env, PYTHON, settings.load(home))


def kind(plan, wanted):
    return [change for change in plan if isinstance(change, wanted)]


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, "~/.copilot"),
        ({"COPILOT_HOME": "~/config"}, "~/config"),
        ({"COPILOT_HOME": "~/config", "PAL_COPILOT_DIR": "~/mine"}, "~/mine"),
    ],
)
def test_the_folder_is_pals_variable_then_the_clients_then_the_default(env, fresh_home, variables, folder):
    there = {name: value.replace("~", str(fresh_home)) for name, value in variables.items()}
    assert install.folder({**env, **there}) == os.path.normpath(folder.replace("~", str(fresh_home)))


@pytest.mark.skipif(os.name == "nt", reason="the POSIX form")
def test_each_event_gets_one_entry_that_ends_well_whatever_becomes_of_pal(home, env):
    elements = kind(plan_of(home, env), JsonElement)
    rows = (*facts.EVENTS, facts.TRANSFORMED)
    assert [change.keys for change in elements] == [("hooks", row[0]) for row in rows]
    for change, (_, event, matcher, seconds) in zip(elements, rows):
        entry = change.value
        assert entry.pop("matcher", "") == matcher
        assert set(entry) == {"type", "bash", "timeoutSec"}
        assert entry["timeoutSec"] == seconds
        assert entry["bash"].endswith("; exit 0"), "a tool is denied where its hook fails"
        words = shlex.split(entry["bash"].replace(";", " ;"))
        assert words[words.index(home.launcher) + 1 :][:2] == [event, "--agent=copilot"]


@pytest.mark.skipif(os.name == "nt", reason="an executable bit")
@pytest.mark.parametrize(
    ("package", "registered"),
    [
        ({"name": "@github/copilot", "version": "1.0.102"}, False),
        ({"name": "@github/copilot", "version": "1.0.65"}, False),
        ({"name": "@github/copilot", "version": "1.0.64"}, True),
        ({"name": "@github/copilot", "version": "1.0.70-beta.1"}, True),
        ({"name": "other", "version": "9.9.9"}, True),
        (None, True),
    ],
)
def test_the_older_way_for_a_prompt_s_context_is_registered_where_it_may_be_needed(
    home, env, tmp_path, package, registered
):
    package_folder = tmp_path / "node_modules" / "copilot"
    package_folder.mkdir(parents=True)
    (package_folder / "npm-loader.js").touch(0o755)
    (tmp_path / "copilot").symlink_to(package_folder / "npm-loader.js")
    if package:
        (package_folder / "package.json").write_text(json.dumps(package))
    events = [change.keys[1] for change in kind(plan_of(home, {**env, "PATH": str(tmp_path)}), JsonElement)]
    assert (facts.TRANSFORMED[0] in events) is registered


def test_the_hooks_file_is_the_form_the_client_loads(home, env, copilot, now):
    apply.apply(plan_of(home, env), "copilot", home, now)
    value = json.loads((copilot / "hooks" / "pal.json").read_text())
    assert value["version"] == 1
    assert all(len(entries) == 1 for entries in value["hooks"].values())
    found = install.registered(env)
    assert len(found) == len(facts.EVENTS) + 1
    assert {entry.python for entry in found} == {PYTHON}
    apply.undo("copilot", home, now)
    assert os.listdir(copilot) == ["hooks"]
    assert os.listdir(copilot / "hooks") == []


def test_standing_text_and_digests_are_instruction_files(home, env, copilot):
    (block,) = kind(plan_of(home, env), Block)
    routes = install.routes(home, env)
    assert block.path == str(copilot / "instructions" / "pal.instructions.md")
    assert [row["path"] for row in routes["blocks"]] == [block.path]
    (folder,) = routes["digests"]
    assert (folder["folder"], folder["suffix"]) == (str(copilot / "instructions"), ".instructions.md")
    assert re.search(r'^applyTo: "\*\*"$', folder["header"], re.MULTILINE)


@pytest.mark.parametrize(
    ("variables", "folder"), [({}, ".agents/skills"), ({"COPILOT_HOME": "{home}/config"}, "config/skills")]
)
def test_skills_go_where_the_client_reads_them_once(home, env, fresh_home, variables, folder):
    os.makedirs(os.path.join(home.skills, "mine"))
    Path(home.skills, "mine", "SKILL.md").write_text("mine")
    there = {name: value.format(home=fresh_home) for name, value in variables.items()}
    trees = kind(plan_of(home, {**env, **there}), CopyTree)
    (tree,) = [change for change in trees if "mine/SKILL.md" in change.files]
    assert tree.path == str(fresh_home.joinpath(*folder.split("/")))


def test_subagents_are_in_the_form_of_this_client(home, env, copilot):
    os.makedirs(home.agents)
    text = "---\nname: critic\nclaude:\n  model: opus\ncopilot:\n  tools: [view]\n---\nRead.\n"
    Path(home.agents, "critic.md").write_text(text)
    (tree,) = [change for change in kind(plan_of(home, env), CopyTree) if change.path == str(copilot / "agents")]
    header = tree.files["critic.md"].decode().split("---")[1]
    assert "tools: [view]" in header and "opus" not in header


def test_the_server_is_one_of_the_client_s_local_ones(home, env, copilot):
    (change,) = install.mcp(home, env, PYTHON)
    assert isinstance(change, JsonMember)
    assert (change.path, change.keys) == (str(copilot / "mcp-config.json"), ("mcpServers", "pal"))
    assert change.value == {
        "type": "local",
        "command": PYTHON,
        "args": ["-I", "-S", "-X", "utf8", home.launcher, "cli", "mcp"],
        "tools": ["*"],
    }


@pytest.mark.parametrize("name", ["settings.json", "hooks/pal.json"])
def test_hooks_that_are_switched_off_are_found(home, env, copilot, name):
    assert install.remarks(home, env, settings.load(home)) == []
    (copilot / name).write_text('{\n  // not now\n  "disableAllHooks": true\n}\n')
    (remark,) = install.remarks(home, env, settings.load(home))
    assert "switched off" in remark.title and name.rpartition("/")[2] in remark.fix


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"hooks": 3}', b'{"a": "\xff"}'])
def test_a_hooks_file_that_cannot_be_read_is_named(env, copilot, data):
    (copilot / "hooks" / "pal.json").write_bytes(data)
    with pytest.raises(PalError, match=r"pal\.json"):
        install.registered(env)


@pytest.mark.parametrize("field", ["bash", "powershell"])
def test_a_hook_is_known_in_the_field_of_either_system(env, copilot, field):
    entry = {"type": "command", field: "python3 /x/hook.py stop --agent=copilot; exit 0"}
    other = {"type": "command", field: "python3 /x/hook.py stop --agent=vscode; exit 0"}
    (copilot / "hooks" / "pal.json").write_text(json.dumps({"hooks": {"agentStop": [entry, other]}}))
    assert [found.event for found in install.registered(env)] == ["stop"]
