"""What of a plan must survive an improvement: its headings and its fenced blocks, but for those under a review.

Whoever works on a plan may add and sharpen; what stood there before stays."""

from __future__ import annotations

import hashlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Sections that a new review replaces.
REVIEWS = frozenset((
    "review", "reviews", "adversarial review", "adversarial synthesis", "balanced review", "grumpy critique",
    "review findings", "challenge",
))  # fmt: skip


def of(text: str) -> dict[str, Any]:
    """`sha` of the whole text, its `headings` and a digest of each fenced block, in order."""
    headings: list[str] = []
    fences: list[str] = []
    fence, held = "", []
    reviewing = 0  # the level of the review heading we are below
    for line in text.replace("\r\n", "\n").split("\n"):
        bare = line.strip()
        if fence:
            held.append(line.rstrip())
            if bare.startswith(fence) and not bare.strip(fence[0]):
                if not reviewing:
                    fences.append(_digest("\n".join(held)))
                fence = ""
            continue
        if bare.startswith(("```", "~~~")):
            fence, held = bare[: len(bare) - len(bare.lstrip(bare[0]))], [line.rstrip()]
            continue
        level = len(bare) - len(bare.lstrip("#"))
        title = bare[level:].strip().rstrip("#").strip()
        if not 0 < level < 7 or not title or not bare[level : level + 1].isspace():
            continue
        if reviewing and level <= reviewing:
            reviewing = 0
        if not reviewing and title.lower() in REVIEWS:
            reviewing = level
        elif not reviewing:
            headings.append(" ".join(title.lower().split()))
    return {"sha": _digest(text), "headings": headings, "fences": fences}


def lost(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What stood in the plan and no longer does, in words."""
    missing = [f"the heading {name!r}" for name in _missing(before["headings"], now["headings"])]
    gone = len(_missing(before["fences"], now["fences"]))
    return [*missing, f"{gone} fenced block{'s' if gone > 1 else ''}"] if gone else missing


def _missing(before: list[str], now: list[str]) -> list[str]:
    left = list(now)
    found = []
    for each in before:
        if each in left:
            left.remove(each)
        else:
            found.append(each)
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
