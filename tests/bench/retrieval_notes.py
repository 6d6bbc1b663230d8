"""The labelled set of coding memories: is the right one first, and does it beat those that speak of the same things?"""

from __future__ import annotations

import os

from pal.base.home import Home
from pal.memory import search, synonyms, terms
from pal.memory.icm import store
from pal.memory.index.reader import Scope, open_index

SET = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "coding-memories.txt")
K = 5


def load() -> list[tuple[str, str, str, str]]:
    """(split, group, memory, question), one for each question."""
    rows, split, group, memory = [], "", "", ""
    with open(SET, encoding="utf-8") as stream:
        for line in stream:
            mark, _, rest = line.rstrip("\n").partition(" ")
            if mark == "==":
                group, split = rest.split()
            elif mark == "+":
                memory = rest
            elif mark == "?":
                rows.append((split, group, memory, rest))
    return rows


def measure(place: str, now: float) -> dict:
    rows = load()
    home = Home(os.path.join(place, "notes"))
    memories = dict.fromkeys(memory for _, _, memory, _ in rows)
    store.put_all(home, [store.draft(memory, now) for memory in memories], now)
    search.rebuild(home, now)
    like = synonyms.groups(home)
    found: dict[str, list[tuple[bool, bool, float, bool]]] = {"dev": [], "test": []}
    group_of = {memory: group for _, group, memory, _ in rows}
    with open_index(home.index, 1.0) as reader:
        for split, group, memory, question in rows:
            got = [hit.document.said for hit in search.hits(reader, terms.stems(question), like, Scope(), 10)]
            at = got.index(memory) if memory in got else -1
            rivals = [said for said in got[: at if at >= 0 else len(got)] if group_of[said] == group]
            found[split].append((at == 0, 0 <= at < K, 1 / (at + 1) if at >= 0 else 0.0, not rivals and at >= 0))
    return {"pool": len(memories), "k": K, **{split: _mean(part) for split, part in found.items()}}


def _mean(rows: list[tuple[bool, bool, float, bool]]) -> dict[str, float]:
    count = len(rows)
    first, five, rank, ahead = (sum(row[number] for row in rows) / count for number in range(4))
    return {
        "hit1": round(100 * first, 1),
        "r5": round(100 * five, 1),
        "mrr": round(rank, 3),
        "before_hard_negatives": round(100 * ahead, 1),
        "questions": count,
    }
