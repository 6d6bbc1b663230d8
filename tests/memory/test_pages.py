"""Files that people edit as well: a busy one is named, a foreign one is refused, a report that was edited is theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.base import locks
from pal.base.errors import PalError
from pal.memory.tools import pages, sections

PAGE = """# Title

## One

text
```
## Two
```

## Two
- a

# Other
"""


def test_a_busy_file_is_named_and_left(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "WAIT", 0.01)
    path = tmp_path / "a.md"
    path.write_text("old", "utf-8")
    with locks.Lock(str(path)) as held:
        assert held
        with pytest.raises(PalError, match="try again"):
            pages.edit(str(path), lambda text: text + "new")
    assert path.read_text("utf-8") == "old"


def test_a_change_that_changes_nothing_writes_nothing(tmp_path):
    path = tmp_path / "a.md"
    assert not pages.edit(str(path), lambda text: text)
    assert not path.exists()
    assert pages.edit(str(path), lambda text: "x\n")
    assert not pages.edit(str(path), lambda text: text)


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"a\r\nb\r\n", b"a\r\nb\r\nnew\r\n"), (b"a\r\nb\n", b"a\r\nb\nnew\n"), (b"a\n", b"a\nnew\n"), (b"", b"new\n")],
)
def test_line_ends_stay_as_they_are(tmp_path, before, after):
    path = tmp_path / "a.md"
    path.write_bytes(before)
    pages.edit(str(path), lambda text: text + "new\n")
    assert path.read_bytes() == after


def test_a_report_is_renewed_until_somebody_writes_into_it(tmp_path):
    stem = str(tmp_path / "r")
    assert pages.report(stem, {}, "one") == stem + ".md"
    assert pages.report(stem, {"n": 2}, "two") == stem + ".md"
    assert "two" in Path(stem + ".md").read_text("utf-8")
    Path(stem + ".md").write_text(Path(stem + ".md").read_text("utf-8") + "mine\n", "utf-8")
    assert pages.report(stem, {}, "three") == stem + "-2.md"
    assert pages.report(stem, {}, "four") == stem + "-2.md"
    assert "mine" in Path(stem + ".md").read_text("utf-8")


def test_a_report_that_is_not_to_be_renewed_gets_a_neighbour_unless_it_says_the_same(tmp_path):
    stem = str(tmp_path / "r")
    assert pages.report(stem, {}, "one", renew=False) == stem + ".md"
    assert pages.report(stem, {}, "two", renew=False) == stem + "-2.md"
    assert pages.report(stem, {}, "one", renew=False) == stem + ".md"


def test_a_report_by_hand_is_never_taken_for_pals(tmp_path):
    Path(tmp_path, "r.md").write_text("---\nseal: 1\n---\n\nmine\n", "utf-8")
    assert pages.report(str(tmp_path / "r"), {}, "one") == str(tmp_path / "r-2.md")


def test_a_heading_inside_code_ends_no_section():
    lines = PAGE.split("\n")
    assert sections.body(lines, "one") == ["text", "```", "## Two", "```"]
    assert sections.body(lines, "TWO") == ["- a"]
    assert sections.body(lines, "three") == []


def test_a_section_is_added_to_replaced_and_made():
    lines = PAGE.split("\n")
    assert "\n".join(sections.append(lines, "Two", ["- b"])) == PAGE.replace("- a\n", "- a\n- b\n")
    assert "\n".join(sections.append(lines, "Two", ["b"], apart=True)) == PAGE.replace("- a\n", "- a\n\nb\n")
    assert "\n".join(sections.replace(lines, "Two", ["b"])) == PAGE.replace("- a\n", "\nb\n")
    assert "\n".join(sections.replace(lines, "Two", [])) == PAGE.replace("- a\n\n", "\n")
    assert "\n".join(sections.append(lines, "New", ["b"])) == PAGE + "\n## New\n\nb\n"
