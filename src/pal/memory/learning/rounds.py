"""The rounds that come by the calendar: reflection, graduation, self-model, weekly and monthly synthesis.

They ride on jobs that a stop starts anyway, so nothing runs while nobody works; each knows itself when it is due."""

from __future__ import annotations

import time

from pal.base import log
from pal.memory.learning import graduation
from pal.memory.tools import reflect, self_portrait, synthesis_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pal.base.asking import Ask
    from pal.base.home import Home
    from pal.base.settings import Settings

_LONGEST = 300.0  # seconds; after that no further round begins


def daily(home: Home, settings: Settings, ask: Ask, now: float) -> list[str]:
    """Run what is due, each part on its own; the names of those that ran."""
    zone = settings.zone
    rounds: list[tuple[str, Callable[[], bool]]] = [("reflect", lambda: reflected(home, settings, now))]
    if settings.flag("learning.autoGraduate", True):
        rounds.append(("graduate", lambda: bool(graduation.run(home, now, zone))))
    if settings.flag("learning.selfModel", True):
        rounds.append(
            ("self-model", lambda: self_portrait.due(home, now) and bool(self_portrait.write(home, ask, now, zone)))
        )
    if settings.flag("learning.synthesis", True):
        rounds += [(period, _synthesis(home, ask, period, now, zone)) for period in synthesis_report.PERIODS]
    return run_each(home, rounds)


def reflected(home: Home, settings: Settings, now: float) -> bool:
    """Reflect when enough new notes came, or a day has passed; whether it did."""
    if not settings.flag("learning.reflect", True) or not reflect.due(home, now, settings.zone):
        return False
    reflect.run(home, now, settings.zone)
    return True


def run_each(home: Home, parts: Sequence[tuple[str, Callable[[], object]]]) -> list[str]:
    """Call each part; one that fails is logged and never stops the next. The names of those that did something."""
    began = time.monotonic()
    done = []
    for name, part in parts:
        if time.monotonic() - began > _LONGEST:
            log.warning(home, "learn", f"{name} and what follows wait for another time")
            break
        try:
            if part():
                done.append(name)
        except Exception as problem:  # a person's file in any state, a full disk: the other parts are not its concern
            import traceback

            log.error(home, "learn", f"{name}: {type(problem).__name__}: {problem}", traceback.format_exc())
    return done


def _synthesis(home: Home, ask: Ask, period: str, now: float, zone: str) -> Callable[[], bool]:
    def write() -> bool:
        return synthesis_report.due(home, period, now, zone) and bool(
            synthesis_report.write(home, period, ask, now, zone)
        )

    return write
