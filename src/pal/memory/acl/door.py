"""The one way in for memories from outside: who offers decides whether they are kept, wait, or are refused."""

from __future__ import annotations

from pal.base.errors import PalError
from pal.memory.acl import pending, score, tiers
from pal.memory.icm import store
from pal.memory.icm.entry import FORGOTTEN, hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pal.base.home import Home
    from pal.base.settings import Settings


def offer(
    home: Home,
    settings: Settings,
    env: Mapping[str, str],
    entry: Mapping[str, Any],
    names: Sequence[str],
    token: str,
    channel: str,
    now: float,
    session: str = "",
) -> dict[str, Any]:
    """Take an offered memory (`topic`, `content`, `importance`, `keywords`) and say what became of it: `status` is
    "stored", "staged", "duplicate", 403 or 429. A refusal leaves nothing behind. `names` are what the caller calls
    itself, the one that counts first."""
    agent = tiers.clean(next(filter(None, names), ""))
    kind = tiers.tier(settings, env, names, token)
    if kind == tiers.READONLY:
        return {"status": 403, "error": "forbidden", "tier": kind}
    text, topic = tiers.neutral(str(entry["content"])), tiers.neutral(str(entry["topic"]))[:200]
    if not text or not topic:
        raise PalError("a memory needs a topic and a text; what stands in <private> is never kept")
    importance, keywords = str(entry.get("importance") or "medium"), [str(word) for word in entry.get("keywords") or ()]
    known = _known(home, topic, text, agent)
    if known:
        store.touch(home, known, now)
        return {"status": "duplicate", "id": known.id, "tier": kind}
    if kind == tiers.TRUSTED:
        draft = store.draft(
            tiers.marked(text, agent, kind), now, topic=topic, importance=importance, keywords=keywords,
            source_agent=agent, source_tier=kind,
        )  # fmt: skip
        name, new = store.put(home, draft, now)
        return {"status": "stored" if new else "duplicate", "id": name, "tier": kind}
    return _stage(home, kind, topic, text, importance, keywords, agent, channel, now, session)


def _stage(
    home: Home, kind: str, topic: str, text: str, importance: str, keywords: list[str], agent: str, channel: str,
    now: float, session: str,
) -> dict[str, Any]:  # fmt: skip
    rows = pending.waiting(home)
    again = pending.same(rows, topic, text)
    if again:
        pending.seen_again(home, again["id"], session, now)
        return {"status": "staged", "id": again["id"], "tier": kind, **_told(again)}
    wait = pending.full(rows, agent, now)
    if wait:
        return {"status": 429, "error": f"too many: {wait}; try again later", "tier": kind}
    scored = score.of(home, text, importance, 1, now)
    row = {
        "topic": topic, "content": text, "importance": importance, "keywords": keywords, "source_agent": agent,
        "source_tier": kind, "channel": channel, "session": session, "score": scored.value, "novel": scored.known.novel,
        "best_hit": scored.known.best, "conflicts": [name for name, _, _ in scored.known.conflicts],
    }  # fmt: skip
    return {"status": "staged", "id": pending.stage(home, row, now), "tier": kind, **_told(row)}


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("score", "novel", "conflicts") if name in row}


def _known(home: Home, topic: str, text: str, agent: str) -> Any:
    """What is kept already and says just this, from whichever tier."""
    for kind in ("", tiers.TRUSTED, tiers.EXTERNAL):
        entry = store.find(home, hash_of(topic, tiers.marked(text, agent, kind) if kind else text))
        if entry and entry.status != FORGOTTEN:
            return entry
    return None
