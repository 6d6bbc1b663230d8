"""The tokens of Claude Code's requests: `message.usage` of the assistant lines of its transcripts (cold).

Every block of a reply has a line of its own with the whole reply's usage, and a resumed session repeats lines, so a
message counts once, by the last line that has its id."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from pal.targets.claude import install
from pal.targets.usage import Used, files_below, number, rows

_LONG, _SHORT = "ephemeral_1h_input_tokens", "ephemeral_5m_input_tokens"


def read(env: Mapping[str, str], since: float) -> Iterator[Used]:
    for path in files_below(os.path.join(install.folder(env), "projects"), ".jsonl", since):
        last: Used | None = None
        for row in rows(path, b'"usage"'):
            message = row.get("message")
            if row.get("type") != "assistant" or not isinstance(message, dict):
                continue
            usage = message.get("usage")
            if not isinstance(usage, dict):
                continue
            model = str(message.get("model") or "")
            if model.startswith("<"):
                continue  # written by the client itself
            written = usage.get("cache_creation")
            long = number(written, _LONG)
            made = number(usage, "cache_creation_input_tokens") or number(written, _SHORT) + long
            used = Used(
                str(message.get("id") or row.get("uuid") or ""),
                str(row.get("timestamp") or ""),
                str(row.get("sessionId") or ""),
                str(row.get("cwd") or ""),
                model,
                number(usage, "input_tokens"),
                number(usage, "output_tokens"),
                max(made - long, 0),
                number(usage, "cache_read_input_tokens"),
                long,
            )
            if last is not None and last.key != used.key:
                yield last
            last = used
        if last is not None:
            yield last
