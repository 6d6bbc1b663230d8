"""Programs that stand in for agents on PATH: each keeps what it was started with and does what it was told to."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

# Keeps argv, stdin, environment, folder and the files in it; then does what `behaviour.json` beside it says.
PROGRAM = r"""
import json, os, subprocess, sys, time
here = sys.argv[1]
with open(os.path.join(here, "behaviour.json"), encoding="utf-8") as stream:
    script = json.load(stream)
number = len([name for name in os.listdir(here) if name.startswith("call-")])
told = script[min(number, len(script) - 1)]
entry = {"argv": sys.argv[2:], "env": dict(os.environ), "cwd": os.getcwd(), "pid": os.getpid(), "files": {}}
for folder, _, names in os.walk("."):
    for name in names:
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as stream:
            entry["files"][os.path.relpath(path, ".").replace(os.sep, "/")] = stream.read()
entry["stdin"] = "" if told.get("deaf") else sys.stdin.buffer.read().decode("utf-8")
if told.get("child"):
    code = "import time\nwhile True: time.sleep(0.05)"
    entry["child"] = subprocess.Popen([sys.executable, "-I", "-S", "-c", code]).pid
partly = os.path.join(here, "partly")
with open(partly, "w", encoding="utf-8") as stream:
    json.dump(entry, stream)
os.rename(partly, os.path.join(here, "call-%d" % number))
if told.get("run"):
    said = dict(input=told.get("feed", "").encode(), env=dict(os.environ, **told.get("env", {})), capture_output=True)
    subprocess.run(told["run"], **said)
sys.stderr.write(told.get("stderr", ""))
sys.stdout.buffer.write(told.get("stdout", "").encode() * told.get("times", 1))
sys.stdout.flush()
open(os.path.join(here, "spoke"), "w").close()
while told.get("hang"):
    time.sleep(0.05)
sys.exit(told.get("code", 0))
"""


class StandIn:
    """One such program, in a folder `bin` that goes on PATH."""

    def __init__(self, root: Path, name: str) -> None:
        self.bin = root / "bin"
        self._kept = root / f"kept-{name}"
        for folder in (self.bin, self._kept):
            folder.mkdir(parents=True, exist_ok=True)
        script = self._kept / "program.py"
        script.write_text(PROGRAM, encoding="utf-8")
        self.path = self.bin / name
        self.path.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" "{self._kept}" "$@"\n', encoding="utf-8"
        )
        self.path.chmod(0o755)
        self.does({})

    def does(self, *script: dict) -> StandIn:
        """What it does the first time, the second, …; the last holds on. stdout, stderr, code, times (to print stdout),
        hang, deaf (reads no stdin), child (starts one that never ends), run and feed (a command, and its stdin)."""
        (self._kept / "behaviour.json").write_text(json.dumps(script), encoding="utf-8")
        return self

    @property
    def calls(self) -> list[dict]:
        """argv, stdin, env, cwd, files, pid, child of every start so far."""
        names = sorted(self._kept.glob("call-*"), key=lambda path: int(path.name[5:]))
        return [json.loads(path.read_text(encoding="utf-8")) for path in names]

    @property
    def spoke(self) -> bool:
        """Whether it has printed what it was told to print."""
        return (self._kept / "spoke").exists()

    def path_variable(self) -> str:
        """A PATH on which it is found, and what a shell needs, but no agent of the machine's own."""
        return os.pathsep.join((str(self.bin), "/usr/bin", "/bin"))


def gone(pid: int) -> bool:
    """Whether the process has ended; one that nobody has waited for yet counts as ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stream:
            return stream.read().rpartition(")")[2].split()[0] in ("Z", "X")
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_until_gone(pid: int) -> None:
    """Return when the process has ended; it was killed already, and only dying takes a moment."""
    until = time.monotonic() + 20
    while not gone(pid):
        assert time.monotonic() < until, f"{pid} still runs"
        time.sleep(0.01)
