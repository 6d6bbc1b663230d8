"""A hundred thousand memories: how long a question takes, one more entry, and building the index anew."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import Any

from pal.base.home import Home
from pal.memory import recall, search, synonyms, terms
from pal.memory.icm import store
from pal.memory.index.reader import Scope, open_index

SIZE = 100_000
ASKED = 300


def measure(place: str, now: float, size: int = SIZE) -> dict:
    chance = random.Random(3)
    home = Home(os.path.join(place, "scale"))
    prose = sentences()
    drafts = [
        store.draft(f"{chance.choice(prose)} {' '.join(chance.sample(chance.choice(prose).split(), 4))}",
                    now - chance.random() * 3e7, topic=f"notes-project{number % 40}")
        for number in range(size)
    ]  # fmt: skip
    new, _ = store.put_all(home, drafts, now)
    rebuilt = _timed(search.rebuild, home, now)[0]
    added = []
    for number in range(9):
        store.store(home, f"The zebra cache of shard {number} needs a restart at {chance.random()}", now)
        added.append(_timed(search.refresh, home, now)[0])
    like = synonyms.groups(home)
    chosen = chance.sample(drafts, ASKED)
    questions = [
        " ".join(chance.sample(draft["content"].split(), min(8, len(draft["content"].split())))) for draft in chosen
    ]
    asked, recalled, found = [], [], 0
    with open_index(home.index, 1.0) as reader:
        for question, draft in zip(questions, chosen):
            took, hits = _timed(search.hits, reader, terms.stems(question), like, Scope(), 10)
            asked.append(took)
            found += any(hit.document.said == draft["content"] for hit in hits)
            recalled.append(_timed(recall.select, reader, recall.Prompt(question), like, (), now)[0])
    return {
        "memories": len(new),
        "rebuild_s": round(rebuilt, 2),
        "one_more_ms": _ms(added, 0.5),
        "query_p50_ms": _ms(asked, 0.5),
        "query_p95_ms": _ms(asked, 0.95),
        "recall_p50_ms": _ms(recalled, 0.5),
        "found_of_asked": f"{found}/{ASKED}",
        "index_mb": os.path.getsize(home.index) >> 20,
    }


def sentences() -> list[str]:
    """Real prose about programs: the comments of the standard library's own modules."""
    folder = os.path.dirname(os.__file__)
    found = []
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as stream:
            found += [line.strip(" #\n") for line in stream if line.lstrip().startswith("#") and len(line.split()) > 7]
    return found


def _timed(act: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """(seconds of CPU, what it gave)."""
    began = time.process_time()
    given = act(*arguments)
    return time.process_time() - began, given


def _ms(samples: list[float], share: float) -> float:
    return round(sorted(samples)[int(len(samples) * share)] * 1000, 2)
