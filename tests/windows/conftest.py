"""Plays each story of driver.py once, whichever test or worker asks first."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import wine


@pytest.fixture(scope="session")
def telling(require, archive, tmp_path_factory):
    """telling(story, name): plays a story once, whichever worker asks first; what it told, and the user's folder."""
    require(not wine.missing(), wine.missing())
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def tell(story: str, name: str) -> tuple[dict, Path]:
        folder = shared / f"windows-{story}-{name}"
        folder.mkdir(exist_ok=True)
        user = folder / wine.USERS[name]
        with open(folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not user.exists():
                wine.lay_out(user)
                wine.play(story, folder, user, archive, wine.zoned_python(folder) if name == "odd" else None)
            return json.loads((folder / f"{story}.result").read_text(encoding="utf-8")), user

    return tell
