"""What tests of real clients share: PAL's own command on the throw-away machine that a module's `machine` lays out."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.fixture
def pal(machine, archive):
    """pal("install", …): what the command printed; it must end with this status."""

    def run(*arguments, status=0):
        done = subprocess.run(
            [sys.executable, str(archive), *arguments],
            env=machine.env(),
            cwd=machine.project,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == status, done.stderr
        return done.stdout

    return run
