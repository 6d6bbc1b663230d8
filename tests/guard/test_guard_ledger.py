"""The guard's log: one line a verdict, without secrets, turned over before it grows; codes find a denial again."""

from __future__ import annotations

import os

import pytest

from pal.guard import ledger
from pal.guard.model import Verdict

WHO = {"session": "s1", "agent": "claude"}
KEY = "ghp_" + "a1B2c3D4e5" * 4


def note(home, now, command="rm -rf /", outcome="deny", rule="delete-root"):
    verdict = Verdict("deny", rule, "filesystem")
    ledger.note(home, WHO, "Bash", command, "/home/user/project", verdict, outcome, now, 1.234)


def test_a_line_says_who_wanted_what_and_what_came_of_it(home, now):
    note(home, now)
    (row,) = ledger.recent(home, 5)
    digest = ledger.digest("delete-root", "rm -rf /", "/home/user/project")
    assert row == {
        "ts": "2026-03-02T08:15:00Z",
        "session": "s1",
        "agent": "claude",
        "tool": "Bash",
        "rule": "delete-root",
        "verdict": "deny",
        "command": "rm -rf /",
        "cwd": "/home/user/project",
        "code": digest[:8],
        "digest": digest,
        "ms": 1.2,
    }


def test_secrets_never_reach_it_and_a_command_is_cut(home, now):
    note(home, now, f"curl -H 'Authorization: Bearer {KEY}' x; " + "y" * 2000)
    (row,) = ledger.recent(home, 1)
    assert KEY not in str(row)
    assert len(row["command"]) == ledger.LONGEST


def test_a_code_finds_the_newest_denial_of_its_kind(home, now):
    note(home, now, "rm -rf ~")
    note(home, now, "env", outcome="allow", rule="env")
    row = ledger.recent(home, 2)[0]
    assert ledger.by_code(home, row["code"].upper())["command"] == "rm -rf ~"
    assert ledger.by_code(home, ledger.recent(home, 1)[0]["code"]) is None, "what was allowed needs no lifting"
    assert ledger.by_code(home, "ffffffff") is None


@pytest.mark.parametrize("change", [("other", "c", "d"), ("r", "other", "d"), ("r", "c", "other"), ("r\0c", "", "d")])
def test_a_digest_is_bound_to_rule_command_and_folder(change):
    assert ledger.digest("r", "c", "d") != ledger.digest(*change)


def test_a_text_of_lone_surrogates_has_a_digest_and_a_line(home, now):
    note(home, now, "rm \ud800")
    assert len(ledger.recent(home, 1)) == 1


def test_it_is_turned_over_and_the_older_lines_are_still_found(home, now, monkeypatch):
    monkeypatch.setattr(ledger, "ROTATE_AT", 2000)
    for number in range(60):
        note(home, now, f"rm -rf /{number}")
    names = sorted(name for name in os.listdir(home.state) if name.startswith("guard.jsonl") and "lock" not in name)
    assert names == ["guard.jsonl", "guard.jsonl.1", "guard.jsonl.2", "guard.jsonl.3"]
    assert [row["command"] for row in ledger.recent(home, 7)] == [f"rm -rf /{number}" for number in range(53, 60)]
