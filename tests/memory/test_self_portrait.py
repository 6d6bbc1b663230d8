"""The self-model: by a model or by rule, never fed on a failure, every version kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base.asking import Answer, nobody
from pal.memory import failures, ratings, selfmodel
from pal.memory.tools import frames, opinion_book, relationship_notes, self_portrait

DAY = 86_400.0
WHO = {"session": "s1", "agent": "claude"}
GOOD = "## Who I work with\n\nAnna builds shops.\n\n## My one priority now\n\nRun the tests first."


@pytest.fixture
def known(home, now):
    """A home in which something is known of the user."""
    opinion_book.add(home, "Prefers short answers", now - 30 * DAY)
    opinion_book.weigh(home, "prefers", opinion_book.CONFIRMATION, "yes", now)
    opinion_book.add(home, "Might like tea", now)
    frames.crystallise(home, "dev", "principle", "Measure first", 90, now)
    relationship_notes.append(home, [("W", "Builds shops", None), ("B", "Reads diffs first", 0.7)], WHO, now, "UTC")
    rating = ratings.parse("2 - broke the build again")
    failures.park(home, rating, WHO, "", "", "/srv/shop", "", now)
    failures.capture(home, WHO, [], now, lambda path: [], "UTC")
    return home


class Model:
    """Answers with the given texts, one after another; remembers what it was shown."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, system, prompt, **options) -> Answer:
        self.prompts.append(prompt)
        return self.answers.pop(0)


def test_without_a_model_it_is_put_together_by_rule(known, now):
    assert self_portrait.write(known, nobody, now, "UTC") == known.self_model
    assert selfmodel.text(known) == (
        "## Who I work with\n\n- Builds shops\n- Prefers short answers\n- Reads diffs first\n\n"
        "## My one priority now\n\nbroke the build again\n\n"
        "Made of 1 opinion, 1 principle, 1 low rating, 1 behaviour, 1 fact; 30 days to 2026-03-02."
    )


def test_a_model_is_shown_what_is_known_and_its_text_is_kept_with_a_footer(known, now):
    model = Model(Answer(True, GOOD))
    self_portrait.write(known, model, now, "UTC")
    assert selfmodel.text(known).startswith(GOOD + "\n\nMade of 1 opinion")
    for expected in (
        "Prefers short answers",
        "Measure first",
        "broke the build again",
        "Reads diffs first",
        "Builds shops",
    ):
        assert expected in model.prompts[0]
    assert "Might like tea" not in model.prompts[0]


def test_a_model_sees_its_own_earlier_text_without_the_footer(known, now):
    model = Model(Answer(True, GOOD), Answer(True, GOOD))
    self_portrait.write(known, model, now, "UTC")
    self_portrait.write(known, model, now + DAY, "UTC")
    assert model.prompts[1].endswith("Your note so far:\n" + GOOD)


@pytest.mark.parametrize(
    "bad",
    [Answer(False, "half", reason="timed out"), Answer(True, "Sure! Here it is."), Answer(True, GOOD + " word" * 300)],
    ids=["failed", "prose", "endless"],
)
def test_what_a_model_failed_at_is_neither_kept_nor_shown_to_it_again(known, now, bad):
    model = Model(bad, Answer(True, GOOD))
    self_portrait.write(known, model, now, "UTC")
    assert selfmodel.text(known).startswith("## Who I work with\n\n- Builds shops")
    self_portrait.write(known, model, now + DAY, "UTC")
    assert "Your note so far" not in model.prompts[1]


def test_an_earlier_models_text_outlives_two_weeks_without_one(known, now):
    self_portrait.write(known, Model(Answer(True, GOOD)), now, "UTC")
    self_portrait.write(known, nobody, now + 13 * DAY, "UTC")
    assert "Anna builds shops" in selfmodel.text(known)
    self_portrait.write(known, nobody, now + 15 * DAY, "UTC")
    assert "Anna builds shops" not in selfmodel.text(known)


def test_every_version_is_kept_under_its_day(known, now):
    Path(known.self_model).parent.mkdir(parents=True, exist_ok=True)
    Path(known.self_model).write_text("By hand.\n", "utf-8")
    os.utime(known.self_model, (now - 3 * DAY, now - 3 * DAY))
    for number in range(3):
        self_portrait.write(known, Model(Answer(True, GOOD.replace("Anna", f"Anna {number}"))), now + number, "UTC")
    names = [os.path.basename(path) for path in self_portrait.versions(known)]
    assert names == ["2026-03-02.md", "2026-03-02-2.md", "2026-02-27.md"]
    assert Path(self_portrait.versions(known)[-1]).read_text("utf-8") == "By hand.\n"


def test_where_nothing_is_known_nothing_is_written_or_asked(home, now):
    assert self_portrait.write(home, Model(), now) == ""
    assert not self_portrait.due(home, now)
    assert not os.path.exists(home.self_model)


def test_it_is_due_once_a_day(known, now):
    assert self_portrait.due(known, now)
    self_portrait.write(known, nobody, now, "UTC")
    assert not self_portrait.due(known, now + DAY - 60)
    assert self_portrait.due(known, now + DAY)
