"""What most tests stand on: a home in a temporary folder, a fixed moment, the built archive and a way to run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base.home import Home
from pal.install import archive as packing

ROOT = Path(__file__).resolve().parent.parent
# Variables of an agent or a PAL around the test run, which nothing under test may see.
INHERITED = ("PAL_", "CLAUDE", "ANTHROPIC", "AI_AGENT", "PYTHON", "VIRTUAL_ENV", "XDG_", "CODEX_", "COPILOT_")


@pytest.fixture
def now() -> float:
    """Monday 2026-03-02 08:15:00 UTC."""
    return 1772439300.0


@pytest.fixture
def fresh_home(tmp_path: Path) -> Path:
    """A user's home folder with nothing in it; run_pal runs with it."""
    folder = tmp_path / "user"
    folder.mkdir()
    return folder


@pytest.fixture
def home(fresh_home: Path) -> Home:
    """PAL's home below fresh_home, with the folders that an install makes."""
    made = Home(str(fresh_home / ".pal"))
    for folder in (made.root, made.telos, made.state, made.digests, made.jobs, made.spill, made.signals, made.install):
        os.makedirs(folder, exist_ok=True)
    return made


@pytest.fixture
def clean_env(fresh_home: Path) -> dict[str, str]:
    """An environment for a child: fresh_home is the user's, no model and no desktop notice is reached from it."""
    env = {key: value for key, value in os.environ.items() if not key.upper().startswith(INHERITED)}
    env.update(HOME=str(fresh_home), USERPROFILE=str(fresh_home), PAL_INFERENCE_DISABLED="1")
    env.update(PAL_NOTIFICATIONS_DISABLED="1", NO_COLOR="1")
    return env


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pal.pyz built from this checkout, in a folder whose path has a space and letters beyond ASCII."""
    path = tmp_path_factory.mktemp("árvíz tűrő") / "pal.pyz"
    path.write_bytes(packing.pack(packing.files(str(ROOT))))
    path.chmod(0o755)
    return path


@pytest.fixture
def run_pal(archive: Path, clean_env: dict[str, str], tmp_path: Path):
    """run_pal("status", "--json", stdin={…}, env={…}, cwd=…): a finished process with stdout and stderr as text."""

    def run(*arguments, stdin=b"", env=(), cwd=None, python=sys.executable, timeout=60.0):
        if isinstance(stdin, dict):
            stdin = json.dumps(stdin)
        if isinstance(stdin, str):
            stdin = stdin.encode("utf-8")
        done = subprocess.run(
            [python, str(archive), *map(str, arguments)],
            input=stdin,
            capture_output=True,
            env={**clean_env, **dict(env)},
            cwd=cwd or tmp_path,
            timeout=timeout,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")
        )

    return run


@pytest.fixture(scope="session")
def require():
    """require(found, "reason"): skip where a resource is absent; under CI=true its absence is a failure."""

    def check(found, reason: str):
        if found:
            return found
        if os.environ.get("CI") == "true":
            pytest.fail(f"needed in CI: {reason}")
        pytest.skip(reason)

    return check


@pytest.fixture(scope="session")
def shared(require) -> Path:
    """The folder of shared facts and data: $PAL_SHARED, or the folder `shared` beside the checkout."""
    folder = Path(os.environ.get("PAL_SHARED") or ROOT.parent / "shared")
    return require(folder.is_dir() and folder, f"no folder {folder} (PAL_SHARED names another)")
