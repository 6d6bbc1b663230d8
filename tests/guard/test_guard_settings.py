"""What the user configured for the guard: groups, own rules, lifted rules, skills; a project adds and never lifts."""

from __future__ import annotations

import json

import pytest

from pal.base.settings import Settings
from pal.guard import settings as guard_settings
from pal.guard.model import Row


def load(values: object, *folders: str) -> guard_settings.Guard:
    return guard_settings.load(
        Settings({"security": values} if values is not None else {}), "/p", folders, False, False
    )


def test_nothing_configured_is_the_guard_as_shipped():
    guard = load(None)
    assert (guard.policy.groups, guard.policy.user_rules, guard.problems) == ({}, (), [])
    assert guard.skills == ("keybindings-help",)


def test_a_group_answers_as_the_user_says():
    guard = load({"groups": {"git": "allow", "publish": "deny"}})
    assert guard.policy.decision(Row("x", "git", "", "")) == "allow"
    assert guard.policy.decision(Row("x", "publish", "", "")) == "deny"
    assert guard.policy.decision(Row("x", "disk", "", "")) == "deny"
    assert guard.problems == []


def test_the_user_lifts_a_rule_by_its_name():
    guard = load({"allow": ["some-rule"]})
    assert guard.policy.decision(Row("some-rule", "disk", "", "")) == "allow"


def test_the_list_of_blocked_skills_is_the_users():
    assert load({"skills": {"block": []}}).skills == ()
    assert load({"skills": {"block": ["a", "b"]}}).skills == ("a", "b")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "security is no object"),
        ({"groups": ["git"]}, "security.groups is no object"),
        ({"groups": {"gti": "deny"}}, "there is no group 'gti'"),
        ({"groups": {"git": "never"}}, "none of allow, ask, deny"),
        ({"rules": {}}, "security.rules is no list"),
        ({"rules": [{"argv": ["x"]}, {"argv": []}]}, "rule 2 is skipped"),
        ({"allow": "all"}, "security.allow is no list"),
        ({"skills": []}, "security.skills is no object"),
        ({"skills": {"block": [1]}}, "security.skills.block is no list"),
    ],
)
def test_what_is_wrong_is_skipped_and_named_and_the_rest_holds(values, said):
    guard = load(values)
    assert any(said in problem for problem in guard.problems), guard.problems
    assert len(guard.problems) == 1
    good = load({**values, "allow": ["x"]}) if isinstance(values, dict) and "allow" not in values else None
    assert good is None or good.policy.lifted == {"x"}


def test_a_project_adds_denials_from_its_folder_and_those_above(tmp_path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / ".pal-security.json").write_text(json.dumps({"rules": [{"argv": ["make", "release"]}]}))
    (deep / ".pal-security.json").write_text(json.dumps({"rules": [{"path": "golden/**", "ops": ["write"]}]}))
    guard = load({"rules": [{"argv": ["mine"]}]}, str(deep))
    assert len(guard.policy.user_rules) == 3
    assert guard.problems == []
    assert len(load(None, str(tmp_path)).policy.user_rules) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "no JSON object"),
        ('{"groups": {"disk": "allow"}}', "'groups' is skipped"),
        ('{"allow": ["some-rule"], "rules": []}', "'allow' is skipped"),
        ('{"rules": [{"argv": ["a"], "decision": "allow"}]}', "rule 1 is skipped"),
    ],
)
def test_a_project_lifts_nothing(tmp_path, text, said):
    (tmp_path / ".pal-security.json").write_text(text)
    guard = load(None, str(tmp_path))
    assert (guard.policy.groups, guard.policy.lifted, guard.policy.user_rules) == ({}, frozenset(), ())
    assert len(guard.problems) == 1
    assert said in guard.problems[0]
