"""What an agent says after a task it worked on by criteria (`signals/algorithm-reflections.jsonl`): what was asked, how
many criteria passed and failed, how satisfied the user was, and three answers about the work itself."""

from __future__ import annotations

from pal.base import clock, records
from pal.base.errors import PalError
from pal.memory.tools import wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

QUESTIONS = (
    ("q1", "what would you do differently?"),
    ("q2", "what would a smarter way of working have done?"),
    ("q3", "which ability was missing or not used?"),
)
_TASK = 200  # UTF-16 units
_ANSWER = 600


def reflect(
    home: Home,
    task: str,
    criteria: int,
    passed: int,
    failed: int,
    sentiment: int | None,
    answers: dict[str, str],
    cwd: str,
    who: Row,
    now: float,
) -> tuple[Row, bool]:
    """Keep one reflection; its row, and False when the session said just this a moment ago. PalError for odd input."""
    said = wording.line(task, _TASK)
    if not said:
        raise PalError("A reflection needs a task: say in one line what was asked.")
    if min(criteria, passed, failed) < 0 or passed + failed > criteria:
        raise PalError(f"{passed} passed and {failed} failed do not fit {criteria} criteria in all.")
    if sentiment is not None and not 1 <= sentiment <= 10:
        raise PalError(f"The sentiment goes from 1 to 10, not {sentiment}.")
    row = {
        "ts": clock.iso(now),
        **who,
        "cwd": cwd,
        "task": said,
        "criteria_count": criteria,
        "criteria_passed": passed,
        "criteria_failed": failed,
        "sentiment": sentiment,
        **{name: wording.line(answers.get(name, ""), _ANSWER) for name, _ in QUESTIONS},
    }
    once = ("session", "cwd", "task", "criteria_count", "criteria_passed", "criteria_failed", "q1", "q2", "q3")
    return row, records.append(home, home.algorithm, row, now, durable=True, once=once)


def recent(home: Home, count: int) -> list[Row]:
    """The last reflections, newest last."""
    return records.tail(home.algorithm, count)
