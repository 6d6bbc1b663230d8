"""The page in a real browser: nothing it shows can do harm, it is live, and its rooms share one frame."""

from __future__ import annotations

import re
import time

from on_page import card, column, drag, noticed, titles, until
from served_page import ServedPage

from pal.events import log
from pal.switchboard import messages, moves, registry, roster, runs

HOSTILE = [
    "<img src=x onerror='window.hit=1'>",
    "<script>window.hit=2</script>",
    '"><svg onload=window.hit=3>',
    "javascript:window.hit=4",
    "${window.hit=5}{{7*7}}",
    "</title></style></textarea><iframe srcdoc='<script>parent.hit=6</script>'>",
    "&lt;b&gt;&#x3c;script&#x3e;",
    "\u202egnp.exe\u2066",
    "W" * 180,
]


# Safe to look at


def test_what_plans_and_messages_say_is_text_and_nothing_else(opened, served) -> None:
    for number, words in enumerate(HOSTILE):
        body = "\n\n".join(
            [words, f"[a]({words}) ![b](x){words} `{words}`", f"| {words} | b |\n|---|---|\n| {words} | c |"]
        )
        body += f"\n\n> {words}\n\n- [ ] {words}"
        plan = served.plan(f"{words} {number}", 5, f"{words[:20]}, b", body)
        if number == 0:
            moves.move(served.desk("codex"), plan["planId"], "planned", reason=words)
    roster.register(served.desk("codex"), "codex", "coder")
    messages.send(served.desk("codex"), "status_update", "\n".join(HOSTILE))
    log.emit(served.home, log.event("tool_start", "hook", time.time(), tool=HOSTILE[0], call_id="a"))
    page = opened()
    assert page.locator(".card").count() == len(HOSTILE)
    for number in range(len(HOSTILE)):
        card(page, f" {number}").last.locator(".card-open").click()
        page.locator("dialog.sheet[open] .prose").wait_for()
        page.keyboard.press("Escape")
    card(page, HOSTILE[0]).first.locator(".card-open").click()
    page.get_by_role("tab", name="History").click()
    page.get_by_text(HOSTILE[0]).last.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("link", name=re.compile("Messages")).click()
    page.locator(".letter-text", has_text="onerror").wait_for()
    page.get_by_role("link", name=re.compile("Events")).click()
    page.locator(".event-what", has_text="onerror").wait_for()
    assert page.evaluate("window.hit") is None
    assert page.locator("img, iframe, main script, main svg:not(.icon), a[href^='javascript']").count() == 0


def test_a_hostile_text_of_a_megabyte_is_drawn(opened, served) -> None:
    for number, piece in enumerate(("[", "*", "`", "|", "> ", "- ", "[a](", "**a", "\\")):
        served.plan(f"Long {number}", body=piece * (190_000 // len(piece)))
    page = opened()
    for number in range(9):
        card(page, f"Long {number}").locator(".card-open").click()
        page.locator("dialog.sheet[open] :is(.prose, .raw)").first.wait_for()
        page.keyboard.press("Escape")
        until(page, "!document.querySelector('dialog[open]')")


def test_without_its_key_the_page_tells_nothing_and_with_it_the_address_is_clean(opened, served) -> None:
    served.plan("Private")
    locked = opened(address=served.server.url + "/")
    assert "This page is locked" in locked.inner_text("main") and "Private" not in locked.content()
    page = opened()
    assert page.url == served.server.url + "/"
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert titles(page, "CREATED") == ["Private"]
    beside = page.context.new_page()
    beside.goto(served.server.url + "/#/events")
    beside.get_by_role("heading", name="Events").wait_for()


def test_a_key_of_an_earlier_start_opens_nothing_and_stops_what_is_open(opened, served) -> None:
    served.plan("Private")
    page = opened()
    page.locator("#link[data-state=live]").wait_for(state="attached")
    served.room.token = "the-word-of-a-later-start"
    served.room.watch.stop()
    page.get_by_text("The server was started anew").wait_for()
    assert "Private" not in page.inner_text("main")
    page.reload()
    page.get_by_text("The key of this page is an old one").wait_for()


# Live


def test_what_others_do_is_seen_without_a_reload(opened, served) -> None:
    plan = served.plan("Watched")
    page = opened()
    moves.move(served.desk("codex"), plan["planId"], "coder")
    column(page, "CODER CODED").locator(".card").wait_for()
    until(page, "document.getElementById('polite').textContent.includes('Watched is now in Coder')")
    served.plan("Another")
    card(page, "Another").wait_for()
    runs.start(served.desk("codex"), registry.load(served.home, "challenge"), plan["sessionId"])
    card(page, "Watched").get_by_text("challenge").wait_for()


def test_a_page_that_lost_its_connection_catches_up(opened, served) -> None:
    plan = served.plan("Missed")
    page = opened()
    page.locator("#link[data-state=live]").wait_for(state="attached")
    page.context.set_offline(True)
    served.room.watch.stop()  # ends the stream that is open
    page.locator("#link[data-state=waiting]").wait_for(state="attached")
    moves.move(served.desk("codex"), plan["planId"], "planned")
    served.room.watch = type(served.room.watch)()
    page.context.set_offline(False)
    column(page, "PLAN REVIEWED").locator(".card").wait_for()
    page.locator("#link[data-state=live]").wait_for(state="attached")


# The frame and its other rooms


def test_the_rooms_share_one_frame(opened, served) -> None:
    plan = served.plan("Reported")
    roster.register(served.desk("codex"), "codex", "coder")
    messages.send(served.desk("codex"), "submit_result", "All green.", plan=plan["planId"])
    runs.start(served.desk("codex"), registry.load(served.home, "challenge"), plan["sessionId"])
    page = opened()
    page.get_by_role("link", name=re.compile("Messages.*1")).click()
    page.get_by_text("All green.").wait_for()
    page.get_by_label("Message", exact=True).fill("Thank you.")
    page.get_by_role("button", name="Send").click()
    noticed(page, "Sent to codex")
    page.get_by_role("button", name="Done").click()
    page.get_by_text("Nothing here").wait_for()
    page.get_by_role("link", name="Runs").click()
    page.get_by_text("dependencies").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Stop it").click()
    page.get_by_text("Stopped", exact=True).wait_for()
    page.get_by_role("link", name="Events").click()
    page.get_by_text("Quiet").wait_for()
    log.emit(served.home, log.event("tool_end", "hook", time.time(), tool="Bash", call_id="a", ok=True, duration_ms=12))
    page.get_by_text("Bash, 12 ms").wait_for()
    page.go_back()
    until(page, "document.title.startsWith('Runs')")


def test_a_page_of_two_projects_shows_one_at_a_time(opened, served, tmp_path) -> None:
    served.plan("In the harbor")
    with ServedPage(served.home, tmp_path / "island") as other:
        other.plan("On the island")
    page = opened()
    page.get_by_label("Project").select_option(label="island")
    card(page, "On the island").wait_for()
    assert card(page, "In the harbor").count() == 0
    drag(page, "On the island", "PLAN REVIEWED")
    column(page, "PLAN REVIEWED").locator(".card").wait_for()
    assert page.get_by_label("Project").input_value() != ""
