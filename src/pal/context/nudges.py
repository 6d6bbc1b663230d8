"""Reviews that are due, for users who switched such reminders on; a reminder stops once the review was done.

Each looks at the files its review would write, so nothing has to be ticked off."""

from __future__ import annotations

import os

from pal.base import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.base.settings import Settings

_DAY = 86_400.0
REFLECT_AFTER = 7 * _DAY
REFLECT_NOTES = 5  # days with notes since
ANALYSE_AFTER = 7 * _DAY
REVIEW_TASKS = 10  # looked back on since
_FRAME = "algorithm"  # the domain that such a review writes to
ANALYSE_FILES = 10  # learnings and failures since


def due(home: Home, settings: Settings, now: float) -> list[str]:
    """One sentence for each review that is due; none unless `dynamicContext.dueReminders` is on."""
    if not settings.on("dueReminders"):
        return []
    return [text for text in (_review(home), _reflection(home, now), _analysis(home, now)) if text]


def _review(home: Home) -> str:
    """Tasks looked back on since the frame that such a review writes was last changed."""
    if not os.path.isfile(home.algorithm):
        return ""
    from pal.base import clock, records

    last = clock.iso(files.modified(os.path.join(home.wisdom, _FRAME + ".md")))
    new = sum(str(row.get("ts")) > last for row in records.tail(home.algorithm, 2 * REVIEW_TASKS))
    if new < REVIEW_TASKS:
        return ""
    return (
        f"{new} tasks were looked back on since the last review. When there is a pause, offer to go through the "
        f"answers (`pal algorithm list`) and to keep what they teach (`pal wisdom observe {_FRAME} …`)."
    )


def _reflection(home: Home, now: float) -> str:
    last = _newest(home.reflections)
    noted = _since(home.relationship, last)
    if now - last < REFLECT_AFTER or noted < REFLECT_NOTES:
        return ""
    return (
        f"{noted} days of relationship notes were not reflected on yet. When there is a pause, offer to run "
        "`pal reflect` and to go through the opinions it moves (`pal opinion list`)."
    )


def _analysis(home: Home, now: float) -> str:
    last = max((_newest(os.path.join(home.synthesis, month)) for month in _months(home.synthesis)), default=0.0)
    found = _since(home.session_learning, last) + _since(home.failures, last)
    if now - last < ANALYSE_AFTER or found < ANALYSE_FILES:
        return ""
    return (
        f"{found} learnings and failures were filed since the last synthesis. When there is a pause, offer to look at "
        "what keeps coming up in them (`pal analyze`) and to keep what holds (`pal wisdom crystallise`)."
    )


def _since(folder: str, moment: float) -> int:
    """How many files in the month folders are newer."""
    count = 0
    for month in _months(folder):
        path = os.path.join(folder, month)
        if files.modified(path) > moment:
            count += sum(files.modified(os.path.join(path, name)) > moment for name in _names(path))
    return count


def _months(folder: str) -> list[str]:
    """The two newest folders named like a month: what is older is not news."""
    return sorted(name for name in _names(folder) if name[:4].isdigit() and name[4:5] == "-")[-2:]


def _newest(folder: str) -> float:
    return max((files.modified(os.path.join(folder, name)) for name in _names(folder)), default=0.0)


def _names(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(".md") or "." not in name]
    except OSError:
        return []
