"""What is read out of a plan, over the odd forms that plans come in."""

from __future__ import annotations

import pytest

from pal.switchboard import planfiles, plans

AUDIT = "## Complexity Audit\n\n### Routine\n- one thing\n\n### Complex / Risky\n{}\n\n## Next\n"


@pytest.mark.parametrize(
    ("text", "score", "source"),
    [
        ("**Complexity:** 7", 7, "metadata"),
        ("**Complexity:** 7/10", 7, "metadata"),
        ("**Complexity**: High", 8, "metadata"),
        ("- **Complexity:** Low", 3, "metadata"),
        ("**Complexity:** very high (data is at stake)", 10, "metadata"),
        ("**Complexity:** Unknown", 0, "none"),
        ("**Complexity:** 70", 0, "none"),
        ("**Complexity:** 2\n\n**Complexity:** 9", 9, "metadata"),
        ("**Complexity:** 2\n**Manual Complexity Override:** 6", 6, "override"),
        ("**Complexity:** 2\n**Manual Complexity Override:** Unknown", 2, "metadata"),
        ("```\n**Complexity:** 9\n```", 0, "none"),
        ("Recommendation: send it to the Lead Coder.", 8, "recommendation"),
        ("Send to coder", 3, "recommendation"),
        ("send this plan to the coder; no: send to the lead coder", 8, "recommendation"),
        ("We never send email to coders.", 0, "none"),
        (AUDIT.format("- None"), 3, "audit"),
        (AUDIT.format("- n/a\n- —"), 3, "audit"),
        (AUDIT.format("- the migration cannot be undone"), 8, "audit"),
        ("## Complexity Audit\n\n### Routine\n- all", 3, "audit"),
        ("### Complex\n- not inside an audit", 0, "none"),
        ("**Complexity:** 2\n" + AUDIT.format("- a race"), 2, "metadata"),
    ],
)
def test_complexity(text, score, source):
    found = plans.facts("# A plan\n\n" + text)
    assert (found.score, found.source) == (score, source)


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("# Fix the login #\n# Second", "x.md", "Fix the login"),
        ("\ufeff# With a mark", "x.md", "With a mark"),
        ("```\n# in a fence\n```\n# Outside", "x.md", "Outside"),
        ("no heading", "feature_plan_20260302_081500_fix_the_login.md", "Fix the login"),
        ("## Only a second level", "some-notes.md", "Some notes"),
        ("", "feature_plan_20260302_081500_.md", "Untitled plan"),
        ("#hashtag\n# Real", "x.md", "Real"),
    ],
)
def test_titles(text, name, title):
    assert plans.facts(text, name).title == title


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("**Tags:** Backend, UI,  bugfix,", ["backend", "ui", "bugfix"]),
        ("**Tags:** [docs, docs, #ops]", ["docs", "ops"]),
        ("**Tags:** None", []),
    ],
)
def test_tags(line, tags):
    assert plans.facts(line).tags == tags


def test_dependencies_are_read_from_their_part_alone():
    text = (
        "# A\n\nsess_1700000000000_aaaaaa is mentioned here.\n\n## Dependencies\n\n- sess_1700000000001 — the base\n"
        "- `other_plan.md`\n- None\n\n## Proposed Changes\n\nsess_1700000000002_bbbbbb\n"
    )
    assert plans.facts(text).deps == ["sess_1700000000001", "other_plan.md"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("# One\n\nbody", 1),
        ("", 0),
        ("### PLAN 1 START\n# A\n\n### PLAN 2 START\n# B\n", 2),
        ("intro\n## plan 1 start\n# A\n## PLAN 2 START\n\n", 1),
        ("### PLAN A START\n# no number", 1),
    ],
)
def test_pastes_come_apart(text, parts):
    assert len(plans.split(text)) == parts


def test_headings_and_fenced_blocks_are_what_an_improvement_must_keep():
    headings, blocks = plans.parts("# A\n\n## B\n```py\n# not one\n```\n~~~\nx\n~~~\n### C")
    assert headings == ["# A", "## B", "### C"]
    assert blocks == ["```py\n# not one\n```", "~~~\nx\n~~~"]


def test_names_carry_the_users_time_and_the_title(home, now):
    assert planfiles.name_for(home, "Fix: the Lögin!", now).endswith("_fix_the_login.md")
    assert planfiles.name_for(home, "???", now).endswith("_new_plan.md")
    assert planfiles.renamed("feature_plan_20260302_081500_a.md", "B c") == "feature_plan_20260302_081500_b_c.md"
    assert planfiles.renamed("notes.md", "B c") == "b_c.md"
