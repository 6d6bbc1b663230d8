"""Keeps long-term memory small: what has faded is archived, what says the same is represented by one of its kind.

Nothing is deleted: an archived entry stands in `icm/archive/<month>.jsonl` and comes back with `update --status
active`; a cluster's members come back when the one that stands for them is forgotten."""

from __future__ import annotations

import os

from pal.base import clock, records
from pal.memory.icm import fold, store
from pal.memory.icm.entry import ACTIVE, FADED, FORGOTTEN, IMPORTANCE, STATUSES, Entry, weight
from pal.memory.similarity import Measure
from pal.memory.telling import idf
from pal.memory.terms import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

CLUSTER = 0.6  # similarity, both ways, from which two memories of one topic say the same
_KEPT = ("critical", "high")  # never pruned
_LEAST = 3  # stems that two texts must share to be compared at all


def faded(home: Home, now: float) -> list[Entry]:
    """What has lost its weight, the lightest first; never what is important, pinned or disputed."""
    found = [
        entry
        for entry in fold.load(home).values()
        if entry.status == ACTIVE and not entry.pinned and entry.importance not in _KEPT and weight(entry, now) < FADED
    ]
    return sorted(found, key=lambda entry: (weight(entry, now), entry.id))


def prune(home: Home, found: list[Entry], now: float) -> None:
    """Archive these entries. The copy is on the disk before the tombstone: a crash in between repeats a line."""
    path = os.path.join(home.entries_archive, clock.month(clock.iso(now)[:10]) + ".jsonl")
    for entry in found:
        records.append(home, path, {"archived": clock.iso(now), **entry.shown()}, now, True)
        store.forget(home, entry.id, now, "archived")


class Cluster:
    """A head that stands for its members, which are not in it."""

    __slots__ = ("head", "members")

    def __init__(self, head: Entry, members: list[Entry]) -> None:
        self.head = head
        self.members = members


def clusters(home: Home, topic: str = "", project: str = "") -> list[Cluster]:
    """Active entries of one topic and project that say the same; the head is the one most like the others.

    An entry whose numbers, versions or paths the head does not hold is in no cluster: nothing that counts is lost."""
    by_topic: dict[tuple[str, str], list[Entry]] = {}
    for entry in fold.load(home).values():
        wanted = (not topic or entry.topic == topic) and (not project or entry.project.lower() == project.lower())
        if entry.status == ACTIVE and wanted:
            by_topic.setdefault((entry.topic, entry.project), []).append(entry)
    found: list[Cluster] = []
    for entries in by_topic.values():
        found += _of_topic(entries)
    return sorted(found, key=lambda cluster: cluster.head.id)


def consolidate(home: Home, found: list[Cluster], now: float) -> None:
    """Let each head stand for its members; it keeps their names and names them as its evidence."""
    for cluster in found:
        members = [entry.id for entry in cluster.members]
        keywords = [word for entry in cluster.members for word in entry.keywords]
        store.update(home, cluster.head.id, now, evidence=members, keywords=keywords or cluster.head.keywords)
        store.merge(home, members, cluster.head.id, now)


def count(home: Home) -> dict[str, Any]:
    """How many entries there are by status, importance, kind and machine."""
    table: dict[str, Any] = {"memories": 0}
    entries = fold.load(home).values()
    for status in STATUSES:
        table[f"memories {status}"] = sum(entry.status == status for entry in entries)
    table["memories"] = sum(entry.status != FORGOTTEN for entry in entries)
    for importance in IMPORTANCE:
        table[f"importance {importance}"] = sum(
            entry.importance == importance for entry in entries if entry.status == ACTIVE
        )
    return {name: number for name, number in table.items() if number}


def _of_topic(entries: list[Entry]) -> list[Cluster]:
    said = [stems(entry.content) for entry in entries]
    near = _pairs(said)
    left = set(range(len(entries)))
    found = []
    for place in sorted(near, key=lambda at: (-sum(near[at].values()) / len(near[at]), -len(near[at]), entries[at].id)):
        if place not in left:
            continue
        head = entries[place]
        members = [at for at in sorted(near[place]) if at in left and _kept(entries[at], head)]
        if members:
            left -= {place, *members}
            found.append(Cluster(head, [entries[at] for at in members]))
    return found


def _pairs(said: list[list[str]]) -> dict[int, dict[int, float]]:
    """Which texts are alike, by place, with how much; only those that share stems are compared."""
    holders: dict[str, list[int]] = {}
    for at, words in enumerate(said):
        for word in set(words):
            holders.setdefault(word, []).append(at)
    average = sum(map(len, said)) / max(1, len(said))
    telling = {word: idf(len(said), len(places), word) for word, places in holders.items()}
    measures = [Measure(words, telling, average) for words in said]
    near: dict[int, dict[int, float]] = {}
    for at, words in enumerate(said):
        shared: dict[int, int] = {}
        for word in set(words):
            for other in holders[word]:
                if other > at:
                    shared[other] = shared.get(other, 0) + 1
        for other, count_of in shared.items():
            if count_of < min(_LEAST, len(set(words)), len(set(said[other]))):
                continue
            alike = min(measures[at].of(said[other]), measures[other].of(words))
            if alike >= CLUSTER:
                near.setdefault(at, {})[other] = alike
                near.setdefault(other, {})[at] = alike
    return near


def _kept(member: Entry, head: Entry) -> bool:
    """Whether the head holds every number, path and identifier of the member, and does not fade before it."""
    lighter = IMPORTANCE[head.importance] >= IMPORTANCE[member.importance] if member.importance in IMPORTANCE else True
    held = set(head.content.split())
    exact = {word for word in member.content.split() if any(char.isdigit() or char in "/_\\." for char in word[:-1])}
    return lighter and not member.pinned and exact <= held and member.slot == head.slot
