"""What PAL plans for opencode, and what it recognises as its own there."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from pal.base import markers, settings
from pal.base.errors import PalError
from pal.hooks.turn import EVENTS
from pal.install import apply
from pal.install.changes import Block, JsonElement, JsonMember, WriteFile
from pal.targets.opencode import facts, install

PYTHON = "/opt/a b/python3"
CONFIG = ".config/opencode"


@pytest.fixture
def env(fresh_home):
    return {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}


@pytest.fixture
def planned(home, env):
    return lambda: install.plan(home, env, PYTHON, settings.load(home))


@pytest.fixture
def write(fresh_home):
    def run(name: str, text: str) -> Path:
        path = fresh_home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return run


def kind(plan, wanted):
    return [change for change in plan if isinstance(change, wanted)]


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, "~/.config/opencode"),
        ({"XDG_CONFIG_HOME": "~/settings"}, "~/settings/opencode"),
        ({"XDG_CONFIG_HOME": "~/settings", "PAL_OPENCODE_DIR": "~/mine"}, "~/mine"),
        ({"XDG_CONFIG_HOME": ""}, "~/.config/opencode"),
    ],
)
def test_the_folder_is_pals_variable_then_the_systems_then_the_default(env, fresh_home, variables, folder):
    there = {name: value.replace("~", str(fresh_home)) for name, value in variables.items()}
    assert install.folder({**env, **there}) == os.path.normpath(folder.replace("~", str(fresh_home)))


def test_the_plugin_holds_the_command_whole_and_in_no_shell_s_words(planned, home):
    (plugin,) = kind(planned(), WriteFile)
    line = next(line for line in plugin.data.decode().splitlines() if line.startswith("const HOOK"))
    assert json.loads(line.partition("=")[2]) == [PYTHON, "-I", "-S", "-X", "utf8", home.launcher]
    assert b"{{" not in plugin.data
    assert plugin.data.count(b"\nexport ") == 1, "opencode takes every export for a plugin"
    assert b"import" in plugin.data and b'from "node:' in plugin.data
    assert b'from "@' not in plugin.data, "nothing to install"


def test_every_event_it_tells_is_registered_once(planned, home, env, now):
    apply.apply(planned(), "opencode", home, now)
    found = install.registered(env)
    assert [entry.event for entry in found] == list(facts.EVENTS)
    assert set(facts.EVENTS) <= set(EVENTS)
    plugin = Path(install.folder(env), "plugin", "pal.js").read_text(encoding="utf-8")
    for entry in found:
        assert f'"{entry.event}"' in plugin
        assert entry.python == PYTHON
        assert entry.script == home.launcher
        words = shlex.split(entry.command.replace(";", " ;"))
        assert words[words.index(home.launcher) + 1 :][:2] == [entry.event, "--agent=opencode"]


def test_a_second_plugin_of_ours_shows_as_doubled_hooks(planned, home, env, now, write):
    apply.apply(planned(), "opencode", home, now)
    plugin = Path(install.folder(env), "plugin", "pal.js").read_text(encoding="utf-8")
    write(f"{CONFIG}/plugins/pal-old.js", plugin)
    write(f"{CONFIG}/plugins/theirs.js", "export const Theirs = async () => ({})\n")
    assert len(install.registered(env)) == 2 * len(facts.EVENTS)


@pytest.mark.parametrize("text", ["", "const HOOK = [\n--agent=opencode", "const HOOK = 7 // --agent=opencode"])
def test_a_damaged_plugin_registers_nothing(env, write, text):
    write(f"{CONFIG}/plugin/pal.js", text)
    assert install.registered(env) == []


@pytest.mark.parametrize(
    ("present", "edited"),
    [
        ({}, "opencode.json"),
        ({"opencode.json": "{}"}, "opencode.json"),
        ({"opencode.jsonc": "{}"}, "opencode.jsonc"),
        ({"config.json": "{}"}, "config.json"),
        ({"opencode.json": "{}", "opencode.jsonc": "{}"}, "opencode.jsonc"),
        ({"opencode.json": '{"instructions": []}', "opencode.jsonc": "{}"}, "opencode.json"),
        ({"opencode.json": "{}", "opencode.jsonc": "{ broken"}, "opencode.jsonc"),
    ],
)
def test_the_settings_that_are_edited_are_those_that_list_instructions_or_come_last(planned, write, present, edited):
    for name, text in present.items():
        write(f"{CONFIG}/{name}", text)
    elements = kind(planned(), JsonElement)
    assert {os.path.basename(change.path) for change in elements} == {edited}
    assert [change.value for change in elements] == ["~/.pal/memory/cache/digests/*.md"]


def test_a_settings_file_that_cannot_be_read_is_left_alone(planned, home, now, write):
    broken = write(f"{CONFIG}/opencode.jsonc", '{"instructions": [')
    with pytest.raises(PalError, match=r"opencode\.jsonc was left alone"):
        apply.apply(planned(), "opencode", home, now)
    assert broken.read_text() == '{"instructions": ['
    assert not (broken.parent / "plugin").exists()


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("{}", True),
        ('{"permission": {"bash": "ask"}}', True),
        ('{"permission": {"external_directory": {"*": "deny"}}}', True),
        ('{"permission": "allow"}', False),
        ('{"permission": {"external_directory": "ask"}}', False),
    ],
)
def test_pals_folder_may_be_read_unless_the_user_made_one_rule_for_all(planned, home, now, write, text, added):
    path = write(f"{CONFIG}/opencode.json", text)
    apply.apply(planned(), "opencode", home, now)
    rules = json.loads(path.read_text())["permission"]
    allowed = isinstance(rules, dict) and isinstance(rules.get("external_directory"), dict)
    assert allowed is added
    assert not added or rules["external_directory"]["~/.pal/**"] == "allow"
    apply.undo("opencode", home, now)
    assert path.read_text() == text


# opencode reads ~/.claude/CLAUDE.md for want of an AGENTS.md, so making one would hide it.
OURS = "<!-- pal:begin -->\nstanding text\n<!-- pal:end -->\n"


@pytest.mark.parametrize(
    ("agents", "elsewhere", "block", "loaded"),
    [
        (None, None, True, False),
        ("Mine.\n", None, True, False),
        ("Mine.\n", "Theirs.\n", True, False),
        (None, "Theirs.\n", False, True),
        (None, "Theirs.\n\n" + OURS, False, False),  # the standing text is read there
        (None, OURS, True, False),  # no words of the user's to hide
        (OURS, "Theirs.\n", False, True),  # written since: ours makes room
        (None, "", True, False),
    ],
)
def test_words_that_are_read_elsewhere_are_not_hidden(planned, home, env, write, agents, elsewhere, block, loaded):
    for name, text in ((f"{CONFIG}/AGENTS.md", agents), (".claude/CLAUDE.md", elsewhere)):
        if text is not None:
            write(name, text.replace("pal:begin", markers.BEGIN).replace("pal:end", markers.END))
    plan = planned()
    assert bool(kind(plan, Block)) is block
    assert ("~/.pal/docs/AGENTS.md" in [change.value for change in kind(plan, JsonElement)]) is loaded
    assert bool(install.routes(home, env)["blocks"]) is block


def test_the_server_is_a_list_of_words(home, env):
    (change,) = install.mcp(home, env, PYTHON)
    assert isinstance(change, JsonMember)
    assert change.keys == ("mcp", "pal")
    assert change.value == {
        "type": "local",
        "command": [PYTHON, "-I", "-S", "-X", "utf8", home.launcher, "cli", "mcp"],
        "enabled": True,
    }
    assert change.match and change.match.fits(change.value)


@pytest.mark.parametrize(("value", "said"), [("1", ["pure"]), ("0", []), ("", []), (None, [])])
def test_a_client_told_to_load_no_plugins_is_remarked_on(home, env, value, said):
    variables = {**env, **({"OPENCODE_PURE": value} if value is not None else {})}
    assert [remark.id for remark in install.remarks(home, variables, settings.load(home))] == said


@pytest.mark.parametrize(
    ("header", "made"),
    [
        (
            "name: a\ndescription: >\n  Reads\n  much.\ntools: Read, Grep\nmodel: sonnet",
            "name: a\ndescription: >\n  Reads\n  much.\nmode: subagent",
        ),
        (
            "name: a\nclaude:\n  tools: Read\nopencode:\n  mode: primary\n  tools:\n    write: false",
            "name: a\nmode: primary\ntools:\n  write: false",
        ),
        ("name: a\nclaude:\n  tools: Read", "name: a\nmode: subagent"),
    ],
    ids=["written for one client", "merged", "merged without a block for it"],
)
def test_a_subagent_has_no_line_that_this_client_may_refuse_to_start_over(planned, home, header, made):
    Path(home.agents).mkdir()
    Path(home.agents, "a.md").write_text(f"---\n{header}\n---\nBody.\n", encoding="utf-8")
    (tree,) = [change for change in planned() if change.path.endswith("agent")]
    assert tree.files["a.md"].decode() == f"---\n{made}\n---\nBody.\n"
