"""The Linux side of the Windows tests: starts the Windows Python in Wine and hands it stories to play."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCRIPT = HERE / "windows_python.sh"
LIMIT = 200  # seconds for one story, on a busy machine

SETTINGS = (
    '\ufeff{\n  // mine\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      {"hooks": '
    '[{"type": "command", "command": "true"}]}, /* and its end */\n    ]\n  },\n  "x": 1,\n}\n'
).replace("\n", "\r\n")
INSTRUCTIONS = "# How I work\r\n\r\nShort answers, please."
# The second user has a space and letters beyond ASCII in every path, and a Python that knows one time zone.
USERS = {"plain": "user", "odd": "Ján os Őri"}


def cache() -> Path:
    """Where the Windows Python and Wine's own files are kept between runs."""
    return Path(os.environ.get("PAL_TEST_CACHE") or ROOT / ".cache")


def missing() -> str:
    """Why no Windows Python can be run here; empty when one can."""
    if not shutil.which("wine"):
        return "Wine is not installed (apt-get install wine wine64)"
    if not (cache() / "windows-python" / "cp313" / "python.exe").is_file() and os.environ.get("CI") != "true":
        return f"no Windows Python in {cache()} (`bash {SCRIPT.relative_to(ROOT)}` fetches one)"
    return ""


def windows(path: Path) -> str:
    """A path of this machine as Windows sees it: Wine shows the whole machine as drive Z."""
    return "Z:" + str(path).replace("/", "\\")


def python(*arguments: str, limit: float = LIMIT) -> str:
    """Run the Windows Python; what it printed. It and all it started end with the time limit."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PAL_", "CLAUDE", "WINE"))}
    env["PAL_TEST_CACHE"] = str(cache())
    running = subprocess.Popen(
        ["bash", str(SCRIPT), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        start_new_session=True,
    )
    try:
        out, err = running.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        raise
    assert running.returncode == 0, err.decode("utf-8", "replace")[-3000:]
    return out.decode("utf-8", "replace")


def play(story: str, folder: Path, user: Path, archive: Path, interpreter: Path | None = None) -> dict:
    """Play one story of driver.py for this user's folder; what it tells. Its own files go into `folder`."""
    interpreter = interpreter or cache() / "windows-python" / "cp313" / "python.exe"
    result, config = folder / f"{story}.result", folder / f"{story}.json"
    facts = {
        "user": windows(user),
        "archive": windows(archive),
        "python": windows(interpreter),
        "payloads": windows(ROOT / "tests" / "contract" / "payloads"),
        "result": windows(result),
    }
    config.write_text(json.dumps(facts), encoding="utf-8")
    python(windows(HERE / "driver.py"), story, windows(config))
    return json.loads(result.read_text(encoding="utf-8"))


def lay_out(user: Path) -> None:
    (user / ".claude").mkdir(parents=True)
    (user / ".claude" / "settings.json").write_bytes(SETTINGS.encode())
    (user / ".claude" / "CLAUDE.md").write_bytes(INSTRUCTIONS.encode())


def zoned_python(folder: Path) -> Path:
    """The same Python at another place, with the part of the tzdata package that holds Budapest."""
    there = folder / "Program Files" / "Python 3"
    shutil.copytree(cache() / "windows-python" / "cp313", there)
    zones = there / "Lib" / "site-packages" / "tzdata" / "zoneinfo" / "Europe"
    zones.mkdir(parents=True)
    shutil.copy("/usr/share/zoneinfo/Europe/Budapest", zones)
    return there / "python.exe"
