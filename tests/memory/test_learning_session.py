"""What a session teaches: its note, its handoff, notes about the user, names; once, and by rule where no model is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pal.base import frontmatter, locks, records, state
from pal.base.asking import Answer, nobody
from pal.base.settings import Settings
from pal.memory import excerpt, handoff, sessions, work
from pal.memory.learning import after_stop, naming, reading, remarks
from pal.memory.tools import relationship_notes

NOW = 1_772_439_300.0
WHO = {"session": "s1", "agent": "claude"}
PLAIN = Settings({"identity": {"principal": {"timezone": "UTC"}}})
CWD = "/srv/site"
TALK = [
    message
    for number in range(4)
    for message in (
        ("user", f"Mend the parser, step {number}. I prefer tabs over spaces. We use Postgres at Acme.", ""),
        ("assistant", f"Step {number}. " + "The parser reads every line once. " * 20, ""),
    )
]
GOOD = {
    "title": "Mending the torn lines of the parser",
    "summary": "We made the parser keep torn lines. All of them are read once.",
    "insights": ["Read the file to its end before cutting it.", "Keep a torn line for the next writer."],
    "handoff": "The error message for an empty file is still missing.",
    "name": "Parser Keeps Torn Lines",
    "notes": [
        {"type": "O", "text": "Prefers tabs over spaces", "confidence": 0.8},
        {"type": "W", "text": "Uses Postgres at Acme", "confidence": 1},
        {"type": "B", "text": "Believes in unicorns", "confidence": 0.9},
    ],
    "entities": [
        {"kind": "company", "name": "Acme", "about": "Where the user works."},
        {"kind": "person", "name": "Jane Invented", "about": "Nobody said so."},
    ],
}


class Model:
    """Stands in for a model: answers in turn, and remembers what it was asked."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    def __call__(self, system, prompt, tier="small", schema=None, timeout=60.0, caller="", session=""):
        self.asked.append((caller, prompt))
        answer = self.answers.pop(0) if self.answers else None
        if answer is None:
            return Answer(False, reason="no model is at hand")
        return Answer(True, answer if isinstance(answer, str) else json.dumps(answer), answer if schema else None)


@pytest.fixture
def lived(home):
    """A session with eight messages behind it, filed as the stop hook files it."""
    sessions.prompt_seen(home, WHO, CWD, "Mend the parser of the site", NOW)
    for turn in range(4):
        sessions.turn_done(home, WHO, "done", NOW, f"p{turn}")
    handoff.snapshot(home, CWD, "Mend the parser", "It reads.", WHO, NOW)
    work.capture(home, WHO, CWD, TALK, "Mend Parser Site", NOW, zone="UTC")
    return home


def payload(home, **more):
    row = {**(sessions.get(home, "s1") or {}), **more}
    return excerpt.handover(row, WHO, CWD, TALK, PLAIN, {}, "p9")


def note(home) -> tuple[dict, str]:
    (path,) = Path(home.session_learning).rglob("*.md")
    return frontmatter.parse(path.read_text("utf-8"))


def test_a_model_gives_the_note_a_title_a_summary_and_insights_and_leaves_the_rest(lived):
    before = note(lived)[1]
    model = Model(GOOD)
    after_stop.run(lived, PLAIN, model, NOW + 60, payload(lived))
    fields, body = note(lived)
    assert fields["title"] == GOOD["title"] and fields["described"] == 8
    assert body.startswith(f"## What Was Done\n\n{GOOD['summary']}\n\n**Request:** Mend the parser, step 3.")
    assert body.rstrip().endswith(
        "## Insights\n\n- Read the file to its end before cutting it.\n- Keep a torn line for the next writer."
    )
    assert before.partition("**Request:**")[2].strip() in body
    assert [caller for caller, _ in model.asked] == ["session"], "one question serves the name as well"


def test_the_note_keeps_what_a_model_said_when_the_next_stop_renews_it(lived):
    after_stop.run(lived, PLAIN, Model(GOOD), NOW + 60, payload(lived))
    work.note_activity(lived, WHO, work.EDITED, "Edit", "/srv/site/parser.py", NOW + 90)
    more = [*TALK, ("user", "And the footer?", ""), ("assistant", "It is there. " * 9, "")]
    assert work.capture(lived, WHO, CWD, more, "Another Name", NOW + 120, zone="UTC")
    fields, body = note(lived)
    assert (fields["title"], fields["described"], fields["messages"]) == (GOOD["title"], 8, 10)
    order = [
        GOOD["summary"],
        "And the footer?",
        "It is there.",
        "## Insights",
        GOOD["insights"][1],
        "- /srv/site/parser",
    ]
    assert [body.index(part) for part in order] == sorted(body.index(part) for part in order)
    again = {**GOOD, "title": "The footer", "insights": [], "summary": "We found the footer."}
    sessions.amend(lived, "s1", {"learned": -20})
    after_stop.run(lived, PLAIN, Model(again), NOW + 180, payload(lived))
    fields, body = note(lived)
    assert fields["title"] == "The footer" and "## Insights" not in body and GOOD["summary"] not in body
    assert "- /srv/site/parser.py" in body and "And the footer?" in body


def test_a_note_that_a_person_has_changed_stays_as_they_left_it(lived):
    (path,) = Path(lived.session_learning).rglob("*.md")
    path.write_text("my own words\n")
    after_stop.run(lived, PLAIN, Model(GOOD), NOW + 60, payload(lived))
    assert path.read_text() == "my own words\n"


def test_what_remains_is_said_in_the_sessions_own_handoff_only(lived):
    after_stop.run(lived, PLAIN, Model(GOOD), NOW + 60, payload(lived))
    assert handoff.for_folder(lived, CWD, NOW)["handoff"] == GOOD["handoff"]
    handoff.snapshot(lived, CWD, "Mend more", "Yes.", WHO, NOW + 90)
    row = handoff.for_folder(lived, CWD, NOW)
    assert (row["lastUser"], row["handoff"]) == ("Mend more", GOOD["handoff"])
    handoff.note(lived, CWD, "Mine", "Leave this.", WHO, NOW + 100)
    assert handoff.describe(lived, CWD, WHO, "other", NOW + 110) is False
    assert handoff.for_folder(lived, CWD, NOW)["handoff"] == "Leave this."
    handoff.note(lived, CWD, "Mine", "Done.", WHO, NOW + 120, done=True)
    handoff.snapshot(lived, CWD, "New", "Yes.", {"session": "s2", "agent": "claude"}, NOW + 130)
    assert handoff.describe(lived, CWD, WHO, "of another session", NOW + 140) is False


def test_notes_and_names_are_kept_only_where_something_of_them_was_said(lived):
    after_stop.run(lived, PLAIN, Model(GOOD), NOW + 60, payload(lived))
    notes = [(note.kind, note.text, note.confidence) for note in relationship_notes.noted(lived, NOW + 60, "UTC", 1)]
    assert notes == [("O", "Prefers tabs over spaces", 0.8), ("W", "Uses Postgres at Acme", None)]
    (kept,) = records.each(lived.entity_candidates)
    assert (kept["kind"], kept["name"], kept["session"]) == ("company", "Acme", "s1")
    sessions.amend(lived, "s1", {"learned": -20})
    after_stop.run(lived, PLAIN, Model(GOOD), NOW + 90, payload(lived))
    assert len(list(records.each(lived.entity_candidates))) == 1
    assert len(relationship_notes.noted(lived, NOW + 60, "UTC", 1)) == 2


def test_without_a_model_the_rules_still_note_what_the_user_said_of_themselves(lived):
    done = after_stop.run(lived, PLAIN, nobody, NOW + 60, payload(lived))
    assert done == ["session", "reflect"]
    notes = [(note.kind, note.text) for note in relationship_notes.noted(lived, NOW + 60, "UTC", 1)]
    assert notes == [("O", "I prefer tabs over spaces"), ("W", "We use Postgres at Acme")]
    assert "described" not in note(lived)[0]


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON at all",
        {},
        {"title": 3, "summary": None},
        {**GOOD, "title": ""},
        {
            "title": "a",
            "summary": "b",
            "insights": "c",
            "notes": [1, {}],
            "entities": {"a": 1},
            "handoff": 0,
            "name": [],
        },
    ],
)
def test_an_answer_of_any_shape_leaves_whole_files_and_the_session_is_read_once(lived, answer):
    model = Model(answer)
    after_stop.run(lived, PLAIN, model, NOW + 60, payload(lived, upgraded=True))
    again = Model(GOOD)
    after_stop.run(lived, PLAIN, again, NOW + 90, {**payload(lived, learned=None, upgraded=True)})
    assert again.asked == []
    assert note(lived)[1].startswith("## What Was Done\n\n")
    assert sessions.get(lived, "s1")["learned"] == 8


def test_two_stops_at_the_same_moment_make_one_capture(lived):
    handed = payload(lived)
    inside = Model(GOOD)

    def slow(*arguments, **named):
        after_stop.run(lived, PLAIN, inside, NOW + 61, handed)
        return Model(GOOD)(*arguments, **named)

    after_stop.run(lived, PLAIN, slow, NOW + 60, handed)
    assert inside.asked == []
    after_stop.run(lived, PLAIN, inside, NOW + 62, handed)
    assert inside.asked == []


def test_a_session_nobody_knows_and_a_busy_registry_leave_nothing_behind(home, monkeypatch):
    monkeypatch.setattr(locks, "WAIT", 0.01)
    handed = {"session": "gone", "agent": "claude", "parts": ["session", "name"], "messages": [["user", "hello"]]}
    assert after_stop.run(home, PLAIN, Model(GOOD), NOW, handed) == []
    assert after_stop.run(home, PLAIN, Model(GOOD), NOW, {"parts": "nonsense"}) == []
    assert not os.path.exists(home.relationship)


def test_one_question_shows_only_what_was_said_and_marks_what_is_new():
    model = Model(GOOD)
    reading.ask_about(model, [["user", "old"], ["assistant", "older"], ["user", "fresh\nline"]], 1, "s1")
    ((_, prompt),) = model.asked
    assert prompt == "Earlier in the conversation:\nUSER: old\nASSISTANT: older\n\nNew:\nUSER: fresh line"


def test_what_a_model_says_is_scrubbed_and_cut():
    secret = "ghp_" + "8fK2mQ9xLrT4vWbZ7nPcY3hJ6dGsA1eU5oXi"
    found = reading.Reading({**GOOD, "title": f"Token {secret}", "summary": "word " * 900, "notes": []}, "acme")
    assert found.title.startswith("Token [redacted:") and secret not in found.title
    assert len(found.summary) <= 700


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Parser Keeps Torn Lines", "Parser Keeps Torn Lines"),
        ('"parser keeps torn lines."', "Parser Keeps Torn Lines"),
        ("**API Gateway Login Repair**", "API Gateway Login Repair"),
        ("Parser Torn Lines", ""),
        ("A Parser Keeps Torn Lines", ""),
        ("Fix It Now Please", ""),
        ("Sure! Here is a name:\nParser Keeps Torn Lines", ""),
        ("", ""),
        ("Token ghp_" + "a1B2" * 9 + " Rotates Daily", ""),
    ],
)
def test_a_name_is_four_real_words_or_none(said, name):
    assert naming.acceptable(said) == name


def test_a_session_is_renamed_once_and_never_over_a_name_it_got_since(home):
    sessions.prompt_seen(home, WHO, CWD, "Mend the parser of the site", NOW)
    talk = [("user", "Mend the parser"), ("assistant", "Done.")]
    assert naming.upgrade(home, Model("Parser Keeps Torn Lines"), "s1", talk)
    model = Model("Other Words Entirely Here")
    assert not naming.upgrade(home, model, "s1", talk) and model.asked == []
    assert sessions.get(home, "s1")["name"] == "Parser Keeps Torn Lines"
    sessions.prompt_seen(home, {"session": "s2", "agent": "claude"}, CWD, "Look at the footer of the page", NOW)

    def renames_meanwhile(*arguments, **named):
        sessions.amend(home, "s2", {"name": "My Own"})
        return Answer(True, "Other Words Entirely Here")

    assert not naming.upgrade(home, renames_meanwhile, "s2", talk)
    assert (sessions.get(home, "s2")["name"], sessions.get(home, "s2")["upgraded"]) == ("My Own", True)


@pytest.mark.parametrize(
    ("said", "notes"),
    [
        ("I prefer small commits. Then fix the tests!", [("O", "I prefer small commits", 0.7)]),
        ("Always run the linter before you commit.", [("O", "Always run the linter before you commit", 0.7)]),
        ("From now on, answer in Hungarian", [("O", "From now on, answer in Hungarian", 0.7)]),
        ("We use Postgres and Redis", [("W", "We use Postgres and Redis", None)]),
        ("I like it", []),
        ("Never mind", []),
        ("Do I always have to say it? Why would we use that?", []),
        ("```\nalways retry the request forever\n```", []),
        ("> never trust the quoted sentence", []),
        ("this code always fails", []),
    ],
)
def test_rules_note_preferences_and_facts_that_were_said_in_so_many_words(said, notes):
    assert remarks.by_rule([("user", said), ("assistant", "I prefer nothing at all, honestly.")]) == notes


def test_a_note_left_between_its_two_writes_is_still_the_sessions_own(lived, monkeypatch):
    from pal.base import files

    real = files.write

    def dies(path, *arguments, **named):
        raise KeyboardInterrupt if path.endswith(".md") else AssertionError

    monkeypatch.setattr(files, "write", dies)
    with pytest.raises(KeyboardInterrupt):
        work.describe(lived, WHO, "T", "S.", [], 8, NOW)
    monkeypatch.setattr(files, "write", real)
    assert state.read(lived, lived.learnings_map)["s1"]["next"]
    assert work.describe(lived, WHO, "T", "S.", [], 8, NOW)
    assert note(lived)[0]["title"] == "T"
