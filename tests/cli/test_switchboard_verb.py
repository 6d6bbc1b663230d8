"""`pal switchboard` as a person types it: what is printed, what a program reads, and the exit codes."""

from __future__ import annotations

import io
import json
import os

import pytest

from pal.cli import main
from pal.cli.output import Output
from pal.switchboard import schema


@pytest.fixture
def sb(clean_env, tmp_path, now, monkeypatch, home):
    """sb("move", …, into="stdin"): (exit code, stdout, stderr), typed in a project's folder."""
    monkeypatch.setattr(schema, "SYNCHRONOUS", "off")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    clock = iter(range(10_000))

    def run(*words, into="", env=()):
        monkeypatch.setattr("sys.stdin", io.StringIO(into))
        out, err = io.StringIO(), io.StringIO()
        surroundings = {**clean_env, **dict(env)}
        code = main.run(["sb", *words], surroundings, now + next(clock), Output(surroundings, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.fixture
def board(sb):
    assert sb("init")[0] == 0
    return sb


def facts(answer):
    assert answer[0] == 0, answer[2]
    return json.loads(answer[1])


def test_without_a_board_the_exit_code_is_three_and_nothing_is_made(sb):
    for words in (["board"], ["plan", "new", "X"], ["status"], ["doctor"]):
        code, _, err = sb(*words)
        assert (code, "E_NOT_WORKSPACE" in err) == (3, True)
    assert os.listdir() == []


def test_a_repositorys_first_plan_makes_its_board_at_the_top(sb, monkeypatch):
    os.makedirs("deep/down")
    os.mkdir(".git")
    monkeypatch.chdir("deep/down")
    assert sb("plan", "import", "-", "--dry-run", into="# A\n")[0] == 3
    code, out, _ = sb("plan", "new", "First")
    assert (code, "Made a board for" in out) == (0, True)
    assert os.listdir() == [] and os.path.isfile("../../.switchboard/board.db")
    assert "Made a board" not in sb("plan", "new", "Second")[1]


def test_a_first_plan_for_a_named_folder_makes_its_board_there(sb, tmp_path):
    (tmp_path / "other").mkdir()
    assert sb("plan", "new", "First", "--root", str(tmp_path / "other"))[0] == 0
    assert os.listdir() == [] and os.listdir(tmp_path / "other") == [".switchboard"]


def test_init_twice_says_so(sb):
    assert "made" in sb("init")[1]
    assert "stands already" in sb("init")[1]
    assert os.listdir() == [".switchboard"]


def test_a_plan_goes_over_the_board(board):
    made = facts(board("plan", "new", "Fix the login", "--body", "**Complexity:** 3", "--json"))
    session = made["sessionId"]
    assert "Fix the login  (complexity 3)" in board("board")[1]
    assert "CREATED → PLAN REVIEWED (Planned)" in board("next", session)[1]
    assert "(Coder, complexity(3))" in board("move", session, "coded")[1]
    assert "is in Coder already" in board("move", session, "the", "coder")[1]
    assert "CODER CODED → PLAN REVIEWED" in board("undo")[1]
    assert "Improve this plan" in board("prompt", session, "--role", "planner")[1]
    assert "> it broke" in board("fail", session, "--feedback", "it broke")[1]
    assert "is done and in the archive" in board("archive", "add", session)[1]
    assert "Fix the login" in board("archive", "search", "login")[1]
    assert board("archive", "query", "select topic from plans")[1] == "topic\nFix the login\n"
    assert "is back in Lead Coder" in board("archive", "restore", session)[1]
    kinds = [event["kind"] for event in facts(board("log", session, "--json"))["events"]]
    assert kinds[0] == "created" and {"moved", "completed", "archived", "restored"} <= set(kinds)
    assert board("doctor")[1] == "The board is sound.\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["move", "sess_nobody", "done"], 1),
        (["move", "{id}", "the moon"], 1),
        (["move", "{id}", "planned", "--rev", "7"], 4),
        (["plan", "edit", "{id}", "-", "--sha", "0"], 4),
        (["send", "execute", "x"], 1),
        (["send", "status_update", "x", "--to", "nobody"], 1),
        (["archive", "query", "drop table plans"], 0),
        (["nonsense"], 2),
        (["move"], 2),
        (["fail", "{id}"], 2),
        (["plan", "set", "{id}"], 1),
    ],
)
def test_exit_codes(board, words, code):
    made = facts(board("plan", "new", "A", "--json"))
    got, out, err = board(*[made["sessionId"] if word == "{id}" else word for word in words], into="# text\n")
    assert got == code, err
    assert code == 0 or err.startswith("pal: ")


def test_a_refusal_is_data_too_when_asked_for(board):
    code, out, err = board("move", "sess_nobody", "done", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (1, "E_NOT_FOUND")
    assert err.startswith("pal: E_NOT_FOUND: ")


def test_plans_are_taken_in_changed_removed_and_restored(board, tmp_path):
    paste = "### PLAN 1 START\n# One\n\n### PLAN 2 START\n# Two\n"
    assert facts(board("plan", "import", "-", "--dry-run", "--json", into=paste)) == {"plans": ["One", "Two"]}
    one, two = facts(board("plan", "import", "-", "--json", into=paste))["plans"]
    shown = facts(board("plan", "show", one["sessionId"], "--json"))
    assert shown["text"] == "# One\n"
    edited = board("plan", "edit", one["sessionId"], "-", "--sha", shown["sha"], into="# One\n\nmore\n")
    assert edited[0] == 0
    assert facts(board("plan", "set", one["sessionId"], "--complexity", "9", "--after", two["sessionId"], "--json"))[
        "deps"
    ] == [two["sessionId"]]
    assert board("move", one["sessionId"], "coded")[0] == 1
    assert "Renamed" in board("plan", "rename", one["sessionId"], "Uno")[1]
    assert "brings it back" in board("plan", "rm", one["sessionId"])[1]
    assert "Uno" in board("plan", "list", "--deleted")[1]
    assert "Restored" in board("plan", "restore", one["sessionId"])[1]
    (tmp_path / "plan.md").write_text("# From a file\n")
    assert "From a file" in board("plan", "new", "From a file", "--from", str(tmp_path / "plan.md"))[1]


def test_agents_talk(board):
    assert "is registered as reviewer" in board("agent", "register", "Rita", "--role", "reviewer")[1]
    assert "on the board" in board("agent", "add", "Docs Writer", "--prompt", "Write the docs.")[1]
    assert "Docs Writer" in board("board")[1]
    assert "mailbox of Rita" in board("send", "status_update", "-", "--to", "reviewer", into="hello\n")[1]
    (message,) = facts(board("inbox", "Rita", "--claim", "--json"))["messages"]
    assert "is done." in board("ack", message["id"])[1]
    assert board("inbox", "Rita")[1] == "Nothing.\n"
    assert "hello" in board("inbox", "Rita", "--all")[1]
    signed = facts(board("send", "status_update", "by hand", "--as", "Rita", "--to", "user", "--json"))
    assert signed["sender"] == "Rita"
    assert "hidden" in board("agent", "hide", "coder")[1] and "(hidden)" in board("agent", "list")[1]
    assert "back" in board("agent", "hide", "coder", "--show")[1]
    assert "off the roster" in board("agent", "rm", "Docs Writer")[1]
    assert board("agent", "status", "Nobody", "idle")[0] == 1


def test_status_tells_what_is_there_and_what_waits(board):
    board("plan", "new", "A")
    board("send", "status_update", "x")
    said = board("status")[1]
    assert "1 in Created" in said and "next: A" in said and "1 unread for user" in said
    assert facts(board("status", "--json"))["columns"] == {"CREATED": 1}


def test_an_export_takes_text_a_file_or_the_sessions_transcript(board, home, tmp_path, monkeypatch):
    from pal import targets
    from pal.memory import sessions

    assert "is in the archive" in board("export", "--file", "-", "--topic", "t", into="# Talk\n\nhello\n")[1]
    assert "already" in board("export", "--file", "-", into="# Talk\n\nhello\n")[1]
    assert board("export")[0] == 1
    lines = [
        {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "fix it"}},
        {"type": "assistant", "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "ok"}]}},
    ]
    path = tmp_path / "s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines * 60))
    first = targets.NAMES[0]
    sessions.prompt_seen(home, {"session": "s1", "agent": first}, os.getcwd(), "fix it", 1772439300.0, "e", str(path))
    got = facts(board("export", "--session", "s1", "--json"))
    assert got["messages"] > 100  # all of it, not what a hook would read
    assert facts(board("export", "--json"))["duplicate"]  # the last session here


def test_a_board_of_the_extension_is_taken_over_once_and_left_as_it_was(board):
    import sqlite3

    plans = os.path.join(".switchboard", "plans")
    for name in ("a", "b"):
        with open(os.path.join(plans, f"feature_plan_20260101_101010_{name}.md"), "w", encoding="utf-8") as stream:
            stream.write(f"# Plan {name}\n")
    source = os.path.join(".switchboard", "kanban.db")
    db = sqlite3.connect(source)
    db.execute("create table plans (plan_id, session_id, topic, plan_file, kanban_column, status)")
    rows = [
        ("1", "sess_1", "Plan a", ".switchboard/plans/feature_plan_20260101_101010_a.md", "CODED", "active"),
        ("2", "sess_2", "Plan b", ".switchboard/plans/feature_plan_20260101_101010_b.md", "COMPLETED", "completed"),
        ("3", "sess_3", "Gone", "../outside.md", "CREATED", "active"),
        ("4", "sess_4", "Deleted", "x.md", "CREATED", "deleted"),
    ]
    db.executemany("insert into plans values (?, ?, ?, ?, ?, ?)", rows)
    db.commit()
    db.close()
    with open(source, "rb") as stream:
        before = stream.read()
    done = facts(board("import", "--from-upstream", "--json"))
    assert (done["taken"], done["known"], len(done["left"])) == (2, 0, 2)
    state = facts(board("board", "--done", "--json"))
    assert [item["sessionId"] for item in state["LEAD CODED"]["items"]] == ["sess_1"]
    assert [item["sessionId"] for item in state["COMPLETED"]["items"]] == ["sess_2"]
    assert facts(board("import", "--from-upstream", "--json"))["taken"] == 0
    with open(source, "rb") as stream:
        assert stream.read() == before
    board("reconcile")
    assert board("doctor")[1] == "The board is sound.\n"


def test_every_action_has_its_help(board):
    for words in (["--help"], ["move", "--help"], ["plan", "new", "--help"], ["agent", "add", "--help"]):
        code, out, _ = board(*words)
        assert code == 0 and "usage: pal switchboard" in out
