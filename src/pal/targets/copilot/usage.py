"""The tokens of Copilot CLI's requests: the `session.usage_record` lines of its sessions' events (cold)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from pal.targets.copilot import install
from pal.targets.usage import Used, files_below, number, rows


def read(env: Mapping[str, str], since: float) -> Iterator[Used]:
    for path in files_below(os.path.join(install.folder(env), "session-state"), "events.jsonl", since):
        session = os.path.basename(os.path.dirname(path))
        cwd = ""
        for place, row in enumerate(rows(path, b'"session.usage_record"', b'"session.start"')):
            data = row.get("data")
            if not isinstance(data, dict):
                continue
            if row.get("type") == "session.start":
                context = data.get("context")
                cwd = str(context.get("cwd") or "") if isinstance(context, dict) else ""
            elif row.get("type") == "session.usage_record" and isinstance(data.get("usage"), dict):
                usage = data["usage"]
                read, written = number(usage, "cacheReadTokens"), number(usage, "cacheWriteTokens")
                yield Used(
                    str(row.get("id") or f"{session}|{place}"),
                    str(row.get("timestamp") or ""),
                    session,
                    cwd,
                    str(usage.get("model") or ""),
                    max(number(usage, "inputTokens") - read - written, 0),
                    number(usage, "outputTokens"),
                    written,
                    read,
                )
