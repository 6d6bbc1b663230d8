"""What a client of the registered server waits for: little is loaded before the first answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
# Each of these costs as much as the server itself, or stands behind the first call of a tool.
DEAR = {
    "argparse", "asyncio", "base64", "dataclasses", "datetime", "enum", "hashlib", "json",
    "logging", "queue", "re", "socket", "sqlite3", "ssl", "subprocess", "tempfile", "typing", "urllib.request",
    "zipfile", "pal.guard", "pal.memory.search", "pal.memory.acl.door", "pal.skills.execute",
}  # fmt: skip


def test_nothing_dear_is_loaded_before_the_first_answers(home, clean_env):
    script = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from pal.app import main; main(['mcp'])"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", "-c", script],
        input=(json.dumps(HELLO) + "\n" + json.dumps(LIST) + "\n").encode(),
        capture_output=True,
        env={**clean_env, "PAL_HOME": home.root},
        cwd=os.path.dirname(home.root),
        timeout=60,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert len(answers[1]["result"]["tools"]) == 2
    rows = done.stderr.decode("utf-8", "replace").splitlines()
    loaded = {row.rpartition("|")[2].strip() for row in rows if row.startswith("import time:")}
    assert "pal.external.mcp.dispatch" in loaded
    assert sorted(DEAR & loaded) == []
