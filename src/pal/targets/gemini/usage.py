"""The tokens of Gemini CLI's requests: `tokens` of the model's lines in its sessions (cold).

A line is written again when its tools have answered; the last one counts. Its input holds the cache as well."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from pal.targets.gemini import install
from pal.targets.usage import Used, files_below, number, rows


def read(env: Mapping[str, str], since: float) -> Iterator[Used]:
    folder = os.path.join(os.path.dirname(install.folder(env)), "tmp")  # beside its extensions
    for path in files_below(folder, ".jsonl", since):
        # The folder is named after the project.
        project = os.path.basename(os.path.dirname(os.path.dirname(path)))
        session = ""
        last: dict[str, Used] = {}
        for row in rows(path, b'"tokens"', b'"sessionId"'):
            session = str(row.get("sessionId") or session)
            tokens = row.get("tokens")
            if not isinstance(tokens, dict) or not row.get("id"):
                continue
            cached = number(tokens, "cached")
            last[str(row["id"])] = Used(
                str(row["id"]),
                str(row.get("timestamp") or ""),
                session,
                project,
                str(row.get("model") or ""),
                max(number(tokens, "input") - cached, 0) + number(tokens, "tool"),
                number(tokens, "output") + number(tokens, "thoughts"),
                0,
                cached,
            )
        yield from last.values()
