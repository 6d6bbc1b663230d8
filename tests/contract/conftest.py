"""What the fault tests of this folder share: a home with PAL installed, and its hooks started as an agent would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from payload_examples import EXAMPLES

from pal.base.home import Home
from pal.targets.claude import facts

PAYLOADS = Path(__file__).parent / "payloads" / "claude"
SPEECHES = 6
REPLY = "The parser reads every line once, keeps the torn ones apart and says where each of them stood. " * 2


class Installed:
    """A user's folder with PAL in it and a project beside it; `hook` gives an event what the client would send."""

    def __init__(self, user: Path, env: dict[str, str]) -> None:
        self.user = user
        self.env = env
        self.claude = user / ".claude"
        self.pal = user / ".pal"
        self.home = Home(str(self.pal))
        self.log = Path(self.home.log)
        self.project = user / "project"
        self.transcript = user / "transcript.jsonl"

    def payload(self, event: str, **fields: object) -> dict[str, object]:
        example = json.loads((PAYLOADS / f"{EXAMPLES['claude'][event]}.json").read_text(encoding="utf-8"))
        ours = {"session_id": "s1", "cwd": str(self.project), "transcript_path": str(self.transcript)}
        return {**example, **ours, **fields}

    def argv(self, event: str, *flags: str) -> list[str]:
        return [sys.executable, "-I", "-S", "-X", "utf8", str(self.pal / "hook.py"), event, *flags]

    def hook(self, event: str, payload: object = None, flags=("--agent=claude",), **options):
        """The finished process of one hook. `payload`: bytes, or what JSON can hold; by default the example."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload or self.payload(event)).encode()
        done = subprocess.run(
            self.argv(event, *flags),
            input=data,
            capture_output=True,
            env=self.env,
            cwd=self.user,
            timeout=60,
            **options,
        )
        assert done.returncode == 0, (event, done.stderr)
        assert done.stderr == b"", event
        return done

    def command(self, event: str) -> str:
        """The command of an event as it stands in the client's settings."""
        name = next(theirs for theirs, ours, _, _ in facts.EVENTS if ours == event)
        settings = json.loads((self.claude / "settings.json").read_text(encoding="utf-8"))
        return settings["hooks"][name][0]["hooks"][0]["command"]

    def answers(self, event: str, output: bytes) -> bool:
        """True if this is something the client takes as context; fails on anything that is neither that nor silence."""
        text = output.decode("utf-8")
        if not text:
            return False
        assert "Traceback" not in text
        if event == "session-start":
            answer = json.loads(text)["hookSpecificOutput"]
            assert answer["hookEventName"] == "SessionStart"
            return bool(answer["additionalContext"])
        assert event == "user-prompt", text
        assert text.isprintable() or "\n" in text
        return True

    def logged(self) -> str:
        """What the log holds, which is then empty."""
        text = self.log.read_text(encoding="utf-8") if self.log.is_file() else ""
        if text:
            self.log.unlink()
        return text

    def speak(self) -> None:
        """Write a transcript long enough to be worth a note, ending with the reply of the example's stop."""
        self.project.mkdir(exist_ok=True)
        (self.project / ".git").mkdir(exist_ok=True)
        rows = []
        for number in range(SPEECHES):
            rows.append(("user", f"Mend the parser, step {number}, please."))
            rows.append(("assistant", f"Step {number}. {REPLY}"))
        lines = [
            {"type": role, "timestamp": "2026-03-02T08:15:00Z", "message": {"role": role, "content": text}}
            for role, text in rows
        ]
        self.transcript.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def live(self) -> None:
        """One session from its start to its end, so that every file a session leaves behind is there."""
        self.speak()
        self.hook("session-start")
        for number, prompt in enumerate(("Mend the torn lines of the parser", "2, wrong file", "9/10, well done")):
            self.hook("user-prompt", self.payload("user-prompt", prompt=prompt, prompt_id=f"p{number}"))
            edited = {"file_path": str(self.project / "parser.py")}
            self.hook("post-tool", self.payload("post-tool", tool_input=edited))
            self.hook("stop", self.payload("stop", prompt_id=f"p{number}"))
        self.hook("pre-compact")
        self.hook("subagent-stop")

    def rest(self, within: float = 20.0) -> None:
        """Until no detached job waits or runs."""
        wait_until(lambda: not any(name.suffix in (".json", ".run") for name in Path(self.home.jobs).glob("*")), within)


def wait_until(holds, within: float = 20.0, pause: float = 0.02) -> None:
    """Until `holds()` is true; fails when that takes longer than `within` seconds."""
    deadline = time.monotonic() + within
    while not holds():
        assert time.monotonic() < deadline, f"still not so after {within:.0f} s"
        time.sleep(pause)


def read_records(path: Path) -> list[dict]:
    """Every line of a JSONL file, each of which must be whole."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def assert_whole(folder: Path) -> None:
    """Every JSON and JSONL file below the folder can be read by anybody, and nothing half-written lies about once the
    detached jobs are done."""
    wait_until(lambda: not any(path.suffix in (".json", ".run") for path in folder.rglob("state/jobs/*")))
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.is_file() and path.suffix == ".jsonl":
            read_records(path)
        assert not path.name.startswith(".pal-tmp-"), path


@pytest.fixture(scope="session")
def shipped(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with a fresh install, to be copied."""
    user = tmp_path_factory.mktemp("shipped") / "user"
    (user / ".claude").mkdir(parents=True)
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PAL_", "CLAUDE", "PYTHON", "XDG_"))}
    env.update(HOME=str(user), USERPROFILE=str(user), PAL_PYTHON=sys.executable)
    done = subprocess.run(
        [sys.executable, str(archive), "install", "--claude"], capture_output=True, env=env, cwd=user, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return user


@pytest.fixture
def installed(shipped: Path, fresh_home: Path, clean_env: dict[str, str]) -> Installed:
    """A fresh install of a test's own."""
    return copied(shipped, fresh_home, clean_env)


def copied(shipped: Path, user: Path, env: dict[str, str]) -> Installed:
    """The shipped folder at another place: what names the old place names the new one."""
    shutil.copytree(shipped, user, dirs_exist_ok=True, symlinks=True)
    for path in user.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.suffix != ".pyz":
            data = path.read_bytes()
            if str(shipped).encode() in data:
                path.write_bytes(data.replace(str(shipped).encode(), str(user).encode()))
    return Installed(user, {**env, "PAL_PYTHON": sys.executable})


@pytest.fixture(scope="session")
def whole():
    """whole(folder): see assert_whole."""
    return assert_whole


@pytest.fixture(scope="session")
def until():
    """until(holds, within): see wait_until."""
    return wait_until


@pytest.fixture(scope="session")
def records():
    """records(path): see read_records."""
    return read_records


@pytest.fixture(scope="session")
def copy_of():
    """copy_of(user folder, another place, env): see copied."""
    return copied
