"""Projects tracked by criteria: a page people read and edit, numbers used once, and where it lies on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import frontmatter, state
from pal.base.errors import PalError
from pal.base.settings import Settings
from pal.context import session
from pal.memory.tools import project_book, project_file


@pytest.fixture
def folder(tmp_path) -> str:
    place = tmp_path / "work" / "Web Shop"
    (place / ".git").mkdir(parents=True)
    return str(place)


@pytest.fixture
def shop(home, folder, now) -> str:
    return project_book.create(home, "", folder, ["Orders are paid once", " ", "The cart survives a reload"], now)[0]


def page(home, slug: str) -> Path:
    return Path(home.project_files, slug, "ISA.md")


def edit(home, slug, now, act) -> None:
    project_book.change(home, slug, act, now)


def test_a_new_page_has_a_place_for_everything(home, shop):
    assert shop == "web-shop"
    assert (
        page(home, shop).read_text("utf-8")
        == """---
name: "Web Shop"
status: "active"
created: "2026-03-02T08:15:00Z"
updated: "2026-03-02T08:15:00Z"
remote: ""
next: []
blockers: []
handoff: ""
---

# Web Shop

## Problem

## Goal

## Criteria

- [ ] ISC-1: Orders are paid once
- [ ] ISC-2: The cart survives a reload

## Vision

## Constraints

## Out of Scope

## Context

## Decisions

## Changelog
"""
    )


def test_creating_it_again_changes_nothing(home, shop, folder, now):
    before = page(home, shop).read_bytes()
    assert project_book.create(home, "web shop", folder, ["Another"], now + 60) == (shop, False)
    assert page(home, shop).read_bytes() == before


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("https://github.com/joe/shop.git", "github.com/joe/shop"),
        ("https://joe:secret@github.com/joe/shop", "github.com/joe/shop"),
        ("git@github.com:joe/shop.git", "github.com/joe/shop"),
        ("ssh://git@host.example:22/joe/shop.git/", "host.example:22/joe/shop.git"),
        ("", ""),
    ],
)
def test_the_remote_is_the_same_however_it_is_written_and_names_nobody(home, folder, now, url, remote):
    Path(folder, ".git", "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n', "utf-8")
    slug, _ = project_book.create(home, "", folder, [], now)
    assert project_file.fields(project_book.page_of(home, slug))["remote"] == remote.removesuffix(".git")


def test_the_path_stands_in_the_bindings_only(home, shop, folder):
    assert folder not in page(home, shop).read_text("utf-8")
    assert state.read(home, home.bindings) == {shop: folder}


def test_a_folder_belongs_to_the_innermost_project_around_it(home, shop, folder, now):
    inner = Path(folder, "api")
    inner.mkdir()
    api, _ = project_book.create(home, "api", str(inner), [], now)
    assert project_book.of_folder(home, folder) == shop
    assert project_book.of_folder(home, str(inner / "src")) == api
    assert project_book.of_folder(home, os.path.dirname(folder)) == ""
    assert project_book.of_folder(home, folder + "ping") == ""


def test_criteria_are_met_opened_again_and_given_up(home, shop, now):
    edit(home, shop, now, lambda text: project_file.mark(text, "2", project_file.DONE, "2026-03-02")[0])
    edit(home, shop, now, lambda text: project_file.mark(text, "isc-1", project_file.RETIRED, "2026-03-02")[0])
    text = project_book.page_of(home, shop)
    assert project_file.section(text, "criteria") == "- [x] ISC-2: The cart survives a reload"
    assert project_file.section(text, "changelog") == "### Retired 2026-03-02\n\n- [~] ISC-1: Orders are paid once"
    edit(home, shop, now, lambda text: project_file.mark(text, "1", project_file.OPEN, "2026-03-03")[0])
    edit(home, shop, now, lambda text: project_file.mark(text, "2", project_file.OPEN, "2026-03-03")[0])
    text = project_book.page_of(home, shop)
    assert [(c.number, c.status) for c in project_file.criteria(text)] == [(2, "open"), (1, "open")]
    assert project_file.settled(text) == []


def test_a_number_is_never_used_again(home, shop, now):
    edit(home, shop, now, lambda text: project_file.mark(text, "2", project_file.RETIRED, "2026-03-02")[0])
    made = []
    edit(home, shop, now, lambda text: made.append(project_file.add_criterion(text, "No order is lost")) or made[-1][0])
    assert made[-1][1].number == 3
    edit(home, shop, now, lambda text: project_file.archive_done(text, "2026-03-02"))
    edit(home, shop, now, lambda text: made.append(project_file.add_criterion(text, "no order is LOST")) or made[-1][0])
    assert made[-1][1].number == 3


def test_finished_criteria_move_to_the_changelog_under_their_day(home, shop, now):
    for number in "12":
        edit(home, shop, now, lambda text, n=number: project_file.mark(text, n, project_file.DONE, "2026-03-02")[0])
    edit(home, shop, now, lambda text: project_file.archive_done(text, "2026-03-02"))
    text = project_book.page_of(home, shop)
    assert project_file.criteria(text) == []
    assert project_file.section(text, "changelog") == (
        "### Archived 2026-03-02\n\n- [x] ISC-1: Orders are paid once\n- [x] ISC-2: The cart survives a reload"
    )
    assert (project_book.summary(home, shop)["open"], project_book.summary(home, shop)["done"]) == (0, 2)


def test_a_field_is_set_in_place_and_remarks_around_it_stay(home, shop, now):
    text = page(home, shop).read_text("utf-8")
    text = text.replace("next: []\n", "# what comes next\nnext:\n  - one\n  - two\nserves: fun  # really\n")
    page(home, shop).write_text(text, "utf-8")
    assert project_book.summary(home, shop)["next"] == ["one", "two"]
    edit(home, shop, now + 60, lambda text: project_file.set_field(text, "next", ["two", "three"]))
    after = page(home, shop).read_text("utf-8")
    assert '# what comes next\nnext: ["two", "three"]\nserves: fun  # really\nblockers: []\n' in after
    assert frontmatter.parse(after)[0]["updated"] == "2026-03-02T08:16:00Z"


def test_what_is_written_into_a_section_cannot_end_it(home, shop, now):
    edit(
        home,
        shop,
        now,
        lambda text: project_file.set_section(text, "problem", "# Big\n## Criteria\n- [x] ISC-9: forged"),
    )
    text = project_book.page_of(home, shop)
    assert project_file.section(text, "problem") == "### Big\n### Criteria\n- [x] ISC-9: forged"
    assert [criterion.number for criterion in project_file.criteria(text)] == [1, 2]
    edit(home, shop, now, lambda text: project_file.set_section(text, "problem", ""))
    assert project_file.section(project_book.page_of(home, shop), "problem") == ""
    with pytest.raises(PalError, match="one by one"):
        project_file.set_section(text, "criteria", "x")


def test_lines_that_are_no_criteria_stay_and_count_for_nothing(home, shop, now):
    odd = "- [ ] no number\n- [?] ISC-7: odd mark\n* [x] ISC-8: starred\n- [ ] ISC-x: no number\nplain\n"
    text = page(home, shop).read_text("utf-8").replace("## Criteria\n\n", "## Criteria\n\n" + odd)
    page(home, shop).write_text(text, "utf-8")
    found = project_file.criteria(project_book.page_of(home, shop))
    assert [criterion.number for criterion in found] == [8, 1, 2]
    edit(home, shop, now, lambda text: project_file.mark(text, "1", project_file.DONE, "2026-03-02")[0])
    assert odd in page(home, shop).read_text("utf-8")


def test_a_removed_project_is_kept_in_the_archive(home, shop, folder, now):
    place = project_book.remove(home, shop, now)
    assert (Path(place) / "ISA.md").is_file()
    assert project_book.slugs(home) == []
    assert state.read(home, home.bindings) == {}
    with pytest.raises(PalError, match="is tracked"):
        project_book.remove(home, shop, now)
    assert project_book.create(home, "", folder, [], now)[1]


@pytest.mark.parametrize("wanted", ["", "nope", "../../etc", "."])
def test_only_what_is_tracked_is_found(home, now, wanted, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PalError, match="is tracked"):
        project_book.known(home, wanted)


def test_a_session_in_its_folder_is_told_what_is_open(home, shop, folder, now):
    row = project_book.here(home, os.path.join(folder, "src"))
    assert row is not None
    assert row["criteria"] == ["ISC-1 Orders are paid once", "ISC-2 The cart survives a reload"]
    edit(home, shop, now, lambda text: project_file.set_field(text, "status", project_file.ARCHIVED))
    assert project_book.here(home, folder) is None
    assert project_book.here(home, "/elsewhere") is None


def test_the_start_of_a_session_names_what_is_open(home, shop, folder, now, clean_env):
    edit(home, shop, now, lambda text: project_file.set_field(text, "next", ["Call the bank"]))
    edit(home, shop, now, lambda text: project_file.mark(text, "1", project_file.DONE, "2026-03-02")[0])
    told = session.render(home, Settings({}), folder, "s1", "startup", now, clean_env)
    assert (
        "- Web Shop is active: 1 of 2 criteria met. Open: ISC-2 The cart survives a reload. Next: Call the bank. "
        "More: `pal project resume web-shop`." in told
    )
    assert "Web Shop" not in session.render(
        home, Settings({}), os.path.dirname(folder), "s1", "startup", now, clean_env
    )


def test_secrets_are_left_out():
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    assert "sk-ant" not in project_book.plain(f"uses {key}") + project_book.prose(f"uses {key}\n")
    assert project_book.plain("a\nb  c") == "a b c"
