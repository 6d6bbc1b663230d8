"""Slides of a Markdown file."""

from __future__ import annotations

import json
import re

import pytest

TALK = """---
title: Shared <memory>
subtitle: For every agent
author: Ann
date: May
---

# Part one

---

## The first slide claims something

- one
- two

Notes: Say hello. **Slowly.**

---

## Left and right

left

|||

right

```sh
---
# no slide
```
"""


@pytest.fixture
def build(load):
    return load("presentation", "build")


def made(build, ran, tmp_path, text, *words):
    (tmp_path / "talk.md").write_text(text, "utf-8")
    done = ran(build, tmp_path / "talk.md", "--json", *words)
    page = tmp_path / "talk.html"
    return done, json.loads(done.out), page.read_text("utf-8") if page.exists() else ""


def test_a_deck_is_one_file_with_title_sections_notes_and_columns(build, ran, tmp_path):
    done, facts, page = made(build, ran, tmp_path, TALK)
    assert done.status == 0
    assert facts["slides"] == ["Shared <memory>", "Part one", "The first slide claims something", "Left and right"]
    assert facts["warnings"] == []
    assert page.count('<section class="slide') == 4
    assert '<section class="slide title" id="s1"' in page
    assert '<section class="slide section" id="s2"' in page
    assert '<aside class="speaker"><p>Say hello. <strong>Slowly.</strong></p>' in page
    assert '<h2 id="left-and-right">Left and right</h2>\n<div class="columns"><div><p>left</p>' in page
    assert "Shared &lt;memory&gt;" in page
    assert "Ann · May" in page
    assert "<span>4 / 4</span>" in page


def test_a_deck_loads_nothing_from_elsewhere(build, ran, tmp_path):
    _, _, page = made(build, ran, tmp_path, TALK)
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", page)
    assert "@import" not in page
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_without_rules_headings_begin_slides(build, ran, tmp_path):
    _, facts, _ = made(build, ran, tmp_path, "intro words\n\n## A b c\n\ntext\n\n### part\n\n# D e f\n\ntext\n")
    assert facts["slides"] == ["", "A b c", "D e f"]


@pytest.mark.parametrize(
    ("slide", "said"),
    [
        ("no heading here", "no heading"),
        ("## H\n\n" + "word " * 80, "words; split it"),
        ("## H\n\n" + "- x\n" * 9, "9 list items"),
        ("## H\n\n```\n" + "x\n" * 20 + "```", "lines of code"),
        ("## " + "Long " * 20, "heading has"),
        ("## H\n\n![](a.png)", "no description"),
        ("## H\n\n![A](gone.png)", "no picture gone.png"),
    ],
)
def test_a_slide_that_is_hard_to_follow_is_named(build, ran, tmp_path, slide, said):
    done, facts, page = made(build, ran, tmp_path, slide, "--check")
    assert done.status == 1
    assert page == ""
    assert facts["warnings"][0].startswith("slide 1: ")
    assert said in " ".join(facts["warnings"])


def test_what_the_speaker_says_does_not_count_as_words_on_the_slide(build, ran, tmp_path):
    _, facts, _ = made(build, ran, tmp_path, "## H is so\n\nshort\n\nNotes: " + "word " * 200)
    assert facts["warnings"] == []


def test_a_deck_is_not_written_over_and_an_empty_text_is_refused(build, ran, tmp_path):
    made(build, ran, tmp_path, TALK)
    again = ran(build, tmp_path / "talk.md")
    assert again.status == 1
    assert "--force" in again.err
    (tmp_path / "empty.md").write_text("\n", "utf-8")
    assert "no slide" in ran(build, tmp_path / "empty.md").err


def test_without_the_reader_the_message_says_which_skill_is_missing(build, ran, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "HERE", str(tmp_path))
    (tmp_path / "talk.md").write_text("## A", "utf-8")
    done = ran(build, tmp_path / "talk.md")
    assert done.status == 1
    assert "create-pdf is missing" in done.err
