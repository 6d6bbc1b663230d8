"""Install and uninstall of plans on real folders: everything comes back, nothing of the user's is lost."""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path

import pytest

from pal.base.errors import PalError
from pal.base.home import Home
from pal.install import apply as installer
from pal.install import owners, staging
from pal.install.changes import Block, CopyTree, JsonElement, JsonMember, Match, WriteFile


def hook(event: str, agent: str = "one", python: str = "/usr/bin/python3", **more) -> dict:
    command = f"{python} -I -S -X utf8 '/home/user/.pal/hook.py' {event} --agent={agent}; exit 0"
    return {"type": "command", "command": command, **more}


def element(path, event: str, agent: str = "one", python: str = "/usr/bin/python3", matcher: str = "") -> JsonElement:
    match = Match((f"hook.py {event} --agent={agent}", f"pal.pyz hook {event} --agent={agent}"), ("command",), "hooks")
    group = {"matcher": matcher, "hooks": [hook(event, agent, python)]}
    return JsonElement(str(path), ("hooks", event), group, match)


def plan_for(user: Path, agent: str = "one", python: str = "/usr/bin/python3") -> list:
    """What an agent might ask for: hooks, a status line, a block, skills and agents; two share all but their hooks."""
    folder = user / ".agent"
    return [
        *(element(folder / "settings.json", event, agent, python) for event in ("stop", "pre-tool", "session-start")),
        JsonMember(str(folder / "settings.json"), ("statusLine",), {"type": "command", "command": "pal statusline"}),
        Block(str(folder / "CLAUDE.md"), "@/home/user/.pal/digest.md\n"),
        CopyTree(str(folder / "skills"), {"pal-one/SKILL.md": b"# One\n", "pal-one/tools/run.sh": b"#!/bin/sh\n"}),
        CopyTree(str(folder / "agents"), {"pal-helper.md": b"# Helper\n"}),
        WriteFile(str(user / ".shared" / "hooks" / "pal.json"), b'{"version": 1}\n'),
    ]


def tree(folder: Path) -> dict:
    """Every file and folder below, with bytes, mode and where a link leads."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name == ".pal" or name.startswith(".pal/"):
            continue
        mode = path.lstat().st_mode & 0o777
        found[name] = (
            ("link", os.readlink(path))
            if path.is_symlink()
            else (("folder", mode) if path.is_dir() else (path.read_bytes(), mode))
        )
    return found


THEIRS = {"type": "command", "command": "/usr/bin/theirs"}
SETTINGS = {
    "none at all": None,
    "empty": b"",
    "white space": b"\n  \n",
    "an empty object": b"{}",
    "an empty object with room": b"{ }\n",
    "a minified line": json.dumps({"model": "opus", "hooks": {"stop": [{"hooks": [THEIRS]}]}}).encode(),
    "two spaces": json.dumps({"model": "opus", "hooks": {}}, indent=2).encode() + b"\n",
    "tabs, CRLF and a BOM": b'\xef\xbb\xbf{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"stop": []\r\n\t}\r\n}\r\n',
    "comments and trailing commas": (
        b'// mine\n{\n    "permissions": {"allow": ["Bash(ls:*)",],}, // kept\n    "hooks": {\n        // none yet\n'
        b'        "stop": [ /* later */ ],\n    },\n    /* end */\n}'
    ),
    "hooks of another tool": json.dumps(
        {"hooks": {"stop": [{"matcher": "", "hooks": [THEIRS]}], "other": [{"hooks": [THEIRS]}]}, "é": "ű"},
        indent=4,
        ensure_ascii=False,
    ).encode(),
    "repeated keys": b'{"hooks": {"stop": [1]}, "hooks": {"other": []}, "a": 1, "a": 2}',
    "a status line": b'{\n  "statusLine": {\n    "type": "command", "command": "mine"\n  }\n}\n',
}


@pytest.fixture
def user(fresh_home: Path) -> Path:
    return fresh_home


@pytest.fixture
def pal(user: Path) -> Home:
    return Home(str(user / ".pal"))


def lay_out(user: Path, settings) -> None:
    """An agent's folder as a user might have it."""
    if settings is None:
        return
    folder = user / ".agent"
    (folder / "skills" / "mine").mkdir(parents=True)
    (folder / "skills" / "mine" / "SKILL.md").write_bytes(b"# Mine\n")
    (folder / "settings.json").write_bytes(settings)
    (folder / "settings.json").chmod(0o640)
    (folder / "CLAUDE.md").write_bytes(b"# Me\r\n\r\nI like tests.")


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_install_twice_then_uninstall_gives_back_every_byte(user, pal, now, settings):
    lay_out(user, settings)
    before = tree(user)
    plan = plan_for(user)
    installer.apply(plan, "one", pal, now)
    assert installer.drift(plan, pal) == []
    after, record = tree(user), Path(pal.changes).read_bytes()
    stamps = {path: path.lstat().st_mtime_ns for path in user.rglob("*") if path.name != ".changes.json.lock"}
    assert after != before
    assert [row for row in installer.apply(plan, "one", pal, now) if not row[1].startswith("kept")] == []
    assert (tree(user), Path(pal.changes).read_bytes()) == (after, record)
    assert stamps == {path: path.lstat().st_mtime_ns for path in stamps}
    installer.undo("one", pal, now)
    assert tree(user) == before
    assert not os.path.exists(pal.changes)


@pytest.mark.parametrize(
    ("settings", "agents"),
    [(SETTINGS["none at all"], ["one", "two"]), (SETTINGS["comments and trailing commas"], ["one", "two", "three"])],
)
def test_all_orders_of_owners_end_in_the_start_bytes(user, pal, now, settings, agents):
    lay_out(user, settings)
    before = tree(user)
    for coming in itertools.permutations(agents):
        for going in itertools.permutations(coming):
            for agent in coming:
                installer.apply(plan_for(user, agent), agent, pal, now)
            assert owners.installed(pal) == sorted(coming)
            for left, agent in enumerate(going, 1):
                installer.undo(agent, pal, now)
                for stays in going[left:]:
                    assert installer.drift(plan_for(user, stays), pal) == []
            assert tree(user) == before


def test_owners_that_come_and_go_by_turns_end_in_the_start_bytes(user, pal, now):
    lay_out(user, SETTINGS["an empty object"])
    before = tree(user)
    for step in ("+one", "+two", "-one", "+three", "+one", "-two", "-three", "-one"):
        agent = step[1:]
        if step[0] == "+":
            installer.apply(plan_for(user, agent), agent, pal, now)
        else:
            installer.undo(agent, pal, now)
    assert tree(user) == before


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_what_was_there_keeps_its_mode_and_new_files_get_their_own(user, pal, now):
    lay_out(user, b"{}")
    installer.apply(plan_for(user), "one", pal, now)
    modes = {name: entry[1] for name, entry in tree(user).items()}
    assert modes[".agent/settings.json"] == 0o640
    assert modes[".agent/skills/pal-one/SKILL.md"] == 0o644
    assert modes[".agent/skills/pal-one/tools/run.sh"] == 0o755
    assert modes[".shared/hooks/pal.json"] == 0o600


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_a_new_settings_file_is_private_and_new_instructions_are_not(user, pal, now):
    installer.apply(plan_for(user), "one", pal, now)
    assert tree(user)[".agent/settings.json"][1] == 0o600
    assert tree(user)[".agent/CLAUDE.md"][1] == 0o644


def read(user: Path) -> dict:
    return json.loads((user / ".agent" / "settings.json").read_text(encoding="utf-8-sig"))


# Upgrades and drift


def test_another_interpreter_replaces_our_entries_in_their_place(user, pal, now):
    lay_out(user, SETTINGS["hooks of another tool"])
    before = tree(user)
    installer.apply(plan_for(user), "one", pal, now)
    newer = plan_for(user, python="/opt/python")
    assert {problem for _, _, problem in installer.drift(newer, pal)} == {"altered"}
    installer.apply(newer, "one", pal, now)
    assert installer.drift(newer, pal) == []
    assert [group["hooks"][0]["command"].split()[0] for group in read(user)["hooks"]["stop"]] == [
        "/usr/bin/theirs",
        "/opt/python",
    ]
    installer.undo("one", pal, now)
    assert tree(user) == before


def test_entries_of_an_older_pal_are_taken_over_even_without_a_record(user, pal, now):
    old = {"hooks": [{"type": "command", "command": 'python3 "/x y/pal.pyz" hook stop --agent=one'}]}
    lay_out(user, json.dumps({"hooks": {"stop": [{"hooks": [THEIRS]}, old]}}).encode())
    installer.apply([element(user / ".agent" / "settings.json", "stop")], "one", pal, now)
    groups = read(user)["hooks"]["stop"]
    assert groups == [{"hooks": [THEIRS]}, {"matcher": "", "hooks": [hook("stop")]}]
    installer.undo("one", pal, now)
    assert read(user) == {"hooks": {"stop": [{"hooks": [THEIRS]}]}}


def test_what_a_newer_plan_no_longer_has_goes(user, pal, now):
    lay_out(user, SETTINGS["two spaces"])
    before = tree(user)
    installer.apply(plan_for(user), "one", pal, now)
    newer = [
        change for change in plan_for(user) if change.kind in ("block", "element") and "pre-tool" not in change.place
    ]
    installer.apply(newer, "one", pal, now)
    assert sorted(read(user)["hooks"]) == ["session-start", "stop"]
    assert not (user / ".shared").exists()
    assert not (user / ".agent" / "agents").exists()
    installer.undo("one", pal, now)
    assert tree(user) == before


def test_a_plan_all_of_whose_places_changed_still_leaves_no_file_behind(user, pal, now):
    path = user / ".agent" / "settings.json"
    installer.apply([element(path, "stop")], "one", pal, now)
    installer.apply([element(path, "pre-tool")], "one", pal, now)
    installer.undo("one", pal, now)
    assert tree(user) == {}


GROUP = {"matcher": "", "hooks": [hook("stop")]}


@pytest.mark.parametrize(
    ("groups", "problem", "mended", "left"),
    [
        ([], "missing", [GROUP], []),
        ([GROUP], "", [GROUP], []),
        ([GROUP, GROUP], "doubled", [GROUP], []),
        ([{"hooks": [hook("stop"), hook("stop")]}], "doubled", [GROUP], []),
        ([{"matcher": "x", "hooks": [hook("stop")]}], "altered", [GROUP], []),
        ([{"matcher": "", "hooks": [hook("stop", timeout=1)]}], "altered", [GROUP], []),
        (
            [{"matcher": "", "hooks": [THEIRS, hook("stop")]}],
            "",
            [{"matcher": "", "hooks": [THEIRS, hook("stop")]}],
            [{"matcher": "", "hooks": [THEIRS]}],
        ),
        (
            [{"matcher": "", "hooks": [hook("stop", timeout=1), THEIRS]}],
            "altered",
            [{"matcher": "", "hooks": [hook("stop"), THEIRS]}],
            [{"matcher": "", "hooks": [THEIRS]}],
        ),
        (
            [{"matcher": "x", "hooks": [hook("stop"), THEIRS]}],
            "altered",
            [{"matcher": "x", "hooks": [THEIRS]}, GROUP],
            [{"matcher": "x", "hooks": [THEIRS]}],
        ),
        ([{"hooks": [hook("stop", "one-b")]}], "missing", [{"hooks": [hook("stop", "one-b")]}, GROUP], None),
        (
            [{"hooks": "text"}, 1, {"hooks": [1, {}]}],
            "missing",
            [{"hooks": "text"}, 1, {"hooks": [1, {}]}, GROUP],
            None,
        ),
    ],
)
def test_drift_is_seen_and_the_next_install_mends_it(user, pal, now, groups, problem, mended, left):
    lay_out(user, json.dumps({"hooks": {"stop": groups}}, indent=2).encode())
    plan = [element(user / ".agent" / "settings.json", "stop")]
    assert [found for _, _, found in installer.drift(plan, pal)] == [problem] * bool(problem)
    installer.apply(plan, "one", pal, now)
    assert read(user)["hooks"]["stop"] == mended
    assert installer.drift(plan, pal) == []
    installer.undo("one", pal, now)
    assert read(user)["hooks"]["stop"] == (groups if left is None else left)


def test_a_hook_that_a_user_puts_into_our_group_stays(user, pal, now):
    installer.apply([element(user / ".agent" / "settings.json", "stop")], "one", pal, now)
    settings = read(user)
    settings["hooks"]["stop"][0]["hooks"].append(THEIRS)
    (user / ".agent" / "settings.json").write_text(json.dumps(settings))
    installer.undo("one", pal, now)
    assert read(user) == {"hooks": {"stop": [{"matcher": "", "hooks": [THEIRS]}]}}


def test_flat_entries_and_plain_texts_are_elements_too(user, pal, now):
    path = str(user / "hooks.json")
    flat = {"bash": "/p 'hook.py' stop --agent=one", "powershell": "& p"}
    plan = [
        JsonElement(path, ("hooks", "stop"), flat, Match(("hook.py stop --agent=one",), ("bash", "powershell"))),
        JsonElement(path, ("instructions",), "/home/user/.pal/digest.md", Match((".pal/digest.md",))),
        JsonElement(path, ("exec",), {"args": ["hook.py", "stop"]}, Match(("hook.py stop",), ("args",))),
    ]
    (user / "hooks.json").write_text('{"instructions": ["mine.md"]}')
    installer.apply(plan, "one", pal, now)
    assert installer.drift(plan, pal) == []
    assert json.loads((user / "hooks.json").read_text()) == {
        "instructions": ["mine.md", "/home/user/.pal/digest.md"],
        "hooks": {"stop": [flat]},
        "exec": [{"args": ["hook.py", "stop"]}],
    }
    installer.undo("one", pal, now)
    assert (user / "hooks.json").read_text() == '{"instructions": ["mine.md"]}'


# Members


def member(user: Path, value, only_if_absent=True, match=None) -> list:
    return [JsonMember(str(user / ".agent" / "settings.json"), ("statusLine",), value, only_if_absent, match)]


def test_a_member_somebody_else_wrote_is_left_alone_and_is_not_drift(user, pal, now):
    lay_out(user, b'{"statusLine": "mine"}')
    rows = installer.apply(member(user, "pal"), "one", pal, now)
    assert rows == [(str(user / ".agent" / "settings.json"), "kept: statusLine is not PAL's")]
    assert installer.drift(member(user, "pal"), pal) == []
    installer.undo("one", pal, now)
    assert read(user) == {"statusLine": "mine"}


def test_a_member_of_ours_follows_upgrades_until_the_user_changes_it(user, pal, now):
    lay_out(user, b"{}")
    installer.apply(member(user, "pal 1"), "one", pal, now)
    assert [found.problem for found in installer.drift(member(user, "pal 2"), pal)] == ["altered"]
    installer.apply(member(user, "pal 2"), "one", pal, now)
    assert read(user) == {"statusLine": "pal 2"}
    (user / ".agent" / "settings.json").write_text('{"statusLine": "mine"}')
    assert installer.drift(member(user, "pal 2"), pal) == []
    installer.apply(member(user, "pal 3"), "one", pal, now)
    installer.undo("one", pal, now)
    assert read(user) == {"statusLine": "mine"}


def test_a_member_known_by_its_words_is_ours_without_a_record(user, pal, now):
    lay_out(user, b'{"statusLine": "old/pal statusline"}')
    plan = member(user, "new/pal statusline", match=Match(("pal statusline",)))
    assert [found.problem for found in installer.drift(plan, pal)] == ["altered"]
    installer.apply(plan, "one", pal, now)
    assert read(user) == {"statusLine": "new/pal statusline"}
    installer.undo("one", pal, now)
    assert read(user) == {}


def test_a_member_that_is_replaced_comes_back_as_it_was_written(user, pal, now):
    lay_out(user, b'{"statusLine": [1,2 /* two */], "b": true}')
    before = tree(user)
    installer.apply(member(user, "pal 1", only_if_absent=False), "one", pal, now)
    installer.apply(member(user, "pal 2", only_if_absent=False), "two", pal, now)
    assert read(user) == {"statusLine": "pal 2", "b": True}
    installer.undo("one", pal, now)
    assert read(user) == {"statusLine": "pal 2", "b": True}
    installer.undo("two", pal, now)
    assert tree(user) == before


# What people do in between


def test_what_people_write_in_between_survives_uninstall(user, pal, now):
    installer.apply(plan_for(user), "one", pal, now)
    path = user / ".agent" / "settings.json"
    text = path.read_text()
    path.write_text(text.replace('{\n  "hooks": {', '{\n  "model": "opus", // mine\n  "hooks": {\n    "other": [],', 1))
    (user / ".agent" / "CLAUDE.md").write_text("# Mine\n" + (user / ".agent" / "CLAUDE.md").read_text())
    (user / ".agent" / "agents" / "mine.md").write_text("mine")
    (user / ".agent" / "agents" / "pal-helper.md").write_text("edited")
    rows = installer.undo("one", pal, now)
    assert path.read_text() == '{\n  "model": "opus", // mine\n  "hooks": {\n    "other": []\n  }\n}\n'
    assert (user / ".agent" / "CLAUDE.md").read_text() == "# Mine\n"
    assert sorted(os.listdir(user / ".agent" / "agents")) == ["mine.md", "pal-helper.md"]
    assert (str(user / ".agent" / "agents" / "pal-helper.md"), "kept: it was edited") in rows
    assert not (user / ".agent" / "skills").exists()
    assert not (user / ".shared").exists()


def test_uninstall_without_an_install_does_nothing(user, pal, now):
    assert installer.undo("one", pal, now) == []
    assert list(user.iterdir()) == []
    assert owners.installed(pal) == []


# Links, refusals, previews, backups


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_linked_settings_file_stays_a_link_and_its_target_is_edited(user, pal, now):
    lay_out(user, b"{}")
    dotfiles = user / "dotfiles"
    dotfiles.mkdir()
    os.replace(user / ".agent" / "settings.json", dotfiles / "settings.json")
    os.symlink("../dotfiles/settings.json", user / ".agent" / "settings.json")
    os.symlink("../dotfiles/not-yet.md", user / ".agent" / "OTHER.md")
    before = tree(user)
    plan = [*plan_for(user), Block(str(user / ".agent" / "OTHER.md"), "x\n")]
    installer.apply(plan, "one", pal, now)
    assert os.path.islink(user / ".agent" / "settings.json")
    assert b"hook.py" in (dotfiles / "settings.json").read_bytes()
    assert (dotfiles / "not-yet.md").exists()
    installer.undo("one", pal, now)
    assert tree(user) == before


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "settings.json").write_bytes(b'{"a": 1,\n "b"}'), "json was left alone: line 2"),
        (lambda folder: (folder / "settings.json").write_bytes(b'{"hooks": []}'), '"hooks" is not an object'),
        (lambda folder: (folder / "settings.json").write_bytes(b'{"a": "\xff"}'), "is not UTF-8 \\(byte 8\\)"),
        (lambda folder: (folder / "CLAUDE.md").write_bytes(b"<!-- pal:begin -->\n"), "md was left alone: line 1"),
        (lambda folder: (folder / "settings.json").chmod(0o444), "settings.json is read-only"),
        (lambda folder: (folder / "CLAUDE.md").chmod(0o444), "CLAUDE.md is read-only"),
        (lambda folder: folder.chmod(0o555), "its folder .* is read-only"),
        (lambda folder: (folder / "agents").write_bytes(b""), "is not a folder"),
        (lambda folder: (os.remove(folder / "CLAUDE.md"), (folder / "CLAUDE.md").mkdir()), "is a folder where a file"),
        (lambda folder: (folder.parent / ".shared").write_bytes(b"x"), "is not a folder"),
        (
            lambda folder: ((folder.parent / ".shared/hooks").mkdir(parents=True),
                            (folder.parent / ".shared/hooks/pal.json").write_bytes(b"x")),
            "is there already and is not PAL's",
        ),
    ],
)  # fmt: skip
@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_one_file_that_cannot_be_edited_stops_the_run_before_the_first_write(user, pal, now, spoil, message):
    lay_out(user, b"{}")
    spoil(user / ".agent")
    before = tree(user)
    try:
        for act in (
            lambda: installer.apply(plan_for(user), "one", pal, now),
            lambda: installer.preview(plan_for(user), pal, "one"),
        ):
            with pytest.raises(PalError, match=message):
                act()
            assert tree(user) == before
            assert not os.path.exists(pal.changes)
            assert not os.path.exists(pal.backups)
    finally:
        (user / ".agent").chmod(0o755)


def test_a_file_broken_after_install_is_left_alone_by_uninstall_and_heals(user, pal, now):
    lay_out(user, b"{}")
    before = tree(user)
    installer.apply(plan_for(user), "one", pal, now)
    path = user / ".agent" / "settings.json"
    sound = path.read_bytes()
    path.write_bytes(sound + b"}")
    installed = tree(user)
    for act in (installer.undo, lambda owner, home, now: installer.apply(plan_for(user), owner, home, now)):
        with pytest.raises(PalError, match="settings.json was left alone: line .* goes on after"):
            act("one", pal, now)
        assert tree(user) == installed
    with pytest.raises(PalError, match="settings.json was left alone"):
        installer.drift(plan_for(user), pal)
    path.write_bytes(sound)
    installer.undo("one", pal, now)
    assert tree(user) == before


def test_a_preview_says_and_shows_what_is_going_to_happen_and_writes_nothing(user, pal, now):
    lay_out(user, b'{"model": "opus"}')
    before = tree(user)
    seen = installer.preview(plan_for(user), pal, "one")
    assert tree(user) == before
    assert not os.path.exists(pal.root)
    assert seen.rows == installer.apply(plan_for(user), "one", pal, now)
    assert (str(user / ".agent" / "settings.json"), "change") in seen.rows
    assert (str(user / ".agent" / "agents" / "pal-helper.md"), "create") in seen.rows
    assert '-{"model": "opus"}\n\\ No newline at end of file\n+{"model": "opus", "hooks"' in seen.diff
    assert "+<!-- pal:end -->\r\n" in seen.diff
    assert "--- /dev/null\n" in seen.diff
    assert "# Helper" not in seen.diff
    undone = installer.preview_undo("one", pal)
    assert (str(user / ".agent" / "agents" / "pal-helper.md"), "remove") in undone.rows
    assert undone.rows == installer.undo("one", pal, now)
    assert installer.preview_undo("one", pal) == ([], "")


def test_a_copy_of_every_foreign_file_is_kept_before_its_first_change(user, pal, now):
    lay_out(user, b'{"model": "opus"}')
    installer.apply(plan_for(user), "one", pal, now)
    folder = Path(pal.backups) / "files"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "20260302-081500-00-settings.json": b'{"model": "opus"}',
        "20260302-081500-01-CLAUDE.md": b"# Me\r\n\r\nI like tests.",
    }
    for turn in range(30):
        installer.apply(plan_for(user, python=f"/p{turn}"), "one", pal, now + turn + 1)
        installer.undo("one", pal, now + turn + 1)
    assert len(list(folder.iterdir())) == installer.BACKUPS_KEPT


def test_settings_that_an_agent_writes_meanwhile_are_not_lost(user, pal, now, monkeypatch):
    lay_out(user, b"{}")
    path = user / ".agent" / "settings.json"
    check = staging.Staging.check

    def agent_writes(self):
        check(self)
        if b"meanwhile" not in path.read_bytes():
            path.write_bytes(b'{"meanwhile": true}')

    monkeypatch.setattr(staging.Staging, "check", agent_writes)
    installer.apply(plan_for(user), "one", pal, now)
    assert read(user)["meanwhile"] is True
    assert sorted(read(user)["hooks"]) == ["pre-tool", "session-start", "stop"]
    installer.undo("one", pal, now)
    assert path.read_bytes() == b'{"meanwhile": true}'


def test_a_file_that_changes_at_every_try_is_given_up_with_a_sentence(user, pal, now, monkeypatch):
    lay_out(user, b"{}")
    path = user / ".agent" / "settings.json"
    counter = itertools.count()
    check = staging.Staging.check

    def agent_writes(self):
        check(self)
        path.write_bytes(b'{"n": %d}' % next(counter))

    monkeypatch.setattr(staging.Staging, "check", agent_writes)
    with pytest.raises(PalError, match="keeps changing while PAL edits it"):
        installer.apply(plan_for(user), "one", pal, now)
    assert path.read_bytes() == b'{"n": %d}' % (installer.TRIES - 1)


# Many at once, and killed anywhere

KILLED = 77
WRITING = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.link", "os.symlink", "os.truncate"}


def start(act, stop: int = 0) -> int:
    """Run this in a child that ends without a word before its stop-th file operation (0: none); the child's id."""
    child = os.fork()
    if child:
        return child
    count = 0

    def before_each(event: str, arguments: tuple) -> None:
        nonlocal count
        writes = event in WRITING or (event == "open" and isinstance(arguments[2], int) and arguments[2] & 3)
        if writes and stop:
            count += 1
            if count == stop:
                os._exit(KILLED)

    try:
        sys.addaudithook(before_each)
        act()
    except BaseException:
        os._exit(1)
    os._exit(0)


def ended(child: int) -> int:
    """The exit code of a child."""
    return os.waitpid(child, 0)[1] >> 8


def whole(user: Path) -> None:
    """Every file of the user is one that a reader understands, with what the user wrote in it."""
    settings = read(user)
    assert settings["model"] == "opus"
    assert settings["hooks"]["stop"][0] == {"hooks": [THEIRS]}
    text = (user / ".agent" / "CLAUDE.md").read_bytes()
    assert text.startswith(b"# Me\r\n\r\nI like tests.")
    assert text.count(b"pal:begin") == text.count(b"pal:end")
    owners.load(Home(str(user / ".pal")))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the child is a fork")
@pytest.mark.parametrize("settings", [SETTINGS["a minified line"], None], ids=["a user's files", "no files"])
@pytest.mark.parametrize("verb", ["apply", "upgrade", "undo"])
def test_a_run_killed_at_any_file_operation_leaves_whole_files_and_heals(user, pal, now, verb, settings):
    lay_out(user, settings)
    before = tree(user)
    plan, older = plan_for(user), plan_for(user, python="/older")
    installer.apply(plan, "one", pal, now)
    complete = tree(user)
    installer.undo("one", pal, now)
    assert tree(user) == before
    for stop in itertools.count(1):
        if verb != "apply":
            installer.apply(plan if verb == "undo" else older, "one", pal, now)
        if verb == "undo":
            code = ended(start(lambda: installer.undo("one", pal, now), stop))
        else:
            code = ended(start(lambda: installer.apply(plan, "one", pal, now), stop))
        if settings is not None:
            whole(user)
        if stop % 2:  # an install mends it, or an uninstall right away
            installer.apply(plan, "one", pal, now)
            assert tree(user) == complete
        installer.undo("one", pal, now)
        assert tree(user) == before
        assert not os.path.exists(pal.changes)
        assert code in (0, KILLED)
        if code == 0:
            break
    assert stop > 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the children are forks")
def test_installs_and_uninstalls_at_once_wait_for_each_other(user, pal, now):
    lay_out(user, SETTINGS["a minified line"])
    before = tree(user)
    agents = ["one", "two", "three"]
    children = [start(lambda: installer.apply(plan_for(user, agent), agent, pal, now)) for agent in agents]  # noqa: B023
    assert [ended(child) for child in children] == [0, 0, 0]
    assert owners.installed(pal) == sorted(agents)
    assert [installer.drift(plan_for(user, agent), pal) for agent in agents] == [[], [], []]
    children = [start(lambda: installer.undo(agent, pal, now)) for agent in agents]  # noqa: B023
    assert [ended(child) for child in children] == [0, 0, 0]
    assert tree(user) == before
