"""Install, install again, uninstall: every file of an agent, however it was written, has the bytes it had before.

An agent is one row of the table below; each row meets every way that people write such files."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pal import targets
from pal.base.errors import PalError
from pal.cli import agents
from pal.cli.context import Context
from pal.cli.output import Output
from pal.install import apply

PYTHON = "/usr/bin/python3"
GROUPS = """\
{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {"type": "command", "command": "say done"}
        ]
      }
    ],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine.sh"}]}],
    "SessionStart": []
  }
}
"""
FLAT = """\
{
  "version": 1,
  "hooks": {
    "stop": [
      {"command": "./mine.sh"}
    ],
    "agentStop": []
  }
}
"""
SERVERS = '{\n  "mcpServers": {\n    "docs": {\n      "command": "npx",\n      "args": ["-y", "docs"]\n    }\n  }\n}\n'
SETTINGS = '{\n  "theme": "dark",\n  "deep": {\n    "deeper": {\n      "deepest": [1, 2, {"x": null}]\n    }\n  }\n}\n'
TOML = (
    'model = "gpt-6" # which\n\n[hooks.state."/elsewhere/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:9"\n\n'
    '[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "docs",\n]\n\n[projects."/home/user/p"]\n'
    'trust_level = "trusted"\n'
)
OPENCODE = """\
{
  "$schema": "https://opencode.ai/config.json",
  "instructions": [
    "CONTRIBUTING.md",
    "~/notes/*.md"
  ],
  "permission": {
    "bash": {"*": "ask", "git status*": "allow"},
    "external_directory": {"~/work/**": "allow"}
  },
  "mcp": {"docs": {"type": "local", "command": ["npx", "-y", "docs"], "enabled": true}}
}
"""
WORDS = "# How I work\n\nShort answers, please.\n\n@other.md\n"

# agent: {file below the user's folder: what somebody keeps there}
FILES = {
    "claude": {".claude/settings.json": GROUPS, ".claude/CLAUDE.md": WORDS, ".claude.json": SERVERS},
    "codex": {".codex/hooks.json": GROUPS, ".codex/config.toml": TOML, ".codex/AGENTS.md": WORDS},
    "copilot": {
        ".copilot/hooks/pal.json": FLAT,
        ".copilot/hooks/mine.json": FLAT,
        ".copilot/mcp-config.json": SERVERS,
        ".copilot/copilot-instructions.md": WORDS,
        ".copilot/instructions/mine.instructions.md": WORDS,
    },
    "opencode": {
        ".config/opencode/config.json": SETTINGS,
        ".config/opencode/opencode.json": SETTINGS,
        ".config/opencode/opencode.jsonc": OPENCODE,
        ".config/opencode/AGENTS.md": WORDS,
        ".config/opencode/plugin/mine.js": "export const Mine = async () => ({})\n",
    },
    "cursor": {".cursor/hooks.json": FLAT, ".cursor/mcp.json": SERVERS},
    "vscode": {".config/Code/User/settings.json": SETTINGS, ".config/Code/User/mcp.json": SERVERS},
    "antigravity": {".gemini/antigravity-cli/settings.json": SETTINGS, ".gemini/GEMINI.md": WORDS},
    "gemini": {
        ".gemini/settings.json": SERVERS,
        ".gemini/GEMINI.md": WORDS,
        ".gemini/extensions/mine/gemini-extension.json": '{"name": "mine", "version": "1.0.0"}\n',
        ".gemini/extensions/extension-enablement.json": '{\n  "mine": {"overrides": ["/home/user/*"]}\n}\n',
    },
}
JSON = (".json", ".jsonc")
BREAKS = {".json": '{"hooks": [', ".jsonc": '{"hooks": [', ".toml": "[hooks\n", ".md": "<!-- pal:begin -->\nno end\n"}


def empty(name: str, text: str) -> str:
    return ""


def as_it_is(name: str, text: str) -> str:
    return text


def commented(name: str, text: str) -> str:
    if name.endswith(JSON):
        return "// mine\n" + text.replace("{\n", "{ /* why */\n", 1).replace("]\n", "], // last\n", 1)
    return ("# mine\n" if name.endswith(".toml") else "<!-- mine -->\n") + text


def windows(name: str, text: str) -> str:
    return text.replace("\n", "\r\n")


def marked(name: str, text: str) -> str:
    return "\ufeff" + text


def tabbed(name: str, text: str) -> str:
    return re.sub(r"^( {2})+", lambda found: "\t" * (len(found.group()) // 2), text, flags=re.MULTILINE)


def unended(name: str, text: str) -> str:
    return text.rstrip("\n")


def one_line(name: str, text: str) -> str:
    return re.sub(r"\n\s*", "", text) if name.endswith(JSON) else text.rstrip("\n") + "\n\n\n\n"


def bare(name: str, text: str) -> str:
    return {".json": "{}", ".jsonc": "{}", ".toml": "# nothing\n"}.get(os.path.splitext(name)[1], "\n")


def foreign(name: str, text: str) -> str:
    if name.endswith(JSON):
        return text.replace("{\n", '{\n  "név": "Tűzoltó \\u00e1 ☃ 😀",\n', 1)
    return text + ('"név" = "Tűzoltó ☃"\n' if name.endswith(".toml") else "\nTűzoltó ☃ 😀\n")


WAYS = (empty, as_it_is, commented, windows, marked, tabbed, unended, one_line, bare, foreign)
each_agent = pytest.mark.parametrize("agent", FILES)


class Machine:
    """A user's folder, and PAL's install side run on it in this process."""

    def __init__(self, user: Path, home, now: float) -> None:
        self.user, self.home, self.now = user, home, now
        env = {"HOME": str(user), "USERPROFILE": str(user), "APPDATA": str(user / ".config"), "PATH": ""}
        self.context = Context(home, env, now, Output(env))

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.user / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))

    def plan(self, agent: str):
        return agents.whole_plan(targets.installer(agent), self.context, PYTHON, mcp=True)

    def install(self, agent: str):
        return apply.apply(self.plan(agent), agent, self.home, self.now)

    def uninstall(self, agent: str):
        return apply.undo(agent, self.home, self.now)

    def tree(self) -> dict[str, bytes | str]:
        """Everything of the user's but PAL's own home: bytes of files, targets of links."""
        found: dict[str, bytes | str] = {}
        for path in sorted(self.user.rglob("*")):
            name = path.relative_to(self.user).as_posix()
            if name.split("/")[0] == ".pal":
                continue
            found[name] = (
                f"-> {os.readlink(path)}" if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"
            )
        return found


@pytest.fixture
def machine(fresh_home, home, now):
    return Machine(fresh_home, home, now)


def test_every_agent_has_its_row():
    assert set(FILES) == set(targets.NAMES)


@each_agent
def test_nothing_at_all_comes_back(machine, agent):
    before = machine.tree()
    machine.install(agent)
    assert machine.tree() != before
    machine.uninstall(agent)
    assert machine.tree() == before


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
@each_agent
def test_every_way_of_writing_comes_back_byte_for_byte(machine, agent, way):
    machine.write({name: way(name, text) for name, text in FILES[agent].items()})
    before = machine.tree()
    first = machine.install(agent)
    assert [what for _, what in first if what in ("create", "change")], "something was installed"
    installed = machine.tree()
    assert apply.drift(machine.plan(agent), machine.home) == []
    assert not [row for row in machine.install(agent) if row[1] in ("create", "change", "remove")]
    assert machine.tree() == installed
    machine.uninstall(agent)
    assert machine.tree() == before


@each_agent
def test_what_the_user_had_still_stands_between(machine, agent):
    machine.write(FILES[agent])
    machine.install(agent)
    tree = machine.tree()
    for name, text in FILES[agent].items():
        words = set(re.findall(r"[\w./@-]{2,}", text))
        assert words <= set(re.findall(r"[\w./@-]{2,}", tree[name].decode())), name


@pytest.mark.skipif(os.name == "nt", reason="links")
@each_agent
def test_links_to_a_folder_of_settings_are_followed_and_stay(machine, agent):
    for number, (name, text) in enumerate(FILES[agent].items()):
        kept = machine.user / "dotfiles" / f"{number}-{os.path.basename(name)}"
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(text, encoding="utf-8")
        (machine.user / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.user / name).symlink_to(kept)
    before = machine.tree()
    machine.install(agent)
    between = machine.tree()
    assert {name: was for name, was in between.items() if name in FILES[agent]} == {
        name: was for name, was in before.items() if name in FILES[agent]
    }, "the links themselves"
    machine.uninstall(agent)
    assert machine.tree() == before


def edited(machine, agent) -> list[str]:
    """The files of the row that an install changes."""
    machine.write(FILES[agent])
    before = machine.tree()
    machine.install(agent)
    after = machine.tree()
    machine.uninstall(agent)
    return [name for name in FILES[agent] if before[name] != after[name]]


@each_agent
def test_a_file_that_cannot_be_read_is_left_alone_and_named(machine, agent):
    for name in edited(machine, agent):
        machine.write({**FILES[agent], name: BREAKS[os.path.splitext(name)[1]]})
        before = machine.tree()
        with pytest.raises(PalError, match=re.escape(os.path.basename(name))):
            machine.install(agent)
        assert machine.tree() == before


@pytest.mark.skipif(os.name == "nt", reason="modes")
@each_agent
def test_a_read_only_file_is_refused_before_anything_changes(machine, agent):
    for name in edited(machine, agent):
        machine.write(FILES[agent])
        before = machine.tree()
        (machine.user / name).chmod(0o444)
        with pytest.raises(PalError, match="read-only"):
            machine.install(agent)
        assert machine.tree() == before
        (machine.user / name).chmod(0o644)
