"""Names found by their spelling."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def find(load, ran):
    tool = load("extract-entities", "candidates")

    def finding(text: str, *words: object) -> dict:
        rows = json.loads(ran(tool, "-", "--json", *words, stdin=text).out)["candidates"]
        return {row["name"]: row for row in rows}

    return finding


KINDS = [
    ("Dr. Anna Kovács joined us.", "Anna Kovács", "person"),
    ("We met Acme Robotics GmbH there.", "Acme Robotics GmbH", "company"),
    ("Later Peter van der Berg said no.", "Peter van der Berg", "person"),
    ("The report by Jean-Luc O'Neill is late.", "Jean-Luc O'Neill", "person or company"),
    ("She works at Contoso now.", "Contoso", "company"),
    ("Write to peter@contoso.example soon.", "peter@contoso.example", "mail"),
    ("See https://example.org/x.", "https://example.org/x", "link"),
    ("Ask @pvdb about it.", "@pvdb", "handle"),
]


@pytest.mark.parametrize(("text", "name", "kind"), KINDS)
def test_a_name_is_found_with_its_kind(find, text, name, kind):
    text += " Peter van der Berg came." if "Peter" in name else ""
    assert find(text)[name]["kind"] == kind


@pytest.mark.parametrize("text", ["On Monday we met.", "The queue stays.", "- Decide by Friday", "It works. So what?"])
def test_days_and_the_first_word_of_a_sentence_are_no_names(find, text):
    assert find(text) == {}


def test_a_last_name_alone_counts_with_the_full_name(find):
    rows = find("Anna Kovács came.\n\nKovács said yes.\n\nLater Anna Kovács left.")
    assert set(rows) == {"Anna Kovács"}
    assert (rows["Anna Kovács"]["count"], rows["Anna Kovács"]["lines"]) == (3, [1, 3, 5])
    assert rows["Anna Kovács"]["kind"] == "person"


def test_what_is_rare_or_unclear_is_left_out_as_asked(find):
    text = "We use Redis. Northwind Labs wrote. Northwind Labs called. Acme Inc wrote."
    assert set(find(text, "--least", "2")) == {"Northwind Labs"}
    assert "Redis" not in find(text)
    assert "Redis" in find(text, "--unclear")


def test_the_list_for_people_ends_in_a_count(load, ran):
    done = ran(load("extract-entities", "candidates"), "-", stdin="Dr. Ann Lee came.")
    assert "Ann Lee" in done.out
    assert done.out.endswith("1 candidates, 0 left out.\n")
