"""The frame every verb runs in: the help page, unknown words, exit codes, streams."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base.errors import PalError
from pal.cli import main
from pal.cli.output import Output

ROOT = Path(__file__).resolve().parents[2]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(fresh_home, now):
    """typed("status", "--json") → (exit code, stdout, stderr)."""

    def run(*argv: str, env=None, out=None):
        out, err = out if out is not None else io.StringIO(), io.StringIO()
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), **(env or {})}
        code = main.run(argv, values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


def replace_verb(monkeypatch, behaviour):
    class Module:
        EXAMPLES = "pal version"

        @staticmethod
        def configure(parser):
            parser.add_argument("--json", action="store_true")

        run = staticmethod(behaviour)

    monkeypatch.setattr(main, "load", lambda verb: Module)


def test_pal_alone_fits_a_screen_and_names_every_verb(typed):
    code, out, err = typed()
    assert (code, err) == (0, "")
    assert len(out.splitlines()) <= 24
    assert max(len(line) for line in out.splitlines()) <= 80
    assert all(f" {verb.name}" in out for verb in main.VERBS)


@pytest.mark.parametrize("asked", [("help",), ("-h",), ("--help",), ("cli",), ("cli", "help")])
def test_every_way_of_asking_for_help_gives_the_same_page(typed, asked):
    assert typed(*asked) == typed()


@pytest.mark.parametrize("verb", main.VERBS, ids=lambda verb: verb.name)
def test_the_help_of_each_verb_has_an_example_of_it(typed, verb):
    code, out, err = typed(verb.name, "--help")
    assert (code, err) == (0, "")
    assert f"pal {verb.name}" in out.partition("examples:")[2]
    assert typed("help", verb.name)[1] == out


@pytest.mark.parametrize("verb", main.VERBS, ids=lambda verb: verb.name)
def test_each_verb_says_in_one_line_what_it_does(verb):
    assert 10 <= len(verb.summary) <= 70
    assert verb.summary[0].islower() and verb.summary[-1].isalnum()


def test_a_leading_cli_changes_nothing(typed):
    assert typed("cli", "version") == typed("version") == typed("--version")


@pytest.mark.parametrize(("word", "hint"), [("instal", "pal install"), ("doktor", "pal doctor"), ("xyzzy", "pal help")])
def test_an_unknown_verb_gives_one_line_with_the_nearest_and_exit_2(typed, word, hint):
    code, out, err = typed(word)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert word in err
    assert hint in err


@pytest.mark.parametrize(
    "argv", [("version", "--nope"), ("version", "surplus"), ("ratings",), ("handoff", "note"), ("ratings", "lst")]
)
def test_a_wrong_command_line_gives_one_line_and_exit_2(typed, argv):
    code, out, err = typed(*argv)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "--help" in err


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (PalError("the house is on fire"), 1, "pal: the house is on fire\n"),
        (PermissionError(13, "Permission denied", "/x/y"), 1, "pal: the system refused at /x/y: Permission denied\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_a_fault_becomes_one_sentence_and_an_exit_code(typed, monkeypatch, fault, code, said):
    def fail(options, context):
        raise fault

    replace_verb(monkeypatch, fail)
    found, _, err = typed("version")
    assert (found, err) == (code, said)


def test_a_verb_is_loaded_only_when_it_is_typed():
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pal.cli import main; main.run(['version'], {}, 0.0);"
        "print(sorted(name for name in sys.modules if name.startswith('pal.cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, str(ROOT / "src")], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.splitlines()[-1]
    assert "pal.cli.version" in loaded
    assert "pal.cli.status" not in loaded
    assert "pal.cli.install" not in loaded


@pytest.mark.skipif(os.name == "nt", reason="a POSIX pipe")
def test_a_closed_pipe_is_silent():
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pal.cli import main;"
        "sys.stdin.readline(); sys.exit(main.run([], {}, 0.0))"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(ROOT / "src")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    child.stdout.close()
    child.stdin.write(b"\n")
    child.stdin.close()
    assert child.stderr.read() == b""
    assert child.wait() == 0
    child.stderr.close()


@pytest.mark.parametrize(
    ("out", "env", "coloured"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_colours_appear_on_a_terminal_only_and_not_under_no_color(out, env, coloured):
    text = Output(env, out, io.StringIO()).style("word", "bold")
    assert ("\x1b[" in text) is coloured


def test_a_letter_the_stream_cannot_write_is_escaped_instead_of_ending_the_command():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    output = Output({}, stream, io.StringIO())
    output.line("tűz \ud800")
    output.flush()
    assert raw.getvalue().decode("utf-8") == f"tűz \\ud800{os.linesep}"


def test_a_table_keeps_its_columns_straight_and_its_last_cell_whole():
    out = io.StringIO()
    Output({}, out, io.StringIO()).table([("a", 1, "x y"), ("long", None, "z\nz")], ("name", "n", "text"))
    assert out.getvalue() == "name  n  text\na     1  x y\nlong     z z\n"
