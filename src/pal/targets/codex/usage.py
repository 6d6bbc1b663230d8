"""The tokens of Codex's requests: the `token_usage_record` lines of its rollouts, in older ones `token_count` (cold).

Its input holds what came from the cache as well; here it does not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from pal.targets.codex import install
from pal.targets.usage import Used, files_below, number, rows

_MARKS = (b'"token_usage_record"', b'"token_count"', b'"turn_context"', b'"session_meta"')


def read(env: Mapping[str, str], since: float) -> Iterator[Used]:
    for path in files_below(os.path.join(install.folder(env), "sessions"), ".jsonl", since):
        model = cwd = session = ""
        events: list[Used] = []
        recorded = False
        for place, row in enumerate(rows(path, *_MARKS)):
            payload = row.get("payload")
            if not isinstance(payload, dict):
                continue
            if row.get("type") in ("turn_context", "session_meta"):
                model, cwd = str(payload.get("model") or model), str(payload.get("cwd") or cwd)
                session = str(payload.get("id") or session)
                continue
            at = str(row.get("timestamp") or "")
            if row.get("type") == "token_usage_record":
                recorded = True
                key = str(payload.get("response_id") or place)
                yield _used(f"{session}|{key}|{at}", at, session, cwd, model, payload.get("usage"))
            elif payload.get("type") == "token_count" and isinstance(payload.get("info"), dict):
                info = payload["info"]
                total = number(info.get("total_token_usage"), "total_tokens")
                events.append(_used(f"{session}|{total}", at, session, cwd, model, info.get("last_token_usage")))
        if not recorded:
            yield from {used.key: used for used in events}.values()  # the same total is told more than once


def _used(key: str, at: str, session: str, cwd: str, model: str, usage: Any) -> Used:
    read, written = number(usage, "cached_input_tokens"), number(usage, "cache_write_input_tokens")
    fresh = max(number(usage, "input_tokens") - read - written, 0)
    return Used(key, at, session, cwd, model, fresh, number(usage, "output_tokens"), written, read)
