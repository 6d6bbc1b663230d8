"""A browser for the page, and the page in it; whatever the browser complains about fails the test."""

from __future__ import annotations

import os

import pytest
from on_page import PATIENCE
from served_page import ServedPage

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium(require):
    """A browser for all tests here; each gets a context of its own."""
    program = os.environ.get("PAL_TEST_CHROMIUM", "")
    require(program and os.path.exists(program), "a Chromium whose path is in PAL_TEST_CHROMIUM")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        require(None, "the package playwright")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def served(home, tmp_path):
    with ServedPage(home, tmp_path / "harbor") as made:
        yield made


@pytest.fixture
def opened(chromium, served):
    """opened(width=390, …): the page, ready. Whatever a browser complains about fails the test."""
    contexts, complaints = [], []

    def open_page(width: int = 1440, height: int = 900, address: str = "", before=None, **more):
        context = chromium.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        shown = context.new_page()
        shown.on("pageerror", lambda fault: complaints.append(str(fault)))
        shown.on(
            "console", lambda said: said.type == "error" and not _expected(said.text) and complaints.append(said.text)
        )
        shown.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        if before:
            before(shown)
        shown.goto(address or served.address)
        shown.wait_for_selector("body[data-ready]")
        return shown

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def _expected(said: str) -> bool:
    """What Chromium writes by itself for an answer that is no success, and for a connection that a test breaks."""
    return "Failed to load resource" in said
