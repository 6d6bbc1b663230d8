"""How far what is known vouches for an offered memory: a score from 0 to 1, with every part of it on record."""

from __future__ import annotations

from pal.memory import support

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

PROMOTED_ABOVE = 0.8
NOVEL_CAP = 0.4  # of what nobody knows yet, however important it says it is
# What outsiders claim counts as medium at most.
_IMPORTANCE = {"low": 0.0, "medium": 0.05, "high": 0.05, "critical": 0.05}
_ORDERS = (
    "ignore previous", "ignore all", "ignore any", "ignore the", "disregard", "forget your", "forget all", "override",
    "you must", "you should always", "you are now", "do not tell", "don't tell", "without asking", "system prompt",
    "always run", "never ask", "new instructions", "as an ai", "the assistant must", "the agent must",
)  # fmt: skip
_VERBS = (
    "run", "curl", "wget", "fetch", "open", "visit", "download", "execute", "install", "post", "send", "upload", "pipe",
)  # fmt: skip
_SHELL = ("curl ", "wget ", "rm ", "sudo ", "sh ", "bash ", "eval ", "chmod ", "$(", "| ", "&& ", "; ")


class Scored:
    """The score of one text; `promoted` says whether it may enter memory by itself."""

    __slots__ = ("corroboration", "known", "orders", "value")

    def __init__(self, known: support.Support, value: float, corroboration: int, orders: bool) -> None:
        self.known = known
        self.value = value
        self.corroboration = corroboration  # sessions that offered the same
        self.orders = orders  # it tells an agent what to do

    @property
    def promoted(self) -> bool:
        return self.value > PROMOTED_ABOVE and not self.known.novel and not self.known.conflicts

    def shown(self) -> dict[str, Any]:
        parts = {"score": self.value, **self.known.shown(), "sessions": self.corroboration, "instructions": self.orders}
        return {**parts, "promoted": self.promoted}


def of(home: Home, text: str, importance: str, sessions: int, now: float) -> Scored:
    """The score of a text offered in so many different sessions."""
    known = support.weigh(home, text, now)
    orders = instructs(text)
    value = 0.5 + 0.5 * known.least + _IMPORTANCE.get(importance, 0.05)
    value += 0.1 if sessions >= 3 else 0.05 if sessions == 2 else 0.0
    value -= 0.5 * bool(known.conflicts) + 0.2 * orders
    value = min(1.0, max(0.0, value))
    if known.novel:
        value = min(value, NOVEL_CAP)
    return Scored(known, round(value, 4), sessions, orders)


def instructs(text: str) -> bool:
    """Whether a text gives an agent orders instead of telling it something."""
    small = " ".join(text.lower().split())
    if any(order in small for order in _ORDERS):
        return True
    if "http://" in small or "https://" in small:
        words = {word.strip(".,:;!?()'\"`") for word in small.split()}
        if words.intersection(_VERBS):
            return True
    quoted = small.split("`")[1::2]
    return any(part.startswith(_SHELL) or any(mark in part for mark in _SHELL[-4:]) for part in quoted)
