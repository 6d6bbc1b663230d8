"""PrecisionMemBench by the rules of its own runner: what may be put before an agent, and what must not.

The beliefs are stored as long-term memories and asked for through `pal.memory.recall`; what the runner's adapter does
around a provider (pinned facts, open questions, the prelude, participants of relations) is done here as it does it."""

from __future__ import annotations

import json
import os
import time

from pal.base.home import Home
from pal.memory import recall, search, synonyms
from pal.memory.icm import entry, store
from pal.memory.index.reader import open_index

NOW = 1793491200.0  # 2026-11-01: after everything the set tells of, and not long after
USER = "test-user"
BUDGET = {"maxBeliefs": 20, "maxPinnedFacts": 10, "maxQuestions": 15}
PERSONA = "You prefer direct answers without preamble. You push back when plans have problems."


def measure(folder: str, place: str) -> dict[str, object]:
    now = NOW
    with open(os.path.join(folder, "beliefs.seed.json"), encoding="utf-8") as stream:
        beliefs = {belief["_id"]: belief for belief in json.load(stream)}
    with open(os.path.join(folder, "retrieval.cases.json"), encoding="utf-8") as stream:
        cases = json.load(stream)
    homes = {
        user: _home(os.path.join(place, user), user, beliefs, now) for user in {b["user_id"] for b in beliefs.values()}
    }
    passed, precisions, recalls, failed, took = 0, [], [], [], []
    for case in cases:
        began = time.perf_counter()
        told = _context(homes, beliefs, case, now)
        took.append(time.perf_counter() - began)
        faults, precision, found = _judged(told, beliefs, case["expect"])
        passed += not faults
        precisions += [precision] if precision is not None else []
        recalls += [found] if found is not None else []
        failed += [(case["caseId"], faults)] if faults else []
    return {
        "cases": len(cases),
        "pool": len(beliefs),
        "k": BUDGET["maxBeliefs"],
        "passed": passed,
        "precision": round(sum(precisions) / len(precisions), 4),
        "recall": round(sum(recalls) / len(recalls), 4),
        "p50_ms": round(sorted(took)[len(took) // 2] * 1000, 2),
        "failed": failed,
    }


def _home(root: str, user: str, beliefs: dict, now: float) -> tuple[Home, dict[str, str], dict[str, str]]:
    home = Home(root)
    os.makedirs(home.root, exist_ok=True)
    ids: dict[str, str] = {}
    for name, belief in beliefs.items():
        if belief["user_id"] != user:
            continue
        undecided = belief["epistemic_status"] == "exploratory"
        ids[name] = store.store(
            home,
            belief["content"],
            now,
            project=belief["scope"][0],
            keywords=[belief["canonical_name"], *belief["aliases"]],
            status="pending" if undecided else "active",
            pinned=belief["pinned"],
            valid_to=belief["resolved_at"] or "",
            ts=belief["created_at"],
        )
    for name, belief in beliefs.items():
        if name in ids and belief["superseded_by"]:
            store.supersede(home, ids[name], ids[belief["superseded_by"]], now)
    search.rebuild(home, now)
    return home, {key: name for name, key in ids.items()}, ids


def _context(homes: dict, beliefs: dict, case: dict, now: float) -> dict[str, list[str]]:
    user, scope = case.get("userId") or USER, case["scope"]
    budget = {**BUDGET, **(case.get("budget") or {})}
    own = [belief for belief in beliefs.values() if belief["user_id"] == user]
    here = [belief for belief in own if set(belief["scope"]) & set(scope)]
    pinned = [
        belief["_id"]
        for belief in here
        if belief["pinned"] and belief["type"] != "open_question"
        if not belief["superseded_by"] and not belief["resolved_at"]
    ]
    questions = [
        belief["_id"]
        for belief in here
        if belief["type"] == "open_question" and belief["pinned"] and not belief["resolved_at"]
    ]
    found: list[str] = []
    if user in homes and case["query"].strip() and budget["maxBeliefs"] > 0:
        home, names, _ = homes[user]
        prompt = recall.Prompt(case["query"])
        with open_index(home.index, 1.0) as reader:
            told = recall.select(reader, prompt, synonyms.groups(None), scope, now, budget["maxBeliefs"])
        found = [names[one.document.ref] for one in told if names[one.document.ref] not in pinned]
    for name in list(found):
        for other in beliefs[name].get("participants") or [] if beliefs[name]["type"] == "relation" else []:
            known = beliefs[other] in here and other not in pinned and other not in found
            if known and not entry.hidden(store.get(homes[user][0], homes[user][2][other]), now):
                found.append(other)
    pinned = pinned[: budget["maxBeliefs"]]
    return {
        "pinned": pinned,
        "relevant": found[: max(0, budget["maxBeliefs"] - len(pinned))],
        "questions": questions[: budget["maxQuestions"]],
        "prelude": [PERSONA] if user == USER else [],
    }


def _judged(told: dict, beliefs: dict, expect: dict) -> tuple[list[str], float | None, float | None]:
    """(what is wrong, precision, recall): the checks of the runner, in its order."""
    pinned, relevant, questions = set(told["pinned"]), told["relevant"], set(told["questions"])
    prelude = "".join(told["prelude"])
    wanted, facts = expect.get("relevantBeliefs", {}), expect.get("pinnedFacts", {})
    asked, persona = expect.get("openQuestions", {}), expect.get("personaPrelude", {})
    only = wanted.get("shouldOnlyInclude")
    both = pinned | set(relevant)
    faults = [f"missing {name}" for name in wanted.get("mustInclude", []) if name not in both]
    faults += [f"forbidden {name}" for name in wanted.get("mustExclude", []) if name in both]
    faults += [f"missing {name}" for name in wanted.get("shouldInclude", []) if name not in both]
    if only is not None:
        faults += [f"unexpected {name}" for name in relevant if name not in only]
        faults += [f"missing {name}" for name in only if name not in relevant]
    if wanted.get("maxCount") is not None and len(relevant) > wanted["maxCount"]:
        faults.append("too many")
    if wanted.get("minCount") is not None and len(relevant) < wanted["minCount"]:
        faults.append("too few")
    for first, second in wanted.get("orderedBefore", []):
        if first not in relevant or second not in relevant or relevant.index(first) > relevant.index(second):
            faults.append(f"{first} not before {second}")
    faults += [f"not pinned {name}" for name in facts.get("mustInclude", []) if name not in pinned]
    faults += [f"pinned {name}" for name in facts.get("mustExclude", []) if name in pinned]
    faults += [f"not asked {name}" for name in asked.get("mustInclude", []) if name not in questions]
    faults += [f"asked {name}" for name in asked.get("mustExclude", []) if name in questions]
    if (persona.get("nonEmpty") and not prelude) or (persona.get("isNull") and prelude):
        faults.append("prelude")
    faults += [f"prelude lacks {part}" for part in persona.get("contains", []) if part not in prelude]
    faults += [f"prelude has {part}" for part in persona.get("mustNotContain", []) if part in prelude]
    if only is not None:
        expected = set(only)
    else:
        expected = {name for name in wanted.get("mustInclude", []) if not beliefs[name]["pinned"]}
    hits = len(expected & set(relevant))
    precision = None if not relevant and not expected else hits / len(relevant) if relevant else 0.0
    return faults, precision, hits / len(expected) if expected else None
