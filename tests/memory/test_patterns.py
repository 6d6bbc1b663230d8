"""What recurs, and which of it is a principle: sessions are counted, complaints and questions do not graduate."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.base import frontmatter, text
from pal.memory.tools import patterns

RUN = ["Always run the tests before reporting", "Run all tests before you report", "run the tests before reporting it"]


def failure(home, session: str, context: str, principle: str = "", day: str = "2026-03-01") -> None:
    path = Path(home.failures, day[:7], f"{day}_{session}-{text.slug(context)}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = {"rating": 2, "context": context, "session": session, **({"principle": principle} if principle else {})}
    path.write_text(frontmatter.render(fields, "## What Happened\n\nx"), "utf-8")


def learning(home, session: str, *insights: str) -> None:
    path = Path(home.session_learning, "2026-02", f"2026-02-20_{session}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    body = (
        "## What Was Done\n\nx\n\n## Insights\n\n" + "".join(f"- {said}\n" for said in insights) + "\n## Files\n\n- y\n"
    )
    path.write_text(frontmatter.render({"title": "t", "session": session}, body), "utf-8")


def found(home, now) -> list[tuple[str, int, bool]]:
    return [(each.principle, each.occurrences, each.ready) for each in patterns.find(home, now, "UTC")]


def test_three_sessions_make_a_candidate_two_are_emerging_and_one_is_nothing(home, now):
    failure(home, "a", RUN[0])
    assert found(home, now) == []
    learning(home, "b", RUN[2], "Colours of the page matter to nobody here")
    (emerging,) = patterns.find(home, now, "UTC")
    assert (emerging.is_candidate, emerging.facts()["kind"], emerging.confidence) == (False, "emerging", 0)
    failure(home, "c", RUN[1], "Run the tests before reporting")
    (candidate,) = patterns.find(home, now, "UTC")
    assert (candidate.is_candidate, candidate.confidence, candidate.domain) == (True, 60, "development")
    assert candidate.principle == "Run the tests before reporting"
    assert candidate.ready
    assert len(candidate.sources) == 3


def test_one_bad_session_is_no_pattern(home, now):
    for said in RUN:
        failure(home, "a", said)
    assert found(home, now) == []


@pytest.mark.parametrize(("sessions", "confidence"), [(3, 60), (5, 80), (6, 90), (9, 95)])
def test_it_grows_surer_with_every_session_up_to_95(home, now, sessions, confidence):
    for number in range(sessions):
        failure(home, f"s{number}", RUN[0])
    (pattern,) = patterns.find(home, now, "UTC")
    assert pattern.confidence == confidence


@pytest.mark.parametrize(
    "said",
    [
        "why did you break the login page again?",
        "you broke the login page again!",
        "this login page is broken again",
        "I told you the login page breaks",
        "No! The login page broke",
    ],
)
def test_frustration_is_shown_and_never_graduates(home, now, said):
    for session in "abcd":
        failure(home, session, said)
    assert [(count, ready) for _, count, ready in found(home, now)] == [(4, False)]


@pytest.mark.parametrize("said", ["Ask twice?", "Do it right", "Use it always when you do this"])
def test_what_says_too_little_cannot_be_acted_on(said):
    assert not (patterns.is_actionable(said) and patterns.is_advice(said))


def test_only_the_days_asked_for_are_looked_at(home, now):
    for number, day in enumerate(("2025-10-01", "2025-10-02", "2026-03-01")):
        failure(home, f"s{number}", RUN[0], day=day)
    assert found(home, now) == []
    assert len(patterns.find(home, now, "UTC", days=365)) == 1


def test_reading_changes_nothing(home, now):
    for session in "abc":
        failure(home, session, RUN[0])
    before = {path: path.stat().st_mtime_ns for path in Path(home.root).rglob("*")}
    patterns.find(home, now, "UTC")
    assert {path: path.stat().st_mtime_ns for path in Path(home.root).rglob("*")} == before
