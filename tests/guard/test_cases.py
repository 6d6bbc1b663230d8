"""Every shared case gets its verdict, and every policy family the decision written here."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from pal.guard.judge import judge
from pal.guard.model import Policy

# What each family of cases about which reasonable people differ is answered: its usual decision, and single texts that
# differ from their family with the reason in the rule's name.
POLICY = {
    "git-reset-hard": ("ask", {}),
    "git-discard": ("ask", {"git checkout -- src/a.py": "allow", "git restore src/a.py": "allow"}),
    "git-clean": ("ask", {}),
    "rm-git-dir": ("ask", {}),
    "rm-cwd": ("ask", {}),
    "rm-outside": ("ask", {}),
    "rm-unknown-var": ("ask", {'eval "$PAYLOAD"': "allow"}),
    "https-pipe-shell": ("ask", {}),
    "cluster-destroy": ("ask", {}),
    "docker-destroy": ("ask", {}),
    "db-destroy": ("ask", {}),
    "perms-unclear": ("allow", {}),
    "ps-unclear": (
        "ask",
        {"Set-ExecutionPolicy Bypass -Scope Process -Force": "allow", "Stop-Computer -Force": "allow"},
    ),
    "path-unclear-write": ("allow", {}),
    "path-unclear-read": ("allow", {}),
}
# Allowed without a word in the log: a file of another project is an ordinary file.
SILENT = {"/home/" + "dev/other-project/src/a.py"}  # in the shared cases somebody called dev works


def rows_of(shared, name):
    with open(shared / "guard" / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def verdict(case):
    windows = case["cwd"][1:2] == ":"
    home = "C:\\Users\\dev" if windows else "/home/" + "dev"
    given = {"command": case["command"]} if "command" in case else {"file_path": case["file_path"]}
    return judge(case["tool"], given, case["cwd"], home, Policy(windows=windows, pal_home=home + "/.pal"))


def text_of(case):
    return case.get("command", case.get("file_path"))


def families(name):
    """The families of a case file, at collection; one stand-in where the file is not there, which then skips."""
    import os
    from pathlib import Path

    folder = Path(os.environ.get("PAL_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "guard"
    if not (folder / name).is_file():
        return ["no-cases"]
    lines = (folder / name).read_text("utf-8").splitlines()
    return list(dict.fromkeys(json.loads(line)["family"] for line in lines))


@pytest.mark.parametrize("family", families("cases.jsonl"))
def test_every_clear_case_is_judged_as_it_says(shared, family):
    wrong = []
    for case in rows_of(shared, "cases.jsonl"):
        if case["family"] == family:
            found = verdict(case)
            if found.decision != case["expect"]:
                wrong.append(f"{case['tool']} {text_of(case)!r}: {found!r} instead of {case['expect']}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", families("policy.jsonl"))
def test_every_policy_family_gets_its_decision_and_a_rule(shared, family):
    usual, exceptions = POLICY[family]
    wrong = []
    for case in rows_of(shared, "policy.jsonl"):
        if case["family"] != family:
            continue
        found = verdict(case)
        if found.decision != exceptions.get(text_of(case), usual):
            wrong.append(f"{text_of(case)!r}: {found!r}")
        if not found.rule and text_of(case) not in SILENT:
            wrong.append(f"{text_of(case)!r} meets no rule")
    assert not wrong, "\n".join(wrong)


def test_precision_and_recall_over_all_clear_cases_are_full(shared, record_property, capsys):
    count = defaultdict(int)
    for case in rows_of(shared, "cases.jsonl"):
        count[case["expect"], verdict(case).decision != "allow"] += 1
    hits, misses, alarms = count["deny", True], count["deny", False], count["allow", True]
    precision, recall = hits / (hits + alarms), hits / (hits + misses)
    line = f"guard cases: {sum(count.values())}, precision {precision:.3f}, recall {recall:.3f}"
    record_property("guard", line)
    with capsys.disabled():
        print(f"\n{line}")
    assert (precision, recall) == (1.0, 1.0)
