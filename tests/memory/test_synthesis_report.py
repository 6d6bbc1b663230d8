"""The report over a week or a month: its numbers are counted, a model's words are optional, a person's edit stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base.asking import Answer, nobody
from pal.base.errors import PalError
from pal.memory import failures, projects, ratings, sessions, synthesis
from pal.memory.tools import algorithm, frames, opinion_book, relationship_notes, synthesis_report

DAY = 86_400.0


def who(session: str) -> dict[str, str]:
    return {"session": session, "agent": "claude"}


@pytest.fixture
def week(home, now):
    """A home with a week's work in it."""
    for number, (back, prompt) in enumerate(
        ((9, "ancient history lesson plan"), (5, "rename gallery component"), (1, "repair checkout button"))
    ):
        at = now - back * DAY
        sessions.prompt_seen(home, who(f"s{number}"), "/srv/shop", prompt, at)
        projects.touch(home, "/srv/shop", who(f"s{number}"), prompt, "", at)
        for said in ("9/10, lovely", "2 - broke the build"):
            rating = ratings.parse(said)
            ratings.record(home, rating, who(f"s{number}"), None, "/srv/shop", at)
            failures.park(home, rating, who(f"s{number}"), "", said, "/srv/shop", "", at)
        failures.capture(home, who(f"s{number}"), [], at, lambda path: [], "UTC")
    relationship_notes.append(home, [("W", "Ships on Friday", None), ("O", "Likes tabs", 0.8)], who("s1"), now, "UTC")
    opinion_book.add(home, "Uses Postgres", now - 20 * DAY, "UTC", source="seen")
    opinion_book.weigh(home, "uses-postgres", opinion_book.CONFIRMATION, "yes", now - DAY, "UTC")
    frames.crystallise(home, "dev", "principle", "Measure first", 90, now - 2 * DAY, "UTC")
    algorithm.reflect(home, "Search page", 8, 7, 1, 8, {"q1": "Measure"}, "/srv/shop", who("s1"), now)
    return home


EXPECTED = """# Weekly synthesis, 2026-02-24 to 2026-03-02

## In numbers

- 2 sessions on 2 days
- 4 ratings: 5.5 on average, 2 low, stable
- 0 learnings, 2 failures
- noted: 1 fact, 1 opinion, 0 patterns
- 1 task looked back on: 7 of 8 criteria passed

## Sessions

- 2026-02-25: Rename Gallery Component
- 2026-03-01: Repair Checkout Button

## Projects

- shop: 2 sessions

## What led to low ratings

- 2026-02-25, 2/10: broke the build
- 2026-03-01, 2/10: broke the build

## Opinions that moved

- from 50% to 60%: Uses Postgres

## Principles noted

- dev: crystallised a principle at 90%: Measure first
"""


def body(path: str) -> str:
    return Path(path).read_text("utf-8").partition("---\n\n")[2]


def test_a_week_is_reported_in_counted_facts(week, now):
    path = synthesis_report.write(week, "weekly", nobody, now, "UTC")
    assert path == os.path.join(week.synthesis, "2026-03", "2026-03-02_weekly.md")
    assert body(path) == EXPECTED
    assert synthesis.latest(week).startswith("# Weekly synthesis")


def test_the_same_files_give_the_same_report(week, now):
    path = synthesis_report.write(week, "weekly", nobody, now, "UTC")
    before = Path(path).read_bytes()
    assert synthesis_report.write(week, "weekly", nobody, now + 60, "UTC") == path
    assert Path(path).read_bytes() == before


def test_a_report_of_today_is_renewed_and_one_that_was_edited_is_not(week, now):
    path = synthesis_report.write(week, "weekly", nobody, now, "UTC")
    sessions.prompt_seen(week, who("s9"), "/srv/shop", "write release notes", now)
    assert synthesis_report.write(week, "weekly", nobody, now, "UTC") == path
    assert "Write Release Notes" in body(path)
    Path(path).write_text(Path(path).read_text("utf-8") + "\nMy own remark.\n", "utf-8")
    edited = Path(path).read_bytes()
    other = synthesis_report.write(week, "weekly", nobody, now, "UTC")
    assert other.endswith("2026-03-02_weekly-2.md")
    assert Path(path).read_bytes() == edited
    assert synthesis_report.write(week, "weekly", nobody, now, "UTC") == other


def test_a_model_adds_a_paragraph_and_is_never_shown_an_older_one(week, now):
    asked = []

    def ask(system, prompt, **options):
        asked.append((prompt, options))
        return Answer(True, "It was  a week\nof buttons. sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789")

    path = synthesis_report.write(week, "weekly", ask, now, "UTC")
    synthesis_report.write(week, "weekly", ask, now, "UTC")
    assert "2026-03-02\n\nIt was a week of buttons. [redacted:anthropic-key]\n\n## In numbers" in body(path)
    assert len(asked) == 2
    assert not any("week of buttons" in prompt for prompt, _ in asked)
    assert asked[0][1]["caller"] == "synthesis"


@pytest.mark.parametrize(
    "answer", [Answer(False, reason="timed out"), Answer(False, text="half a sent"), Answer(True, " ")]
)
def test_a_model_that_fails_leaves_the_numbers(week, now, answer):
    path = synthesis_report.write(week, "weekly", lambda *args, **options: answer, now, "UTC")
    assert body(path).startswith("# Weekly synthesis, 2026-02-24 to 2026-03-02\n\n## In numbers\n")
    assert "half a sent" not in body(path)


def test_nobody_is_asked_about_an_empty_week(home, now):
    def ask(*args, **options):
        raise AssertionError("nothing to say")

    path = synthesis_report.write(home, "weekly", ask, now, "UTC")
    assert "- 0 sessions on 0 days\n- no ratings\n" in body(path)


def test_a_month_looks_thirty_days_back(week, now):
    path = synthesis_report.write(week, "monthly", nobody, now, "UTC")
    assert path.endswith("2026-03-02_monthly.md")
    assert "- 3 sessions on 3 days\n" in body(path)


def test_it_is_due_when_the_last_one_is_a_period_old_and_there_was_work_since(home, week, now):
    assert synthesis_report.due(home, "weekly", now, "UTC")
    synthesis_report.write(home, "weekly", nobody, now, "UTC")
    assert not synthesis_report.due(home, "weekly", now + 6 * DAY, "UTC")
    assert not synthesis_report.due(home, "weekly", now + 14 * DAY, "UTC")
    sessions.prompt_seen(home, who("s9"), "/srv/shop", "write release notes", now + 7 * DAY)
    assert synthesis_report.due(home, "weekly", now + 7 * DAY, "UTC")


def test_the_first_report_waits_until_there_is_a_period_to_report_on(home, now):
    sessions.prompt_seen(home, who("s1"), "/srv/shop", "write release notes", now)
    for later, is_due in ((0, False), (5 * DAY, False), (6 * DAY, True)):
        assert synthesis_report.due(home, "weekly", now + later, "UTC") is is_due
    assert not synthesis_report.due(home, "monthly", now + 6 * DAY, "UTC")


def test_another_period_is_refused(home, now):
    with pytest.raises(PalError, match="weekly or monthly"):
        synthesis_report.write(home, "yearly", nobody, now)
