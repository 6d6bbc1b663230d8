"""How much of an agent's time each hook takes: `make bench`.

Installs the built archive twice, into an empty home and into one with years of history, and times the command that is
registered for each event, one after another in turns, as a ratio to `python -I -S -c pass` of the same interpreter. It
prints what each hook imports beside the interpreter's own start. It measures; it neither passes nor fails."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "src"), os.path.dirname(os.path.abspath(__file__))]
import homes  # noqa: E402  beside this file

from pal.hooks.turn import EVENTS  # noqa: E402

AIMS = {"pre-tool": 1.4, "user-prompt": 2.0, "session-start": 2.2, "stop": 2.2}
ALL_DUE, ALL_DUE_AIM = "stop, all due", 2.4
GROWTH_AIM = 1.15
SESSION = "11111111-0000-4000-8000-00000000be9c"
PROMPTS = (
    "rename the helper in the settings page and run the linter",
    "why does the invoice export stall when the worker restarts?",
    "please add a test for the empty list and keep the rest as it is",
)


class Place:
    """One installed home with its registered commands."""

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        self.user = os.path.join(folder, name)
        self.project = os.path.join(self.user, "project")
        os.makedirs(os.path.join(self.project, ".git"))
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PAL_", "CLAUDE"))}
        self.env = {**kept, "HOME": self.user, "USERPROFILE": self.user, "PAL_INFERENCE_DISABLED": "1"}
        self.commands: dict[str, str] = {}
        self.transcript = os.path.join(self.user, "transcript.jsonl")

    def install(self, archive: str) -> None:
        subprocess.run([sys.executable, archive, "install", "--claude"], env=self.env, check=True, capture_output=True)
        with open(os.path.join(self.user, ".claude", "settings.json"), encoding="utf-8") as stream:
            settings = json.load(stream)
        for groups in settings["hooks"].values():
            for group in groups:
                for entry in group["hooks"]:
                    event = next(word for word in entry["command"].split() if word in EVENTS)
                    self.commands[event] = entry["command"]

    @property
    def python(self) -> str:
        """The interpreter that the hooks are registered with, which need not be the one that runs this."""
        return shlex.split(self.commands["stop"])[0]

    def pal(self, archive: str, *argv: str) -> None:
        subprocess.run([sys.executable, archive, *argv], env=self.env, check=True, capture_output=True)

    def payload(self, event: str, run: int) -> bytes:
        common = {"session_id": SESSION, "transcript_path": self.transcript, "cwd": self.project}
        common["prompt_id"] = f"prompt-{event}-{run}"
        own: dict[str, object] = {
            "session-start": {"hook_event_name": "SessionStart", "source": "startup"},
            "user-prompt": {"hook_event_name": "UserPromptSubmit", "prompt": PROMPTS[run % len(PROMPTS)]},
            "pre-tool": {"tool_name": "Bash", "tool_input": {"command": "git status --short"}},
            "post-tool": {"tool_name": "Edit", "tool_input": {"file_path": self.project + "/a.py"}},
            "stop": {"last_assistant_message": f"All done, run {run}.", "stop_hook_active": False},
            "subagent-stop": {"agent_id": "a1", "agent_type": "reviewer"},
            "pre-compact": {"trigger": "manual"},
            "session-end": {"reason": "other"},
        }.get(event, {})
        return json.dumps({**common, **own}).encode()

    def make_all_due(self, run: int) -> bytes:
        """Leave everything to a stop that it can hand over: backup, skills, a low rating, a session to learn from."""
        pal = os.path.join(self.user, ".pal")
        for name in os.listdir(os.path.join(pal, "backups")):
            os.remove(os.path.join(pal, "backups", name))
        os.makedirs(os.path.join(pal, "skills"), exist_ok=True)
        os.utime(os.path.join(pal, "skills"), (time.time() + run, time.time() + run))
        stop = {**json.loads(self.payload("stop", run)), "session_id": f"due-{run}"}
        low = {**stop, "prompt": "2, that was the wrong file"}
        subprocess.run(self.commands["user-prompt"], input=json.dumps(low).encode(), env=self.env, shell=True,
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip
        return json.dumps(stop).encode()

    def rest(self) -> None:
        """Until no detached job waits or runs."""
        jobs = os.path.join(self.user, ".pal", "memory", "state", "jobs")
        while os.path.isdir(jobs) and any(name.endswith((".json", ".run")) for name in os.listdir(jobs)):
            time.sleep(0.02)

    def write_transcript(self, messages: int = 40) -> None:
        with open(self.transcript, "w", encoding="utf-8") as out:
            for number in range(messages):
                role = "assistant" if number % 2 else "user"
                text = f"message {number}: the parser keeps a stale handle and the cache is not told. " * 3
                content = [{"type": "text", "text": text}] if role == "assistant" else text
                out.write(json.dumps({"type": role, "message": {"role": role, "content": content}}) + "\n")
                result = {"role": "user", "content": [{"type": "tool_result", "content": "x" * 4000}]}
                out.write(json.dumps({"type": "user", "message": result}) + "\n")


def timed(command: str | list[str], payload: bytes, env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        command, input=payload, stdout=subprocess.DEVNULL, env=env, shell=isinstance(command, str), check=True
    )
    return time.perf_counter() - began


def middle(samples: list[float]) -> float:
    return sorted(samples)[len(samples) // 2]


def imported(place: Place, event: str) -> list[str]:
    """Modules one run of the hook loads beyond `python -I -S -c pass`."""
    command = place.commands[event].replace(" -I -S ", " -X importtime -I -S ", 1)
    done = subprocess.run(command, input=place.payload(event, 10_000), env=place.env, shell=True, capture_output=True)
    bare = subprocess.run([place.python, "-X", "importtime", "-I", "-S", "-c", "pass"], capture_output=True)

    def names(text: bytes) -> list[str]:
        rows = [row.rsplit("|", 1)[-1].strip() for row in text.decode().splitlines() if row.startswith("import time:")]
        return [name for name in rows if name != "imported package"]

    known = set(names(bare.stderr))
    return sorted({name for name in names(done.stderr) if name not in known})


def measure(runs: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="pal-bench-") as folder:
        archive = os.path.join(folder, "pal.pyz")
        build = [sys.executable, os.path.join(ROOT, "build_zipapp.py"), "--output", archive]
        subprocess.run(build, check=True, capture_output=True)
        empty, big = Place(folder, "empty"), Place(folder, "big")
        for place in (empty, big):
            place.install(archive)
            place.write_transcript()
        homes.fill(os.path.join(big.user, ".pal"), time.time())
        for place in (empty, big):
            place.pal(archive, "memory", "reindex")
            place.pal(archive, "backup", "now")
        bare = [empty.python, "-I", "-S", "-c", "pass"]
        rows: dict[str, dict[str, object]] = {}
        for event in (*EVENTS, ALL_DUE):
            if event not in empty.commands and event != ALL_DUE:
                continue
            samples: dict[str, list[float]] = {"bare": [], "empty": [], "big": []}
            for run in range(runs + 2):
                took = {"bare": timed(bare, b"", empty.env)}
                for place in (empty, big):
                    if event == ALL_DUE:
                        payload = place.make_all_due(run)
                        place.rest()
                        took[place.name] = timed(place.commands["stop"], payload, place.env)
                        place.rest()
                    else:
                        took[place.name] = timed(place.commands[event], place.payload(event, run), place.env)
                if run >= 2:  # the first two warm the caches
                    for name, seconds in took.items():
                        samples[name].append(seconds)
            ratio = {name: middle(samples[name]) / middle(samples["bare"]) for name in ("empty", "big")}
            rows[event] = {
                "bare_ms": round(middle(samples["bare"]) * 1000, 2),
                "empty": round(ratio["empty"], 2),
                "big": round(ratio["big"], 2),
                "growth": round(ratio["big"] / ratio["empty"], 2),
                "aim": ALL_DUE_AIM if event == ALL_DUE else AIMS.get(event),
                "imports": imported(big, event) if event in big.commands else [],
            }
        return {"python": platform.python_version(), "runs": runs, "hooks": rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=25, help="timed runs of each hook (default 25)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result = measure(options.runs)
    if options.json:
        print(json.dumps(result, indent=2))
        return 0
    print(f"Each registered hook command as a ratio to `python -I -S -c pass` (Python {result['python']},")
    print(f"median of {options.runs} runs taken in turns; aim for growth: {GROWTH_AIM})\n")
    print(f"{'hook':<15}{'empty home':>11}{'big home':>10}{'growth':>8}{'aim':>6}   (bare ms)")
    hooks = result["hooks"]
    assert isinstance(hooks, dict)
    for event, row in hooks.items():
        aim = row["aim"] or "-"
        print(f"{event:<15}{row['empty']:>11}{row['big']:>10}{row['growth']:>8}{aim:>6}   {row['bare_ms']}")
    print("\nWhat each imports beyond the bare interpreter:")
    for event, row in hooks.items():
        if row["imports"]:
            print(f"  {event}: {', '.join(row['imports'])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
