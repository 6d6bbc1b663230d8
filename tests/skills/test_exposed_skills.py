"""Which skills are tools, what a schema must say, and what running one may and may not do."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from pal.base.asking import Answer, nobody
from pal.base.errors import PalError
from pal.skills import execute, exposed

COUNT = "import sys\nprint(len(sys.argv[-1].split()))\n"
ARGS = {"text": {"type": "string", "required": True}, "mode": {"type": "string"}}
PLAIN = {"mcp_exposed": True, "description": "Counts words.", "executable": "python3 count.py -- {text}", "args": ARGS}


def skill_at(home, name: str = "word-count", schema: object = None, **changes: object) -> str:
    folder = Path(home.skills, name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "count.py").write_text(COUNT, "utf-8")
    text = schema if isinstance(schema, str) else json.dumps({**PLAIN, **changes})
    (folder / exposed.FILE).write_text(text, "utf-8")
    return str(folder)


def read(home, **changes: object) -> exposed.Exposed:
    found = exposed.read("word-count", skill_at(home, **changes))
    assert found is not None
    return found


def run(skill, home, env, ask=nobody, **arguments: object) -> execute.Ran:
    return execute.run(skill, arguments, home, env, ask)


def test_a_schema_becomes_the_schema_of_a_tool(home):
    skill = read(home, timeout_ms=500, output="json", readOnlyHint=True)
    assert skill.input == {
        "type": "object",
        "properties": {"text": {"type": "string"}, "mode": {"type": "string"}},
        "additionalProperties": False,
        "required": ["text"],
    }
    assert (skill.template, skill.timeout, skill.json, skill.read_only) == (
        ["python3", "count.py", "--", "{text}"], 0.5, True, True,
    )  # fmt: skip


@pytest.mark.parametrize("value", [False, None, 1, "true"])
def test_only_a_plain_true_exposes_a_skill(home, value):
    assert exposed.read("word-count", skill_at(home, mcp_exposed=value)) is None


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"executable": "bash -c ls"}, "may start"),
        ({"executable": "/bin/echo hi"}, "may start"),
        ({"executable": "./python3 x"}, "may start"),
        ({"executable": "echo.exe hi"}, "may start"),
        ({"executable": "ECHO hi"}, "may start"),
        ({"executable": ""}, "may start"),
        ({"executable": []}, "may start"),
        ({"executable": "echo hello…"}, "cut short"),
        ({"executable": "echo hello..."}, "cut short"),
        ({"executable": "echo 'hello"}, "cut short"),
        ({"executable": "echo hello\\"}, "cut short"),
        ({"executable": "echo " + "x" * 5000}, "cut short"),
        ({"executable": ["echo", "x" * 5000]}, "cut short"),
        ({"executable": 7}, "neither a text nor a list"),
        ({"executable": "echo {other}"}, "names other, which is no argument"),
        ({"executable": ["echo", "a\0b"]}, "NUL"),
        ({"executable": None}, "either executable or requires_claude"),
        ({"requires_claude": True}, "either executable or requires_claude"),
        ({"executable": None, "requires_claude": True}, "has no SKILL.md"),
        ({"description": ""}, "no description"),
        ({"args": []}, "args is no object"),
        ({"args": {"text": {}}}, "argument text has no type"),
        ({"args": {"../x": {"type": "string"}}}, "argument ../x has no type"),
        ({"timeout_ms": "soon"}, "timeout_ms"),
        ({"timeout_ms": -1}, "timeout_ms"),
        ({"input_schema": {"type": "array"}}, "input_schema"),
    ],
)
def test_what_makes_a_schema_unusable_is_said_in_a_few_words(home, change, fault):
    with pytest.raises(exposed.Wrong, match=fault):
        read(home, **change)


def test_a_schema_that_is_another_skills_is_unusable(home):
    with pytest.raises(exposed.Wrong, match="calls itself 'other'"):
        exposed.read("word-count", skill_at(home, schema=json.dumps({**PLAIN, "name": "other"})))


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000])
def test_a_file_that_is_no_schema_is_noted_and_the_others_stay(home, text):
    skill_at(home, "broken", schema=text)
    skill_at(home, "sound")
    notes: list[str] = []
    assert [skill.name for skill in exposed.found([home.skills, home.skills + "/none"], notes.append)] == ["sound"]
    assert len(notes) == 1
    assert notes[0].startswith("skill broken is no tool: ")


@pytest.mark.parametrize("name", ["Übung", "UPPER", "a b", "x" * 41, "a.b"])
def test_a_name_that_no_client_takes_is_left_out(home, name):
    with pytest.raises(exposed.Wrong, match="its name"):
        exposed.read(name, skill_at(home, name))


def test_a_change_in_a_folder_shows(home):
    folder = skill_at(home)
    before = exposed.fingerprint([home.skills])
    assert exposed.fingerprint([home.skills]) == before
    os.utime(os.path.join(folder, exposed.FILE), (1, 1))
    assert exposed.fingerprint([home.skills]) != before


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        (["echo", "{text}"], {"text": "a b; rm -rf / $(x) `y` > z"}, ["echo", "a b; rm -rf / $(x) `y` > z"]),
        (["echo", "--mode={mode}", "--", "{text}"], {"text": "-rf", "mode": "-x"}, ["echo", "--mode=-x", "--", "-rf"]),
        (["echo", "--mode", "{mode}", "{text}"], {"text": "hi"}, ["echo", "hi"]),
        (["echo", "-m", "{mode}", "{text}"], {"text": "hi"}, ["echo", "hi"]),
        (["echo", "--", "{mode}"], {}, ["echo", "--"]),
        (["echo", "--all", "{a}{b}"], {"a": "{b}", "b": "x"}, ["echo", "--all", "{b}x"]),
        (
            ["echo", "{n}", "{flag}", "{list}"],
            {"n": -5, "flag": True, "list": [1, "é"]},
            ["echo", "-5", "true", '[1, "é"]'],
        ),
        (["jq", "{.name}"], {}, ["jq", "{.name}"]),
        (["echo", ""], {}, ["echo", ""]),
    ],
)
def test_a_value_stays_within_its_word(template, values, expected):
    assert execute.argv(template, values) == expected


def test_a_value_that_would_pass_for_an_option_is_refused():
    with pytest.raises(PalError, match="begins with a hyphen"):
        execute.argv(["grep", "{text}"], {"text": "--include=*"})
    with pytest.raises(PalError, match="holds a NUL"):
        execute.argv(["echo", "{text}"], {"text": "a\0b"})


def test_a_skill_runs_and_gives_its_text_or_its_data(home, clean_env):
    assert run(read(home), home, clean_env, text="one two three").text.strip() == "3"
    skill = read(home, output="json")
    Path(skill.folder, "count.py").write_text("print('{\"words\": 3}')", "utf-8")
    assert run(skill, home, clean_env, text="x").data == {"words": 3}


def test_a_skill_sees_no_key_and_no_token_and_stands_in_its_own_folder(home, clean_env):
    skill = read(home)
    Path(skill.folder, "count.py").write_text("import os\nprint(os.getcwd(), *sorted(os.environ))", "utf-8")
    env = {**clean_env, "PAL_ANTHROPIC_API_KEY": "k", "PAL_MCP_TOKEN": "t", "GITHUB_TOKEN": "g", "LC_ALL": "C.UTF-8"}
    place, *names = run(skill, home, env, text="x").text.split()
    assert os.path.realpath(place) == os.path.realpath(skill.folder)
    assert {"PAL_HOME", "PAL_SKILL", "LC_ALL", "PATH"} <= set(names)
    assert not {"PAL_ANTHROPIC_API_KEY", "PAL_MCP_TOKEN", "GITHUB_TOKEN"} & set(names)


def test_a_failure_is_told_with_the_end_of_what_was_said(home, clean_env):
    skill = read(home)
    Path(skill.folder, "count.py").write_text("import sys\nsys.exit('no such words')", "utf-8")
    ran = run(skill, home, clean_env, text="x")
    assert (ran.failure, ran.text) == ("exit", "word-count ended with status 1. no such words")


def test_long_output_is_cut_with_a_note_and_endless_output_ended(home, clean_env):
    skill = read(home)
    Path(skill.folder, "count.py").write_text("print('x' * 100_000)", "utf-8")
    ran = run(skill, home, clean_env, text="x")
    assert ran.failure == ""
    assert ran.text.startswith("x" * execute.SHOWN + "\n[PAL: the output was longer")
    Path(skill.folder, "count.py").write_text("while True: print('x' * 10_000)", "utf-8")
    assert run(skill, home, clean_env, text="x").failure == "overflow"


def gone(pid: int) -> bool:
    """Whether a process ended; one that nobody waited for yet counts as ended."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
    return False


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_what_hangs_forks_and_ignores_signals_is_ended_with_all_its_children(home, clean_env, tmp_path):
    skill = read(home, timeout_ms=300)
    mark = tmp_path / "children"
    program = f"""
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if not os.fork():
        open({str(mark)!r}, "a").write(str(os.getpid()) + " ")
        time.sleep(60)
time.sleep(60)
"""
    Path(skill.folder, "count.py").write_text(program, "utf-8")
    assert run(skill, home, clean_env, text="x").failure == "timeout"
    for number in mark.read_text("ascii").split():
        assert gone(int(number))


def test_a_cancelled_skill_ends_at_once(home, clean_env):
    import threading

    skill = read(home)
    Path(skill.folder, "count.py").write_text("import time\ntime.sleep(60)", "utf-8")
    ends: list = []
    ran: list = []

    def work() -> None:
        ran.append(execute.run(skill, {"text": "x"}, home, clean_env, nobody, ends.append))

    thread = threading.Thread(target=work)
    thread.start()
    while not ends and thread.is_alive():
        pass
    ends[0]()
    thread.join(20)
    assert not thread.is_alive()
    assert ran[0].failure == "exit"


def test_the_guard_judges_what_a_skill_would_run(home, clean_env):
    skill = read(home, executable="cat {text}")
    ran = run(skill, home, clean_env, text="~/.ssh/id_rsa")
    assert ran.failure == "denied"
    assert "guard stopped word-count" in ran.text


def test_a_blocked_skill_is_not_run(home, clean_env):
    Path(home.settings).write_text(json.dumps({"security": {"skills": {"block": ["word-count"]}}}), "utf-8")
    assert run(read(home), home, clean_env, text="x").failure == "denied"


@pytest.mark.skipif(os.name == "nt", reason="shell scripts")
def test_an_allowed_name_that_came_with_the_skill_is_refused(home, clean_env):
    skill = read(home, executable="jq {text}")
    fake = Path(skill.folder, "jq")
    fake.write_text("#!/bin/sh\necho owned\n", "utf-8")
    fake.chmod(0o755)
    with pytest.raises(PalError, match="came with the skill"):
        run(skill, home, {**clean_env, "PATH": skill.folder}, text="x")
    link = Path(home.root, "bin2")
    link.mkdir()
    (link / "jq").symlink_to(fake)
    with pytest.raises(PalError, match="came with the skill"):
        run(skill, home, {**clean_env, "PATH": str(link)}, text="x")


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_a_program_in_a_folder_that_anybody_may_write_is_refused(home, clean_env, tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    (folder / "jq").write_text("#!/bin/sh\n", "utf-8")
    (folder / "jq").chmod(0o755)
    folder.chmod(0o777)
    with pytest.raises(PalError, match="anybody may replace it"):
        run(read(home, executable="jq {text}"), home, {**clean_env, "PATH": str(folder)}, text="x")


def test_a_program_that_is_not_there_is_named(home, clean_env, tmp_path):
    with pytest.raises(PalError, match="rg is not on this machine's PATH"):
        run(read(home, executable="rg {text}"), home, {**clean_env, "PATH": str(tmp_path)}, text="x")


def test_python3_is_the_python_that_runs_pal(tmp_path):
    assert execute.resolved("python3", str(tmp_path), {"PATH": ""}) == sys.executable


def test_a_skill_that_needs_a_model_hands_it_text_and_arguments_as_data(home, clean_env):
    folder = skill_at(home, executable=None, requires_claude=True)
    Path(folder, "SKILL.md").write_text("---\nname: word-count\n---\nCount the words.\n", "utf-8")
    skill = exposed.read("word-count", folder)
    assert skill is not None
    asked: list[tuple[str, str]] = []

    def ask(system, prompt, **_):
        asked.append((system, prompt))
        return Answer(True, "three")

    assert run(skill, home, clean_env, ask, text="a b c").text == "three"
    system, prompt = asked[0]
    assert system.endswith("Count the words.")
    assert prompt == 'ARGS_JSON:\n{"text": "a b c"}'
    assert run(skill, home, clean_env, text="a").failure == "no_model"
