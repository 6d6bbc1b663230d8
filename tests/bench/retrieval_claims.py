"""Novelty against padding: what a store knows in other words is recognised, and a copied sentence carries no claim in.

The facts are LoCoMo's own restatements of its turns: those of conversations 0 to 4 are asked of a store of their turns
and summaries (restated), those of 5 to 9 of the same store (novel), alone and glued to a sentence copied from it."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator

import retrieval_talks as talks

from pal.base.home import Home
from pal.memory import search, support
from pal.memory.icm import store
from pal.memory.index.reader import open_index

SAMPLES = 150


def measure(path: str, place: str, now: float) -> dict:
    every = talks.load(path)
    home = Home(os.path.join(place, "claims"))
    turns = [
        f"{turn['speaker']}: {turn['text']}"
        for talk in every[:5]
        for _, _, said in talks.sessions(talk)
        for turn in said
    ]
    known = turns + [fact for talk in every[:5] for fact in _summaries(talk)]
    store.put_all(home, [store.draft(text, now) for text in dict.fromkeys(known) if text.strip()], now)
    search.rebuild(home, now)
    chance = random.Random(7)
    restated = chance.sample([fact for talk in every[:5] for fact in _facts(talk)], SAMPLES)
    novel = chance.sample([fact for talk in every[5:] for fact in _facts(talk)], SAMPLES)
    padded = [f"{fact} {chance.choice(turns)}" for fact in novel]
    with open_index(home.index, 1.0) as reader:

        def known_share(texts: list[str]) -> float:
            return round(100 * sum(not support.weighed(reader, text).novel for text in texts) / len(texts), 1)

        return {
            "pool": reader.docs,
            "samples": SAMPLES,
            "restated_known": known_share(restated),
            "novel_known": known_share(novel),
            "padded_known": known_share(padded),
        }


def _facts(talk: dict) -> Iterator[str]:
    for session in talk["observation"].values():
        for rows in session.values():
            yield from (row[0] for row in rows)


def _summaries(talk: dict) -> Iterator[str]:
    for said in talk["session_summary"].values():
        yield from (sentence for sentence in re.split(r"(?<=[.!?])\s+", said) if len(sentence) > 20)
    for session in talk["event_summary"].values():
        for rows in session.values():
            yield from (row for row in rows if isinstance(rows, list) and row.strip())
