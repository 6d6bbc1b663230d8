"""The board's tools as an agent calls them: the same functions as the command, refusals with codes, cheap to list."""

from __future__ import annotations

import json
import os

import pytest

from pal.base.asking import nobody
from pal.external import tools
from pal.external.board_room import Room
from pal.external.board_tools import board_tools
from pal.external.mcp import own
from pal.external.mcp.catalog import Catalog
from pal.memory.acl import tiers
from pal.switchboard import archive_query, board, schema, workspace
from pal.switchboard.desk import Desk

LARGEST = 450  # bytes of one tool in a list: every client that attaches pays for it


@pytest.fixture
def project(home, tmp_path, now, monkeypatch):
    monkeypatch.setattr(schema, "SYNCHRONOUS", "off")
    (tmp_path / "project").mkdir()
    return workspace.init(home, str(tmp_path / "project"), now)[0]


@pytest.fixture
def room(home, clean_env, project):
    talk = [("user", "hello", ""), ("assistant", "my key is ghp_" + "a1B2" * 9, "")]
    return Room(
        home, clean_env, project.root,
        caller=lambda: ("s1", "some-agent", ("/home/user/.agent/memory",)),
        transcript=lambda session, agent: talk if session == "s1" else [],
    )  # fmt: skip


@pytest.fixture
def ask(room, home):
    """ask("tool", argument=…): (the data it gave, the code of its refusal or "")."""
    table = {each.name: each for each in board_tools(room)}

    def call(tool, agent="", channel="mcp", token="", **arguments):
        outcome = tools.run(home, table[tool], arguments, tools.Call(channel, agent=agent, token=token))
        if outcome.error:
            text = outcome.content[0]["text"]
            code = (outcome.structured or {}).get("code", "")
            assert not code or text.startswith(code + ": ")
            return outcome.structured, code or text
        assert json.loads(outcome.content[0]["text"]) is not None
        return outcome.structured, ""

    return call


def test_tools_are_few_bytes_each_and_have_the_names_of_the_protocol(room):
    catalog = Catalog(lambda: board_tools(room))
    listed = {tool.name: len(json.dumps(catalog.described(tool))) for tool in board_tools(room)}
    assert {name: size for name, size in listed.items() if size > LARGEST} == {}
    assert set(listed) == {
        "get_kanban_state", "move_kanban_card", "send_message", "check_inbox", "get_team_roster", "register_agent",
        "set_agent_status", "create_plan", "search_archive", "query_plan_archive", "export_conversation",
    }  # fmt: skip


def test_they_are_offered_only_where_there_is_a_board(home, clean_env, room, tmp_path):
    def names(there):
        return {tool.name for tool in own.Offer(home, clean_env, nobody, print, there).tools()}

    assert "move_kanban_card" in names(room)
    assert "move_kanban_card" not in names(Room(home, clean_env, str(tmp_path)))
    assert "move_kanban_card" in names(Room(home, clean_env, str(tmp_path), room.cwd))
    assert "move_kanban_card" not in names(None)
    assert not os.path.exists(tmp_path / ".switchboard")


def test_the_list_changes_when_a_board_is_made(home, clean_env, tmp_path, now):
    (tmp_path / "later").mkdir()
    offer = own.Offer(home, clean_env, nobody, print, Room(home, clean_env, str(tmp_path / "later")))
    before = offer.fingerprint()
    assert not any(tool.name == "create_plan" for tool in offer.tools())
    workspace.init(home, str(tmp_path / "later"), now)
    assert offer.fingerprint() != before
    assert any(tool.name == "create_plan" for tool in offer.tools())


def test_an_agent_plans_moves_and_reports(ask, home, project, now):
    made, _ = ask("create_plan", title="Fix the login", body="**Complexity:** 3")
    assert ask("register_agent", name="Carl", role="coder")[0]["session"] == "s1"
    state, _ = ask("get_kanban_state", column="created")
    assert [item["sessionId"] for item in state["CREATED"]["items"]] == [made["sessionId"]]
    moved, _ = ask("move_kanban_card", sessionId=made["sessionId"], target="coded", rev=1)
    assert (moved["to"], moved["rev"], moved["recipient"]) == ("CODER CODED", 2, "Carl")
    inbox, _ = ask("check_inbox", claim=True)
    assert [each["action"] for each in inbox["messages"]] == ["dispatch"]
    assert ask("check_inbox", ack=inbox["messages"][0]["id"])[0]["changed"]
    sent, _ = ask("send_message", action="submit_result", payload="done", plan=made["sessionId"])
    assert (sent["sender"], sent["recipient"], sent["suggestedMove"]["target"]) == ("Carl", "user", "Reviewed")
    assert ask("set_agent_status", name="Carl", status="idle")[0]["status"] == "idle"
    assert {each["name"] for each in ask("get_team_roster")[0]["agents"]} == {"Carl", "user"}
    events = board.log(Desk(home, project, now), made["sessionId"])
    assert {(event["actor"], event["session"]) for event in events} == {("some-agent", "s1")}


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("move_kanban_card", {"sessionId": "sess_nobody", "target": "done"}, "E_NOT_FOUND"),
        ("move_kanban_card", {"sessionId": "sess_nobody", "target": "done", "workspace": "/"}, "E_NOT_WORKSPACE"),
        ("get_kanban_state", {"column": "the moon"}, "E_TARGET"),
        ("send_message", {"action": "submit_result", "payload": "x", "recipient": "Nobody"}, "E_NO_RECIPIENT"),
        ("send_message", {"action": "status_update", "payload": "/home/user/.agent/memory/x"}, "E_LEAK"),
        ("query_plan_archive", {"sql": "delete from plans"}, ""),
        ("export_conversation", {"file_path": "/etc/hostname"}, "E_READONLY"),
    ],
)
def test_a_refusal_is_an_error_with_its_code(ask, name, arguments, code):
    assert ask(name, **arguments)[1] == code


@pytest.mark.parametrize("action", ["execute", "delegate_task"])
def test_a_former_action_is_told_what_to_use_instead(ask, action):
    refusal, code = ask("send_message", action=action, payload="x")
    assert (code, "move_kanban_card" in refusal["hint"]) == ("E_ACTION", True)


def test_who_is_listed_as_read_only_reads(ask, home):
    with open(home.settings, "w", encoding="utf-8") as stream:
        json.dump({"memory_acl": {"agents": {"visitor": "readonly"}}}, stream)
    assert ask("create_plan", agent="visitor", title="X")[1] == "E_READONLY"
    assert ask("get_kanban_state", agent="visitor")[1] == ""
    assert ask("create_plan", agent="friend", title="X")[1] == ""


def test_a_caller_from_outside_sends_messages_and_shows_a_token_for_more(ask, clean_env):
    made, _ = ask("create_plan", title="A")
    move = {"sessionId": made["sessionId"], "target": "planned"}
    assert ask("move_kanban_card", channel="a2a", **move)[1] == "E_READONLY"
    assert ask("send_message", channel="a2a", action="status_update", payload="move it")[1] == ""
    assert ask("get_kanban_state", channel="a2a")[1] == ""
    with open(tiers.create(clean_env), encoding="utf-8") as stream:
        token = stream.read().strip()
    assert ask("move_kanban_card", channel="a2a", token=token, **move)[1] == ""


def test_a_conversation_is_exported_from_the_sessions_transcript_or_a_file(ask, home, project, now):
    kept, _ = ask("export_conversation", metadata={"topic": "keys", "tags": ["a", "b"]})
    assert (kept["messages"], kept["scrubbed"]) == (2, True)
    path = os.path.join(project.root, "talk.md")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("# A talk\n\nabout orders\n")
    assert ask("export_conversation", file_path=path)[0]["title"] == "A talk"
    rows = archive_query.query(Desk(home, project, now), "select topic, tags, content from conversations")["rows"]
    assert rows[0][:2] == ["keys", ",a,b,"] and "ghp_" not in rows[0][2]
    assert os.path.exists(path)
    assert ask("search_archive", query="orders")[0]["hits"][0]["kind"] == "conversation"
