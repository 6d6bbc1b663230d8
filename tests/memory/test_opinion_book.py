"""How sure PAL is of an opinion: what moves it and by how much, what counts once, what can be taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pal.base import records
from pal.base.errors import PalError
from pal.memory import opinions
from pal.memory.tools import opinion_book
from pal.memory.tools.opinion_book import CONFIRMATION, CONTRADICTION, COUNTER, SUPPORTING


def sure(home) -> float:
    (row,) = opinion_book.load(home)
    return row["confidence"]


def test_an_opinion_begins_at_half_and_is_filed_as_people_read_it(home, now):
    row, is_new = opinion_book.add(home, "  Prefers small\ncommits ", now, "UTC", source="said on Monday")
    assert is_new
    assert row == {
        "id": "prefers-small-commits",
        "statement": "Prefers small commits",
        "confidence": 0.5,
        "category": "workflow",
        "evidence": [{"date": "2026-03-02", "type": "noted", "source": "said on Monday"}],
        "created": "2026-03-02T08:15:00Z",
        "updated": "2026-03-02T08:15:00Z",
    }
    assert json.loads(Path(home.opinions).read_text("utf-8")) == {"lastReflect": None, "opinions": [row]}


def test_the_same_statement_is_one_opinion_and_another_one_gets_an_id_of_its_own(home, now):
    opinion_book.add(home, "Prefers small commits in every single repository", now)
    assert not opinion_book.add(home, "prefers small  commits in every single repository", now)[1]
    row, is_new = opinion_book.add(home, "Prefers small commits in every single branch", now)
    assert (is_new, row["id"]) == (True, "prefers-small-commits-in-every-single-2")


@pytest.mark.parametrize(
    ("kind", "after"),
    [(SUPPORTING, 0.52), (COUNTER, 0.45), (CONFIRMATION, 0.60), (CONTRADICTION, 0.30)],
)
def test_each_kind_of_evidence_moves_it_by_its_step(home, now, kind, after):
    opinion_book.add(home, "Likes tabs", now)
    assert opinion_book.weigh(home, "likes-tabs", kind, "because", now)[0]["confidence"] == after
    assert sure(home) == after


@pytest.mark.parametrize(("kind", "bound"), [(CONFIRMATION, 0.99), (CONTRADICTION, 0.01)])
def test_nothing_is_ever_certain(home, now, kind, bound):
    opinion_book.add(home, "Likes tabs", now)
    for _ in range(8):
        opinion_book.weigh(home, "likes-tabs", kind, "", now)
    assert sure(home) == bound


def test_evidence_with_a_source_counts_once_a_day(home, now):
    opinion_book.add(home, "Likes tabs", now, "UTC")
    assert opinion_book.weigh(home, "likes-tabs", SUPPORTING, "used tabs", now, "UTC")[1]
    assert not opinion_book.weigh(home, "likes-tabs", SUPPORTING, "used tabs", now + 60, "UTC")[1]
    assert opinion_book.weigh(home, "likes-tabs", SUPPORTING, "used tabs", now + 86_400, "UTC")[1]
    assert sure(home) == 0.54


def test_four_confirmations_bring_an_opinion_into_every_session(home, now):
    opinion_book.add(home, "Likes tabs", now)
    for number in range(4):
        assert opinions.confident(home, 0.85) == []
        opinion_book.weigh(home, "likes-tabs", CONFIRMATION, f"yes {number}", now)
    assert opinions.confident(home, 0.85) == [("technical", "Likes tabs", 0.9)]


def test_the_last_step_can_be_taken_back_even_from_the_bound(home, now):
    opinion_book.add(home, "Likes tabs", now)
    for _ in range(6):
        opinion_book.weigh(home, "likes-tabs", CONFIRMATION, "", now)
    opinion_book.weigh(home, "likes-tabs", CONTRADICTION, "", now)
    undo = lambda book: book.undo(book.rows[0])  # noqa: E731
    opinion_book.edit(home, undo, now)
    assert sure(home) == 0.99
    opinion_book.edit(home, undo, now)
    opinion_book.edit(home, undo, now)
    assert sure(home) == 0.9
    for _ in range(4):
        opinion_book.edit(home, undo, now)
    with pytest.raises(PalError, match="Nothing has moved"):
        opinion_book.edit(home, undo, now)


def test_what_is_forgotten_is_kept_in_the_archive(home, now):
    opinion_book.add(home, "Likes tabs", now)
    opinion_book.edit(home, lambda book: book.remove(book.rows[0]), now)
    assert opinion_book.load(home) == []
    (row,) = records.each(f"{home.archive_rows}/opinions-2026-03.jsonl")
    assert row["row"]["statement"] == "Likes tabs"


def test_old_evidence_makes_room_in_the_archive(home, now):
    opinion_book.add(home, "Likes tabs", now)
    for number in range(70):
        opinion_book.weigh(home, "likes-tabs", SUPPORTING, f"piece {number}", now)
    (row,) = opinion_book.load(home)
    assert len(row["evidence"]) == 60
    kept = [piece["source"] for piece in records.each(f"{home.archive_rows}/opinions-2026-03.jsonl")]
    assert kept == [f"piece {number}" for number in range(10)]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [("prefers", "2 opinions begin"), ("x", "no opinion"), ("", "no opinion"), ("tabs", "no opinion")],
)
def test_an_opinion_is_named_by_an_id_that_means_one(home, now, wanted, said):
    opinion_book.add(home, "Prefers tabs", now)
    opinion_book.add(home, "Prefers short answers", now)
    with pytest.raises(PalError, match=said):
        opinion_book.weigh(home, wanted, CONFIRMATION, "", now)
    assert opinion_book.weigh(home, "prefers-s", CONFIRMATION, "", now)[0]["statement"] == "Prefers short answers"
    assert opinion_book.weigh(home, "prefers TABS", CONFIRMATION, "", now)[0]["id"] == "prefers-tabs"


@pytest.mark.parametrize("content", ["{ broken", '"text"', '{"opinions": 3}', "[1"])
def test_a_file_that_makes_no_sense_is_refused_and_stays_as_it_is(home, now, content):
    Path(home.opinions).parent.mkdir(parents=True)
    Path(home.opinions).write_text(content, "utf-8")
    with pytest.raises(PalError, match="mend it"):
        opinion_book.add(home, "Likes tabs", now)
    assert Path(home.opinions).read_text("utf-8") == content


def test_the_older_form_is_taken_over_and_foreign_rows_and_keys_stay(home, now):
    Path(home.opinions).parent.mkdir(parents=True)
    rows = [7, {"statement": "Likes tea", "confidence": 0.9, "mine": True}, {"note": "by hand"}]
    Path(home.opinions).write_text(json.dumps(rows), "utf-8")
    opinion_book.weigh(home, "likes-tea", CONTRADICTION, "", now)
    kept = json.loads(Path(home.opinions).read_text("utf-8"))["opinions"]
    assert kept[0] == 7
    assert kept[2] == {"note": "by hand"}
    assert (kept[1]["confidence"], kept[1]["mine"]) == (0.7, True)


@pytest.mark.parametrize("statement", ["", "  \n", "<private>my salary</private>"])
def test_an_opinion_needs_words(home, now, statement):
    with pytest.raises(PalError, match="needs a statement"):
        opinion_book.add(home, statement, now)
    assert opinion_book.load(home) == []


def test_secrets_do_not_get_into_statements_or_evidence(home, now):
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    opinion_book.add(home, f"Uses {key} daily", now, source=key)
    opinion_book.weigh(home, "uses", CONFIRMATION, f"said {key} <private>diary</private>", now)
    text = Path(home.opinions).read_text("utf-8")
    assert "sk-ant" not in text
    assert "diary" not in text


@pytest.mark.parametrize(
    ("statement", "category"),
    [
        ("Prefers short answers", "communication"),
        ("Plans before each step", "workflow"),
        ("Writes Python with type hints", "technical"),
        ("Is a morning person", "workflow"),
        ("Loves the sea", "general"),
    ],
)
def test_an_opinion_is_sorted_by_its_words(statement, category):
    assert opinion_book.category_of(statement) == category
