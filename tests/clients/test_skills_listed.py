"""Real clients with PAL list every shipped skill to the model, and a prompt that asks for one is offered it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run_claude
import run_codex
import run_opencode

SHIPPED = sorted(
    path.parent.name for path in (Path(__file__).resolve().parents[2] / "assets").glob("skills/*/SKILL.md")
)
CLIENTS = {"claude": run_claude, "codex": run_codex, "opencode": run_opencode}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_lists_the_shipped_skills_and_is_offered_the_one_that_fits(name, tmp_path, archive, require) -> None:
    runs = CLIENTS[name]
    client = require(runs.find_client(), f"no {name} client (PAL_{name.upper()}_CLIENT)")
    machine = runs.Machine(tmp_path, client)
    done = subprocess.run(
        [sys.executable, str(archive), "install", f"--{name}"],
        env=machine.env(),
        cwd=machine.project,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    turn = machine.turn("do a pre-mortem on the launch plan")
    assert turn.status == 0, turn.stderr
    told = json.dumps(turn.requests)
    assert [skill for skill in SHIPPED if skill not in told] == []
    assert "/think: " in told
