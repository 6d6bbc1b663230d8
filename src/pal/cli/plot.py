"""Draws a row of numbers as columns of characters, for a terminal of 80."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCKS = " ▁▂▃▄▅▆▇█"
PLAIN = "  ..:::##"  # for a terminal that has no such letters: empty, below half, half and more, full
_WIDTH = 2  # characters of a column
_ROWS = 5


def columns(values: Sequence[float | None], top: float, blocks: bool) -> list[str]:
    """The lines of a plot from 0 to `top`, its number at the left; None leaves a gap, `blocks` draws finer."""
    letters = BLOCKS if blocks else PLAIN
    lines = []
    for row in range(_ROWS, 0, -1):
        floor = top * (row - 1) / _ROWS
        cells = [_cell(value, floor, top / _ROWS, letters) for value in values]
        lines.append(f"{top * row / _ROWS:4g} |{''.join(cells)}".rstrip())
    lines.append("     +" + "-" * (_WIDTH * len(values)))
    return lines


def _cell(value: float | None, floor: float, height: float, letters: str) -> str:
    if value is None:
        return " " * _WIDTH
    share = min(max((value - floor) / height, 0.0), 1.0)
    letter = letters[round(share * (len(letters) - 1))]
    return letter * (_WIDTH - 1) + " "
