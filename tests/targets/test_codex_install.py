"""What PAL plans for Codex, the trust it works out, and what it says of settings that keep its hooks from running."""

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
from pal.install.changes import Block, CopyTree, JsonElement, TomlTable
from pal.targets import hook_groups
from pal.targets.codex import facts, install, trust

PYTHON = "/usr/bin/python3"
PAYLOADS = Path(__file__).resolve().parent.parent / "contract" / "payloads" / "codex"


@pytest.fixture
def env(fresh_home):
    return {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}


@pytest.fixture
def codex(fresh_home):
    folder = fresh_home / ".codex"
    folder.mkdir()
    return folder


def plan_of(home, env):
    return install.plan(home, env, PYTHON, settings.load(home))


def kind(plan, wanted):
    return [change for change in plan if isinstance(change, wanted)]


def remarks(home, env):
    return {remark.id: remark for remark in install.remarks(home, env, settings.load(home))}


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, "~/.codex"),
        ({"CODEX_HOME": "~/config"}, "~/config"),
        ({"CODEX_HOME": "~/config", "PAL_CODEX_DIR": "~/mine"}, "~/mine"),
    ],
)
def test_the_folder_is_pals_variable_then_the_clients_then_the_default(env, fresh_home, variables, folder):
    there = {name: value.replace("~", str(fresh_home)) for name, value in variables.items()}
    assert install.folder({**env, **there}) == os.path.normpath(folder.replace("~", str(fresh_home)))


def test_each_event_gets_one_group_with_one_shell_command_and_no_key_at_the_top(home, env, codex):
    elements = kind(plan_of(home, env), JsonElement)
    assert [change.keys for change in elements] == [("hooks", row[0]) for row in facts.EVENTS]
    for change, (_, event, matcher, seconds) in zip(elements, facts.EVENTS):
        (entry,) = change.value["hooks"]
        assert (entry["type"], entry["timeout"], change.value.get("matcher", "")) == ("command", seconds, matcher)
        words = shlex.split(entry["command"].replace(";", " ;"))
        assert words[words.index(home.launcher) + 1 :][:2] == [event, "--agent=codex"]
    apply.apply(plan_of(home, env), "codex", home, 1.0)
    assert set(json.loads((codex / "hooks.json").read_text())) <= set(facts.HOOK_KEYS), "or it loads none of them"


def test_a_session_s_start_may_say_all_it_has_to(home, env):
    limits = {
        change.keys[1]: change.value["hooks"][0].get("additionalContextLimit")
        for change in kind(plan_of(home, env), JsonElement)
    }
    assert limits.pop("SessionStart") * 4 >= facts.ROOM * 3, "tokens of four bytes, units of up to three"
    assert set(limits.values()) == {None}


@pytest.mark.parametrize(
    ("tool", "guarded"),
    [
        ("Bash", True),
        ("apply_patch", True),
        ("mcp__files__read", True),
        ("view_image", True),
        ("update_plan", False),
        ("BashOutput", False),
    ],
)
def test_the_guarded_tools_are_matched_and_no_other(tool, guarded):
    assert bool(re.search(facts.GUARDED, tool)) is guarded


def test_every_registered_event_has_a_name_among_the_trusted():
    assert {row[0] for row in facts.EVENTS} == set(facts.TRUST_EVENTS)
    assert all(seconds <= facts.CLAMPED[name][1] for name, _, _, seconds in facts.EVENTS if name in facts.CLAMPED)


# Trust


def captured():
    groups = json.loads((PAYLOADS / "hooks-json.json").read_text())["hooks"]
    state = json.loads((PAYLOADS / "config-hooks-state.json").read_text())["hooks"]["state"]
    for event, listed in groups.items():
        for row, group in enumerate(listed):
            for column, entry in enumerate(group["hooks"]):
                key = f"/home/user/.codex/hooks.json:{facts.TRUST_EVENTS[event]}:{row}:{column}"
                yield event, group.get("matcher"), entry, state[key]["trusted_hash"]


@pytest.mark.parametrize(("event", "matcher", "entry", "trusted"), list(captured()))
def test_a_hash_is_the_one_the_client_worked_out(event, matcher, entry, trusted):
    assert trust.hash_of(event, matcher, entry) == trusted


@pytest.mark.parametrize(
    ("event", "matcher", "change", "same"),
    [
        ("Stop", None, {"timeout": 600}, True),  # its default
        ("Stop", None, {"timeout": 7}, False),
        ("Stop", "anything", {}, True),  # no matcher counts there
        ("PreToolUse", "Bash", {}, False),
        ("Stop", None, {"command": "y"}, False),
        ("Stop", None, {"statusMessage": "PAL"}, False),
        ("Stop", None, {"additionalContextLimit": 0}, False),
        ("Stop", None, {"note": "mine"}, True),
        ("SessionEnd", None, {"timeout": 99}, False),
    ],
)
def test_what_counts_in_a_hash(event, matcher, change, same):
    entry = {"type": "command", "command": "x"}
    assert (trust.hash_of(event, matcher, {**entry, **change}) == trust.hash_of(event, None, entry)) is same


def test_a_time_out_that_the_client_cuts_is_hashed_as_cut():
    entry = {"type": "command", "command": "x"}
    assert trust.hash_of("SessionEnd", None, {**entry, "timeout": 99}) == trust.hash_of(
        "SessionEnd", None, {**entry, "timeout": 3}
    )


def tables(home, env):
    return {change.keys[-1]: change.values["trusted_hash"] for change in kind(plan_of(home, env), TomlTable)}


def test_every_hook_of_ours_is_trusted_at_its_place_behind_those_of_others(home, env, codex):
    other = {"hooks": [{"type": "command", "command": "say done"}]}
    (codex / "hooks.json").write_text(json.dumps({"hooks": {"Stop": [other, other]}}))
    places = {key.rpartition("hooks.json:")[2] for key in tables(home, env)}
    assert "stop:2:0" in places
    assert "session_start:0:0" in places
    assert len(places) == len(facts.EVENTS)


def test_the_trust_follows_a_hook_that_somebody_moved(home, env, codex, now):
    apply.apply(plan_of(home, env), "codex", home, now)
    hooks = json.loads((codex / "hooks.json").read_text())
    hooks["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "say done"}]})
    (codex / "hooks.json").write_text(json.dumps(hooks))
    assert "does not trust 1 of PAL's 8 hooks" in remarks(home, env)["trust"].title
    apply.apply(plan_of(home, env), "codex", home, now)
    assert "trust" not in remarks(home, env)
    text = (codex / "config.toml").read_text()
    assert "hooks.json:stop:1:0" in text and "hooks.json:stop:0:0" not in text


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_the_file_is_called_as_the_client_calls_it(home, env, fresh_home, tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    (fresh_home / ".codex").symlink_to(real)
    prefixes = {key.partition(":")[0] for key in tables(home, env)}
    assert prefixes == {str(fresh_home / ".codex" / "hooks.json"), str(real / "hooks.json")}, "unnamed, and named"
    (fresh_home / "link").symlink_to(real)
    named = {**env, "CODEX_HOME": str(fresh_home / "link")}
    assert {key.partition(":")[0] for key in tables(home, named)} == {str(real / "hooks.json")}


def test_a_hooks_file_that_cannot_be_edited_is_trusted_in_nothing_and_refused_by_name(home, env, codex, now):
    (codex / "hooks.json").write_text('{"hooks": [')
    assert kind(plan_of(home, env), TomlTable) == []
    with pytest.raises(PalError, match=r"hooks\.json was left alone"):
        apply.apply(plan_of(home, env), "codex", home, now)
    assert not (codex / "config.toml").exists()


# What doctor is told


def test_a_sound_install_has_nothing_to_say(home, env, codex, now):
    apply.apply(plan_of(home, env), "codex", home, now)
    assert remarks(home, env) == {}
    assert apply.drift(plan_of(home, env), home) == []
    assert len(install.registered(env)) == len(facts.EVENTS)


@pytest.mark.parametrize(
    ("name", "edit", "remark", "says"),
    [
        ("config.toml", lambda text: "", "trust", "does not trust 8 of PAL's 8 hooks"),
        ("config.toml", lambda text: text.replace('hash = "sha256:', 'hash = "sha256:0'), "trust", "8 of PAL's 8"),
        ("config.toml", lambda text: text + "[features]\nhooks = false\n", "off", "switched off"),
        ("config.toml", lambda text: "features = { codex_hooks = false }\n" + text, "off", "switched off"),
        ("config.toml", lambda text: "[[hooks.Stop]]\n" + text, "two-files", "both run"),
        ("config.toml", lambda text: text + "[broken", "trust", "line"),
        ("hooks.json", lambda text: text.replace("{", '{\n  "version": 1,', 1), "hooks-file", "it holds version"),
        ("hooks.json", lambda text: "// mine\n" + text, "hooks-file", "neither comments nor commas"),
    ],
)
def test_what_keeps_hooks_from_running_is_said(home, env, codex, now, name, edit, remark, says):
    apply.apply(plan_of(home, env), "codex", home, now)
    path = codex / name
    path.write_text(edit(path.read_text()))
    assert says in remarks(home, env)[remark].title


def test_the_block_goes_where_the_client_reads_and_is_recorded_as_a_route(home, env, codex):
    (block,) = kind(plan_of(home, env), Block)
    assert block.path == str(codex / "AGENTS.md")
    assert "@~" not in block.text, "it includes no other file"
    assert install.routes(home, env)["blocks"] == [{"path": block.path, "owner": "codex", "imports": False}]
    (codex / "AGENTS.override.md").write_text("Mine instead.\n")
    (block,) = kind(plan_of(home, env), Block)
    assert block.path == str(codex / "AGENTS.override.md")


def test_skills_go_to_the_folder_that_several_agents_share(home, env, fresh_home):
    os.makedirs(os.path.join(home.skills, "mine"))
    Path(home.skills, "mine", "SKILL.md").write_text("mine")
    (tree,) = [change for change in kind(plan_of(home, env), CopyTree) if "mine/SKILL.md" in change.files]
    assert tree.path == str(fresh_home / ".agents" / "skills")
    assert tree.files["mine/SKILL.md"] == b"mine"


def test_the_server_is_a_table_of_its_settings(home, env, codex):
    (change,) = install.mcp(home, env, PYTHON)
    assert (change.path, change.keys) == (str(codex / "config.toml"), ("mcp_servers", "pal"))
    assert change.values["command"] == PYTHON
    assert change.values["args"][-3:] == [home.launcher, "cli", "mcp"]


def test_a_hook_is_known_by_what_it_says(env, codex):
    command = "python3 /elsewhere/pal.pyz hook stop --agent=codex"
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command}]}], "Other": [{"hooks": [{"command": "x"}]}]}
    (codex / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    assert [(entry.event, entry.place) for entry in install.registered(env)] == [("stop", "Stop")]
    assert not hook_groups.ours("codex", "stop").fits({"command": command + "-two"})
