"""Runs in the Windows Python: programs that answer, hang, leave others behind or print too much; tells how each ended.

Arguments: the folder of the sources, a folder to work in."""

from __future__ import annotations

import json
import os
import sys
import time

sys.path.insert(0, sys.argv[1])
from pal.base import process, supervise

FOLDER = sys.argv[2]
FOREVER = "import time\nwhile True: time.sleep(0.1)"
PARENT = (
    "import subprocess, sys, time\nchild = subprocess.Popen([sys.executable, '-I', '-S', '-c', sys.argv[1]])\n"
    "print('spoke', flush=True)\nopen(sys.argv[2], 'w').write(str(child.pid))\nwhile len(sys.argv) > 3: time.sleep(0.1)"
)
LONG = 150.0  # seconds


def run(*argv: str, stdin: bytes = b"", cap: int = 1000) -> dict[str, object]:
    done = supervise.run(list(argv), stdin, dict(os.environ), FOLDER, LONG, cap)
    return {"problem": done.problem, "status": done.status, "out": done.out.decode(), "err": done.err.decode()}


def python(code: str, *words: str, **options: object) -> dict[str, object]:
    return run(sys.executable, "-I", "-S", "-c", code, *words, **options)


def family(name: str, *words: str) -> dict[str, object]:
    """A program that starts another; whether that one is gone in the end."""
    kept = os.path.join(FOLDER, name)
    done = python(PARENT, FOREVER, kept, *words)
    with open(kept, encoding="ascii") as stream:
        child = int(stream.read())
    until = time.monotonic() + 30
    while process.alive(child) and time.monotonic() < until:
        time.sleep(0.05)
    return {**done, "gone": not process.alive(child)}


class Late:
    """The clock of the module under test: very late as soon as the family stands."""

    sleep = staticmethod(time.sleep)

    @staticmethod
    def monotonic() -> float:
        late = os.path.exists(os.path.join(FOLDER, "hanging")) and os.path.getsize(os.path.join(FOLDER, "hanging"))
        return time.monotonic() + (1000.0 if late else 0.0)


batch = os.path.join(FOLDER, "agent.cmd")
with open(batch, "w", encoding="ascii") as stream:
    stream.write("@echo got %*\r\n")
told = {
    "answers": python("import sys; print(len(sys.stdin.buffer.read())); sys.exit(3)", stdin=b"x" * 100_000),
    "leaves": family("leaving"),
    "floods": python("import sys\nwhile True: sys.stdout.write('x' * 65536)", cap=5000),
    "missing": run(os.path.join(FOLDER, "none.exe")),
    "batch": run(batch, "--tools=", "a b"),
    "unsafe": run(batch, "a & b"),
}
supervise.time = Late
told["hangs"] = family("hanging", "and waits")
sys.stdout.write(json.dumps(told))
