"""What `pal doctor` says about models: the way questions take, the spend of today, and by `--probe` a word from each.

The probe asks one after another, since programs that start together disturb each other; each question is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base import settings
from pal.cli import asking
from pal.inference import spend
from pal.inference.dispatcher import NONE, OFF
from pal.install.doctor import FAIL, PASS, WARNING, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pal.cli.context import Context

SPEND, PROBE = "spend", "probe-"  # ids of findings that are shown even when all is well
_SYSTEM = "Answer in at most three words."
_PROMPT = "Reply with exactly: OK"
_PATIENCE = 60.0  # seconds


def standing(context: Context) -> list[Finding]:
    """Which way questions take now, and how much of the day's share is used. Asks nothing."""
    values = settings.load(context.home)
    preview = asking.typed(context).preview()
    day = spend.today(context.home, values, context.now)
    used = (
        f"today {day.calls} of {day.calls_limit} model calls are used, "
        f"and about {day.tokens:,} of {day.tokens_limit:,} tokens"
    )
    way = f"PAL asks models by {preview.route} ({preview.reason})"
    if preview.route in (NONE, OFF):
        way = f"PAL asks no model, and learns by its rules alone: {preview.reason}"
    fix = f"raise inference.daily_calls or daily_tokens in {context.home.settings}, or wait for tomorrow"
    return [Finding("inference", PASS, way), Finding(SPEND, WARNING if day.stop else PASS, used, day.stop and fix)]


def each(context: Context) -> Iterator[Finding]:
    """One finding for each route, as its answer comes."""
    for route in asking.routes():
        way = asking.typed(context, route)
        preview = way.preview()
        name = PROBE + route
        if preview.route in (NONE, OFF):
            yield Finding(name, WARNING if preview.route == OFF else PASS, f"{route} is not asked: {preview.reason}")
            continue
        context.output.progress(f"asking {route} …")
        answer = way.ask(_SYSTEM, _PROMPT, timeout=_PATIENCE, caller="doctor-probe")
        if answer.ok:
            said = " ".join(answer.text.split())[:40]
            yield Finding(name, PASS, f"{route} answered {said!r} in {answer.ms / 1000:.1f} s")
        else:
            title = f"{route} gave no answer in {answer.ms / 1000:.1f} s: {answer.reason}"
            yield Finding(name, FAIL, title, "pal debug log")
