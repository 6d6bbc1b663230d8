"""What each job name means: the table that `app` hands to the runner. It joins every floor that works detached."""

from __future__ import annotations

import os

from pal.base import clock, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.base.asking import Ask
    from pal.base.home import Home
    from pal.base.settings import Settings

    Payload = dict[str, Any]


def handlers(home: Home, spawn: Callable[[str], int]) -> dict[str, Callable[[Payload], object]]:
    """The handlers by name; each decides for itself whether there is anything to do, and imports what it needs.

    `spawn(id)` starts a child for a job that one of them leaves."""

    def index(_: Payload) -> None:
        from pal.memory import search

        search.refresh(home, clock.now())

    def daily(_: Payload) -> None:
        from pal.memory import upkeep

        _learning(home, upkeep.daily, "")

    def learn(payload: Payload) -> None:
        from pal.memory.learning import after_stop

        _learning(home, after_stop.run, str(payload.get("agent") or ""), payload)

    def skills(_: Payload) -> None:
        from pal.skills import index as skill_index

        skill_index.refresh(home)

    def retune(_: Payload) -> None:
        from pal.install import home_setup

        home_setup.retune(home, clock.now(), os.environ)

    def stop_deferred(payload: Payload) -> None:
        from pal import targets
        from pal.hooks import stop_deferred as deferred
        from pal.hooks.frame import Frame
        from pal.jobs.handover import Handover

        now = clock.now()
        handover = Handover(home, now)
        turn = targets.turn(payload["agent"]).parse("stop", {}, os.environ)
        frame = Frame(home, settings.load(home), now, os.environ, handover.later, handover.revive)
        deferred.finish(turn, payload, frame)
        handover.start(spawn)

    def export(_: Payload) -> None:
        from pal.events import export as exporter

        exporter.run(home, os.environ)

    return {
        "index": index, "daily": daily, "learn": learn, "skills": skills, "retune": retune,
        "stop-deferred": stop_deferred, "export": export,
    }  # fmt: skip


def asker(home: Home, values: Settings, agent: str = "") -> Ask:
    """How a job asks a model: through the agent named, or the one this environment names."""
    from pal.cli import asking

    return asking.dispatcher(home, values, os.environ, agent).ask


def _learning(home: Home, act: Callable[..., object], agent: str, *more: Payload) -> None:
    """Do what may ask a model; what agents load from files follows at once, not at the next stop."""
    from pal.context import digests

    values = settings.load(home)
    try:
        act(home, values, asker(home, values, agent), clock.now(), *more)
    finally:
        digests.refresh(home, values, clock.now())
