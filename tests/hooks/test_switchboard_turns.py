"""A workflow from a prompt to its end, as an agent's hooks see it: told, guarded, noted, over with the session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base import settings as settings_file
from pal.guard import prefilter
from pal.hooks import post_tool, pre_tool, session_end, user_prompt
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput
from pal.switchboard import active, board, cards, runs, schema, workspace
from pal.switchboard.desk import Desk

SOURCE = str(Path(__file__).resolve().parents[2] / "src")
SESSION = "11111111-0000-4000-8000-000000000abc"


@pytest.fixture
def project(tmp_path, home, now, monkeypatch):
    """A project with a board and one plan."""
    monkeypatch.setattr(schema, "SYNCHRONOUS", "off")
    folder = tmp_path / "shop"
    folder.mkdir()
    place, _ = workspace.init(home, str(folder), now)
    cards.create(Desk(home, place, now), "Fix the login")
    return folder


@pytest.fixture
def frame(home, fresh_home, now):
    def make(later=0.0, **env):
        env = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), **env}
        return Frame(home, settings_file.load(home), now + later, env, lambda *job: None, lambda: None)

    return make


@pytest.fixture
def turn(project):
    def make(event, session=SESSION, **fields):
        made = HookInput(event, "claude", session, str(project))
        for name, value in fields.items():
            setattr(made, name, value)
        return made

    return make


@pytest.fixture
def challenged(turn, frame):
    """A session that follows a challenge."""
    return user_prompt.run(turn("user-prompt", prompt="/challenge it", event_id="p1"), frame()).context


@pytest.fixture
def tried(turn, frame):
    """tried("Write", {…}): the answer before the tool runs."""

    def run(tool, tool_input, session=SESSION, **env):
        return pre_tool.run(turn("pre-tool", session, tool=tool, tool_input=tool_input), frame(1, **env))

    return run


def test_the_prompt_is_told_the_card_within_the_budget_of_its_context(challenged):
    assert "# Workflow: challenge" in challenged
    assert challenged.count("<system-reminder>") == challenged.count("</system-reminder>") >= 1
    assert len(challenged) < 9_000


@pytest.mark.parametrize("fields", [{"human": False}, {"subagent": True}])
def test_only_a_person_starts_a_workflow(turn, frame, home, fields):
    said = user_prompt.run(turn("user-prompt", prompt="/challenge it", event_id="p1", **fields), frame())
    assert "Workflow" not in said.context
    assert not os.path.exists(home.switchboard_active)


def test_an_agent_that_hears_context_later_gets_the_card_then(turn, frame, home, now):
    from pal.context import parked

    user_prompt.run(turn("user-prompt", prompt="/challenge it", event_id="p1", parks=True), frame())
    assert "# Workflow: challenge" in parked.take(home, SESSION, now)


def test_a_write_outside_is_denied_and_one_inside_is_not(challenged, tried, project):
    denied = tried("Write", {"file_path": str(project / "app.py"), "content": "x"})
    assert (denied.permission, "PAL Switchboard" in denied.reason) == ("deny", True)
    allowed = tried("Write", {"file_path": str(project / ".switchboard" / "reviews" / "a.md"), "content": "x"})
    assert allowed.permission == ""


def test_another_session_is_not_concerned(challenged, tried, project):
    assert tried("Write", {"file_path": str(project / "app.py"), "content": "x"}, session="another").permission == ""


def test_the_users_own_switch_turns_the_rail_off_and_the_notes_go_on(challenged, tried, project, home, now):
    call = {"file_path": str(project / "app.py"), "content": "x"}
    assert tried("Write", call, PAL_SB_ENFORCE="0").permission == ""
    run = active.of(home, SESSION, now)["run"]
    assert [row["target"] for row in active.notes(home, run)] == [str(project / "app.py")]


def test_the_guard_speaks_first(challenged, tried):
    assert "PAL rule" in tried("Bash", {"command": "rm -rf ~"}).reason


def test_the_boards_files_are_safe_without_any_run(tried, project, home):
    assert tried("Write", {"file_path": str(project / ".switchboard" / "board.db"), "content": ""}).permission == "deny"
    assert tried("mcp__pal__send_message", {"action": "execute"}).permission == "deny"
    assert tried("mcp__other__send_message", {"action": "execute"}).permission == "", "another program's tool"
    assert not os.path.exists(home.switchboard_active)


def test_reads_commands_and_edits_are_noted(challenged, tried, turn, frame, home, project, now):
    tried("Read", {"file_path": str(project / "app.py")})
    tried("Bash", {"command": "make test"})
    tried("Write", {"file_path": str(project / "app.py"), "content": "x"})  # denied, so it did not happen
    post_tool.run(turn("post-tool", tool="Write", changed_file="/x/a.md"), frame(2))
    run = active.of(home, SESSION, now)["run"]
    noted = [(row["when"], row["kind"], row["target"]) for row in active.notes(home, run)]
    assert noted == [
        ("pre", "read", str(project / "app.py")),
        ("pre", "shell", "make test"),
        ("post", "edit", "/x/a.md"),
    ]


def test_an_end_that_was_announced_and_not_reported_is_sent_back_once(turn, frame, home, now):
    from pal.hooks import stop

    def ends(reply, **fields):
        return stop.run(turn("stop", reply=reply, **fields), frame(9))

    closing = "All is done. **ACCURACY VERIFICATION COMPLETE**"
    assert ends(closing).permission == "", "nobody follows a workflow"
    user_prompt.run(turn("user-prompt", prompt="/accuracy fix it", event_id="p1"), frame())
    assert ends("I am at step two.").permission == ""
    assert ends(closing, continued=True).permission == ""
    answer = ends(closing)
    assert answer.permission == "continue" and "step 1 of 5 (context)" in answer.reason
    assert ends(closing).permission == "", "once a run"


def test_the_end_of_the_session_ends_the_run(challenged, turn, frame, home, project, now):
    session_end.run(turn("session-end", source="other"), frame(5))
    assert not os.path.exists(home.switchboard_active)
    place = workspace.Workspace(str(project))
    (run,) = runs.listing(Desk(home, place, now), every=True)
    assert run.state == "expired"


def test_a_fault_of_switchboards_leaves_the_prompt_its_context(turn, frame, monkeypatch):
    def broken(*given):
        raise RuntimeError("broken")

    monkeypatch.setattr(board, "state", broken)
    monkeypatch.setattr(runs, "start", broken)
    said = user_prompt.run(turn("user-prompt", prompt="/challenge it", event_id="p1"), frame())
    assert "Now:" in said.context
    said = user_prompt.run(turn("user-prompt", prompt="update all created plans", event_id="p2"), frame())
    assert "Now:" in said.context


def test_a_call_that_the_guard_passes_unread_is_looked_at_during_a_run(challenged, home, project):
    def raw(session):
        payload = {
            "session_id": session,
            "cwd": "/srv/shop",
            "tool_name": "Bash",
            "tool_input": {"command": "git status --short"},
        }
        return json.dumps(payload).encode()

    assert prefilter.harmless(raw("another-session"), home.root)
    assert not prefilter.harmless(raw(SESSION), home.root)
    os.remove(home.switchboard_active)
    assert prefilter.harmless(raw(SESSION), home.root)


def test_a_file_of_rows_that_cannot_be_read_makes_the_guard_look(home):
    os.makedirs(home.switchboard_active)
    raw = (
        b'{"session_id": "s-000001", "cwd": "/srv/shop", "tool_name": "Bash", "tool_input": {"command": "git status"}}'
    )
    assert not prefilter.harmless(raw, home.root)


def test_nothing_of_the_board_is_loaded_for_an_everyday_prompt_or_tool_call(home, fresh_home):
    script = (
        "import sys\n"
        "from pal.base import settings\n"
        "from pal.base.home import Home\n"
        "from pal.hooks import switchboard\n"
        "from pal.hooks.frame import Frame\n"
        "from pal.hooks.turn import HookInput, HookReply\n"
        "home = Home(sys.argv[1])\n"
        "frame = Frame(home, settings.load(home), 1.0, {'HOME': sys.argv[1]}, print, print)\n"
        "turn = HookInput('user-prompt', 'claude', 's-000001', sys.argv[1])\n"
        "turn.tool, turn.tool_input = 'Bash', {'command': 'git status'}\n"
        "switchboard.before_tool(turn, frame, HookReply())\n"
        "switchboard.after_tool(turn, frame)\n"
        "print(sorted(name for name in sys.modules if 'pal.switchboard.' in name))\n"
        "turn.prompt = 'rename the helper and run the linter'\n"
        "switchboard.told(turn, frame, '')\n"
        "print(sorted(name for name in sys.modules if 'pal.switchboard.' in name))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, home.root], capture_output=True, text=True, cwd=SOURCE)
    assert done.stdout.splitlines() == ["[]", "['pal.switchboard.detect']"], done.stderr
