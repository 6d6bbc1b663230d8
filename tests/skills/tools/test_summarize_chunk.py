"""Long texts cleaned and cut for reading."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def chunk(load, ran):
    tool = load("summarize", "chunk")
    return lambda text, *words: ran(tool, "-", *words, stdin=text)


PAGE = """<html><head><title>t</title></head><body><nav>menu</nav><h2>Head</h2><p>One &amp; two</p>
<script>x()</script><ul><li>a</li></ul></body></html>"""
ROLLING = """WEBVTT

1
00:00:01.000 --> 00:00:02.000
Hello <b>there</b>.

2
00:00:02.000 --> 00:00:03.000
Hello there.
We begin.
"""
NUMBERED = "\n\n".join(
    f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{said}." for n, said in enumerate(("Uno", "Due", "Tre"), 1)
)
CLEANED = [
    ("text", "a hyphen-\nated word\n\n\n\nnext", "a hyphenated word\n\nnext\n"),
    ("html", PAGE, "## Head\n\nOne & two\n\n- a\n"),
    ("subtitles", ROLLING, "Hello there. We begin.\n"),
    ("subtitles", NUMBERED, "Uno. Due. Tre.\n"),
    ("transcript", "[00:01] Ann: hello\n[00:05] Ben: yes\n", "Ann: hello\nBen: yes\n"),
]


@pytest.mark.parametrize(("kind", "raw", "clean"), CLEANED)
def test_what_is_not_said_goes_and_all_that_is_said_stays(chunk, kind, raw, clean):
    assert json.loads(chunk(raw, "--json").out)["kind"] == kind
    assert chunk(raw, "--all").out == clean


def test_page_furniture_goes_when_it_comes_back_on_most_pages(chunk):
    pages = "\f".join(f"The Company Report\nwords of page {word}\nend {word}\n{n}" for n, word in enumerate("abcd", 1))
    made = chunk(pages, "--all").out
    assert "Company" not in made
    assert all(f"words of page {word}" in made for word in "abcd")


def test_parts_hold_every_word_once_and_keep_to_their_size(chunk):
    text = "\n\n".join(f"# Part {n}\n\n" + " ".join(f"w{n}x{m}." for m in range(90)) for n in range(12))
    facts = json.loads(chunk(text, "--size", "200", "--json").out)
    parts = [chunk(text, "--size", "200", "--part", row["part"]).out for row in facts["parts"]]
    assert " ".join(" ".join(parts).split()) == " ".join(text.split())
    assert all(row["words"] <= 200 for row in facts["parts"])
    assert all(part.startswith("# Part") for part in parts)


def test_one_endless_paragraph_is_cut_too(chunk):
    facts = json.loads(chunk("word " * 1000, "--size", "300", "--json").out)
    assert [row["words"] for row in facts["parts"]] == [300, 300, 300, 100]


def test_the_list_counts_words_and_minutes(chunk):
    assert "text: 460 words, about 2 min to read, 1 parts" in chunk("word " * 460).out


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [(" \n", (), "no words"), ("a\0b", (), "analyze-pdf"), ("a", ("--part", "3"), "no part 3")],
)
def test_what_cannot_be_cut_is_explained(chunk, text, words, said):
    done = chunk(text, *words)
    assert (done.status, done.out) == (1, "")
    assert said in done.err
