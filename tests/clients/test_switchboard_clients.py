"""Real clients in a project with a board: `/sb-challenge` starts a run, the model is told the gates and follows them
through the tools of PAL's server, what it may not write is stopped, and the board keeps the record."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run_claude
import run_codex

CRITIQUE = "\n".join(f"- CRITICAL app.py:{line} the token is compared with `==`, way {line}" for line in range(1, 7))
WEIGHING = "\n".join(
    f"## {title}\n\nAs above.\n" for title in ("Summary of Review", "Valid Concerns", "Action Plan", "Dismissed Points")
)
REVIEWS = (".switchboard/reviews/grumpy_critique.md", ".switchboard/reviews/balanced_review.md")
TOLD = "The user knows both paths and the three findings that matter most."


class Place:
    """A project with one file, a board and one plan on it."""

    def __init__(self, machine, pal) -> None:
        self.machine = machine
        self.pal = pal
        (machine.project / "app.py").write_text("def login(token):\n    return token == SECRET\n", encoding="utf-8")
        pal("sb", "init")
        card = json.loads(pal("sb", "plan", "new", "Fix the login", "--json"))
        self.session, self.plan = card["sessionId"], card["planFile"]
        self.text = (machine.project / self.plan).read_text(encoding="utf-8")

    def reported(self, phase: int, **more) -> dict:
        return {"workflow": "challenge", "phase": phase, **more}

    def runs(self) -> list[dict]:
        return json.loads(self.pal("sb", "wf", "state", "--all", "--json"))["runs"]

    def steps(self, run: str) -> list[dict]:
        return json.loads(self.pal("sb", "wf", "state", run, "--json"))["steps"]

    def followed(self, session: str) -> None:
        """One run of this session, every step shown and none skipped; the plan kept what stood in it."""
        (run,) = self.runs()
        assert (run["workflow"], run["state"], run["step"]) == ("challenge", "completed", 5)
        assert (run["session"], run["target"]) == (session, self.plan)
        steps = self.steps(run["run"])
        assert [step["name"] for step in steps] == ["scope", "dependencies", "review", "present", "integrate"]
        assert not any(step["skipped"] for step in steps)
        assert steps[2]["shown"]["findings"] == 6
        assert (self.machine.project / self.plan).read_text(encoding="utf-8").startswith(self.text)
        assert (self.machine.project / "app.py").read_text(encoding="utf-8").startswith("def login(token):")


@pytest.fixture
def machine(request, tmp_path, require):
    """A machine for the client that the test names; the fixture `pal` works on it."""
    runs = request.param
    client = require(runs.find_client(), f"no client for {runs.__name__}; see its own tests for how to get it")
    return runs.Machine(tmp_path, client)


@pytest.mark.parametrize("machine", [run_claude], indirect=True, ids=["claude"])
def test_claude_code_follows_the_steps_of_a_challenge(machine, pal):
    pal("install", "--claude", "--mcp")
    place = Place(machine, pal)
    project = machine.project

    def tool(name, **given):
        return {"tool_use": {"name": name, "input": given}}

    def step(phase, **more):
        return tool("mcp__pal__complete_workflow_phase", **place.reported(phase, **more))

    plan = str(project / place.plan)
    script = {
        "replies": [
            step(1),
            tool("Write", file_path=str(project / "app.py"), content="def login(token):\n    return True\n"),
            step(3, artifacts=[{"path": name} for name in REVIEWS]),  # out of order, and nothing is there yet
            tool("Read", file_path=str(project / "app.py")),
            tool("Read", file_path=plan),
            step(2, artifacts=[{"path": "app.py"}]),
            tool("Write", file_path=str(project / REVIEWS[0]), content=CRITIQUE),
            tool("Write", file_path=str(project / REVIEWS[1]), content=WEIGHING),
            step(3, artifacts=[{"path": name} for name in REVIEWS]),
            step(4, notes=TOLD),
            tool("Write", file_path=plan, content=place.text + "\n## Review\n\nCompare in constant time.\n"),
            step(5, artifacts=[{"path": place.plan}]),
            {"text": "The challenge is done."},
        ]
    }
    allowed = "Write,Read,mcp__pal__complete_workflow_phase"
    turn = machine.turn(f"/sb-challenge --self {place.session}", "--allowedTools", allowed, script=script)
    assert turn.status == 0, turn.stderr
    assert "# Workflow: challenge" in turn.seen and "5. integrate" in turn.seen
    assert "app.py is none of it" in turn.seen, "the model was told why it may not write there"
    assert "E_STEP" in turn.seen, "no step is passed over without a reason"
    place.followed(turn.session)


@pytest.mark.parametrize("machine", [run_codex], indirect=True, ids=["codex"])
def test_codex_follows_the_steps_of_a_challenge(machine, pal):
    pal("install", "--codex", "--mcp")
    place = Place(machine, pal)

    def step(phase, **more):
        given = place.reported(phase, **more)
        call = {"name": "complete_workflow_phase", "namespace": "mcp__pal", "arguments": given}
        return {"tool_calls": [call]}

    def shell(command):
        return {"tool_calls": [{"name": "exec_command", "arguments": {"cmd": command}}]}

    def write(name, text):
        return shell(f"mkdir -p .switchboard/reviews && cat > {name} <<'END'\n{text}\nEND")

    script = {
        "replies": [
            step(1),
            shell("echo broken > app.py"),
            shell("cat app.py"),
            step(2, artifacts=[{"path": "app.py"}]),
            write(REVIEWS[0], CRITIQUE),
            write(REVIEWS[1], WEIGHING),
            step(3, artifacts=list(REVIEWS)),
            step(4, notes=TOLD),
            shell(f"printf '\\n## Review\\n\\nCompare in constant time.\\n' >> {place.plan}"),
            step(5),
            {"text": "The challenge is done."},
        ]
    }
    free = "--dangerously-bypass-approvals-and-sandbox"
    turn = machine.turn(f"/sb-challenge {place.session}", free, script=script)
    assert turn.status == 0, turn.stderr
    assert "# Workflow: challenge" in turn.seen and "5. integrate" in turn.seen
    assert "app.py is none of it" in turn.seen, "the model was told why it may not write there"
    place.followed(turn.session)


@pytest.mark.parametrize("machine", [run_claude], indirect=True, ids=["claude"])
def test_a_prompt_that_only_speaks_of_a_workflow_starts_none(machine, pal):
    pal("install", "--claude")
    place = Place(machine, pal)
    turn = machine.turn("review this plan, and what does /challenge do?")
    assert turn.status == 0, turn.stderr
    assert "# Workflow:" not in turn.seen
    assert place.runs() == []
