"""How right the guard is, and what it costs: `make bench` prints both; it measures, it neither passes nor fails.

The table counts the labelled cases (the folder of shared facts, `guard/*.jsonl`) or the case files named on the command
line. The second part times the registered hook with a call that passes unread, one that is read, and hostile input."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "src"), os.path.dirname(os.path.abspath(__file__))]
from hooks import Place, middle, timed  # noqa: E402  beside this file

from pal.base.settings import Settings  # noqa: E402
from pal.cli import guard_cases  # noqa: E402
from pal.guard import decide  # noqa: E402
from pal.guard import settings as guard_settings  # noqa: E402

CALLS = (
    ("passes unread: git status", 1.4, "Bash", {"command": "git status --short", "description": "Show changes"}),
    ("passes unread: a source file", 1.4, "Read", {"file_path": "{project}/src/app.py"}),
    ("read, allowed", 2.0, "Bash", {"command": 'git commit -m "rm -rf / is bad" && ls *.py | xargs wc -l'}),
    ("read, a path", 2.0, "Read", {"file_path": "{project}/.github/workflows/ci.yml"}),
    ("read, denied and noted", None, "Bash", {"command": "rm -rf ~"}),
)
HOSTILE = (
    ("$( × 40,000", "$(" * 40_000),
    ("assignments × 10,000", "V=1 " * 10_000),
    ("parentheses", "(" * 60_000),
    ("heredoc openers", "cat <<E " * 12_000),
    ("backquotes", "`" * 120_000),
    ("one word", "a" * 128_000),
)


def cases(paths: list[str]) -> None:
    print(f"{'cases':<18}{'number':>8}{'wrong':>7}{'precision':>11}{'recall':>8}")
    for path in paths:
        result = guard_cases.run(guard_cases.read(path))
        facts = result.facts()
        row = f"{os.path.basename(path):<18}{facts['cases']:>8}{len(result.misses):>7}"
        print(f"{row}{facts['precision']:>11.3f}{facts['recall']:>8.3f}")
        if any(result.policy.values()):
            print("    policy: " + ", ".join(f"{decision} {number}" for decision, number in result.policy.items()))
        for miss in result.misses[:20]:
            print(f"    {miss['said']} instead of {miss['expect']}: {miss['text'][:90]!r}")


def hostile() -> None:
    print(f"\n{'128 KiB of':<24}{'seconds':>9}   then `; rm -rf /`")
    guard = guard_settings.load(Settings({}), "/home/user/.pal", (), False, False)
    for name, text in HOSTILE:
        began = time.process_time()
        verdict = decide.decide("Bash", {"command": text + "\n; rm -rf /"}, "/home/user/project", "/home/user", guard)
        print(f"{name:<24}{time.process_time() - began:>9.3f}   {verdict.decision}")


def hook(runs: int) -> None:
    with tempfile.TemporaryDirectory(prefix="pal-bench-") as folder:
        archive = os.path.join(folder, "pal.pyz")
        build = [sys.executable, os.path.join(ROOT, "build_zipapp.py"), "--output", archive]
        subprocess.run(build, check=True, capture_output=True)
        place = Place(folder, "empty")
        place.install(archive)
        bare = [place.python, "-I", "-S", "-c", "pass"]
        samples: dict[str, list[float]] = {"bare": [], **{row[0]: [] for row in CALLS}}
        for run in range(runs + 2):
            took = {"bare": timed(bare, b"", place.env)}
            for name, _, tool, given in CALLS:
                text = json.dumps({"tool_name": tool, "tool_input": given}).replace("{project}", place.project)
                call = {"session_id": "bench", "cwd": place.project, "permission_mode": "default", **json.loads(text)}
                took[name] = timed(place.commands["pre-tool"], json.dumps(call).encode(), place.env)
            if run >= 2:  # the first two warm the caches
                for name, seconds in took.items():
                    samples[name].append(seconds)
    print(f"\n{'the hook':<32}{'ratio':>7}{'aim':>6}   (bare {middle(samples['bare']) * 1000:.1f} ms)")
    for name, aim, _, _ in CALLS:
        print(f"{name:<32}{middle(samples[name]) / middle(samples['bare']):>7.2f}{aim or '-':>6}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="case files (default: those of the shared facts)")
    parser.add_argument("--runs", type=int, default=25, help="timed runs of each call (default 25)")
    options = parser.parse_args()
    shared = os.path.join(os.environ.get("PAL_SHARED") or os.path.join(os.path.dirname(ROOT), "shared"), "guard")
    found = [os.path.join(shared, name) for name in ("cases.jsonl", "policy.jsonl")]
    cases(options.files or [path for path in found if os.path.isfile(path)])
    hostile()
    hook(options.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
