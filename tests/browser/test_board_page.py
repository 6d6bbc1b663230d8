"""The board in a real browser: a card is dragged, moved by keys, searched, contested, read and edited."""

from __future__ import annotations

import re

from on_page import announced, card, column, drag, noticed, titles, until, where

from pal.switchboard import cards, moves

# Moving


def test_a_card_is_dragged_to_another_column_and_taken_back(opened, served) -> None:
    plan = served.plan("Fix the login redirect", 3)
    served.plan("Stays")
    page = opened()
    drag(page, "Fix the login redirect", "PLAN REVIEWED")
    column(page, "PLAN REVIEWED").locator(".card").wait_for()
    assert (titles(page, "PLAN REVIEWED"), titles(page, "CREATED")) == (["Fix the login redirect"], ["Stays"])
    assert where(served, plan) == "PLAN REVIEWED"
    page.get_by_role("button", name="Undo").last.click()
    until(page, "document.querySelectorAll('[data-column=CREATED] .card').length === 2")
    assert where(served, plan) == "CREATED"


def test_a_drag_is_given_up_with_escape_and_opens_nothing(opened, served) -> None:
    plan = served.plan("Hesitant")
    page = opened()
    box = card(page, "Hesitant").bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 40, steps=4)
    assert page.locator(".ghost").count() == 1
    assert "over" in column(page, "PLAN REVIEWED").get_attribute("class")
    page.keyboard.press("Escape")
    page.mouse.up()
    assert page.locator(".ghost, .over, dialog[open]").count() == 0
    assert where(served, plan) == "CREATED"


def test_a_card_is_moved_with_keys_alone_and_every_step_is_announced(opened, served) -> None:
    plan = served.plan("By keys", 3)
    page = opened()
    page.get_by_role("button", name="By keys; complexity 3, low", exact=True).focus()
    page.keyboard.press("Space")
    announced(page, "By keys picked up from Created")
    page.keyboard.press("ArrowRight")
    announced(page, "Over Planned, column 2 of 6")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    announced(page, "Over Reviewed, column 5 of 6")
    page.keyboard.press("Space")
    column(page, "CODE REVIEWED").locator(".card").wait_for()
    until(page, "document.activeElement.closest('[data-column]')?.dataset.column === 'CODE REVIEWED'")
    assert where(served, plan) == "CODE REVIEWED"


def test_a_card_that_was_picked_up_is_put_back_with_escape(opened, served) -> None:
    plan = served.plan("Put back")
    page = opened()
    card(page, "Put back").locator(".card-open").focus()
    for key in ("Space", "ArrowRight", "Escape"):
        page.keyboard.press(key)
    announced(page, "Put back stays where it was")
    assert page.locator(".held, .over").count() == 0
    assert where(served, plan) == "CREATED"


def test_arrows_walk_over_the_board_and_tab_leads_to_one_card_of_a_column(opened, served) -> None:
    for title in ("One", "Two", "Three"):
        served.plan(title)
    moved = served.plan("Beside")
    moves.move(served.desk(), moved["planId"], "coder")
    page = opened()
    assert column(page, "CREATED").locator('[tabindex="0"]').count() == 1
    first, second, third = titles(page, "CREATED")
    card(page, first).locator(".card-open").focus()
    walk = {"ArrowDown": second, "End": third, "Home": first, "ArrowRight": "Beside", "ArrowLeft": first}
    for key, title in walk.items():
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.innerText") == title


def test_the_menu_moves_by_complexity_and_gives_the_focus_back(opened, served) -> None:
    plan = served.plan("Small", 3)
    page = opened()
    card(page, "Small").locator(".card-open").focus()
    page.keyboard.press("m")
    assert page.get_by_role("dialog", name="Move Small").get_by_role("button", name="Created").is_disabled()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.innerText") == "Small"
    page.keyboard.press("m")
    page.get_by_role("button", name="By its complexity").click()
    column(page, "CODER CODED").locator(".card").wait_for()
    assert where(served, plan) == "CODER CODED"
    noticed(page, "Nobody holds the role coder")


def test_a_stale_move_tells_what_happened_and_is_offered_again(opened, served) -> None:
    plan = served.plan("Contested")
    # Without its stream the page does not see what another does in the meantime.
    page = opened(before=lambda shown: shown.route("**/api/live**", lambda route: route.abort()))
    moves.move(served.desk("codex"), plan["planId"], "reviewed")
    drag(page, "Contested", "PLAN REVIEWED")
    asked = page.get_by_role("dialog", name="This card has moved")
    asked.wait_for()
    assert re.search(r"Codex moved it to Reviewed at .* after you looked", asked.inner_text())
    assert titles(page, "CODE REVIEWED") == ["Contested"]
    asked.get_by_role("button", name="Move it to Planned").click()
    column(page, "PLAN REVIEWED").locator(".card").wait_for()
    assert where(served, plan) == "PLAN REVIEWED"


def test_a_stale_move_can_be_left(opened, served) -> None:
    plan = served.plan("Contested")
    page = opened(before=lambda shown: shown.route("**/api/live**", lambda route: route.abort()))
    moves.move(served.desk("codex"), plan["planId"], "reviewed")
    drag(page, "Contested", "PLAN REVIEWED")
    page.get_by_role("button", name="Leave it in Reviewed").click()
    assert where(served, plan) == "CODE REVIEWED"
    assert page.locator("dialog[open]").count() == 0


def test_a_plan_that_waits_for_others_is_moved_only_when_somebody_insists(opened, served) -> None:
    first, plan = served.plan("Foundation"), served.plan("House")
    cards.change(served.desk(), plan["planId"], deps=[first["planId"]])
    page = opened()
    assert "Waits for 1" in card(page, "House").inner_text()
    drag(page, "House", "CODER CODED")
    asked = page.get_by_role("dialog", name="This plan waits for others")
    assert "Foundation" in asked.inner_text()
    assert where(served, plan) == "CREATED"
    asked.get_by_role("button", name="Move it anyway").click()
    column(page, "CODER CODED").locator(".card").wait_for()
    assert where(served, plan) == "CODER CODED"


def test_a_finished_plan_is_taken_up_again(opened, served) -> None:
    plan = served.plan("Finished")
    moves.move(served.desk(), plan["planId"], "done")
    page = opened(width=2000)
    drag(page, "Finished", "CREATED")
    page.get_by_role("button", name="Take it up again").click()
    column(page, "CREATED").locator(".card").wait_for()
    assert where(served, plan) == "CREATED"


# Finding


def test_words_complexity_and_tags_narrow_the_board(opened, served) -> None:
    served.plan("Fix the login redirect", 3, "backend")
    served.plan("Cache thumbnails", 8, "frontend")
    served.plan("Login page in dark", 8, "frontend")
    page = opened()
    page.keyboard.press("/")
    page.keyboard.type("login")
    until(page, "document.querySelectorAll('.card').length === 2")
    assert column(page, "CREATED").locator(".count").inner_text() == "2 of 3"
    page.get_by_label("Complexity", exact=True).select_option("high")
    until(page, "document.querySelectorAll('.card').length === 1")
    assert titles(page, "CREATED") == ["Login page in dark"]
    page.get_by_label("Search plans").press("Escape")
    until(page, "document.querySelectorAll('.card').length === 3")
    page.get_by_label("Tag", exact=True).select_option("backend")
    until(page, "document.querySelectorAll('.card').length === 1")
    assert titles(page, "CREATED") == ["Fix the login redirect"]


def test_the_archive_is_searched_on_demand(opened, served) -> None:
    plan = served.plan("Streaming importer", body="It reads <b>rows</b> one by one.")
    moves.move(served.desk(), plan["planId"], "done")
    page = opened()
    page.get_by_label("Search plans").fill("rows")
    page.get_by_role("button", name="Search the archive").click()
    found = page.locator(".found li")
    found.wait_for()
    assert "Streaming importer" in found.inner_text() and "<b>rows</b>" in found.inner_text()


# One card


def test_a_card_shows_its_plan_its_history_and_a_prompt_to_copy(opened, served) -> None:
    plan = served.plan(
        "Fix the login",
        3,
        body="- [x] find it\n- [ ] mend it\n\n```py\nlogin()\n```\n\nSee [the page](https://example.org/a).",
    )
    moves.move(served.desk("codex"), plan["planId"], "coder", reason="it is small")
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    card(page, "Fix the login").locator(".card-open").click()
    sheet = page.get_by_role("dialog", name="Fix the login")
    assert sheet.locator("pre code").inner_text() == "login()"
    assert sheet.locator("input[type=checkbox]:checked").count() == 1
    assert sheet.get_by_role("link", name="the page").get_attribute("href") == "https://example.org/a"
    sheet.get_by_role("tab", name="Plan").press("ArrowRight")
    assert "Created → Coder" in sheet.get_by_role("tabpanel").inner_text()
    assert "it is small" in sheet.get_by_role("tabpanel").inner_text()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Copy prompt").click()
    noticed(page, "Copied")
    assert plan["sessionId"] in page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Escape")
    until(page, "document.activeElement.innerText === 'Fix the login'")


def test_a_notice_in_an_open_card_can_be_used(opened, served) -> None:
    plan = served.plan("Moved from its sheet")
    page = opened()
    card(page, "Moved from its sheet").locator(".card-open").click()
    sheet = page.locator("dialog.sheet")
    sheet.get_by_role("button", name="Move", exact=True).click()
    sheet.get_by_role("button", name="Undo").click()
    noticed(page, "Back in Created")
    assert where(served, plan) == "CREATED"


def test_a_text_is_edited_and_a_text_that_changed_meanwhile_is_not_overwritten(opened, served) -> None:
    plan = served.plan("Edited")
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    card(page, "Edited").locator(".card-open").click()
    page.get_by_role("button", name="Edit", exact=True).click()
    area = page.get_by_label("Plan text")
    area.fill(area.input_value() + "\nMine.\n")
    page.get_by_role("button", name="Save").click()
    page.locator(".prose", has_text="Mine.").wait_for()
    page.get_by_role("button", name="Edit", exact=True).click()
    text, sha = cards.text(served.desk(), plan["planId"])
    cards.edit(served.desk("codex"), plan["planId"], text + "\nTheirs.\n", sha)
    area.fill(text + "\nMine again.\n")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Copy mine, show the new one").click()
    page.locator(".prose", has_text="Theirs.").wait_for()
    assert "Mine again." in page.evaluate("navigator.clipboard.readText()")
    assert "Mine again." not in cards.text(served.desk(), plan["planId"])[0]


def test_a_plan_is_added_failed_removed_and_put_back(opened, served) -> None:
    page = opened()
    page.get_by_role("button", name="New plan").click()
    page.get_by_label("Title").fill("Rate limits")
    page.get_by_role("button", name="Add it").click()
    card(page, "Rate limits").locator(".card-open").click()
    page.get_by_role("button", name="Test failed").click()
    page.get_by_label("Feedback").fill("429 never comes")
    page.get_by_role("button", name="Send it back").click()
    noticed(page, "Back in Lead Coder")
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Put it back").click()
    column(page, "LEAD CODED").locator(".card").wait_for()
    assert titles(page, "LEAD CODED") == ["Rate limits"]
