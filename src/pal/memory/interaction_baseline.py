"""What is usual for the user: the medians of their prompts' length and pace, counted once a day for the prompt hook.

`state/interaction-baseline.json` is made of the measured turns of this month and the last; too few make none."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, records, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

WORDS, GAP = 30.0, 120.0  # of somebody who is not known yet: words, seconds
FEWEST = 20  # turns that tell what is usual
_MONTH = 31 * 86_400.0


def refresh(home: Home, now: float) -> dict[str, Any]:
    """Count anew; reads two months of turns, so never in a hook."""
    words: list[float] = []
    gaps: list[float] = []
    for month in sorted({clock.iso(now - _MONTH)[:7], clock.iso(now)[:7]}):
        for row in records.each(os.path.join(home.interaction, month + ".jsonl")):
            if _number(row.get("words")):
                words.append(float(row["words"]))
            if _number(row.get("gapSec")) and not row.get("afterBreak"):
                gaps.append(float(row["gapSec"]))
    found: dict[str, Any] = {"computed": clock.iso(now), "turns": len(words)}
    if len(words) >= FEWEST:
        found["words"] = median(words)
    if len(gaps) >= FEWEST:
        found["gap"] = median(gaps)
    files.write(home.interaction_baseline, jsontext.dumps_rows(found))
    return found


def read(home: Home) -> tuple[float, float]:
    """(words of a usual prompt, seconds before it), those of a stranger where too little is known."""
    held = state.read(home, home.interaction_baseline)
    words, gap = held.get("words"), held.get("gap")
    return _known(words, WORDS), _known(gap, GAP)


def median(values: list[float]) -> float:
    """The middle value; 0 of none."""
    ranked = sorted(values)
    half = len(ranked) // 2
    if not ranked:
        return 0.0
    return ranked[half] if len(ranked) % 2 else (ranked[half - 1] + ranked[half]) / 2


def _known(value: Any, otherwise: float) -> float:
    return float(value) if _number(value) else otherwise


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
