"""What PAL plans for Gemini CLI, and what it recognises as its own there."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from pal.base import settings
from pal.context import semi_static
from pal.install import apply
from pal.install.changes import Block, WriteFile
from pal.targets.gemini import facts, install

PYTHON = "/usr/bin/python3"


@pytest.fixture
def env(fresh_home):
    return {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}


@pytest.fixture
def plan(home, env):
    return install.plan(home, env, PYTHON, settings.load(home))


def file(plan, name):
    return next(
        json.loads(change.data) for change in plan if isinstance(change, WriteFile) and change.path.endswith(name)
    )


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, "~/.gemini/extensions"),
        ({"GEMINI_CLI_HOME": "~/other"}, "~/other/.gemini/extensions"),
        ({"GEMINI_CLI_HOME": "~/other", "PAL_GEMINI_DIR": "~/mine"}, "~/mine/extensions"),
    ],
)
def test_the_folder_is_pals_variable_then_the_clients_then_the_default(env, fresh_home, variables, folder):
    there = {name: value.replace("~", str(fresh_home)) for name, value in variables.items()}
    assert install.folder({**env, **there}) == os.path.normpath(folder.replace("~", str(fresh_home)))


def test_everything_is_one_extension_and_no_other_file_of_the_client_s(plan, env, fresh_home):
    extension = os.path.join(fresh_home, ".gemini", "extensions", "pal")
    outside = [change.path for change in plan if not change.path.startswith(extension + os.sep)]
    assert all(path.startswith(os.path.join(fresh_home, ".agents")) for path in outside)


def test_the_manifest_names_the_standing_text_and_every_digest(plan, home, env):
    manifest = file(plan, "gemini-extension.json")
    assert manifest["name"] == "pal" == os.path.basename(os.path.dirname(plan[0].path)), "the client wants them alike"
    assert manifest["contextFileName"] == ["PAL.md", *[f"pal-{source.slug}.md" for source in semi_static.SOURCES]]
    (row,) = install.routes(home, env)["digests"]
    assert (row["prefix"], row["suffix"]) == ("pal-", ".md")
    assert os.path.join(row["folder"], "PAL.md") == install.routes(home, env)["blocks"][0]["path"]


def test_the_standing_text_imports_nothing_since_the_client_refuses_files_from_elsewhere(plan):
    (block,) = [change for change in plan if isinstance(change, Block)]
    assert not [line for line in block.text.splitlines() if line.startswith("@")]


def test_each_event_gets_one_command_with_a_timeout_in_milliseconds(plan, home):
    hooks = file(plan, "hooks.json")["hooks"]
    assert list(hooks) == [row[0] for row in facts.EVENTS]
    for client_event, event, matcher, milliseconds in facts.EVENTS:
        (group,) = hooks[client_event]
        (entry,) = group["hooks"]
        assert group.get("matcher", "") == matcher
        assert (entry["type"], entry["timeout"]) == ("command", milliseconds)
        assert 1000 <= milliseconds <= 60_000
        assert f"{event} --agent=gemini" in entry["command"]
        assert entry["command"].startswith(PYTHON)
        assert "exit 0" in entry["command"]


@pytest.mark.parametrize(
    ("tool", "guarded"),
    [
        ("run_shell_command", True),
        ("read_file", True),
        ("write_file", True),
        ("replace", True),
        ("activate_skill", True),
        ("mcp_files_write_file", True),
        ("files__write_file", True),
        ("write_todos", False),
        ("save_memory", False),
        ("google_web_search", False),
    ],
)
def test_tools_that_can_do_harm_meet_the_guard(tool, guarded):
    assert bool(re.search(facts.GUARDED, tool)) is guarded


def test_hooks_that_also_stand_in_the_settings_show_as_doubled(plan, home, env, fresh_home, now):
    apply.apply(plan, "gemini", home, now)
    assert [entry.event for entry in install.registered(env)] == [row[1] for row in facts.EVENTS]
    hooks = file(plan, "hooks.json")
    Path(fresh_home, ".gemini", "settings.json").write_text(json.dumps(hooks), encoding="utf-8")
    assert len(install.registered(env)) == 2 * len(facts.EVENTS)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("settings.json", {}, []),
        ("settings.json", {"hooksConfig": {"enabled": True}}, []),
        ("settings.json", {"hooksConfig": {"enabled": False}}, ["hooks-off"]),
        ("settings.json", {"hooksConfig": 7}, []),
        ("settings.json", [], []),
        ("extensions/extension-enablement.json", {"pal": {"overrides": ["/home/user/*"]}}, []),
        ("extensions/extension-enablement.json", {"pal": {"overrides": ["!/home/user/*"]}}, ["disabled"]),
        ("extensions/extension-enablement.json", {"other": {"overrides": ["!/*"]}}, []),
        ("extensions/extension-enablement.json", {"pal": []}, []),
    ],
)
def test_what_keeps_the_client_from_running_pal_is_remarked_on(home, env, fresh_home, name, value, said):
    path = Path(fresh_home, ".gemini", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    assert [remark.id for remark in install.remarks(home, env, settings.load(home))] == said
