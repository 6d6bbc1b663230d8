"""How fast the MCP server is: `python tests/bench/mcp.py [--memories 100000] [--runs 25] [--json]`.

Installs the built archive with `--mcp` into a home of many memories and starts the command that is registered there, on
one core, events on: its first answer as a ratio to `python -I -S -c pass` of the same interpreter, how many pings and
lists of tools it answers a second, one after another, and how long a search takes. It measures; it neither passes nor
fails."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "src"), os.path.dirname(os.path.abspath(__file__))]
import retrieval_scale  # noqa: E402  beside this file

from pal.base.home import Home  # noqa: E402
from pal.memory import search  # noqa: E402
from pal.memory.icm import store  # noqa: E402

AIMS = {"first_answer": 5.0, "per_second": 500, "search_ms": 20.0}
ASKED = 200
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Client:
    """A started server and the time it took to say hello."""

    def __init__(self, command: list[str], env: dict[str, str], folder: str) -> None:
        began = time.perf_counter()
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=folder)
        self._next = 0
        self.call("initialize", HELLO)
        self.first = time.perf_counter() - began
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self.server.pid, {max(os.sched_getaffinity(0))})

    def call(self, method: str, params: object = None) -> dict:
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}}
        assert self.server.stdin and self.server.stdout
        self.server.stdin.write(json.dumps(message).encode() + b"\n")
        self.server.stdin.flush()
        answer = json.loads(self.server.stdout.readline())
        assert answer["id"] == self._next and "result" in answer, answer
        return dict(answer["result"])

    def end(self) -> None:
        assert self.server.stdin and self.server.stdout
        self.server.stdin.close()
        self.server.wait(20)
        self.server.stdout.close()


def first_answer(command: list[str], env: dict[str, str], folder: str, runs: int) -> dict[str, float]:
    bare, first = [], []
    for _ in range(runs + 2):
        began = time.perf_counter()
        subprocess.run([command[0], "-I", "-S", "-c", "pass"], env=env, check=True)
        bare.append(time.perf_counter() - began)
        client = Client(command, env, folder)
        first.append(client.first)
        client.end()
    bare, first = sorted(bare[2:]), sorted(first[2:])  # the first two warm the caches
    return {
        "ms": round(first[runs // 2] * 1000, 1),
        "bare_ms": round(bare[runs // 2] * 1000, 1),
        "ratio": round(first[runs // 2] / bare[runs // 2], 2),
        "ratio_of_the_best": round(first[0] / bare[0], 2),
    }


def per_second(client: Client, method: str, seconds: float = 2.0) -> int:
    began, number = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        client.call(method)
        number += 1
    return round(number / (time.perf_counter() - began))


def searches(client: Client, texts: list[str]) -> dict[str, object]:
    chance = random.Random(5)
    took, found = [], 0
    for text in chance.sample(texts, min(ASKED, len(texts))):
        words = text.split()
        query = " ".join(chance.sample(words, min(8, len(words))))
        began = time.perf_counter()
        result = client.call("tools/call", {"name": "pai_icm_search", "arguments": {"query": query}})
        took.append(time.perf_counter() - began)
        found += any(hit["content"] == text for hit in result["structuredContent"]["hits"])
    took.sort()
    return {
        "p50_ms": round(took[len(took) // 2] * 1000, 2),
        "p95_ms": round(took[int(len(took) * 0.95)] * 1000, 2),
        "found": f"{found}/{len(took)}",
    }


def fill(home: Home, size: int, now: float) -> list[str]:
    chance = random.Random(3)
    sentences = retrieval_scale.sentences()
    texts = [
        f"{chance.choice(sentences)} {' '.join(chance.sample(chance.choice(sentences).split(), 4))}"
        for _ in range(size)
    ]
    drafts = [
        store.draft(text, now - chance.random() * 3e7, topic=f"notes-project{number % 40}")
        for number, text in enumerate(texts)
    ]
    store.put_all(home, drafts, now)
    search.rebuild(home, now)
    return texts


def measure(memories: int, runs: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="pal-bench-") as folder:
        archive = os.path.join(folder, "pal.pyz")
        build = [sys.executable, os.path.join(ROOT, "build_zipapp.py"), "--output", archive]
        subprocess.run(build, check=True, capture_output=True)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PAL_", "CLAUDE", "OTEL_"))}
        env = {**kept, "HOME": folder, "USERPROFILE": folder, "PAL_INFERENCE_DISABLED": "1"}
        install = [sys.executable, archive, "install", "--claude", "--mcp"]
        subprocess.run(install, env=env, check=True, capture_output=True)
        with open(os.path.join(folder, ".claude.json"), encoding="utf-8") as stream:
            entry = json.load(stream)["mcpServers"]["pal"]
        command = [entry["command"], *entry["args"]]
        texts = fill(Home(os.path.join(folder, ".pal")), memories, time.time())
        first = first_answer(command, env, folder, runs)
        client = Client(command, env, folder)
        rates = {method: per_second(client, method) for method in ("ping", "tools/list")}
        found = searches(client, texts)
        client.end()
        return {
            "python": platform.python_version(),
            "memories": memories,
            "first_answer": first,
            "per_second": rates,
            "search": found,
            "aims": AIMS,
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=retrieval_scale.SIZE, help="in the home that is searched")
    parser.add_argument("--runs", type=int, default=25, help="timed starts (default 25)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result = measure(options.memories, options.runs)
    print(json.dumps(result) if options.json else json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
