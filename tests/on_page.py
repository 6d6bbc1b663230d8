"""What tests do on the page: find, wait, drag; and where a card stands on the board behind it."""

from __future__ import annotations

import time

from served_page import ServedPage

from pal.switchboard import board

PATIENCE = 20_000  # milliseconds for what must come; it comes in a few


def column(page, name: str):
    return page.locator(f'[data-column="{name}"]')


def card(page, title: str):
    return page.locator(".card", has_text=title)


def titles(page, name: str) -> list[str]:
    return column(page, name).locator(".card-title").all_inner_texts()


def drag(page, title: str, target: str) -> None:
    start, end = card(page, title).bounding_box(), column(page, target).bounding_box()
    page.mouse.move(start["x"] + 60, start["y"] + 30)
    page.mouse.down()
    for part in (0.2, 0.6, 1.0):
        page.mouse.move(
            start["x"] + 60 + (end["x"] + 80 - start["x"] - 60) * part,
            start["y"] + 30 + (end["y"] + 120 - start["y"] - 30) * part,
        )
    page.mouse.up()


def where(served: ServedPage, plan: dict) -> str:
    return board.find(served.desk(), plan["planId"])["column"]


def until(page, script: str, value: object = None) -> None:
    """Wait until a script says yes. The browser's own way to wait evaluates text, which the page's policy forbids."""
    late = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(script, value):
        assert time.monotonic() < late, script
        page.wait_for_timeout(20)


def noticed(page, words: str) -> None:
    page.locator(".toast", has_text=words).first.wait_for()


def announced(page, words: str) -> None:
    until(page, "words => document.getElementById('urgent').textContent.includes(words)", words)
