"""Old data with secrets in it: found, taken out, nothing else touched."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from pal.cli import main
from pal.cli.output import Output
from pal.memory import cleaning

TOKEN = "ghp_" + "0123456789abcdefghij0123456789abcdef"

FILES = [
    ("a.md", f"# A\n\nThe token is {TOKEN}.\n", "# A\n\nThe token is [redacted:github-token].\n"),
    ("a.md", "# A\n\nseen <private>not this</private> here\n", "# A\n\nseen  here\n"),
    ("a.jsonl", '{"a": "plain"}\n', '{"a": "plain"}\n'),
    ("a.jsonl", f'not json {TOKEN}\n{{"a": 1}}\n', 'not json [redacted:github-token]\n{"a": 1}\n'),
    ("a.jsonl", '{"a": "<private>x", "b": "y</private>"}\n', '{"a": "", "b": "y</private>"}\n'),
    ("a.json", '{"api_key": "abcdEFGH1234567890abcdEFGH", "n": [1]}', '{"api_key": "[redacted:key]", "n": [1]}'),
    ("a.md", "# Ordinary\r\n\r\ntext with password rules\r\n", "# Ordinary\r\n\r\ntext with password rules\r\n"),
]


@pytest.mark.parametrize(("name", "text", "expected"), FILES)
def test_only_the_secret_goes_and_the_form_stays(name, text, expected):
    assert cleaning.cleaned(name, text.encode()).decode() == expected
    assert cleaning.cleaned(name, expected.encode()).decode() == expected


def test_bytes_that_are_no_text_are_left_alone():
    assert cleaning.cleaned("a.md", b"\xff\xfe<private>") == b"\xff\xfe<private>"


@pytest.fixture
def typed(home, fresh_home, now):
    def run(*argv: str):
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}
        code = main.run(argv, values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.fixture
def leaky(home) -> Path:
    """A memory with a secret in a note, in a log and in a state file, and one in a cache."""
    memory = Path(home.memory)
    for name, text in (
        ("relationship/2026-03/2026-03-02.md", f"# Day\n\n- W: {TOKEN}\n"),
        ("signals/ratings.jsonl", json.dumps({"context": f"use {TOKEN}"}) + "\n" + json.dumps({"rating": 9}) + "\n"),
        ("state/sessions.json", json.dumps({"s": {"summary": f"{TOKEN}"}})),
        ("cache/index.sqlite", TOKEN),
        ("knowledge/Ideas/plain.md", "# Plain\n"),
    ):
        path = memory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return memory


def test_a_scan_names_the_files_and_kinds_and_changes_nothing(typed, leaky):
    before = {path: path.read_bytes() for path in leaky.rglob("*") if path.is_file()}
    code, out, err = typed("memory", "scan", "--json")
    assert code == 1 and "3 files hold secrets" in err
    assert {row["file"]: row["kinds"] for row in json.loads(out)["found"]} == {
        "memory/relationship/2026-03/2026-03-02.md": {"github-token": 1},
        "memory/signals/ratings.jsonl": {"github-token": 1},
        "memory/state/sessions.json": {"github-token": 1},
    }
    assert TOKEN not in out
    assert before == {path: path.read_bytes() for path in leaky.rglob("*") if path.is_file()}


def test_a_fix_backs_up_first_and_leaves_no_secret_behind(typed, leaky, home):
    code, out, err = typed("memory", "scan", "--fix", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["fixed"] and os.path.isfile(json.loads(out)["backup"])
    left = [path for path in leaky.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert left == [], "the index that held it is gone too"
    assert json.loads((leaky / "signals" / "ratings.jsonl").read_text().splitlines()[1]) == {"rating": 9}
    assert typed("memory", "scan")[:2] == (0, "No secrets were found in what is remembered.\n")
