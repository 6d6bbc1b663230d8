"""The daily round of a detached job: the backup, what is counted and indexed anew, and what the calendar brings."""

from __future__ import annotations

from pal.memory import backup, counts, interaction_baseline, search
from pal.memory.learning import rounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.asking import Ask
    from pal.base.home import Home
    from pal.base.settings import Settings


def daily(home: Home, settings: Settings, ask: Ask, now: float) -> None:
    """Do all of it. PalError when there is no room for the backup, which keeps nothing else from being done."""
    from pal.jobs import queue  # hooks import this folder, and have no use for it

    try:
        backup.run(home, now)
    finally:
        queue.sweep(home, now)
        counts.recount(home, now)
        interaction_baseline.refresh(home, now)
        rounds.daily(home, settings, ask, now)
        search.refresh(home, now)
