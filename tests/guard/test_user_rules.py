"""The user's own rules: two forms of pattern, which stop more and never less; a bad one is skipped."""

from __future__ import annotations

import pytest
from pace import least

from pal.guard import user_rules


def rules_of(*entries: dict) -> tuple:
    rules, problems = user_rules.read(list(entries), "security.rules")
    assert problems == []
    return tuple(rules)


@pytest.mark.parametrize(
    ("pattern", "command", "fits"),
    [
        (["kubectl", "delete"], "kubectl delete pod x", True),
        (["kubectl", "delete"], "/usr/bin/kubectl delete pod x", True),
        (["kubectl", "delete"], "kubectl get pod", False),
        (["kubectl", "delete"], "kubectl", False),
        (["kubectl", "delete"], "echo kubectl delete", False),
        (["kubectl", "**", "delete"], "kubectl -n prod delete pod", True),
        (["kubectl", "**", "delete"], "kubectl delete", True),
        (["kubectl", "*", "delete"], "kubectl delete", False),
        (["kubectl", "*", "delete"], "kubectl -v delete", True),
        (["terraform*", "apply"], "terraform-1.5 apply", True),
        (["git", "push", "**", "ma*n"], "git push origin main", True),
        (["git", "push", "**", "ma*n"], "git push origin dev", False),
        (["npm", "run", "*:prod"], "npm run deploy:prod", True),
        (["npm", "run", "*:prod"], "npm run deploy:product", False),
        (["a", "**", "b", "**", "c"], "a x b y y c z", True),
        (["a", "**", "b", "**", "c"], "a x c y b", False),
    ],
)
def test_words_are_matched_one_by_one_from_the_program_on(pattern, command, fits):
    verdict = user_rules.match_command(rules_of({"argv": pattern}), command.split())
    assert (verdict is not None) is fits


def test_an_exception_among_the_words_lifts_the_rules_own_denial():
    rules = rules_of({"argv": ["kubectl", "delete"], "not": ["--dry-run*"]})
    assert user_rules.match_command(rules, ["kubectl", "delete", "x"])
    assert not user_rules.match_command(rules, ["kubectl", "delete", "x", "--dry-run=client"])


def test_a_word_that_only_the_shell_knows_matches_a_star_and_nothing_else():
    assert user_rules.match_command(rules_of({"argv": ["deploy", "*"]}), ["deploy", None])
    assert not user_rules.match_command(rules_of({"argv": ["deploy", "prod*"]}), ["deploy", None])
    assert not user_rules.match_command(rules_of({"argv": ["deploy"]}), [None])
    assert not user_rules.match_command(rules_of({"argv": ["deploy"]}), [])


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**/secrets/**", "/home/user/project/secrets/a.txt", True),
        ("**/secrets/**", "/home/user/project/secrets.txt", False),
        ("secrets", "/home/user/project/secrets/deep/a", True),
        ("/srv/data", "/srv/data/x", True),
        ("/srv/data", "/home/user/srv/data/x", False),
        ("*.sql", "/home/user/project/dump.sql", True),
        ("*.sql", "/home/user/project/dump.sql.md", False),
        ("migrations/*.py", "/home/user/project/app/migrations/0001.py", True),
        ("migrations/*.py", "/home/user/project/app/migrations/x/0001.py", False),
    ],
)
def test_a_path_is_matched_segment_by_segment(pattern, path, fits):
    verdict = user_rules.match_path(rules_of({"path": pattern}), path, "read")
    assert (verdict is not None) is fits


def test_a_path_rule_holds_for_its_operations_only():
    rules = rules_of({"path": "**/vendor/**", "ops": ["write"]})
    assert user_rules.match_path(rules, "/p/vendor/a.py", "write")
    assert not user_rules.match_path(rules, "/p/vendor/a.py", "read")


def test_case_counts_only_where_the_file_system_says_so():
    assert not user_rules.match_path(rules_of({"path": "**/Secrets/**"}), "/p/secrets/a", "read")
    rules, _ = user_rules.read([{"path": "**/Secrets/**"}], "security.rules", case_insensitive=True)
    assert user_rules.match_path(tuple(rules), "/p/SECRETS/a", "read")


def test_the_verdict_carries_the_users_words_and_the_strongest_rule_wins():
    rules = rules_of(
        {"argv": ["helm"], "decision": "ask", "reason": "clusters are shared"},
        {"argv": ["helm", "uninstall"], "id": "no-uninstall", "reason": "production", "instead": "`helm list`"},
    )
    verdict = user_rules.match_command(rules, ["helm", "uninstall", "x"])
    assert (verdict.decision, verdict.rule, verdict.reason) == ("deny", "no-uninstall", "production")
    assert (verdict.group, verdict.instead) == ("user", "`helm list`")
    verdict = user_rules.match_command(rules, ["helm", "list"])
    assert (verdict.decision, verdict.rule) == ("ask", "security.rules[1]")


BAD = [
    ("x", "no object"),
    ({}, "either argv or path"),
    ({"argv": ["a"], "path": "b"}, "either argv or path"),
    ({"argv": []}, "argv"),
    ({"argv": "rm -rf"}, "argv"),
    ({"argv": ["**"]}, "argv"),
    ({"argv": [1]}, "argv"),
    ({"argv": ["a"], "not": "b"}, "not"),
    ({"argv": ["a"], "decision": "allow"}, "neither deny nor ask"),
    ({"argv": ["a"], "regex": "x"}, "unknown key 'regex'"),
    ({"argv": ["a"], "reason": 3}, "texts"),
    ({"path": ""}, "path"),
    ({"path": "a", "ops": ["delete"]}, "ops"),
    ({"path": "a", "ops": []}, "ops"),
    ({"argv": ["a"] * 100}, "argv"),
]


@pytest.mark.parametrize(("entry", "said"), BAD, ids=[str(row[0])[:40] for row in BAD])
def test_a_bad_rule_is_skipped_and_named_and_the_rest_hold(entry, said):
    rules, problems = user_rules.read([{"argv": ["first"]}, entry, {"argv": ["last"]}], "security.rules")
    assert [rule.argv for rule in rules] == [("first",), ("last",)]
    assert len(problems) == 1
    assert said in problems[0] and "rule 2" in problems[0]


def test_what_is_no_list_is_named():
    assert user_rules.read({"argv": []}, "security.rules") == ([], ["security.rules is no list of rules"])
    assert user_rules.read(None, "security.rules") == ([], [])


@pytest.mark.parametrize(
    "command",
    [
        "pal guard allow-once 0badc0de",
        "/home/user/.pal/bin/pal guard allow-once 0badc0de",
        "pal cli guard allow-once 0badc0de",
        "python3 /home/user/.pal/pal.pyz guard allow-once 0badc0de",
        "python3 -I pal.py cli guard allow-once 0badc0de",
    ],
)
def test_an_agent_lifts_no_denial(command):
    verdict = user_rules.match_command((), command.split())
    assert (verdict.decision, verdict.rule) == ("deny", "guard.allow-once")


@pytest.mark.parametrize(
    "command", ["pal guard explain x", "echo guard allow-once", "grep allow-once docs", "pal guard log"]
)
def test_speaking_of_it_is_free(command):
    assert user_rules.match_command((), command.split()) is None


def test_the_file_with_a_projects_rules_is_not_edited_by_an_agent():
    assert user_rules.match_path((), "/home/user/project/.pal-security.json", "write").decision == "deny"
    assert user_rules.match_path((), "/home/user/project/.pal-security.json", "read") is None
    assert user_rules.match_path((), "/home/user/project/pal-security.json", "write") is None


def test_matching_takes_no_longer_than_words_times_pattern():
    rules = rules_of({"argv": ["a", *["**", "x"] * 30, "y"]}, {"argv": ["a", "*x" * 30 + "*y"]})
    assert user_rules.match_command(rules, ["a", *["x"] * 16_000]) is None
    assert least(lambda: user_rules.match_command(rules, ["a", *["x"] * 16_000]), 1) < 1
    assert user_rules.match_command(rules, ["a", "x" * 128_000]) is None
    assert least(lambda: user_rules.match_command(rules, ["a", "x" * 128_000]), 1) < 1
