"""The page in a real browser: readable in both looks and on a phone, still where that is wanted, quick with a thousand
cards."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from on_page import card, column, drag, until, where
from served_page import ServedPage

from pal.events import log
from pal.switchboard import cards, messages, moves, registry, roster, runs, scan, store

# Looks

CONTRAST = Path(__file__).with_name("contrast.js").read_text("utf-8").split("\n", 1)[1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable_in_both_looks(opened, served, scheme) -> None:
    for score in (2, 5, 9, "Unknown"):
        plan = served.plan(f"Score {score}", score, "backend")
    cards.change(served.desk(), plan["planId"], deps=[served.plan("First")["planId"]])
    done = served.plan("Finished")
    moves.move(served.desk(), done["planId"], "done")
    gone = served.plan("Gone")
    os.remove(served.place.at(gone["planFile"]))
    runs.start(served.desk("codex"), registry.load(served.home, "challenge"), done["sessionId"])
    roster.register(served.desk("codex"), "codex", "coder")
    messages.send(served.desk("codex"), "status_update", "Halfway.")
    log.emit(served.home, log.event("session_start", "hook", time.time(), session_id="s"))
    page = opened(width=2000, color_scheme=scheme, reduced_motion="reduce")
    assert page.evaluate(CONTRAST) == []
    card(page, "Unknown").locator(".card-open").click()
    page.locator("dialog.sheet[open] .prose").wait_for()
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("Escape")
    for room in ("Messages", "Runs", "Events"):
        page.get_by_role("link", name=re.compile(room)).click()
        page.locator(".letter, .run, .event-kind").first.wait_for()
        assert page.evaluate(CONTRAST) == []


def test_the_look_is_chosen_and_kept(opened, served) -> None:
    page = opened(color_scheme="light", reduced_motion="reduce")

    def paper() -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = paper()
    page.locator("#theme").click()
    page.locator("#theme").click()
    until(page, "light => getComputedStyle(document.body).backgroundColor !== light", light)
    dark = paper()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert (paper(), page.evaluate("document.documentElement.dataset.theme")) == (dark, "dark")


def test_who_wants_no_motion_gets_none(opened, served) -> None:
    served.plan("Still")
    page = opened(reduced_motion="reduce")
    longest = """() => Math.max(...[...document.querySelectorAll("*")].flatMap((each) => {
      const style = getComputedStyle(each);
      return [...style.transitionDuration.split(","), ...style.animationDuration.split(",")].map(parseFloat);
    }))"""
    assert page.evaluate(longest) <= 0.001


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_reads_and_moves_with_a_finger(opened, served, width) -> None:
    plan = served.plan("Fix the login redirect after a password reset", 3, "backend, security")
    page = opened(width=width, height=780, has_touch=True, is_mobile=True, device_scale_factor=2)
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    card(page, "Fix the login").locator(".card-move").tap()
    menu = page.get_by_role("dialog", name=re.compile("^Move Fix"))
    assert round(menu.bounding_box()["width"]) == width
    menu.get_by_role("button", name="Planned").tap()
    column(page, "PLAN REVIEWED").locator(".card").wait_for()
    assert where(served, plan) == "PLAN REVIEWED"
    card(page, "Fix the login").locator(".card-open").tap()
    sheet = page.locator("dialog.sheet[open]")
    sheet.locator(".prose").wait_for()
    assert round(sheet.bounding_box()["width"]) == width
    assert (
        page.evaluate(
            "document.querySelector('.sheet-body').scrollWidth - document.querySelector('.sheet-body').clientWidth"
        )
        <= 0
    )
    small = """() => [...document.querySelectorAll("dialog[open] :is(button, select)")].filter(
      (each) => each.checkVisibility() && each.getBoundingClientRect().height < 36).length"""
    assert page.evaluate(small) == 0
    sheet.get_by_role("button", name="Close").tap()
    for room in ("Messages", "Runs", "Events", "Board"):
        page.get_by_role("link", name=re.compile(room)).tap()
        until(page, "room => document.title.startsWith(room)", room)
        assert page.evaluate(overflow) <= 0


# Many


@pytest.fixture
def thousand(served) -> ServedPage:
    """A thousand cards in five columns."""
    for number in range(1000):
        path = Path(served.place.plans) / f"feature_plan_20260302_081500_plan_{number:04d}.md"
        path.write_text(f"# Plan number {number:04d}\n\n**Tags:** api\n**Complexity:** {number % 10 + 1}\n", "utf-8")
    scan.scan(served.desk(), settled=True)
    every = ["CREATED", "PLAN REVIEWED", "LEAD CODED", "CODER CODED", "CODE REVIEWED"]
    with store.Writing(served.desk()) as write:
        for number, (plan_id,) in enumerate(write.db.execute("select plan_id from plans order by topic").fetchall()):
            write.db.execute("update plans set column_id = ? where plan_id = ?", (every[number % 5], plan_id))
    return served


def test_a_thousand_cards_are_as_quick_as_twenty(opened, thousand) -> None:
    page = opened()
    taken = [int(page.get_attribute("body", "data-ready"))]
    for _ in range(2):
        page.reload()
        page.wait_for_selector("body[data-ready]")
        taken.append(int(page.get_attribute("body", "data-ready")))
    assert column(page, "CREATED").locator(".count").inner_text() == "200"
    assert page.locator(".card").count() < 120
    column(page, "CREATED").locator(".column-scroll").evaluate("each => each.scrollTo(0, each.scrollHeight)")
    until(page, "document.querySelector('[data-column=CREATED] .card:last-child').ariaPosInSet === '200'")
    page.get_by_label("Search plans").fill("0777")
    until(page, "document.querySelectorAll('.card').length === 1")
    drag(page, "Plan number 0777", "CREATED")
    column(page, "CREATED").locator(".card").wait_for()
    # A second is the aim, and half of one what it takes; a busy machine gets more.
    assert min(taken) < 5000


def test_a_thousand_cards_are_walked_by_keys_to_the_last(opened, thousand) -> None:
    page = opened()
    column(page, "CREATED").locator('[tabindex="0"]').focus()
    page.keyboard.press("End")
    until(page, "document.activeElement.closest('.card').ariaPosInSet === '200'")
    page.keyboard.press("Home")
    until(page, "document.activeElement.closest('.card').ariaPosInSet === '1'")
    assert page.locator(".card").count() < 120
