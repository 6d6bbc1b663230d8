"""Which self-checks a prompt's topic calls for, shipped and the user's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pal.base.settings import Settings
from pal.context import steering

NONE = Settings({})


def tags(prompt: str, settings: Settings = NONE) -> list[str]:
    return [tag for tag, _ in steering.match(prompt, settings)]


def with_rules(*rules, disable=()) -> Settings:
    return Settings({"steering": {"rules": list(rules), "disable": list(disable)}})


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("there is a bug in the parser", ["debugging"]),
        ("It CRASHES at start", ["debugging"]),
        ("why doesn't it, it doesn't work", ["debugging"]),
        ("why doesn\u2019t work this", ["debugging"]),
        ("here is the stack trace", ["debugging"]),
        ("a debugger for regressions", ["debugging"]),
        ("rm -rf build", ["destructive"]),
        ("git reset --hard please", ["destructive"]),
        ("force-push it", ["destructive", "committing"]),
        ("delete the branch", ["destructive"]),
        ("refactoring time", ["refactor"]),
        ("simplify this", ["refactor"]),
        ("clean-up of dead code", ["refactor"]),
        ("make a plan", ["planning"]),
        ("add tests", ["testing"]),
        ("commit it", ["committing"]),
        ("open a pull request", ["committing"]),
        ("where is the API key?", ["secrets"]),
        ("load the credentials", ["secrets"]),
        ("the tests fail, commit nothing", ["debugging", "testing", "committing"]),
        ("add a debounce to the bugle player", []),
        ("the latest contest of planets", []),
        ("what is the capital of France", []),
        ("implant", []),
        ("", []),
    ],
)
def test_topics_are_found_by_whole_words_phrases_and_beginnings(prompt: str, expected: list[str]) -> None:
    assert tags(prompt) == expected


def test_every_shipped_check_is_one_question_and_advice() -> None:
    assert [topic.tag for topic in steering.TOPICS] == [
        "debugging",
        "destructive",
        "refactor",
        "planning",
        "testing",
        "committing",
        "secrets",
    ]
    for topic in steering.TOPICS:
        assert "? If " in topic.question
        assert len(topic.question) < 200


def test_all_seven_at_once_stay_within_the_budget() -> None:
    prompt = "bug delete refactor plan test commit secret"
    said = steering.match(prompt, NONE)
    assert sum(len(question.encode()) for _, question in said) <= steering.BUDGET
    assert len(said) == 7


def test_the_first_check_that_does_not_fit_ends_the_list() -> None:
    settings = with_rules(
        {"tag": "long", "pattern": "x", "snippet": "l" * 990},
        {"tag": "short", "pattern": "x", "snippet": "s"},
        {"tag": "longer", "pattern": "x", "snippet": "l" * 990},
    )
    assert tags("x", settings) == ["long", "short"]
    assert tags("a bug, x", settings) == ["debugging"]


def test_a_users_rule_comes_after_the_shipped_ones() -> None:
    settings = with_rules({"tag": "sql", "pattern": r"\bselect\b.+\bfrom\b", "snippet": "Is there\nan index?"})
    assert steering.match("fix the bug in SELECT a FROM b", settings)[1:] == [("sql", "Is there an index?")]
    assert tags("selected", settings) == []


def test_a_disabled_topic_is_silent_shipped_or_not() -> None:
    rule = {"tag": "mine", "pattern": "bug", "snippet": "Mine?"}
    assert tags("a bug to delete", with_rules(rule, disable=["debugging", "mine"])) == ["destructive"]


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ({"tag": "t", "pattern": "(", "snippet": "s"}, "cannot be read"),
        ({"tag": "t", "pattern": "x"}, "needs a snippet"),
        ({"pattern": "x", "snippet": "s"}, "needs a tag and a pattern"),
        ({"tag": "t", "pattern": 3, "snippet": "s"}, "needs a tag and a pattern"),
        ("text", "is not an object"),
    ],
)
def test_a_malformed_rule_is_left_out_and_named(rule, complaint: str) -> None:
    good = {"tag": "good", "pattern": "word", "snippet": "Good?"}
    settings = with_rules(rule, good)
    assert tags("a word", settings) == ["good"]
    (problem,) = steering.problems(settings)
    assert complaint in problem
    assert "rule 1" in problem
    assert steering.problems(with_rules(good)) == []


@pytest.mark.parametrize("values", [{"steering": 3}, {"steering": {"rules": "x", "disable": "debugging"}}])
def test_settings_of_the_wrong_shape_change_nothing(values: dict) -> None:
    assert tags("a bug", Settings(values)) == ["debugging"]


def test_without_rules_of_ones_own_the_regular_expression_engine_is_not_loaded() -> None:
    source = str(Path(__file__).resolve().parents[2] / "src")
    code = (
        f"import sys; sys.path.insert(0, {source!r})\n"
        "from pal.context import steering; from pal.base.settings import Settings\n"
        "assert steering.match('a bug', Settings({}))\n"
        "print('re' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
