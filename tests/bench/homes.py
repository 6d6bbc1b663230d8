"""Homes to measure with: a big one holds what years of use leave behind, written in the formats PAL writes."""

from __future__ import annotations

import json
import os
import time

from pal.base.home import Home

SESSIONS, RATINGS, LEARNINGS, FAILURES = 2_000, 20_000, 10_000, 500
TOPICS = ("parser", "cache", "login", "invoice", "queue", "schema", "router", "export", "search", "billing", "layout")
FAULTS = (
    "race",
    "timeout",
    "leak",
    "regression",
    "deadlock",
    "typo",
    "overflow",
    "mismatch",
    "crash",
    "stall",
    "drift",
)
PLACES = ("worker", "handler", "migration", "endpoint", "fixture", "scheduler", "template", "adapter", "reader", "form")


def fill(root: str, now: float) -> None:
    """Lay a long history into an installed home."""
    home = Home(root)
    _ratings(home, now)
    _sessions(home, now)
    _learnings(home, now)
    _failures(home, now)


def _iso(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def _words(number: int) -> tuple[str, str, str, str]:
    return (
        TOPICS[number % len(TOPICS)],
        FAULTS[number // 11 % len(FAULTS)],
        PLACES[number // 121 % len(PLACES)],
        f"component{number % 997}",
    )


def _ratings(home: Home, now: float) -> None:
    os.makedirs(home.signals, exist_ok=True)
    with open(home.ratings, "w", encoding="utf-8") as out:
        for number in range(RATINGS):
            row = {
                "ts": _iso(now - (RATINGS - number) * 1000),
                "session": f"old-{number % SESSIONS}",
                "agent": "claude",
                "type": "rating",
                "rating": 1 + number % 10,
                "source": "explicit",
                "context": "good work on the " + _words(number)[0],
                "response_preview": "The change is in and the tests pass. " * 4,
                "cwd": f"/home/user/project{number % 40}",
            }
            out.write(json.dumps(row) + "\n")


def _sessions(home: Home, now: float) -> None:
    rows = {}
    for number in range(SESSIONS):
        topic, fault, place, _ = _words(number)
        moment = _iso(now - (SESSIONS - number) * 9000)
        rows[f"old-{number}"] = {
            "name": f"{topic} {fault} {place}".title(),
            "cwd": f"/home/user/project{number % 40}",
            "status": "completed",
            "summary": f"We found the {fault} in the {topic} and mended it.",
            "agent": "claude",
            "started": moment,
            "last": moment,
            "prompts": 7,
            "turns": 7,
        }
    os.makedirs(home.archive_rows, exist_ok=True)
    keys = list(rows)
    with open(os.path.join(home.archive_rows, "sessions-2026-01.jsonl"), "w", encoding="utf-8") as out:
        for key in keys[:-300]:
            out.write(json.dumps({"key": key, "row": rows[key]}) + "\n")
    with open(home.sessions, "w", encoding="utf-8") as out:
        json.dump({key: rows[key] for key in keys[-300:]}, out)


def _learnings(home: Home, now: float) -> None:
    for number in range(LEARNINGS):
        topic, fault, place, part = _words(number)
        moment = now - (LEARNINGS - number) * 3000
        day = time.strftime("%Y-%m-%d", time.gmtime(moment))
        folder = os.path.join(home.session_learning, day[:7])
        os.makedirs(folder, exist_ok=True)
        title = f"{topic} {fault} in the {place} of {part}"
        text = (
            f'---\ntitle: "{title}"\ndate: "{day}"\nts: "{_iso(moment)}"\nsession: "old-{number % SESSIONS}"\n'
            f'agent: "claude"\ncwd: "/home/user/project{number % 40}"\nmessages: 8\nstatus: "completed"\n---\n\n'
            f"## What Was Done\n\nThe {fault} came from {part}: the {place} kept a stale handle. It is closed now.\n\n"
            f"## Files\n\n- src/{topic}/{part}.py\n"
        )
        with open(os.path.join(folder, f"{day}_{topic}-{fault}-{place}-{number}.md"), "w", encoding="utf-8") as out:
            out.write(text)


def _failures(home: Home, now: float) -> None:
    for number in range(FAILURES):
        topic, fault, place, part = _words(number * 13)
        moment = now - (FAILURES - number) * 60000
        day = time.strftime("%Y-%m-%d", time.gmtime(moment))
        folder = os.path.join(home.failures, day[:7])
        os.makedirs(folder, exist_ok=True)
        text = (
            f'---\nrating: 2\ncontext: "the {topic} still shows the {fault}"\ndate: "{day}"\nts: "{_iso(moment)}"\n'
            f'session: "old-{number}"\nagent: "claude"\ncwd: "/home/user/project{number % 40}"\n'
            'source: "explicit"\n---\n\n'
            f"## What Happened\n\nThe {place} of {part} was changed, not the {topic}.\n\n"
            "## Conversation Summary\n\nUSER: mend it\n\nASSISTANT: Done.\n"
        )
        with open(os.path.join(folder, f"{day}_{topic}-{fault}-{number}.md"), "w", encoding="utf-8") as out:
            out.write(text)
