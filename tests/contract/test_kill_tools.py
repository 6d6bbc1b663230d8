"""The memory tools, killed at each of their file operations: nothing is half-written, and the next run ends where an
undisturbed one does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from contract.tool_killer import TOOLS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the killer forks")

TESTS = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_that_dies_at_any_step_is_finished_by_the_next_run(name, tmp_path, clean_env):
    done = subprocess.run(
        [sys.executable, str(TESTS / "contract" / "tool_killer.py"), name, str(tmp_path)],
        capture_output=True,
        text=True,
        env={**clean_env, "PYTHONPATH": os.pathsep.join((str(TESTS), str(TESTS.parent / "src")))},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
