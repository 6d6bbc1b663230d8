"""How this sitting goes, from the shape of its turns alone: hurried, terse, wordy, skimming, friction; and what to say.

A hint is said when that changes, and once more when all is as usual again; never at every prompt."""

from __future__ import annotations

from pal.memory import interaction_baseline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pal.base.home import Home

TURNS = 6  # of the current sitting that count
FEWEST = 3
_HALF, _DOUBLE = 0.5, 2.0
_FRICTION = ("corrected", "repeated")

# The most telling first; two are said at most.
HINTS = {
    "friction": "The user has corrected or repeated themselves lately: say what you understood before you act on it.",
    "skimming": "The user skims long replies: put the answer in the first lines and leave the rest out.",
    "fast": "The user answers faster than usual: keep replies short, one step at a time.",
    "short": "The user writes more briefly than usual: answer in kind, and ask nothing that can be found out.",
    "long": "The user explains more than usual: take in every point before you act.",
}
USUAL = "The user is back to their usual pace: no special brevity is needed any more."
_SAID_AT_ONCE = 2


def of(home: Home, turns: Sequence[dict[str, Any]]) -> list[str]:
    """The names of what is unusual in the sitting these turns (the session's last, newest last) end with."""
    sitting = _sitting(turns)
    if len(sitting) < FEWEST:
        return []
    words, gap = interaction_baseline.read(home)
    median = interaction_baseline.median
    found = set()
    if sum(turn.get("reaction") in _FRICTION for turn in sitting[-4:]) >= 2:
        found.add("friction")
    if sum(turn.get("skimmed") is True for turn in sitting[-3:]) >= 2:
        found.add("skimming")
    # A sitting's first prompt comes after a break, which is no pace.
    gaps = [float(turn["gapSec"]) for turn in sitting[1:] if isinstance(turn.get("gapSec"), (int, float))]
    if len(gaps) >= FEWEST - 1 and median(gaps) <= gap * _HALF:
        found.add("fast")
    lengths = [float(turn["words"]) for turn in sitting if isinstance(turn.get("words"), int)]
    if lengths and median(lengths) <= words * _HALF:
        found.add("short")
    elif lengths and median(lengths) >= words * _DOUBLE:
        found.add("long")
    return [name for name in HINTS if name in found]


def hint(moods: Sequence[str], before: object) -> str:
    """What to tell the agent when the mood was `before` (as `key` wrote it); empty when it is as it was."""
    if key(moods) == (before if isinstance(before, str) else ""):
        return ""
    return " ".join(HINTS[name] for name in moods[:_SAID_AT_ONCE]) if moods else USUAL


def key(moods: Sequence[str]) -> str:
    return "+".join(moods)


def _sitting(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns since the last break."""
    begin = 0
    for at, turn in enumerate(turns):
        if turn.get("afterBreak"):
            begin = at
    return list(turns[begin:])[-TURNS:]
