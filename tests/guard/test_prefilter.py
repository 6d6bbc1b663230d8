"""The prefilter passes everyday calls unread, and never one that a rule is about: held against the whole guard."""

from __future__ import annotations

import json
import os
import string

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pal.base.settings import Settings
from pal.cli import guard_cases
from pal.guard import decide, prefilter, secrets
from pal.guard import settings as guard_settings

USER = "/home/user"
PROJECT = USER + "/project"
PAL = USER + "/.pal"


@pytest.fixture(autouse=True)
def own_home(monkeypatch):
    """No variable of the machine the tests run on decides what is ordinary."""
    known = {"HOME": USER}
    monkeypatch.setattr(prefilter.bare, "variable", lambda name: known.get(name, ""))
    monkeypatch.setattr(prefilter.bare, "variables", lambda ending: [])


def payload(tool: str, tool_input: object, cwd: str = PROJECT, **more: object) -> dict:
    return {
        "session_id": "s1",
        "transcript_path": USER + "/.claude/projects/-home-user-project/s1.jsonl",
        "cwd": cwd,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_use_id": "toolu_1",
        **more,
    }


def passes(tool: str, tool_input: object, cwd: str = PROJECT, root: str = PAL, **more: object) -> bool:
    return prefilter.harmless(json.dumps(payload(tool, tool_input, cwd, **more)).encode(), root)


def judged(tool: str, tool_input: dict, cwd: str = PROJECT, home: str = USER):
    windows = "\\" in cwd
    guard = guard_settings.load(Settings({}), home + "/.pal", (), windows, windows)
    return decide.decide(tool, tool_input, cwd, home, guard)


EVERYDAY = [
    "git status",
    "git status --short",
    "git diff --stat main..dev",
    "git log --oneline -20",
    "git log --oneline -5 | head -3",
    "git add -A && git commit -m wip",
    "ls",
    "ls -la src/components",
    "cd frontend && npm test",
    "npm run build 2>&1 | tail -20",
    "pytest -q tests/unit -x",
    "python -m pytest -q",
    "cat src/main.py",
    "cat /home/user/project/src/main.py",
    "head -50 README.md; wc -l README.md",
    "grep -rn handle src | sort | uniq",
    "find . -name main.py",
    "cargo test",
    "go build ./...",
    "make test",
    "docker ps -a",
    "tsc --noEmit",
]


@pytest.mark.parametrize("command", EVERYDAY)
def test_an_everyday_command_passes_unread(command):
    assert passes("Bash", {"command": command, "description": 'Say "how" it\'s done\nand why', "timeout": 1000})
    assert not judged("Bash", {"command": command}).rule


def test_a_source_file_is_read_and_written_unread():
    assert passes("Read", {"file_path": PROJECT + "/src/a.py", "offset": 3, "limit": 10})
    assert passes("Write", {"file_path": PROJECT + "/src/a.py", "content": 'x = "rm -rf /"\\\n"}'})
    assert passes("Edit", {"file_path": PROJECT + "/a.py", "old_string": "a", "new_string": "b", "replace_all": True})


@pytest.mark.parametrize(
    "command",
    [
        "", " ", "rm x", "ls; rm -rf /", "ls;rm", "ls &", "ls && ", "git status $(x)", "r''m x", "git status\nrm -rf /",
        "cat .env", "cat ./.env", "cat config/.env", "cat ../x", "cat /etc/hosts", "cat ~/x", "cat prod.env",
        "cat id_rsa",
        "cat a/../.ssh/x", "git show HEAD:.env", "ls > /tmp/x", "ls>x", "cat <x", "npm run x -- rm -rf /", "x=1 ls",
        "git push", "git reset --hard", "git -c a.b=c status", "git diff --output=/etc/x", "find . -delete",
        "find . -exec x",
        "sort -o x y", "python -c x", "python -m http.server", "make SHELL=x", "echo x | sh", "echo x | /bin/sh", "LS",
        "env", "unknown", "cat K\u00e9y", "ls *", "ls {a,b}", "ls !x", "ls #x", "cat server.key", "sudo ls",
        "ls | xargs ls",
    ],
)  # fmt: skip
def test_whatever_is_odd_is_looked_at(command):
    assert not passes("Bash", {"command": command})


@pytest.mark.parametrize(
    "path",
    [
        "", "src/a.py",
        "/etc/passwd", PROJECT + "/.env", PROJECT + "/x/../../.ssh/id_rsa", PAL + "/memory/state/x.json",
        USER + "/.bashrc", PROJECT + "/server.pem", PROJECT + "/.git/config", "/", PROJECT + "//x", "/tmp/a b\u00e9.py",
        PROJECT + "/secrets/a.py", "~/x.py", PROJECT + "/$HOME/x", PROJECT + "/*",
    ],
)  # fmt: skip
@pytest.mark.parametrize("tool", ["Read", "Write", "Edit"])
def test_a_path_that_may_mean_more_is_looked_at(tool, path):
    assert not passes(tool, {"file_path": path})


# What other agents call these tools, and the field their command or path stands in.
OTHER_NAMES = [
    ("bash", "command"),
    ("run_shell_command", "command"),
    ("run_in_terminal", "command"),
    ("Shell", "command"),
    ("read", "filePath"),
    ("read_file", "file_path"),
    ("write", "filePath"),
    ("write_file", "file_path"),
    ("edit", "filePath"),
    ("replace", "file_path"),
    ("create_file", "filePath"),
    ("replace_string_in_file", "filePath"),
]


@pytest.mark.parametrize(("tool", "field"), OTHER_NAMES)
def test_what_other_agents_call_a_tool_is_known_to_the_whole_guard_too(tool, field):
    if field == "command":
        everyday, odd = "git status --short", ["rm -rf /", "cat .env", "ls; rm x", "git push", "sudo ls"]
    else:
        everyday, odd = PROJECT + "/src/a.py", ["/etc/passwd", PROJECT + "/.env", USER + "/.ssh/id_rsa", "a.py"]
    assert passes(tool, {field: everyday})
    assert not judged(tool, {field: everyday}).rule
    for given_value in odd:
        assert not passes(tool, {field: given_value}), given_value
        assert not passes(tool, {field: everyday, "script": given_value}), "a field nobody knows may mean anything"
        assert not passes(tool, {field: everyday, "workdir": "/etc"})
    assert judged(tool, {field: "rm -rf /" if field == "command" else USER + "/.ssh/id_rsa"}).rule


def test_a_command_that_names_its_folder_is_known_only_in_the_folder_of_the_call():
    assert passes("Shell", {"command": "ls", "working_directory": PROJECT})
    assert not passes("Shell", {"command": "ls", "working_directory": "/etc"})
    assert not passes("Shell", {"command": "ls", "working_directory": PROJECT + "/.."})


def test_a_source_file_on_windows_is_read_and_written_unread():
    path = "C:\\Users\\ann\\project\\src\\a.py"
    assert passes("Read", {"file_path": path}, cwd="C:\\Users\\ann\\project")
    assert passes("Write", {"file_path": path, "content": "x"}, cwd="C:\\Users\\ann\\project")
    for odd in ("C:\\Windows\\a.py", path + ":x", "\\\\server\\share\\a.py", "C:\\Users\\ann\\.ssh\\config", "C:a.py"):
        assert not passes("Read", {"file_path": odd}, cwd="C:\\Users\\ann\\project"), odd


def test_writing_elsewhere_is_looked_at():
    assert not passes("Write", {"file_path": USER + "/other/a.py", "content": ""})
    assert passes("Read", {"file_path": USER + "/other/a.py"})


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"x", b"[]", b"{}", b"\xff\xfe{", b'{"tool_name":"Bash"}',
        b'{"tool_name":"Bash","tool_input":"ls","cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":["ls"]},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls","command":"rm -rf /"},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls","comm\\u0061nd":"rm -rf /"},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls","script":"rm -rf /"},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_input":{"command":"rm -rf /"},"cwd":"/home/user"}',
        b'{"x":{"tool_input":{"command":"ls"}},"toolInput":{"command":"rm -rf /"},"tool_name":"Bash","cwd":"/srv"}',
        b'{"tool_name":"Bash","toolName":"Bash","tool_input":{"command":"ls"},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls"},"toolInput":{"command":"rm -rf /"},"cwd":"/home/user"}',
        b'{"toolName":"bash","toolArgs":{"command":"ls"},"tool_input":{"command":"rm -rf /"},"cwd":"/home/user"}',
        b'{"toolName":"bash","toolArgs":{"command":"ls"},"toolArgs":{"command":"rm -rf /"},"cwd":"/home/user"}',
        b'{"toolName":"bash","toolArgs":"{\\"command\\":\\"ls\\"}","cwd":"/home/user"}',
        b'{"toolName":"edit","toolArgs":{"path":"/home/user/a.py","filePath":"/etc/passwd"},"cwd":"/home/user"}',
        b'{"toolName":"view","toolArgs":{"path":"/home/user/.ssh/id_rsa"},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_name":"x","tool_input":{"command":"ls"},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls \\nrm -rf /"},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls"}}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls","timeout":{"a":1}},"cwd":"/home/user"}',
        b'{"tool_name":"Bash","tool_input":{"command":"ls',
        b'{"tool_name":"Skill","tool_input":{"skill":"keybindings-help"},"cwd":"/home/user"}',
        b'{"tool_name":"mcp__x__run","tool_input":{"command":"ls"},"cwd":"/home/user"}',
    ],
)  # fmt: skip
def test_a_payload_of_another_form_is_looked_at(raw):
    assert not prefilter.harmless(raw, PAL)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"sessionId":"s","cwd":"/home/user/p","toolName":"bash","toolArgs":{"command":"git status","mode":"sync"}}',
        b'{"sessionId":"s","cwd":"/home/user/p","toolName":"view","toolArgs":{"path":"/home/user/p/a.py"}}',
        b'{"cwd":"/home/user/p","toolName":"create","toolArgs":{"path":"/home/user/p/a.py","file_text":"x = 1"}}',
        b'{"cwd":"/home/user/p","toolName":"edit","toolArgs":{"path":"/home/user/p/a.py","old_str":"x","new_str":"y"}}',
    ],
)
def test_an_everyday_call_in_the_other_spelling_is_known(raw):
    assert prefilter.harmless(raw, PAL)


def test_a_long_payload_is_looked_at():
    assert not passes("Bash", {"command": "ls", "description": "x" * prefilter.LONGEST})


def test_what_is_pals_own_is_looked_at():
    assert passes("Bash", {"command": "ls"}, root="/srv/pal")
    assert not passes("Bash", {"command": "ls"}, cwd="/srv/pal/memory", root="/srv/pal")
    assert not passes("Read", {"file_path": "/srv/PAL/a.py"}, root="/srv/pal")
    assert not passes("Bash", {"command": "ls"}, root="")


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        (None, True),
        ("{}", True),
        ('{"steering": {"rules": [{"tag": "x", "pattern": "y", "snippet": "z"}]}}', True),
        ('{"security": {"groups": {"git": "deny"}}}', True),
        ('{"security": {"rules": [{"argv": ["ls"]}]}}', False),
        ('{"security": {"rules": [{"path": "**/x"}]}}', False),
        ('{"security": {"rules": [{"\\u0061rgv": ["ls"]}]}}', False),
        ('{"security": {"rules": [{', False),
    ],
)
def test_rules_of_the_users_own_are_never_passed_by(tmp_path, text, passed):
    if text is not None:
        (tmp_path / "pal-settings.json").write_text(text)
    assert passes("Bash", {"command": "ls"}, root=str(tmp_path)) is passed


def test_rules_of_a_project_are_never_passed_by(tmp_path, monkeypatch):
    deep = tmp_path / "project" / "a" / "b"
    deep.mkdir(parents=True)
    assert passes("Bash", {"command": "ls"}, cwd=str(deep))
    (tmp_path / "project" / ".pal-security.json").write_text("{}")
    assert not passes("Bash", {"command": "ls"}, cwd=str(deep))
    assert passes("Bash", {"command": "ls"}, cwd=str(tmp_path))
    monkeypatch.setattr(prefilter.bare, "variables", lambda ending: [str(deep)])
    assert not passes("Bash", {"command": "ls"}, cwd=str(tmp_path)), "the session's own project counts wherever it goes"


def cases(shared, *names):
    for name in names:
        with open(os.path.join(shared, "guard", name), encoding="utf-8") as stream:
            yield from map(json.loads, stream)


def test_no_case_with_a_rule_is_passed_by(shared):
    hidden = []
    for case in cases(shared, "cases.jsonl", "policy.jsonl"):
        given = {"command": case["command"]} if "command" in case else {"file_path": case["file_path"]}
        home = guard_cases.home_of(case["cwd"])
        if judged(case["tool"], given, case["cwd"], home).rule and passes(
            case["tool"], given, case["cwd"], home + "/.pal"
        ):
            hidden.append(case)
    assert hidden == []


# Everything a command that passes may be made of, with much that may not.
PROGRAMS = [
    name.decode()
    for name in (*prefilter._READERS, *prefilter._BUILDERS, *prefilter._VERBS, *sorted(prefilter._DANGEROUS))
]
VERBS = sorted({verb.decode() for verbs in prefilter._VERBS.values() for verb in verbs.split()})
WORDS = [
    *VERBS, *PROGRAMS, "-rf", "-r", "-R", "-f", "-n", "-la", "-exec", "-delete", "--force", "--hard", "-i", "-e",
    "-m", "-p",
    "--all", "--", "-", "/", "/etc", "/etc/passwd", "/etc/shadow", "/dev/sda", "/dev/null", "/home/user", "/home",
    "/tmp/x",
    "/home/user/project", "/home/user/other", "..", ".", "./x", "../..", "src/a.py", "777", "a+rwx", "main", "HEAD",
    ".env",
    "id_rsa", "server.pem", "credentials.json", "x.env", "config.json", "origin", "stash", "list", "pytest",
    "/proc/1/environ",
    "/var/run/docker.sock", "-D", "-d", "-C", "-c", "-o", "out.txt", "0", "-9", "-1", "of=/dev/sda", "if=x", "a:b",
    "+main",
]  # fmt: skip
JOINTS = [" && ", " | ", "; ", " || ", " 2>&1 | ", " ", "\n", ";", "|", " & "]
segments = st.tuples(st.sampled_from(PROGRAMS), st.lists(st.sampled_from(WORDS), max_size=4)).map(
    lambda made: " ".join([made[0], *made[1]])
)
commands = st.lists(st.tuples(segments, st.sampled_from(JOINTS)), min_size=1, max_size=3).map(
    lambda made: "".join(text + joint for text, joint in made[:-1]) + made[-1][0]
)


@hypothesis_settings(max_examples=1500, deadline=None)
@given(commands)
@example("cat src/a.py /home/user/other")
@example("cd / && cat etc/passwd")
def test_no_command_made_of_known_words_hides_a_rule(command):
    if passes("Bash", {"command": command}):
        verdict = judged("Bash", {"command": command})
        assert not verdict.rule, verdict


ODD = string.ascii_letters + string.digits + " \t\n\"'\\$`(){}[]<>|&;*?!#~=./-_%^,:@+"


@st.composite
def respelled(draw):
    """A case with something put between its letters, as one would to hide a word."""
    command = draw(
        st.sampled_from(["rm -rf /", "rm -rf ~", "cat .env", "chmod 777 x", "dd if=x of=/dev/sda", "git reset --hard"])
    )
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(command)))
        command = command[:at] + draw(st.sampled_from(["''", '""', "\\", "\\\n", "$x", " ", "/", "./"])) + command[at:]
    return draw(st.sampled_from(["", "ls; ", "true && ", "git status\n", "ls | "])) + command


@hypothesis_settings(max_examples=500, deadline=None)
@given(st.one_of(respelled(), st.text(ODD, max_size=40)), st.booleans())
def test_no_respelling_hides_a_rule(command, ascii_only):
    raw = json.dumps(payload("Bash", {"command": command}), ensure_ascii=ascii_only).encode()
    if prefilter.harmless(raw, PAL):
        assert not judged("Bash", {"command": command}).rule


def known_names() -> list[str]:
    """Every name of a file or folder in the tables that tell secrets and systems."""
    found = set()
    for value in vars(secrets).values():
        for entry in value if isinstance(value, (tuple, frozenset)) else ():
            if isinstance(entry, str):
                found.add(entry.strip("/"))
    return sorted(found)


@pytest.mark.parametrize("name", known_names())
def test_no_name_of_the_tables_is_passed_by(name):
    for base in (PROJECT, USER, "/tmp", "/Users/other/deep", ""):
        for form in (name, name + "/x", "my" + name, "prod-" + name, "a/" + name, name.upper()):
            path = f"{base}/{form}"
            for tool in ("Read", "Write", "Edit"):
                if passes(tool, {"file_path": path}, cwd=base or "/"):
                    assert not judged(tool, {"file_path": path}, base or "/").rule, (tool, path)
            for command in ("cat ", "head -3 ", "grep x ", "git add "):
                if passes("Bash", {"command": command + path}, cwd=base or "/"):
                    assert not judged("Bash", {"command": command + path}, base or "/").rule, (command, path)
                if passes("Bash", {"command": command + form}, cwd=base or "/"):
                    assert not judged("Bash", {"command": command + form}, base or "/").rule, (command, form)


names = st.lists(
    st.sampled_from([
        "src", "a.py", ".env", "..", ".", ".ssh", "id_rsa", "config", "secrets", "key.pem", "etc", "passwd", "app",
        ".git",
        "hooks", "pre-commit", "prod.env", "authorized_keys", "bin", "Makefile", "package.json", "database.yml",
        "wallet.dat",
        "credentials", "token.json", ".github", "hosts.yml", "shadow", "x.kdbx", "auth.json", "service-account.json",
    ]),
    min_size=1,
    max_size=4,
)  # fmt: skip


@hypothesis_settings(max_examples=1000, deadline=None)
@given(st.sampled_from([PROJECT, USER, "/tmp", "/etc", "/Users/other", "", "/usr/local", USER + "/.config"]), names)
def test_no_path_made_of_known_names_hides_a_rule(base, parts):
    path = "/".join([base, *parts])
    for tool in ("Read", "Write", "Edit"):
        if passes(tool, {"file_path": path}):
            assert not judged(tool, {"file_path": path}).rule, (tool, path)
    if passes("Bash", {"command": "cat " + path}):
        assert not judged("Bash", {"command": "cat " + path}).rule
