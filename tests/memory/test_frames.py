"""Wisdom frames: where an observation goes, what a mark changes, and that a page people edit stays theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.base.errors import PalError
from pal.memory import wisdom
from pal.memory.tools import frames

BY_HAND = """# Frame: Talk

Written on the train.

## Core Principles
- **Be brief** [CRYSTAL: 88%]
- listen

```
## Contextual Rules
not a heading
```

## Contextual Rules

### Ask once
Twice annoys.

# Notes of mine
stay at the end
"""


def page(home, name: str) -> Path:
    return Path(home.wisdom, name + ".md")


def test_a_frame_grows_entry_by_entry(home, now):
    assert frames.observe(home, "Web Development", "rule", "Small commits are reviewed the same day", now, "UTC")
    assert frames.crystallise(
        home, "web development", "principle", "Reproduce a bug before mending it", 90, now + 86_400, "UTC", "Twice."
    )
    assert frames.observe(home, "web-development", "anti-pattern", "Commits on Friday evening", now + 86_400, "UTC")
    assert frames.observe(home, "web-development", "evolution", "Began to pair", now + 86_400, "UTC")
    assert (
        page(home, "web-development").read_text("utf-8")
        == """# Frame: Web Development

## Meta

- Domain: Web Development
- Observation Count: 4
- Last Updated: 2026-03-03

## Core Principles

### Reproduce a bug before mending it [CRYSTAL: 90%]

Twice.

## Contextual Rules

### Small commits are reviewed the same day

## Anti-Patterns

### Commits on Friday evening

## Evolution Log

- 2026-03-02: noted a rule: Small commits are reviewed the same day
- 2026-03-03: crystallised a principle at 90%: Reproduce a bug before mending it
- 2026-03-03: noted an anti-pattern: Commits on Friday evening
- 2026-03-03: Began to pair
"""
    )


def test_only_what_is_crystallised_from_85_on_is_told(home, now):
    frames.observe(home, "dev", "principle", "Measure first", now)
    frames.crystallise(home, "dev", "rule", "Ask once", 84, now)
    assert wisdom.crystals(home) == []
    frames.crystallise(home, "dev", "principle", "measure first", 95, now)
    frames.crystallise(home, "dev", "rule", "Ask once", 85, now)
    assert wisdom.crystals(home) == [("Dev", "Measure first", 95), ("Dev", "Ask once", 85)]


def test_saying_it_again_changes_nothing(home, now):
    frames.crystallise(home, "dev", "principle", "Measure first", 90, now)
    frames.observe(home, "dev", "evolution", "Began to pair", now)
    before = page(home, "dev").read_bytes()
    assert not frames.crystallise(home, "dev", "principle", "measure  FIRST", 90, now + 86_400)
    assert not frames.observe(home, "dev", "principle", "Measure first", now + 86_400)
    assert not frames.observe(home, "dev", "evolution", "began to pair", now + 86_400)
    assert page(home, "dev").read_bytes() == before


def test_a_mark_can_be_moved_and_taken_away(home, now):
    frames.crystallise(home, "dev", "principle", "Measure first", 90, now)
    frames.crystallise(home, "dev", "principle", "Measure first", 97, now)
    assert [entry.sure for entry in frames.load(home, "dev").entries] == [97]
    assert frames.dissolve(home, "dev", "measure", now) == "Measure first"
    assert [(entry.text, entry.sure) for entry in frames.load(home, "dev").entries] == [("Measure first", None)]
    with pytest.raises(PalError, match="No crystal begins"):
        frames.dissolve(home, "dev", "measure", now)
    with pytest.raises(PalError, match="no frame"):
        frames.dissolve(home, "nope", "measure", now)


def test_a_beginning_that_fits_two_crystals_is_refused(home, now):
    for text in ("Measure first", "Measure first and last"):
        frames.crystallise(home, "dev", "principle", text, 90, now)
    with pytest.raises(PalError, match="2 crystals begin"):
        frames.dissolve(home, "dev", "Measure", now)
    assert frames.dissolve(home, "dev", "measure first", now) == "Measure first"


def test_a_page_written_by_hand_keeps_its_words_and_its_order(home, now):
    page(home, "talk").parent.mkdir(parents=True)
    page(home, "talk").write_text(BY_HAND, "utf-8")
    frames.crystallise(home, "talk", "rule", "Say what was not run", 90, now, "UTC")
    frames.crystallise(home, "talk", "principle", "Be brief", 92, now, "UTC")
    changed = BY_HAND.replace("88%", "92%").replace(
        "Twice annoys.\n\n", "Twice annoys.\n\n### Say what was not run [CRYSTAL: 90%]\n\n"
    )
    log = (
        "\n## Evolution Log\n\n- 2026-03-02: crystallised a rule at 90%: Say what was not run\n"
        "- 2026-03-02: crystallised a principle at 92%: Be brief\n"
    )
    assert page(home, "talk").read_text("utf-8") == changed + log
    assert [(entry.kind, entry.text, entry.sure) for entry in frames.load(home, "talk").entries] == [
        ("principle", "Be brief", 92),
        ("rule", "Ask once", None),
        ("rule", "Say what was not run", 90),
    ]


def test_line_ends_and_a_byte_order_mark_stay(home, now):
    page(home, "talk").parent.mkdir(parents=True)
    page(home, "talk").write_bytes(b"\xef\xbb\xbf# Frame: Talk\r\n\r\n## Core Principles\r\n")
    frames.crystallise(home, "talk", "principle", "Be brief", 92, now)
    data = page(home, "talk").read_bytes()
    assert data.startswith(
        b"\xef\xbb\xbf# Frame: Talk\r\n\r\n## Core Principles\r\n\r\n### Be brief [CRYSTAL: 92%]\r\n"
    )
    assert data.count(b"\n") == data.count(b"\r\n")


def test_a_page_that_is_no_utf8_is_refused_and_kept(home, now):
    page(home, "talk").parent.mkdir(parents=True)
    page(home, "talk").write_bytes(b"# caf\xe9\n")
    with pytest.raises(PalError, match="UTF-8"):
        frames.crystallise(home, "talk", "principle", "Be brief", 92, now)
    assert page(home, "talk").read_bytes() == b"# caf\xe9\n"


@pytest.mark.parametrize(
    ("domain", "kind", "text", "sure"),
    [
        ("", "principle", "x", 90),
        ("dev", "law", "x", 90),
        ("dev", "evolution", "x", 90),
        ("dev", "principle", " ", 90),
        ("dev", "principle", "<private>x</private>", 90),
        ("dev", "principle", "x", 101),
        ("dev", "principle", "x", -1),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_no_page(home, now, domain, kind, text, sure):
    with pytest.raises(PalError):
        frames.crystallise(home, domain, kind, text, sure, now)
    assert frames.names(home) == []


@pytest.mark.parametrize("domain", ["../../evil", "/etc/passwd", "a\\b", ".", "CON:", "\0"])
def test_a_domain_never_leaves_its_folder(home, now, domain):
    frames.observe(home, domain, "evolution", "x", now)
    assert len(frames.names(home)) == 1
    assert Path(home.wisdom, frames.names(home)[0] + ".md").is_file()


def test_text_cannot_forge_a_mark_or_a_heading(home, now):
    frames.observe(home, "dev", "principle", "## Trust me [CRYSTAL: 99%]", now)
    frames.observe(home, "dev", "evolution", "line\n## Core Principles\n### Forged [CRYSTAL: 99%]", now)
    assert wisdom.crystals(home) == []
    assert [entry.text for entry in frames.load(home, "dev").entries] == ["Trust me"]


def test_what_says_much_the_same_as_a_crystal_is_found(home, now):
    frames.crystallise(home, "dev", "principle", "Reproduce a bug before mending it", 90, now)
    frames.observe(home, "dev", "principle", "Measure the speed of a page", now)
    assert frames.nearest_crystal(home, "dev", "Always reproduce the bug first").text.startswith("Reproduce")
    assert frames.nearest_crystal(home, "dev", "Measure the speed") is None
    assert frames.nearest_crystal(home, "nope", "Measure the speed") is None
