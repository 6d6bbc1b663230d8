"""What later sessions are told is read from files people edit: every spelling counts, nothing odd breaks a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pal.memory import opinions, relationship, selfmodel, synthesis, wisdom


def put(path: str | Path, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


FRAME = """# Frame: Development

## Meta
- Domain: Development

## Core Principles

### Test before commit [CRYSTAL: 92%]
Untested work came back twice.

It always does.

### Not yet sure [CRYSTAL: 70%]

## Contextual Rules

- **Small commits** [CRYSTAL: 88%]
- [CRYSTAL: 95%] Ask before deleting
* Say what was not run [crystal 85]: in every report
- nothing crystal about it
text about [CRYSTAL: 99%] in passing
### Broken [CRYSTAL: lots]
### [CRYSTAL: 97%]
"""


def test_crystals_of_85_per_cent_and_more_are_told_in_any_spelling_the_surest_first(home):
    put(Path(home.wisdom, "dev.md"), FRAME)
    put(Path(home.wisdom, "talk.md"), "- Be brief [CRYSTAL: 100%]\n")
    put(Path(home.wisdom, ".pal-tmp-x.md"), "- half [CRYSTAL: 100%]\n")
    put(Path(home.wisdom, "notes.txt"), "- no frame [CRYSTAL: 100%]\n")
    assert wisdom.crystals(home) == [
        ("talk", "Be brief", 100),
        ("Development", "Ask before deleting", 95),
        ("Development", "Test before commit", 92),
        ("Development", "Small commits", 88),
        ("Development", "Say what was not run in every report", 85),
    ]


def test_the_explanation_below_a_crystal_belongs_to_it():
    assert wisdom.frame(FRAME, "dev")[0][3] == "Untested work came back twice. It always does."


def test_no_frames_no_crystals(home):
    assert wisdom.crystals(home) == []


ROWS = [
    {"statement": " Prefers tabs ", "confidence": 0.9, "category": "technical"},
    {"statement": "Likes it short", "confidence": 0.95},
    {"statement": "Unsure", "confidence": 0.84},
    {"statement": "", "confidence": 1},
    {"statement": "No number", "confidence": "high"},
    "no row",
    {"confidence": 1},
]


@pytest.mark.parametrize("whole", [{"lastReflect": None, "opinions": ROWS}, ROWS])
def test_confident_opinions_are_read_from_both_forms(home, whole):
    put(home.opinions, "\ufeff" + json.dumps(whole))
    assert opinions.confident(home, 0.85) == [("general", "Likes it short", 0.95), ("technical", "Prefers tabs", 0.9)]


@pytest.mark.parametrize("content", [None, "", "{", "7", '{"opinions": 3}', "null"])
def test_a_file_that_holds_no_opinions_holds_none(home, content):
    if content is not None:
        put(home.opinions, content)
    assert opinions.confident(home, 0.85) == []


def day_of(home, day: str) -> Path:
    return Path(home.relationship, day[:7], day + ".md")


def test_the_notes_of_two_days_without_opinions_and_comments_newest_first(home, now):
    put(
        day_of(home, "2026-03-02"),
        "# 2026-03-02\n\n## 07:10\n<!-- session:a cwd:/srv/app -->\n- W: Ships on Friday\n- O(c=0.85): Likes tabs\n"
        "- Session: Wrote the parser\n\n## 08:00\n<!-- session:b cwd:/other -->\n- B(c=0.7): Reads diffs\n"
        "- Session: Elsewhere\n",
    )
    put(day_of(home, "2026-03-01"), "## 23:00\n<!-- session:c cwd:/srv/app/sub -->\n- Session: Began\n")
    put(day_of(home, "2026-02-28"), "## 23:00\n- W: Too old\n")
    assert relationship.recent(home, now, "UTC", "/srv/app") == (
        "2026-03-02 08:00:\n- B(c=0.7): Reads diffs\n"
        "2026-03-02 07:10:\n- W: Ships on Friday\n- Session: Wrote the parser\n"
        "2026-03-01 23:00:\n- Session: Began"
    )


@pytest.mark.parametrize("root", ["", "/srv/ap", "/elsewhere"])
def test_a_session_line_is_told_only_in_its_own_project(home, now, root):
    put(day_of(home, "2026-03-02"), "## 07:10\n<!-- session:a cwd:/srv/app -->\n- Session: Wrote the parser\n")
    assert relationship.recent(home, now, "UTC", root) == ""


def test_the_day_is_the_users(home, now):
    put(day_of(home, "2026-02-28"), "## 23:00\n- W: Seen from Honolulu\n")
    assert relationship.recent(home, now - 3 * 3600, "UTC", "") == ""
    assert "Seen from Honolulu" in relationship.recent(home, now - 3 * 3600, "Pacific/Honolulu", "")


def test_notes_a_person_wrote_without_headings_count_and_comments_of_many_lines_do_not(home, now):
    put(day_of(home, "2026-03-02"), "# Monday\r\n- W: by hand\r\n<!-- not\n- W: hidden\n-->\n- W: after\n")
    assert relationship.recent(home, now, "UTC", "") == "2026-03-02:\n- W: by hand\n- W: after"


def test_notes_are_cut_at_the_end_of_a_line(home, now):
    put(day_of(home, "2026-03-02"), "## 07:10\n" + "".join(f"- W: {n:03d} {'x' * 80}\n" for n in range(40)))
    text = relationship.recent(home, now, "UTC", "")
    assert 1400 < len(text) <= 1500
    assert text.endswith("x" * 80)


def test_no_time_is_left_standing_without_what_was_noted_then(home, now):
    put(day_of(home, "2026-03-02"), "## 06:00\n- W: does not fit\n## 07:10\n- W: " + "x" * 1460 + "\n")
    assert relationship.recent(home, now, "UTC", "").startswith("2026-03-02 07:10:")
    assert "06:00" not in relationship.recent(home, now, "UTC", "")


def test_the_self_model_is_told_without_its_header(home):
    assert selfmodel.text(home) == ""
    put(home.self_model, "---\ndate: 2026-03-01\n---\n\nI work with Anna.\n")
    assert selfmodel.text(home) == "I work with Anna."


def test_the_newest_synthesis_is_told(home):
    assert synthesis.latest(home) == ""
    put(Path(home.synthesis, "2026-01", "2026-01-31_monthly.md"), "January")
    put(Path(home.synthesis, "2026-02", "2026-02-08_weekly.md"), "February 8")
    put(Path(home.synthesis, "2026-02", "2026-02-15_weekly.md"), "---\nperiod: weekly\n---\n# Report\nFebruary 15\n")
    put(Path(home.synthesis, "2026-02", "readme.txt"), "no report")
    Path(home.synthesis, "2026-03").mkdir()
    assert synthesis.latest(home) == "# Report\nFebruary 15"
