"""What a server sends on while it runs and at its end, and that nobody waits for a collector."""

from __future__ import annotations

import threading
import time

import pytest

from pal.events import export
from pal.external import exporting

NAMED = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}


@pytest.fixture
def ran(monkeypatch):
    """The environments that an export ran with."""
    seen: list[dict] = []
    monkeypatch.setattr(export, "run", lambda home, env, sleep: seen.append(env))
    return seen


def test_without_a_collector_no_thread_begins(home, ran):
    before = threading.active_count()
    exporting.begin(home, {})()
    assert (threading.active_count(), ran) == (before, [])


def test_events_go_out_again_and_again_and_once_more_at_the_end(home, ran):
    end = exporting.begin(home, NAMED, every=0.01)
    deadline = time.monotonic() + 20
    while len(ran) < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    end()
    assert len(ran) >= 4
    assert ran[0] is NAMED


def test_what_is_left_goes_out_at_the_end(home, ran):
    exporting.begin(home, NAMED)()
    assert len(ran) == 1


def test_a_collector_that_never_answers_keeps_no_server_alive(home, monkeypatch):
    hangs = threading.Event()
    monkeypatch.setattr(export, "run", lambda *_: hangs.wait(60))
    before = time.monotonic()
    exporting.begin(home, NAMED, last=0.1)()
    assert time.monotonic() - before < 20
    hangs.set()


def test_an_export_that_fails_is_logged_and_tried_again(home, monkeypatch):
    calls = []

    def fails(*_):
        calls.append(1)
        raise OSError("no room")

    monkeypatch.setattr(export, "run", fails)
    end = exporting.begin(home, NAMED, every=0.01)
    deadline = time.monotonic() + 20
    while len(calls) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    end()
    assert len(calls) >= 3
    with open(home.log, encoding="utf-8") as log:
        assert "OSError while exporting: no room" in log.read()
