"""Sends what the event log gained since the last time to an OpenTelemetry collector (cold: a job or a server calls it).

The log is the queue and a small state file the place in it, so a hook never waits, nothing is sent twice, and what a
collector could not take in time is sent the next time."""

from __future__ import annotations

import gzip
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from pal.base import files, jsontext, locks, log
from pal.base.home import Home
from pal.events import follow, otlp, spans

BATCH = 512  # spans in one request
BACKLOG = 20_000  # events; who fell further behind begins with the newest
RETRIED = (429, 502, 503, 504)
_READ = 4 * 1024 * 1024  # bytes of an answer


class _Refuse(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Never: the headers may hold a key, and are for the host that was named."""


def run(home: Home, env: Mapping[str, str], sleep: Callable[[float], object] = time.sleep) -> int:
    """Export what is new and say how many spans went out; 0 when nothing is configured or nothing happened."""
    target = otlp.endpoint(env)
    if target is None:
        return 0
    with locks.Lock(home.export_place, wait=0) as held:
        return _export(home, target, sleep) if held else 0


def _export(home: Home, target: otlp.Endpoint, sleep: Callable[[float], object]) -> int:
    place = _place(home)
    lines = follow.since(home, place["last"]) if place["last"] else None
    if lines is None:
        lines = follow.newest(home, BACKLOG)
    events = [event for event, _ in lines][-BACKLOG:]
    if not events:
        return 0
    for warning in target.warnings:
        log.warning(home, "otlp", warning)
    made, waiting = spans.fold(events, place["waiting"])
    for begin in range(0, len(made), BATCH):
        if not _send(home, otlp.request(made[begin : begin + BATCH], target), target, sleep):
            return begin  # all of it again the next time: span ids stay the same, so a collector sees no double
    _keep(home, {"last": events[-1]["id"], "waiting": waiting})
    return len(made)


def _send(home: Home, body: dict[str, Any], target: otlp.Endpoint, sleep: Callable[[float], object]) -> bool:
    """False when the collector may take it later; what it refuses is dropped with a line in the log."""
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    headers = {"Content-Type": "application/json", **target.headers}
    if target.gzip:
        data, headers["Content-Encoding"] = gzip.compress(data), "gzip"
    opener = urllib.request.build_opener(_Refuse)
    deadline, wait = time.monotonic() + target.timeout, 0.5
    while True:
        left = deadline - time.monotonic()
        try:
            asked = urllib.request.Request(target.url, data, headers, method="POST")
            with opener.open(asked, timeout=max(0.1, left)) as answer:
                _note_partial(home, answer.read(_READ))
            return True
        except urllib.error.HTTPError as fault:
            fault.close()
            if fault.code not in RETRIED:
                log.error(home, "otlp", f"the collector answered {fault.code}; {len(data)} bytes of spans are dropped")
                return True
            named = fault.headers.get("Retry-After", "")
            pause = float(named) if named.isascii() and named.isdigit() else wait * (0.5 + random.random())
        except (OSError, ValueError) as problem:
            pause = wait * (0.5 + random.random())
            reason = getattr(problem, "reason", problem)
            if time.monotonic() + pause >= deadline:
                log.warning(home, "otlp", f"the collector cannot be reached ({reason}); the spans wait")
                return False
        if time.monotonic() + pause >= deadline:
            return False
        sleep(pause)
        wait *= 2


def _note_partial(home: Home, answer: bytes) -> None:
    try:
        partial = jsontext.loads(answer or b"{}").get("partialSuccess") or {}
        refused = int(partial.get("rejectedSpans") or 0)
    except (ValueError, AttributeError, TypeError):
        return
    if refused:
        log.warning(home, "otlp", f"the collector refused {refused} spans: {partial.get('errorMessage', '')}")


def _place(home: Home) -> dict[str, Any]:
    try:
        place = jsontext.loads(files.read_text(home.export_place) or "{}")
        return {"last": str(place.get("last") or ""), "waiting": [each for each in place.get("waiting") or [] if each]}
    except (ValueError, AttributeError):
        return {"last": "", "waiting": []}


def _keep(home: Home, place: dict[str, Any]) -> None:
    files.write(home.export_place, jsontext.dumps(place) + "\n")
