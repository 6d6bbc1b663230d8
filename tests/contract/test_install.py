"""Install and uninstall as a user does them, with the built archive on a home of their own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pal.install import archive as packing

posix = pytest.mark.skipif(os.name == "nt", reason="links, modes and the POSIX shell")

HOOK = '{"matcher": "Bash", "hooks": [{"type": "command", "command": "~/bin/mine.sh"}]}'
# name → (settings.json, CLAUDE.md); None: there is no such file.
PAIRS = {
    "nothing at all": (None, None),
    "empty files": (b"", b""),
    "an empty object": (b"{}", b"# Me\n"),
    "an empty object and a line end": (b"{}\n", b"no line end"),
    "plain": (
        b'{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash(ls:*)"]\n  }\n}\n',
        b"# Rules\n\nBe brief.\n",
    ),
    "one line": (b'{"model":"opus","env":{"A":"1"}}', b"one line"),
    "comments and a trailing comma": (
        b'// mine\n{\n  // which model\n  "model": "opus", /* best */\n  "env": {"A": "1",},\n}\n',
        b"<!-- a comment -->\n",
    ),
    "a byte order mark": (b'\xef\xbb\xbf{\n  "model": "opus"\n}\n', b"\xef\xbb\xbf# Me\n"),
    "windows line ends": (b'{\r\n  "model": "opus",\r\n  "env": {}\r\n}\r\n', b"# Me\r\n\r\nText\r\n"),
    "tabs": (b'{\n\t"model": "opus",\n\t"hooks": {\n\t}\n}\n', b"\t# Me\n\n\n\n"),
    "hooks of other tools": (
        b'{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command", "command": "say done"}]}\n    ],\n'
        b'    "PreToolUse": [' + HOOK.encode() + b'],\n    "Notification": []\n  },\n'
        b'  "statusLine": {"type": "command", "command": "mine"}\n}\n',
        b"@other.md\n",
    ),
    "duplicate keys": (b'{"model": "a", "hooks": {}, "model": "b", "hooks": {"Stop": []}}\n', b"# Me\n# Me\n"),
    "letters beyond ASCII": ('{\n    "név": "Tűzoltó \\u00e1 😀"\n}\n'.encode(), "# Én ☃\n".encode()),
    "an unusual order and spaces": (b'\n\n{ "z" : 1 ,\n"a":[ ] , "hooks" :{ } }  \n\n', b"\n\n\n"),
    "a status line": (b'{"statusLine": {"type": "command", "command": "x"}}', b"# Me\n\n"),
}


def tree(folder: Path) -> dict[str, bytes | str]:
    """Everything below a folder but PAL's own home: bytes of files, targets of links."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name == ".pal" or name.startswith(".pal/"):
            continue
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = "folder"
    return found


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def digest(folder: Path) -> str:
    sums = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        sums.update(str(path.relative_to(folder)).encode())
        sums.update(path.read_bytes() if path.is_file() else b"")
    return sums.hexdigest()


@pytest.fixture
def claude(fresh_home) -> Path:
    folder = fresh_home / ".claude"
    folder.mkdir()
    return folder


@pytest.fixture
def pal(fresh_home) -> Path:
    return fresh_home / ".pal"


def install(run_pal, *more, **options):
    done = run_pal("install", "--claude", *more, **options)
    assert done.returncode == 0, done.stderr
    return done


def commands(claude: Path) -> list[tuple[str, str]]:
    """(event, command) of every hook in settings.json."""
    hooks = json.loads((claude / "settings.json").read_text(encoding="utf-8"))["hooks"]
    return [(event, hook["command"]) for event, groups in hooks.items() for group in groups for hook in group["hooks"]]


def test_a_fresh_home_gets_everything_and_every_file_is_where_it_belongs(run_pal, fresh_home, claude, pal):
    done = install(run_pal)
    settings = json.loads((claude / "settings.json").read_text(encoding="utf-8"))
    assert set(settings["hooks"]) == {
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
        "Stop", "SubagentStop", "PreCompact", "SessionEnd",
    }  # fmt: skip
    for groups in settings["hooks"].values():
        (group,) = groups
        (hook,) = group["hooks"]
        assert hook["type"] == "command"
        assert isinstance(hook["timeout"], int)
        assert "args" not in hook
        assert str(pal / "hook.py") in hook["command"]
    assert "statusLine" in settings
    assert "pal" in (claude / "CLAUDE.md").read_text(encoding="utf-8").lower()
    for name in ("pal.pyz", "hook.py", "bin/pal", "bin/pal.cmd", "pal-settings.json", "install/changes.json"):
        assert (pal / name).is_file(), name
    assert len(list((pal / "engine").glob("*.pyz"))) == 1
    assert list((pal / "telos").glob("*.md"))
    assert "Claude Code" in done.stdout
    assert done.stderr == ""


@posix
def test_the_home_is_readable_by_its_user_alone(run_pal, claude, pal):
    install(run_pal)
    assert pal.stat().st_mode & 0o077 == 0
    assert os.access(pal / "bin" / "pal", os.X_OK)


def test_the_installed_command_runs_from_the_home(run_pal, claude, pal, clean_env):
    install(run_pal)
    program = pal / "bin" / ("pal.cmd" if os.name == "nt" else "pal")
    done = subprocess.run([str(program), "status", "--json"], capture_output=True, env=clean_env, check=True)
    facts = json.loads(done.stdout)
    assert facts["home"] == str(pal)
    assert [agent["name"] for agent in facts["agents"] if agent["registered"]] == ["claude"]
    assert subprocess.run([str(program), "nonsense"], capture_output=True, env=clean_env).returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="pal.cmd starts the archive anyway")
@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(b""), lambda path: path.unlink()])
def test_a_person_is_served_although_the_engine_is_broken(run_pal, claude, pal, clean_env, damage):
    install(run_pal)
    damage(next((pal / "engine").glob("*.pyz")))
    command = [str(pal / "bin" / "pal"), "status", "--json"]
    done = subprocess.run(command, capture_output=True, env=clean_env, check=True)
    assert json.loads(done.stdout)["home"] == str(pal)
    assert subprocess.run([command[0], "nonsense"], capture_output=True, env=clean_env).returncode == 2


def test_a_second_install_has_nothing_to_do_and_touches_nothing(run_pal, fresh_home, claude):
    install(run_pal)
    before = stamps(fresh_home)
    done = install(run_pal)
    assert "nothing to change" in done.stdout.lower()
    assert stamps(fresh_home) == before


@pytest.mark.parametrize("name", PAIRS)
def test_install_twice_then_uninstall_gives_back_every_byte(run_pal, fresh_home, claude, pal, name):
    settings, instructions = PAIRS[name]
    if settings is not None:
        (claude / "settings.json").write_bytes(settings)
    if instructions is not None:
        (claude / "CLAUDE.md").write_bytes(instructions)
    before = tree(fresh_home)
    install(run_pal)
    (pal / "memory").mkdir(exist_ok=True)
    (pal / "memory" / "kept.md").write_text("remember me")
    installed = tree(fresh_home)
    install(run_pal)
    assert tree(fresh_home) == installed
    kept = digest(pal / "memory"), digest(pal / "telos"), (pal / "pal-settings.json").read_bytes()
    done = run_pal("uninstall", "--claude")
    assert done.returncode == 0, done.stderr
    assert tree(fresh_home) == before
    assert (digest(pal / "memory"), digest(pal / "telos"), (pal / "pal-settings.json").read_bytes()) == kept
    assert {path.name for path in pal.iterdir()} - {"backups"} == {"memory", "pal-settings.json", "telos"}


def test_a_home_without_the_agents_folder_gets_and_loses_it(run_pal, fresh_home):
    before = tree(fresh_home)
    done = install(run_pal)
    assert "not found" in done.stderr
    assert run_pal("uninstall", "--claude").returncode == 0
    assert tree(fresh_home) == before


@posix
def test_links_into_a_folder_of_dotfiles_stay_links(run_pal, fresh_home, claude):
    dotfiles = fresh_home / "dotfiles"
    dotfiles.mkdir()
    for name, text in (("settings.json", '{"model": "opus"}\n'), ("CLAUDE.md", "# Me\n")):
        (dotfiles / name).write_text(text)
        (claude / name).symlink_to(f"../dotfiles/{name}")
    before = tree(fresh_home)
    install(run_pal)
    assert (claude / "settings.json").is_symlink()
    assert "hook.py" in (dotfiles / "settings.json").read_text()
    install(run_pal)
    assert run_pal("uninstall", "--claude").returncode == 0
    assert tree(fresh_home) == before


@pytest.mark.parametrize(
    "broken",
    [b'{"model": "opus"', b"[1, 2]", b"hello", b'{"hooks": 3}', b'{"hooks": {"Stop": {}}}', b'{"a": "\xff\xfe"}'],
)
def test_settings_that_cannot_be_understood_are_left_alone_with_one_sentence(run_pal, fresh_home, claude, broken):
    (claude / "settings.json").write_bytes(broken)
    before = tree(fresh_home)
    done = run_pal("install", "--claude")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "settings.json" in done.stderr
    assert tree(fresh_home) == before


@posix
def test_a_read_only_folder_is_refused_in_one_sentence(run_pal, fresh_home, claude):
    (claude / "settings.json").write_bytes(b"{}")
    claude.chmod(0o500)
    before = tree(fresh_home)
    try:
        done = run_pal("install", "--claude")
    finally:
        claude.chmod(0o700)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert tree(fresh_home) == before


@posix
def test_a_read_only_file_is_refused_in_one_sentence_and_other_modes_are_kept(run_pal, fresh_home, claude):
    (claude / "settings.json").write_bytes(b"{}")
    (claude / "settings.json").chmod(0o440)
    done = run_pal("install", "--claude")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert (claude / "settings.json").read_bytes() == b"{}"
    (claude / "settings.json").chmod(0o640)
    install(run_pal)
    assert (claude / "settings.json").stat().st_mode & 0o777 == 0o640
    assert run_pal("uninstall", "--claude").returncode == 0
    assert (claude / "settings.json").stat().st_mode & 0o777 == 0o640


def test_what_the_user_changed_in_between_stays_changed(run_pal, claude):
    (claude / "settings.json").write_text('{\n  "model": "opus"\n}\n')
    (claude / "CLAUDE.md").write_text("# Me\n")
    install(run_pal)
    settings = (claude / "settings.json").read_text().replace('"opus"', '"sonnet"')
    (claude / "settings.json").write_text(settings)
    with open(claude / "CLAUDE.md", "a") as stream:
        stream.write("More.\n")
    assert run_pal("uninstall", "--claude").returncode == 0
    assert (claude / "settings.json").read_text() == '{\n  "model": "sonnet"\n}\n'
    text = (claude / "CLAUDE.md").read_text()
    assert "# Me" in text
    assert "More." in text
    assert "pal" not in text.lower()


def test_a_dry_run_shows_the_changes_and_touches_nothing(run_pal, fresh_home, claude):
    (claude / "settings.json").write_text('{\n  "model": "opus"\n}\n')
    before = stamps(fresh_home)
    done = install(run_pal, "--dry-run")
    assert "+++" in done.stdout
    assert "hook.py" in done.stdout
    assert stamps(fresh_home) == before
    assert not (fresh_home / ".pal").exists()
    install(run_pal)
    before = stamps(fresh_home)
    assert "hook.py" in run_pal("uninstall", "--claude", "--dry-run").stdout
    assert stamps(fresh_home) == before


def test_its_own_older_entries_are_replaced_wherever_they_point(run_pal, claude):
    older = "'/old/python' -I -S -X utf8 '/elsewhere/.pal/hook.py' stop --agent=claude; exit 0"
    oldest = "python3 /elsewhere/pal.pyz hook stop --agent=claude"
    hooks = [{"type": "command", "command": command} for command in (older, oldest, "say done")]
    (claude / "settings.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": hooks}]}}, indent=2))
    install(run_pal)
    stop = [command for event, command in commands(claude) if event == "Stop"]
    assert len(stop) == 2
    assert "say done" in stop
    assert not any("elsewhere" in command for command in stop)


def test_install_json_says_what_happened(run_pal, claude, pal):
    facts = json.loads(install(run_pal, "--json").stdout)
    assert facts["home"] == str(pal)
    assert [agent["name"] for agent in facts["agents"]] == ["claude"]
    assert facts["changed"]
    assert json.loads(install(run_pal, "--json").stdout)["changed"] == []


def test_personal_skills_come_along_and_stay(run_pal, fresh_home, claude, pal):
    install(run_pal)
    skill = pal / "skills" / "mine"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: mine\ndescription: Mine.\n---\n")
    install(run_pal)
    assert (claude / "skills" / "mine" / "SKILL.md").is_file()
    assert "mine" in json.loads((pal / "memory/state/skill-index.json").read_text())["skills"]
    assert run_pal("uninstall", "--claude").returncode == 0
    assert not (claude / "skills").exists()
    assert (skill / "SKILL.md").is_file()


def run_command(command: str, claude_env: dict[str, str], folder: Path, payload: bytes):
    return subprocess.run(
        command, shell=True, input=payload, capture_output=True, env=claude_env, cwd=folder, timeout=60, check=False
    )


def vanish(pal: Path) -> None:
    import shutil

    shutil.rmtree(pal)


def truncate(pal: Path) -> None:
    for engine in (pal / "engine").glob("*.pyz"):
        engine.write_bytes(engine.read_bytes()[:1000])


def lose_the_engine(pal: Path) -> None:
    for engine in (pal / "engine").glob("*.pyz"):
        engine.unlink()


def empty_the_launcher(pal: Path) -> None:
    (pal / "hook.py").write_text("def broken(:\n")


@posix
@pytest.mark.parametrize("harm", [vanish, truncate, lose_the_engine, empty_the_launcher])
@pytest.mark.parametrize("payload", [b"", b"{}", b'{"session_id": "s", "prompt": "hello", "tool_name": "Bash"}'])
def test_a_broken_pal_never_blocks_the_agent(run_pal, fresh_home, claude, pal, clean_env, harm, payload):
    install(run_pal)
    registered = commands(claude)
    harm(pal)
    for event, command in registered:
        done = run_command(command, clean_env, fresh_home, payload)
        assert (done.returncode, done.stdout) == (0, b""), (event, done.stderr)


@posix
def test_a_vanished_interpreter_never_blocks_the_agent(run_pal, fresh_home, claude, pal, clean_env, tmp_path):
    python = tmp_path / "a python" / "python3"
    python.parent.mkdir()
    python.symlink_to(os.path.realpath(sys.executable))
    install(run_pal, env={"PAL_PYTHON": str(python)})
    registered = commands(claude)
    assert all(str(python) in command for _, command in registered)
    python.unlink()
    for event, command in registered:
        done = run_command(command, clean_env, fresh_home, b"{}")
        assert (done.returncode, done.stdout) == (0, b""), (event, done.stderr)


@posix
def test_a_home_with_spaces_quotes_and_foreign_letters_works(run_pal, fresh_home, claude, clean_env, tmp_path):
    home = tmp_path / "a 'quoted' \"høme\" $x"
    install(run_pal, env={"PAL_HOME": str(home)})
    env = {**clean_env, "PAL_HOME": str(home)}
    for event, command in commands(claude):
        payload = b'{"session_id": "s1", "cwd": "/tmp", "source": "startup", "prompt": "hello there"}'
        done = run_command(command, env, fresh_home, payload)
        assert done.returncode == 0, (event, done.stderr)
        assert done.stderr == b"", event
    done = subprocess.run([str(home / "bin" / "pal"), "version"], capture_output=True, env=env, check=True)
    assert done.stdout.startswith(b"pal ")


def test_doctor_finds_a_fresh_install_sound(run_pal, claude):
    install(run_pal)
    done = run_pal("doctor", "--json")
    findings = json.loads(done.stdout)
    assert [finding for finding in findings if finding["level"] == "fail"] == []
    assert done.returncode == 0


def test_doctor_names_what_is_broken_and_its_command_mends_it(run_pal, claude, pal):
    install(run_pal)
    lose_the_engine(pal)
    settings = json.loads((claude / "settings.json").read_text())
    del settings["hooks"]["Stop"]
    (claude / "settings.json").write_text(json.dumps(settings))
    done = run_pal("doctor")
    assert done.returncode == 1
    assert "pal install" in done.stdout
    assert run_pal("doctor", "--fix").returncode == 0
    assert run_pal("doctor").returncode == 0


def test_update_shows_the_digest_and_needs_a_yes(run_pal, claude, pal, archive, tmp_path):
    install(run_pal)
    newer = tmp_path / "newer.pyz"
    newer.write_bytes(packing.pack({**packing.files(str(archive)), "assets/docs/EXTRA.md": b"more\n"}))
    sum_of_newer = hashlib.sha256(newer.read_bytes()).hexdigest()
    asked = run_pal("update", newer)
    assert asked.returncode == 1
    assert sum_of_newer in asked.stdout
    assert "--yes" in asked.stderr
    done = run_pal("update", newer, "--yes")
    assert done.returncode == 0, done.stderr
    assert hashlib.sha256((pal / "pal.pyz").read_bytes()).hexdigest() == sum_of_newer


@pytest.mark.parametrize("data", [None, b"", b"hello", b"PK\x03\x04 torn"])
def test_update_refuses_what_is_no_archive_of_pal(run_pal, claude, tmp_path, data):
    install(run_pal)
    path = tmp_path / "strange.pyz"
    if data is not None:
        path.write_bytes(data)
    done = run_pal("update", path, "--yes")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "strange.pyz" in done.stderr


def test_purge_needs_a_person(run_pal, claude, pal):
    install(run_pal)
    done = run_pal("uninstall", "--claude", "--purge")
    assert done.returncode == 1
    assert "terminal" in done.stderr
    assert (pal / "pal-settings.json").is_file()


def test_uninstall_without_an_install_says_so(run_pal, fresh_home):
    done = run_pal("uninstall", "--claude")
    assert done.returncode == 0
    assert "nothing" in done.stdout.lower()
    assert not (fresh_home / ".pal").exists()


def test_a_lost_record_does_not_keep_pal_in_the_agent(run_pal, fresh_home, claude, pal):
    (claude / "settings.json").write_text('{\n  "model": "opus"\n}\n')
    (claude / "CLAUDE.md").write_text("# Me\n")
    install(run_pal)
    (pal / "install" / "changes.json").unlink()
    assert run_pal("uninstall").returncode == 0
    # Which containers were made for our entries stood in the record only; nothing that does anything is left.
    assert commands(claude) == []
    assert json.loads((claude / "settings.json").read_text()).keys() == {"model", "hooks"}
    assert (claude / "CLAUDE.md").read_text().strip() == "# Me"
    assert {path.name for path in pal.iterdir()} - {"backups"} == {"memory", "pal-settings.json", "telos"}


def test_init_asks_nothing_without_a_terminal(run_pal, claude, pal):
    done = run_pal("init", "--claude")
    assert done.returncode == 0, done.stderr
    assert (pal / "pal-settings.json").is_file()
    assert commands(claude)
