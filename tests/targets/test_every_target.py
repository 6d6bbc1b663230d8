"""What holds for every agent of the table, and what holds for several of them on one machine."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pal import targets
from pal.base import home as homes
from pal.base import settings as settings_file
from pal.base.errors import PalError
from pal.base.home import Home
from pal.cli import agents
from pal.cli.context import Context
from pal.cli.output import Output
from pal.context import digests
from pal.install import apply, owners, status, tomltree
from pal.install.changes import CopyTree, KeptFiles
from pal.targets import commands, mcp_command, mcp_entry, skill_folders, trees

PYTHON = "/usr/bin/python3"
NOW = 1772439300.0
every_agent = pytest.mark.parametrize("name", targets.NAMES)


def machine(user: Path) -> Context:
    """A user with a skill and a subagent of their own, and an editor that was started once."""
    home = Home(str(user / ".pal"))
    for folder in (home.install, os.path.join(home.skills, "mine"), home.agents):
        os.makedirs(folder)
    Path(home.skills, "mine", "SKILL.md").write_text("---\nname: mine\ndescription: Mine.\n---\nDo it.\n")
    Path(home.agents, "critic.md").write_text("---\nname: critic\ndescription: Reads.\n---\nRead.\n")
    env = {"HOME": str(user), "USERPROFILE": str(user), "APPDATA": str(user / "AppData" / "Roaming"), "PATH": ""}
    os.makedirs(os.path.join(homes.settings_folder(env), "Code", "User"))
    return Context(home, env, NOW, Output(env))


@pytest.fixture
def context(tmp_path):
    return machine(tmp_path / "user")


def plan_of(name, context, mcp=True):
    return agents.whole_plan(targets.installer(name), context, PYTHON, mcp)


def install(name, context, mcp=True):
    apply.apply(plan_of(name, context, mcp), name, context.home, NOW)


def contents(user: Path) -> dict[str, bytes | None]:
    """Every file below the user's folder but PAL's home, and every folder."""
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for path in user.rglob("*")
        if ".pal" not in path.relative_to(user).parts
    }


# One agent


@every_agent
def test_a_target_answers_the_whole_contract(name, context):
    target, facts = targets.installer(name), targets.facts(name)
    assert name == target.NAME == facts.NAME
    assert target.TITLE
    assert isinstance(target.PROVEN, str)
    assert all(status.numbers(version) for version, _ in target.NEEDS)
    for method in ("folder", "program", "plan", "mcp", "routes", "registered", "remarks"):
        assert callable(getattr(target, method)), method
    assert set(facts.ABILITIES) == {"asks", "prompt_context", "subagents"}
    assert isinstance(facts.SESSION_VARIABLE, str)
    assert isinstance(facts.SESSION_MARKS, tuple)
    for method in ("parse", "render"):
        assert callable(getattr(targets.turn(name), method)), method
    assert set(target.routes(context.home, context.env)) == {"blocks", "digests"}


@every_agent
def test_an_install_leaves_no_drift_and_every_hook_once(name, context):
    install(name, context)
    assert apply.drift(plan_of(name, context), context.home) == []
    found = [(entry.event, entry.place) for entry in targets.installer(name).registered(context.env)]
    assert found
    assert len(found) == len(set(found))
    assert all(entry.python == PYTHON for entry in targets.installer(name).registered(context.env))


@every_agent
def test_the_server_is_registered_when_asked_for_stays_and_goes_at_the_end(name, context):
    servers = targets.installer(name).mcp(context.home, context.env, PYTHON)
    absent = ["missing"] * len(servers)
    assert servers
    install(name, context, mcp=False)
    assert [row.problem for row in apply.drift(servers, context.home)] == absent
    install(name, context)
    assert apply.drift(servers, context.home) == []
    install(name, context, mcp=False)  # as an update does
    assert apply.drift(servers, context.home) == []
    apply.undo(name, context.home, NOW)
    assert [row.problem for row in apply.drift(servers, context.home)] == absent


@every_agent
def test_a_server_as_an_earlier_version_registered_it_is_replaced_and_goes_at_the_end(name, context, monkeypatch):
    def earlier(home, python):
        return [python, "-I", "-X", "utf8", home.archive, "mcp"]

    with monkeypatch.context() as patch:
        patch.setattr(mcp_command, "words", earlier)
        install(name, context)
        before = targets.installer(name).mcp(context.home, context.env, PYTHON)
        assert all(mcp_entry.standing(change)[-1] == "mcp" for change in before)
        assert all(context.home.archive in mcp_entry.standing(change) for change in before)
    servers = targets.installer(name).mcp(context.home, context.env, PYTHON)
    assert {row.problem for row in apply.drift(servers, context.home)} == {"altered"}
    install(name, context, mcp=False)  # as an update does
    assert all(mcp_entry.standing(change)[-3:] == [context.home.launcher, "cli", "mcp"] for change in servers)
    apply.undo(name, context.home, NOW)
    assert [row.problem for row in apply.drift(servers, context.home)] == ["missing"] * len(servers)


@every_agent
def test_digests_written_meanwhile_go_with_it_and_anothers_file_of_such_a_name_stays(name, context):
    kept = [change for change in plan_of(name, context) if isinstance(change, KeptFiles)]
    install(name, context)
    for change in kept:
        assert os.path.isdir(change.path)
        Path(change.path, f"{change.prefix}wisdom{change.suffix}").write_text(f"# Wisdom\n{digests.MARK}\n")
        Path(change.path, f"{change.prefix}theirs{change.suffix}").write_text("# Theirs\n")
    apply.undo(name, context.home, NOW)
    for change in kept:
        assert os.listdir(change.path) == [f"{change.prefix}theirs{change.suffix}"]


@pytest.mark.parametrize("name", sorted(set(targets.NAMES) - {"opencode"}))  # its plugin is handed a list of words
@pytest.mark.parametrize("windows", [False, True])
def test_a_hooks_command_is_written_for_the_agents_shell(name, windows, context):
    line = commands.line(name, "/usr/bin/python3", context.home, ["stop", f"--agent={name}"], windows)
    assert f"stop --agent={name}" in line
    assert "exit 0" in line


ODD = "C:/Program Files (x86)/Python/python.exe"


@pytest.mark.parametrize(
    ("name", "shell"), [("claude", "powershell"), ("cursor", ""), ("copilot", ""), ("gemini", ""), ("vscode", None)]
)
def test_a_path_that_no_shell_takes_bare_is_quoted_for_the_one_it_meets_or_refused(name, shell, context):
    words = ["stop", f"--agent={name}"]
    if shell is None:
        with pytest.raises(PalError, match="PAL_PYTHON or PAL_HOME"):
            commands.fields(name, ODD, context.home, words, windows=True)
        return
    written = commands.fields(name, ODD, context.home, words, windows=True)
    assert written["command"].startswith(f". '{ODD}'")
    assert written.get("shell", "") == shell


# Several agents


def skill_tree(name, context):
    return [
        change.path
        for change in plan_of(name, context)
        if isinstance(change, CopyTree) and "mine/SKILL.md" in change.files
    ]


def test_one_skill_is_listed_once_by_every_client_whatever_is_installed(context):
    """But for Cursor beside Claude Code: it reads both folders by its documentation, and nobody saw what it lists."""
    filled = {name: skill_tree(name, context) for name in targets.NAMES}
    for name in targets.NAMES:
        assert filled[name] == [skill_folders.filled_for(name, context.env)]
    assert set(skill_folders.TABLE) == set(targets.NAMES)
    for count in range(1, len(targets.NAMES) + 1):
        for chosen in itertools.combinations(targets.NAMES, count):
            folders = {filled[name][0] for name in chosen}
            for name in chosen:
                seen = len(folders.intersection(skill_folders.read_by(name, context.env)))
                several = skill_folders.TABLE[name].merges or (name == "cursor" and "claude" in chosen)
                assert seen == 1 or (several and seen == 2), (name, chosen)


def test_a_skill_that_a_client_may_list_twice_is_told(context):
    install("cursor", context)
    assert skill_folders.remarks("cursor", context.home, context.env) == []
    install("claude", context)
    (remark,) = skill_folders.remarks("cursor", context.home, context.env)
    assert re.search(r"Cursor may list \d+ skill\(s\) twice, ", remark.title)
    assert skill_folders.remarks("claude", context.home, context.env) == []


def test_a_folder_that_only_pal_made_is_no_client_and_one_that_its_client_uses_is(context):
    def found(name):
        return agents.present(targets.installer(name), context)

    assert [name for name in targets.NAMES if found(name)] == ["vscode"]  # its settings are there
    install("vscode", context)
    assert not found("copilot"), "the folder that both share was made for the other"
    install("cursor", context)
    assert not found("cursor")
    assert "cursor" in agents.detected(context), "but PAL is installed in it"
    os.makedirs(os.path.join(targets.installer("cursor").folder(context.env), "projects"))
    assert found("cursor")


def test_a_broken_file_of_an_agent_that_pal_is_not_in_stops_nobody(context):
    install("cursor", context)
    for path in (".claude/settings.json", ".codex/hooks.json", ".copilot/hooks/pal-vscode.json"):
        broken = Path(context.env["HOME"], path)
        broken.parent.mkdir(parents=True, exist_ok=True)
        broken.write_text("{")
    assert agents.unrecorded(context) == []
    looked = {agent.name: agent for agent in agents.look(context)}
    assert "settings.json" in looked["claude"].problem
    assert looked["cursor"].problem == ""


def test_status_tells_whose_hooks_stand_down(context):
    for name in ("claude", "cursor", "vscode"):
        install(name, context)
    looked = {agent.name: agent for agent in agents.look(context)}
    assert looked["cursor"].standing_down == ["Claude Code"]
    assert looked["vscode"].standing_down == ["Claude Code"]
    assert looked["claude"].standing_down == []
    assert looked["copilot"].standing_down == []
    assert all(looked[name].facts()["registered"] for name in ("claude", "cursor", "vscode"))


STEPS = some.lists(some.tuples(some.booleans(), some.sampled_from(targets.NAMES)), min_size=1, max_size=12)


@settings(max_examples=10, deadline=None)
@given(steps=STEPS)
def test_several_agents_in_any_order_end_in_the_start_bytes(tmp_path_factory, steps):
    user = tmp_path_factory.mktemp("orders") / "user"
    context = machine(user)
    for path, text in (
        (".gemini/settings.json", '{"theirs": [1]}\n'),
        (".copilot/instructions/mine.instructions.md", "mine\n"),
        (".cursor/hooks.json", '{"version": 1, "hooks": {"stop": [{"command": "mine"}]}}'),
        (".claude/settings.json", "{\n\t// mine\n}\n"),
    ):
        (user / path).parent.mkdir(parents=True, exist_ok=True)
        (user / path).write_text(text)
    before = contents(user)
    inside: set[str] = set()
    for coming, name in steps:
        if coming:
            install(name, context)
            inside.add(name)
        else:
            apply.undo(name, context.home, NOW)
            inside.discard(name)
        assert set(owners.installed(context.home)) == inside
        for each in inside:
            assert apply.drift(plan_of(each, context), context.home) == [], each
    for name in sorted(inside):
        apply.undo(name, context.home, NOW)
    assert contents(user) == before


def test_every_agent_gets_subagents_in_its_own_form(context):
    for name in targets.NAMES:
        if name == "vscode":  # where it looks for them was not looked into
            continue
        written = {file for change in plan_of(name, context) if isinstance(change, CopyTree) for file in change.files}
        assert ("critic.toml" if name == "codex" else "critic.md") in written, name
    merged = b"---\nname: a\nclaude:\n  model: opus\ncursor:\n  model: fast\n---\nBody.\n"
    assert trees.split(merged, "claude") == b"---\nname: a\nmodel: opus\n---\nBody.\n"
    assert trees.split(merged, "cursor") == b"---\nname: a\nmodel: fast\n---\nBody.\n"


def test_a_role_in_toml_says_what_the_subagent_says(context):
    header = 'name: a\ndescription: "Says no."\ncodex:\n  model: small\nclaude:\n  model: opus\n'
    Path(context.home.agents, "a.md").write_text(f'---\n{header}---\n\nRead\tit, say "no".\n\x7f\n')
    roles = trees.roles(context.home, "codex")
    assert tomltree.scan(roles["a.toml"].decode()).root.value == {
        "name": "a",
        "description": "Says no.",
        "model": "small",
        "developer_instructions": 'Read\tit, say "no".\n\x7f\n',
    }


@pytest.mark.parametrize(
    "said", ["platforms: [cursor, gemini]", "platforms:\n  - cursor\n  - gemini", "platforms: cursor, gemini"]
)
def test_a_subagent_that_names_its_platforms_goes_to_those_alone(context, said):
    Path(context.home.agents, "some.md").write_text(f"---\nname: some\n{said}\ndescription: X.\n---\nBody.\n")
    found = {name: trees.subagents(context.home, name).get("some.md") for name in targets.NAMES}
    assert {name for name, data in found.items() if data} == {"cursor", "gemini"}
    assert found["cursor"] == b"---\nname: some\ndescription: X.\n---\nBody.\n"


def test_the_guard_of_an_agent_that_none_proved_is_registered_when_it_is_asked_for(context):
    target = targets.installer("antigravity")
    values = settings_file.load(context.home)
    assert not [row for row in target.plan(context.home, context.env, PYTHON, values) if b"pre-tool" in data_of(row)]
    assert "the guard is off" in target.remarks(context.home, context.env, values)[0].title
    Path(context.home.settings).write_text('{"security": {"unprovenGuards": ["antigravity"]}}')
    values = settings_file.load(context.home)
    assert [row for row in target.plan(context.home, context.env, PYTHON, values) if b"pre-tool" in data_of(row)]
    assert "should every tool call be refused" in target.remarks(context.home, context.env, values)[0].title


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
@pytest.mark.parametrize(("said", "guarded"), [("agy 1.6.0", True), ("1.6.1", False), ("none", False)])
def test_a_version_that_is_proven_gets_its_guard_unasked(context, tmp_path, monkeypatch, said, guarded):
    target = targets.installer("antigravity")
    monkeypatch.setattr(targets.facts("antigravity"), "GUARD_PROVEN", ("1.6.0",))
    (tmp_path / "agy").write_text(f"#!/bin/sh\necho '{said}'\n")
    (tmp_path / "agy").chmod(0o755)
    env = {**context.env, "PATH": str(tmp_path)}
    plan = target.plan(context.home, env, PYTHON, settings_file.load(context.home))
    assert any(b"pre-tool" in data_of(row) for row in plan) is guarded


def data_of(change) -> bytes:
    return getattr(change, "data", b"")
