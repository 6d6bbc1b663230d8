"""Each verb on a home of its own: what it prints for people, what it gives to programs, what it refuses."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pal.cli import main
from pal.cli.output import Output
from pal.hooks.turn import EVENTS
from pal.install import scaffold
from pal.memory import ratings, sessions

ROOT = Path(__file__).resolve().parents[2]
WHO = {"session": "3f2a-0001", "agent": "claude"}


@pytest.fixture
def typed(home, fresh_home, now):
    """typed("status", "--json") → (exit code, stdout, stderr), with a scaffolded home."""
    scaffold.lay_out(home)

    def run(*argv: str, env=None):
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": "", **(env or {})}
        code = main.run(argv, values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.fixture
def facts(typed):
    """facts("ratings", "list") → what --json printed."""

    def read(*argv: str):
        code, out, err = typed(*argv, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return read


@pytest.fixture
def remembered(home, now):
    """A home with two ratings and a session."""
    sessions.open(home, WHO, "/srv/site", "startup", now)
    sessions.prompt_seen(home, WHO, "/srv/site", "repair the broken image gallery layout", now)
    for at, said in ((now, "9/10, lovely"), (now + 60, "4, too slow")):
        ratings.record(home, ratings.parse(said), WHO, "a reply", "/srv/site", at)


EMPTY = [
    ("ratings", "list"), ("ratings", "trend"), ("sessions", "list"), ("project", "list"), ("handoff", "list"),
    ("handoff", "show"), ("memory", "stats"), ("backup", "list"), ("telos", "list"), ("timezone",), ("debug", "status"),
    ("debug", "log"), ("debug", "context"), ("status",), ("version",),
]  # fmt: skip


@pytest.mark.parametrize("argv", EMPTY, ids=" ".join)
def test_an_empty_home_gets_a_sentence_not_an_error(typed, argv):
    code, out, err = typed(*argv)
    assert (code, err) == (0, "")
    assert out.strip()


@pytest.mark.parametrize("argv", [argv for argv in EMPTY if argv != ("debug", "log")], ids=" ".join)
def test_every_verb_that_shows_facts_gives_them_as_json(facts, argv):
    facts(*argv)


CACHING = (("ratings", "trend"), ("debug", "context"))  # they keep what they worked out for the next reader


@pytest.mark.parametrize("argv", [argv for argv in EMPTY if argv not in CACHING], ids=" ".join)
def test_a_verb_that_only_looks_makes_no_home(typed, home, argv):
    shutil.rmtree(home.root)
    code, _, err = typed(*argv)
    assert (code, err) == (0, "")
    assert not os.path.exists(home.root)


def test_ratings_are_listed_newest_first_and_counted(typed, facts, remembered):
    out = typed("ratings", "list")[1]
    assert out.index("too slow") < out.index("lovely")
    assert [row["rating"] for row in facts("ratings", "list")] == [9, 4]
    assert len(facts("ratings", "list", "--count", "1")) == 1
    assert facts("ratings", "trend")["count"] == 2


def test_a_session_is_shown_by_the_beginning_of_its_id(typed, facts, remembered):
    assert [row["session"] for row in facts("sessions", "list")] == ["3f2a-0001"]
    assert facts("sessions", "show", "3f2a")["cwd"] == "/srv/site"
    code, _, err = typed("sessions", "show", "nope")
    assert (code, err.count("\n")) == (1, 1)


def test_an_ambiguous_beginning_of_an_id_is_refused(typed, home, remembered, now):
    sessions.open(home, {"session": "3f2a-0002", "agent": "claude"}, "/x", "startup", now)
    code, _, err = typed("sessions", "show", "3f2a-")
    assert code == 1
    assert "2 sessions" in err


def test_a_note_is_left_and_read_back(typed, facts, tmp_path):
    code, out, err = typed(
        "handoff", "note", "--title", "Half done", "--text", "Two left", "--waiting-on", "Ann", "--cwd", str(tmp_path)
    )
    assert (code, err) == (0, "")
    note = facts("handoff", "show", "--cwd", str(tmp_path))
    assert (note["title"], note["handoff"], note["waitingOn"]) == ("Half done", "Two left", "Ann")
    assert note["status"] == "in-progress"
    typed("handoff", "note", "--title", "Done", "--text", "All", "--done", "--cwd", str(tmp_path))
    assert [row["status"] for row in facts("handoff", "list")] == ["completed"]


def test_a_note_belongs_to_the_session_whose_agent_typed_the_command(typed, facts, tmp_path):
    argv = ("handoff", "note", "--title", "T", "--text", "X", "--cwd", str(tmp_path))
    typed(*argv, env={"CLAUDE_CODE_SESSION_ID": "s-1"})
    note = facts("handoff", "show", "--cwd", str(tmp_path))
    assert (note["session"], note["agent"]) == ("s-1", "claude")


def test_a_time_zone_is_checked_spelled_right_and_kept(typed, facts, home):
    code, out, _ = typed("timezone", "europe/budapest")
    assert code == 0
    assert "Europe/Budapest" in out
    assert facts("timezone")["timezone"] == "Europe/Budapest"
    with open(home.settings, encoding="utf-8") as stream:
        before = stream.read()
    for wrong in ("Europe/Budapes", "../etc/passwd", "x"):
        code, _, err = typed("timezone", wrong)
        assert (code, err.count("\n")) == (1, 1)
    with open(home.settings, encoding="utf-8") as stream:
        assert stream.read() == before


def test_a_time_zone_that_is_not_known_here_is_said_to_be_utc(typed, home):
    with open(home.settings, "w", encoding="utf-8") as stream:
        stream.write('{"identity": {"principal": {"timezone": "No/Where"}}}')
    _, out, _ = typed("timezone")
    assert "No/Where, which is not known here, so PAL uses UTC" in out


def test_telos_says_what_is_answered(typed, facts, home):
    with open(os.path.join(home.telos, "GOALS.md"), "a", encoding="utf-8") as stream:
        stream.write("\n- 2026-09-30: ten customers\n")
    answers = {row["topic"]: row["answered"] for row in facts("telos", "list")}
    assert answers["GOALS"] is True
    assert answers["MISSION"] is False
    assert "ten customers" in typed("telos", "show", "goals")[1]
    assert typed("telos", "show", "nonsense")[0] == 1


def test_debug_is_switched_on_and_off(typed, facts, home):
    assert facts("debug", "on")["debug"] is True
    assert os.path.exists(home.debug_flag)
    assert "switched on" in typed("debug", "log")[1]
    assert facts("debug", "off")["debug"] is False


def test_debug_context_shows_each_section_with_its_size(typed, facts, tmp_path):
    typed("handoff", "note", "--title", "Gallery", "--text", "Two left", "--cwd", str(tmp_path))
    told = facts("debug", "context", "--cwd", str(tmp_path))
    sections, parts = told["sections"], told["parts"]
    handoff = next(section for section in sections if section["name"] == "handoff")
    assert 0 < handoff["units"] <= handoff["cap"]
    assert "Two left" in handoff["text"]
    assert {"tier 1", "digest: wisdom", "session: handoff", "prompt: clock"} <= {row["part"] for row in parts}
    asked = facts("debug", "context", "--prompt", "why do the tests fail")["sections"]
    assert "clock" in [section["name"] for section in asked]


def test_a_backup_is_written_and_listed(facts):
    path = facts("backup", "now")["path"]
    assert [row["path"] for row in facts("backup", "list")] == [path]


def test_reindex_reads_the_files_anew(facts, remembered):
    assert facts("memory", "reindex")["ratings"] == 2
    assert facts("memory", "stats")["sessions"] == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_knows_every_verb_and_its_words(typed, shell):
    code, out, err = typed("completion", shell)
    assert (code, err) == (0, "")
    assert all(verb.name in out for verb in main.VERBS)
    assert "dry-run" in out
    assert "trend" in out


@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["pal", "inst"], ["install"]),
        (["pal", "ratings", ""], ["list", "trend"]),
        (["pal", "cli", "ratings", "tr"], ["trend"]),
        (["pal", "handoff", "note", "--ti"], ["--title"]),
        (["pal", "install", "--dry"], ["--dry-run"]),
        (["pal", "completion", "z"], ["zsh"]),
    ],
)
def test_bash_completes_what_stands_before_the_cursor(typed, words, offered):
    typed_so_far = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({typed_so_far}); COMP_CWORD={len(words) - 1}; _pal; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    script = typed("completion", "bash")[1] + ask
    done = subprocess.run(["/bin/bash", "-c", script], capture_output=True, text=True, check=True)
    assert set(offered) <= set(done.stdout.split())
    assert all(word.startswith(words[-1]) for word in done.stdout.split())


def test_the_help_of_hook_names_the_events_that_are_answered(typed):
    told = "".join(typed("hook", "--help")[1].split())  # a long word is broken at its hyphens
    assert all(event in told for event in EVENTS)


def statusline(home, data: bytes, now: float) -> subprocess.CompletedProcess[bytes]:
    script = (
        "import sys, os; sys.path.insert(0, sys.argv[1]); from pal.cli import main;"
        "sys.exit(main.run(['statusline'], os.environ, float(sys.argv[2])))"
    )
    return subprocess.run(
        [sys.executable, "-S", "-c", script, str(ROOT / "src"), str(now)],
        input=data,
        capture_output=True,
        env={**os.environ, "PAL_HOME": home.root},
    )


def test_the_status_line_names_the_session_and_its_ratings(home, remembered, now):
    done = statusline(home, b'{"session_id": "3f2a-0001", "cwd": "/srv/site"}', now + 100)
    assert done.returncode == 0
    name = sessions.get(home, "3f2a-0001")["name"]
    assert done.stdout.decode().strip() == f"{name} | ratings 6.5 steady"


@pytest.mark.parametrize("data", [b"", b"rubbish", b"[]", b"{}", b'{"session_id": 3}', b"\xff\xfe"])
def test_the_status_line_is_silent_on_bad_input(home, now, data):
    done = statusline(home, data, now)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.strip() == b""


def test_the_status_line_loads_no_argument_parser():
    script = (
        "import sys, os; sys.path.insert(0, sys.argv[1]); from pal.cli import main; main.run(['statusline'], {}, 0.0);"
        "sys.stderr.write(' '.join(sorted(sys.modules)))"
    )
    command = [sys.executable, "-I", "-S", "-c", script, str(ROOT / "src")]
    done = subprocess.run(command, input=b"{}", capture_output=True, check=True)
    loaded = done.stderr.decode().split()
    assert not {"argparse", "typing", "json", "subprocess", "re"} & set(loaded)
