"""What a workflow under way and the board's own files allow a tool to write."""

from __future__ import annotations

import os

import pytest

from pal.switchboard import guarding, rights

PLAN = ".switchboard/plans/a.md"


@pytest.fixture
def judged(home, project):
    """judged("Write", {…}, writes=…): why a call is stopped in a run, "" when it is not."""

    def judge(tool, tool_input, writes=("target", "reviews"), denied=("terminal", "send_message"), target=PLAN):
        row = {
            "run": "run_1", "workflow": "challenge", "step": 1, "of": 5, "name": "dependencies", "root": str(project),
            "worktree": str(project), "writes": list(writes), "denied": list(denied), "target": target,
        }  # fmt: skip
        return guarding.in_run(home, row, tool, tool_input, str(project))

    return judge


def wrote(path):
    return {"file_path": path, "content": "x"}


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Write", wrote("app.py")),
        ("Edit", {"file_path": "src/app.py", "old_string": "a", "new_string": "b"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: app.py\n@@\n-a\n+b\n*** End Patch"}),
        ("write_to_file", {"TargetFile": "app.py", "CodeContent": "x"}),
        ("create_file", {"filePath": "app.py", "content": "x"}),
        ("Write", wrote(".switchboard/plans/b.md")),
        ("Write", wrote(".switchboard/reviews/../../app.py")),
        ("Write", wrote(".agent/workflows/challenge.md")),
        ("Bash", {"command": "echo x > app.py"}),
        ("Bash", {"command": "ls && echo x >> src/app.py"}),
        ("Bash", {"command": "sed -i s/a/b/ app.py"}),
        ("Bash", {"command": "perl -pi -e s/a/b/ app.py"}),
        ("Bash", {"command": "cat notes | tee app.py"}),
        ("Bash", {"command": "cp /etc/hosts app.py"}),
        ("Bash", {"command": "mv app.py old.py"}),
        ("Bash", {"command": "rm -f app.py"}),
        ("Bash", {"command": "cat > app.py <<'END'\nx\nEND"}),
        ("Bash", {"command": "git checkout -- app.py"}),
        ("Bash", {"command": "git stash"}),
        ("Bash", {"command": "A=1 sudo touch app.py"}),
        ("run_shell_command", {"command": "echo x>app.py"}),
        ("write_stdin", {"chars": "x"}),
        ("mcp__pal__send_message", {"action": "status_update", "payload": "x"}),
    ],
)
def test_a_challenge_stops_what_is_not_its_to_write(judged, tool, tool_input):
    said = judged(tool, tool_input)
    assert said and "run_1" in said and "step 2 of 5" in said
    assert "stop_workflow" in said, "the way out is always named"


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Write", wrote(PLAN)),
        ("Edit", {"file_path": PLAN, "old_string": "a", "new_string": "b"}),
        ("Write", wrote(".switchboard/reviews/grumpy_critique.md")),
        ("Read", {"file_path": "app.py"}),
        ("Grep", {"pattern": "x", "path": "src"}),
        ("Bash", {"command": "cat app.py | grep x 2>&1 > /dev/null"}),
        ("Bash", {"command": "git diff HEAD~1 -- app.py"}),
        ("Bash", {"command": "echo 'rm app.py'"}),
        (
            "Bash",
            {"command": "mkdir -p .switchboard/reviews && cat > .switchboard/reviews/a.md <<'END'\nrm app.py > b\nEND"},
        ),
        ("Bash", {"command": "pal sb wf stop run_1"}),
        ("Bash", {"command": "echo $HOME > $TARGET"}),  # nobody can tell; what changed is found at the next report
        ("Bash", {"command": "unbalanced 'quote"}),
        ("mcp__pal__complete_workflow_phase", {"phase": 1}),
        ("mcp__pal__stop_workflow", {}),
        ("TodoWrite", {"todos": []}),
    ],
)
def test_a_challenge_lets_through_what_it_needs(judged, tool, tool_input):
    assert judged(tool, tool_input) == ""


def test_scratch_in_the_temporary_folder_is_always_free(judged, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    assert judged("Write", wrote(str(tmp_path / "scratch" / "notes.md")), writes=()) == ""
    assert judged("Write", wrote(str(tmp_path / "scratched.md")), writes=()) != ""


def test_accuracy_writes_anything_but_workflows(judged, home):
    assert judged("Write", wrote("src/app.py"), writes=("project",), denied=()) == ""
    assert judged("Bash", {"command": "rm -f app.py && git stash"}, writes=("project",), denied=()) == ""
    assert judged("Write", wrote(".agent/workflows/accuracy.md"), writes=("project",), denied=()) != ""
    own = os.path.join(home.switchboard_workflows, "accuracy.md")
    assert judged("Write", wrote(own), writes=("project",), denied=()) != ""


def test_a_chat_writes_plans_and_no_code(judged):
    assert judged("Write", wrote(".switchboard/plans/new.md"), writes=("plans",)) == ""
    assert "plans" in judged("Write", wrote("app.py"), writes=("plans",))


def test_a_link_leads_nowhere_else(judged, project):
    (project / ".switchboard" / "reviews").mkdir(parents=True)
    try:
        (project / ".switchboard" / "reviews" / "a.md").symlink_to(project / "app.py")
    except OSError:
        pytest.skip("this system makes no links")
    assert judged("Write", wrote(".switchboard/reviews/a.md")) != ""


# Whoever writes, at any time


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Write", wrote(".switchboard/board.db")),
        ("Write", wrote("/srv/shop/.switchboard/archive.db-wal")),
        ("Edit", {"file_path": ".switchboard/workspace-id"}),
        ("Bash", {"command": "rm .switchboard/board.db"}),
        ("Bash", {"command": "sqlite3 .switchboard/board.db 'delete from plans'"}),
        ("Bash", {"command": "echo {} > .switchboard/inbox/lead/1.json"}),
        ("Bash", {"command": "true; : > .switchboard/events.jsonl"}),
    ],
)
def test_the_boards_own_files_are_kept_by_pal(tool, tool_input):
    said = guarding.on_board(tool, tool_input, "/srv/shop")
    assert "kept by PAL" in said and "pal sb" in said


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Write", wrote(".switchboard/plans/a.md")),
        ("Write", wrote(".switchboard/inbox/lead/drop/1.json")),
        ("Write", wrote("board.db")),
        ("Write", wrote("notes.switchboard/board.db")),
        ("Bash", {"command": "cat .switchboard/board.db"}),
        ("Read", {"file_path": ".switchboard/board.db"}),
        ("write_to_file", {"TargetFile": ".switchboard/plans/a.md", "IsArtifact": False}),
        ("write_to_file", {"TargetFile": "notes.md", "IsArtifact": True}),
    ],
)
def test_everything_else_at_the_board_is_an_ordinary_file(tool, tool_input):
    assert guarding.on_board(tool, tool_input, "/srv/shop") == ""


@pytest.mark.parametrize("said", [True, "true", "True"])
def test_a_file_below_the_board_is_no_artifact(said):
    call = {"TargetFile": "/srv/shop/.switchboard/plans/a.md", "CodeContent": "# A", "IsArtifact": said}
    assert "IsArtifact: false" in guarding.on_board("write_to_file", call, "/srv/shop")


@pytest.mark.parametrize("action", ["execute", "delegate_task", None, ""])
def test_a_message_with_an_unsupported_action_is_refused_with_the_right_call(action):
    said = guarding.on_message("mcp__pal__send_message", {"action": action, "payload": "x"})
    assert "submit_result" in said and "move_kanban_card" in said


@pytest.mark.parametrize("action", ["submit_result", "status_update"])
def test_the_two_actions_pass(action):
    assert guarding.on_message("mcp__pal__send_message", {"action": action, "payload": "x"}) == ""


def test_hostile_commands_are_read_in_time_and_never_raise():
    for command in (
        "'" * 19_999,
        "<<" * 9_000,
        "a > " * 5_000,
        "(" * 19_999,
        "x" * 200_000,
        "\n" * 19_000,
        "<<E\n" * 4_000,
    ):
        guarding.targets(command)


@pytest.mark.parametrize(
    ("path", "inside"), [("/p/a", "a"), ("/p", ""), ("/p/../q", None), ("/pq/a", None), ("/p/./b/../a", "a")]
)
def test_what_lies_within_is_told_by_whole_names(tmp_path, path, inside):
    (tmp_path / "p").mkdir()
    assert rights.within(str(tmp_path) + path, str(tmp_path / "p")) == inside


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("cat app.py | grep x 2>&1", True),
        ("git diff HEAD -- a.py > /dev/null", True),
        ("cd src && ls -la; wc -l *.py", True),
        ("", True),
        ("git -C . log", False),
        ("make test", False),
        ("cat a > b", False),
        ("find . -delete", False),
        ("sort -o a a", False),
        ("echo $(rm a)", False),
        ("echo 'x", False),
        ("git commit -m x", False),
        ("sed -n 1,5p a", False),
    ],
)
def test_what_only_shows_is_told_from_what_may_have_written(command, reads):
    assert guarding.only_reads(command) is reads
