"""What ratings teach: a principle for a low one, a rating where words were not sure, a principle for what recurs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pal.base import clock, frontmatter, state
from pal.base.asking import Answer, nobody
from pal.base.settings import Settings
from pal.memory import exchange, failures, interaction_baseline, ratings, sessions, upkeep, wisdom
from pal.memory.learning import feeling, graduation, principles, rounds
from pal.memory.tools import frames

NOW = 1_772_439_300.0
DAY = 86_400.0
WHO = {"session": "s1", "agent": "claude"}
PLAIN = Settings({"identity": {"principal": {"timezone": "UTC"}}})
FELT = {
    "rating": 2,
    "confidence": 0.9,
    "summary": "wrong file",
    "detailed_context": "The wrong file was changed although the path was named.",
    "principle": "Read the path the user names before changing any file.",
}
SAID, REPLY = "that is annoying, the wrong file again", "I changed b.py."


class Model:
    """Stands in for a model: gives the same data each time, and counts the questions."""

    def __init__(self, data: object, ok: bool = True) -> None:
        self.data = data
        self.ok = ok
        self.prompts: list[str] = []

    def __call__(self, system, prompt, tier="small", schema=None, timeout=60.0, caller="", session=""):
        self.prompts.append(prompt)
        return Answer(self.ok, json.dumps(self.data), self.data if self.ok else None, "" if self.ok else "it failed")


def failed(home, said: str, now: float = NOW, session: str = "s1", principle: str = "") -> Path:
    """A filed failure."""
    who = {"session": session, "agent": "claude"}
    rating = ratings.Rating(2, said, "explicit")
    failures.park(home, rating, who, "I did something.", said, "/srv", "", now, f"e{now}", principle)
    (path,) = failures.capture(home, who, [("user", "mend a", ""), ("assistant", "mended b", "")], now, lambda _: ())
    return Path(path)


def judged(home, model, said=SAID) -> int:
    return feeling.judge(home, model, WHO, said, REPLY, "/srv", "p1", NOW)


@pytest.fixture
def known(home):
    sessions.prompt_seen(home, WHO, "/srv", "Mend the parser of the site", NOW)
    return home


def test_a_clear_feeling_becomes_an_implicit_rating_and_a_low_one_a_failure_with_its_principle(known):
    model = Model(FELT)
    assert judged(known, model) == 2
    (row,) = ratings.recent(known, 5)
    assert (row["rating"], row["source"], row["context"], row["event"]) == (2, "implicit", SAID, "p1")
    (path,) = failures.capture(known, WHO, [], NOW + 9, lambda _: ())
    fields, body = frontmatter.parse(Path(path).read_text("utf-8"))
    assert fields["principle"] == FELT["principle"] and FELT["detailed_context"] in body
    assert judged(known, model) == 0 and len(model.prompts) == 1, "the same words are judged once"


@pytest.mark.parametrize(
    "answer",
    [
        {**FELT, "rating": 0},
        {**FELT, "rating": 5},
        {**FELT, "rating": True},
        {**FELT, "rating": "9"},
        {**FELT, "confidence": 0.4},
        {**FELT, "confidence": None},
        {},
        [],
    ],
)
def test_what_is_not_clear_enough_is_no_rating(known, answer):
    assert judged(known, Model(answer)) == 0
    assert ratings.recent(known, 5) == [] and not Path(known.pending_failure).exists()


def test_the_rules_come_first_and_a_model_that_fails_changes_nothing(known):
    model = Model(FELT)
    assert judged(known, model, "perfect, thanks") == 0 and model.prompts == []
    assert judged(known, Model(FELT, ok=False)) == 0
    assert ratings.recent(known, 5) == []


def test_an_event_that_was_rated_already_is_not_rated_again(known):
    ratings.record(known, ratings.Rating(9, "9", "explicit"), WHO, REPLY, "/srv", NOW, "p1")
    assert judged(known, Model(FELT)) == 0
    assert [row["rating"] for row in ratings.recent(known, 5)] == [9]


def test_a_failure_gets_the_principle_a_model_draws_and_keeps_every_word_it_had(home):
    path = failed(home, "you forgot the header and nobody asked for a footer")
    before = path.read_text("utf-8")
    data = {
        "principle": "Check every part the user listed before reporting it done.",
        "detailed_context": "A part was left out.",
    }
    model = Model(data)
    assert principles.run(home, model, NOW + 60) == [str(path)]
    fields, body = frontmatter.parse(path.read_text("utf-8"))
    assert fields["principle"] == data["principle"] and fields["rating"] == 2
    assert body.startswith("## What Happened\n\nA part was left out.\n")
    for line in before.splitlines():
        assert line in path.read_text("utf-8").splitlines()
    assert "mended b" in model.prompts[0]
    assert principles.run(home, model, NOW + 90) == [] and len(model.prompts) == 1


def test_what_the_user_put_as_advice_is_the_principle_and_costs_no_question(home):
    path = failed(home, "Read the whole file before changing anything in the parser")
    assert principles.run(home, nobody, NOW + 60) == [str(path)]
    assert frontmatter.parse(path.read_text("utf-8"))[0]["principle"].startswith("Read the whole file")


def test_a_failure_nobody_can_explain_is_asked_about_twice_and_an_old_one_never(home):
    model = Model({"principle": "Hm.", "detailed_context": ""})
    path = failed(home, "no, no, no")
    for _ in range(4):
        assert principles.run(home, model, NOW + 60) == []
    assert len(model.prompts) == 2
    assert "principle" not in frontmatter.parse(path.read_text("utf-8"))[0]
    fresh = Model({"principle": "Never ask again about what is long past by now.", "detailed_context": ""})
    assert principles.run(home, fresh, NOW + 2 * DAY) == [] and fresh.prompts == []


@pytest.mark.parametrize("content", ["", "no header\n", "---\nrating: 2\n", '---\nprinciple: "mine"\n---\n\nbody\n'])
def test_a_file_a_person_has_made_their_own_is_left_alone(tmp_path, content):
    path = tmp_path / "a.md"
    path.write_text(content)
    assert principles.add(str(path), "Do this and that.", "It broke.") is False
    assert path.read_text() == content


ADVICE = (
    "Read the whole file before changing its parser",
    "Read the whole parser file before changing it",
    "Always read the whole parser file before changing it",
)
RAGE = (
    "you changed the wrong parser file again",
    "again the wrong parser file was changed by you",
    "the wrong parser file, changed again!",
)


def test_what_three_sessions_teach_in_the_words_of_advice_graduates_once(home):
    for number, said in enumerate(ADVICE):
        failed(home, said, NOW + number, f"s{number}", principle=said)
    (row,) = graduation.run(home, NOW + 60, "UTC")
    assert row["occurrences"] == 3 and row["principle"].lower().startswith(("read", "always"))
    ((domain, principle, sure),) = wisdom.crystals(home)
    assert (domain.lower(), principle, sure) == (row["domain"], row["principle"], 85)
    assert graduation.run(home, NOW + 2 * DAY, "UTC") == []
    Path(home.graduated).unlink()
    assert graduation.run(home, NOW + 4 * DAY, "UTC") == [], "the frame says it already"
    assert len(wisdom.crystals(home)) == 1


def test_a_log_of_frustration_is_no_principle_and_waits_for_the_user(home):
    for number, said in enumerate(RAGE):
        failed(home, said, NOW + number, f"s{number}")
    assert graduation.run(home, NOW + 60, "UTC") == []
    assert wisdom.crystals(home) == [] and frames.names(home) == []
    (waiting,) = graduation.candidates(home)
    assert waiting["occurrences"] == 3 and waiting["ready"] is False


@pytest.mark.parametrize("said", [ADVICE[:2], ADVICE[:1] * 3], ids=["two sessions", "one session three times"])
def test_less_than_three_sessions_teach_nothing_yet(home, said):
    for number, each in enumerate(said):
        failed(home, each, NOW + number, f"s{number}" if len(set(said)) > 1 else "s1", principle=each)
    assert graduation.run(home, NOW + 60, "UTC") == []
    assert graduation.candidates(home) == []


def test_graduation_runs_once_a_day(home):
    graduation.run(home, NOW, "UTC")
    for number, said in enumerate(ADVICE):
        failed(home, said, NOW + number, f"s{number}", principle=said)
    assert graduation.run(home, NOW + 3600, "UTC") == []
    assert len(graduation.run(home, NOW + DAY, "UTC")) == 1


def test_the_daily_round_does_what_is_due_and_one_part_that_fails_stops_no_other(home, monkeypatch):
    for number, said in enumerate(ADVICE):
        failed(home, said, NOW + number, f"s{number}", principle=said)
    for moment in (NOW - 8 * DAY, NOW):
        who = {"session": f"s{moment}", "agent": "claude"}
        sessions.prompt_seen(home, who, "/srv", "Mend the parser of the site", moment)

    def breaks(*_):
        raise OSError("a disk is full")

    monkeypatch.setattr(rounds.self_portrait, "due", breaks)
    done = rounds.daily(home, PLAIN, nobody, NOW + 60)
    assert "graduate" in done and "self-model" not in done and "weekly" in done
    assert "a disk is full" in Path(home.log).read_text("utf-8")
    assert rounds.daily(home, PLAIN, nobody, NOW + 120) == []


def test_every_round_can_be_switched_off(home):
    for number, said in enumerate(ADVICE):
        failed(home, said, NOW + number, f"s{number}", principle=said)
    sessions.prompt_seen(home, WHO, "/srv", "Mend the parser of the site", NOW)
    off = dict.fromkeys(("reflect", "autoGraduate", "selfModel", "synthesis"), False)
    assert rounds.daily(home, Settings({"learning": off}), nobody, NOW + 60) == []


def test_upkeep_goes_on_where_the_backup_cannot_be_written(home, monkeypatch):
    from pal.base.errors import PalError

    Path(home.backups).write_text("a file in its place")
    with pytest.raises(PalError):
        upkeep.daily(home, PLAIN, nobody, NOW)
    assert state.read(home, home.counts)["failures"] == 0
    assert Path(home.interaction_baseline).is_file()


def test_the_reply_of_another_session_is_never_judged(known):
    exchange.remember_reply(known, {"session": "s2", "agent": "claude"}, "not mine", NOW)
    assert feeling.judge(known, Model(FELT), {"session": "s3", "agent": ""}, SAID, REPLY, "/", "", NOW) == 0


def test_what_is_usual_is_counted_over_two_months_and_needs_twenty_turns(home):
    assert interaction_baseline.read(home) == (30.0, 120.0)
    folder = Path(home.interaction)
    folder.mkdir(parents=True)
    rows = [{"words": 10 + number, "gapSec": 40, "afterBreak": number == 0} for number in range(21)]
    (folder / f"{clock.iso(NOW)[:7]}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:10]))
    (folder / f"{clock.iso(NOW - 31 * DAY)[:7]}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[10:]))
    assert interaction_baseline.refresh(home, NOW)["turns"] == 21
    assert interaction_baseline.read(home) == (20.0, 40.0)
