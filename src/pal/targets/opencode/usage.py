"""The tokens of opencode's requests: the assistant's messages in its database, which is only ever read (cold)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from pal.base import clock
from pal.base import home as homes
from pal.targets.usage import Used, number


def read(env: Mapping[str, str], since: float) -> Iterator[Used]:
    share = env.get("XDG_DATA_HOME") or os.path.join(homes.user_folder(env), ".local", "share")
    path = os.path.join(share, "opencode", "opencode.db")
    if not os.path.isfile(path):
        return
    import sqlite3
    from urllib.request import pathname2url

    try:
        base = sqlite3.connect(f"file:{pathname2url(path)}?mode=ro", uri=True, timeout=2.0)
        try:
            wanted = "SELECT id, session_id, data FROM message WHERE time_updated >= ? ORDER BY time_created"
            for key, session, data in base.execute(wanted, (int(since * 1000),)):
                used = _used(str(key), str(session), data)
                if used:
                    yield used
        finally:
            base.close()
    except sqlite3.Error:
        return  # another version's tables, or a lock that is kept


def _used(key: str, session: str, data: Any) -> Used | None:
    try:
        row = json.loads(data)
    except (TypeError, ValueError):
        return None
    tokens = row.get("tokens") if isinstance(row, dict) and row.get("role") == "assistant" else None
    if not isinstance(tokens, dict):
        return None
    times, where, cache = row.get("time"), row.get("path"), tokens.get("cache")
    return Used(
        key,
        clock.iso(number(times, "created") / 1000),
        session,
        str(where.get("root") or where.get("cwd") or "") if isinstance(where, dict) else "",
        str(row.get("modelID") or ""),
        number(tokens, "input"),
        number(tokens, "output") + number(tokens, "reasoning"),
        number(cache, "write"),
        number(cache, "read"),
    )
