"""The board's tools for agents: cards, messages, roster and archive of the project the server was started for.

Each tool calls the function that the command and the page call. They are offered only where there is a board, and
every client that attaches pays for their descriptions, so those are short."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from pal.base import settings as settings_file
from pal.base.jsontext import dumps
from pal.external.board_room import Room
from pal.external.tools import Call, Outcome, Tool, failed, told
from pal.memory.acl import tiers
from pal.switchboard import (
    archive_query,
    archive_search,
    board,
    cards,
    export,
    mailbox,
    messages,
    moves,
    roster,
)
from pal.switchboard.desk import Desk
from pal.switchboard.errors import Refused, refused

Arguments = dict[str, Any]
TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
_READS = {"readOnlyHint": True}
_WRITES = {"destructiveHint": False}


def board_tools(room: Room) -> list[Tool]:
    """Every tool of the board, those of workflows excepted."""
    return [_tool(room, *row) for row in _ROWS]


def answered(
    room: Room, change: bool, act: Callable[[Room, Desk, Arguments], Any]
) -> Callable[[Arguments, Call], Outcome]:
    """A tool's function: what `act` gives as text and data, or a refusal as `CODE: sentence` with its facts."""

    def run(arguments: Arguments, call: Call) -> Outcome:
        try:
            if change:
                _permitted(room, call, act)
            value = act(room, room.desk(arguments, call), arguments)
        except Refused as fault:
            return failed(f"{fault.code}: {fault}", fault.code.lower(), fault.shown())
        return told(dumps(value), value if isinstance(value, dict) else {"items": value})

    return run


def _permitted(room: Room, call: Call, act: Callable[[Room, Desk, Arguments], Any]) -> None:
    """E_READONLY for who is listed as read-only, and over A2A for everything but messages without the user's token."""
    tier = tiers.tier(settings_file.load(room.home), room.env, (call.agent,), call.token)
    if tier == tiers.READONLY:
        raise refused("E_READONLY", f"{call.agent} is listed as read-only", "the user's settings say so")
    if call.channel == "a2a" and tier != tiers.TRUSTED and act not in (_send, _inbox):
        raise refused("E_READONLY", "without the user's token a caller from outside may send messages and no more",
                      "send a status_update that says what should be done")  # fmt: skip


def described(properties: dict[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    """The schema of a tool's arguments; each may name another workspace."""
    schema = {"type": "object", "properties": {**properties, "workspace": TEXT}}
    return {**schema, "required": list(required)} if required else schema


Row = tuple[str, str, str, "dict[str, Any]", "tuple[str, ...]", bool, "Callable[[Room, Desk, Arguments], Any]"]


def _tool(
    room: Room,
    name: str,
    title: str,
    description: str,
    properties: dict[str, Any],
    required: tuple[str, ...],
    change: bool,
    act: Callable[[Room, Desk, Arguments], Any],
) -> Tool:
    schema = described(properties, required)
    hints = _WRITES if change else _READS
    return Tool(name, title, description, schema, answered(room, change, act), None, hints)


def _state(room: Room, desk: Desk, said: Arguments) -> Any:
    return board.state(desk, said.get("column") or "", said.get("complexity") or "", said.get("tag") or "")


def _move(room: Room, desk: Desk, said: Arguments) -> Any:
    reason, force = said.get("reason") or "", bool(said.get("force"))
    return moves.move(desk, said["sessionId"], said["target"], said.get("rev"), reason, force)


def _send(room: Room, desk: Desk, said: Arguments) -> Any:
    recipient, answers, plan = (str(said.get(name) or "") for name in ("recipient", "inReplyTo", "plan"))
    metadata = _object(said.get("metadata"))
    return messages.send(desk, said["action"], said["payload"], recipient, answers, plan, metadata)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _inbox(room: Room, desk: Desk, said: Arguments) -> Any:
    if said.get("ack"):
        return mailbox.ack(desk, said["ack"])
    claim, limit, box = bool(said.get("claim")), said.get("limit") or 20, said.get("box") or "inbox"
    return {"messages": mailbox.inbox(desk, said.get("agent") or "", claim, limit, box)}


def _roster(room: Room, desk: Desk, said: Arguments) -> Any:
    return roster.roster(desk)


def _register(room: Room, desk: Desk, said: Arguments) -> Any:
    return roster.register(desk, said["name"], said.get("role") or "")


def _status(room: Room, desk: Desk, said: Arguments) -> Any:
    return roster.set_status(desk, said["name"], said["status"], said.get("message") or "")


def _create(room: Room, desk: Desk, said: Arguments) -> Any:
    return cards.create(desk, said["title"], said.get("body") or "", said.get("parent") or "")


def _search(room: Room, desk: Desk, said: Arguments) -> Any:
    return archive_search.search(desk, said["query"], said.get("limit") or 10)


def _query(room: Room, desk: Desk, said: Arguments) -> Any:
    return archive_query.query(desk, said["sql"], said.get("limit") or 100)


def _export(room: Room, desk: Desk, said: Arguments) -> Any:
    more = _object(said.get("metadata"))
    facts: dict[str, Any] = {name: str(more.get(name) or "") for name in ("topic", "project", "title")}
    tags = more.get("tags")
    facts["tags"] = ",".join(map(str, tags)) if isinstance(tags, list) else str(tags or "")
    facts["date"] = str(more.get("conversation_date") or "")
    if said.get("file_path"):
        allowed = (desk.workspace.root, tempfile.gettempdir())
        return export.export(desk, export.from_file(said["file_path"], allowed), original=said["file_path"], **facts)
    content, count = export.written(room.transcript(desk.session, desk.host))
    if not content:
        raise refused("E_NOT_FOUND", "this session's transcript cannot be found", "write the text to a file: file_path")
    return export.export(desk, content, count, **facts)


_ROWS: tuple[Row, ...] = (
    (
        "get_kanban_state", "Show the board",
        "The project's plans by column, at once. complexity: low, high or 3..6.",
        {"column": TEXT, "complexity": TEXT, "tag": TEXT}, (), False, _state,
    ),
    (
        "move_kanban_card", "Move a card",
        "Target: column, role, agent, coded/team (by complexity), next.",
        {"sessionId": TEXT, "target": TEXT, "rev": NUMBER, "reason": TEXT, "force": {"type": "boolean"}},
        ("sessionId", "target"), True, _move,
    ),
    (
        "send_message", "Send", "action: submit_result or status_update.",
        {"action": TEXT, "payload": TEXT, "recipient": TEXT, "inReplyTo": TEXT,
         "plan": TEXT, "metadata": {}},
        ("action", "payload"), True, _send,
    ),
    (
        "check_inbox", "Read messages", "Your open messages. claim takes them for 10 minutes, ack finishes one by id.",
        {"agent": TEXT, "claim": {"type": "boolean"}, "ack": TEXT, "box": {"enum": ["inbox", "outbox", "all"]},
         "limit": NUMBER},
        (), True, _inbox,
    ),
    ("get_team_roster", "Show agents", "Registered agents and the board's roles.", {}, (), False, _roster),
    (
        "register_agent", "Register an agent", "Announce this session under a name, and the role it takes.",
        {"name": TEXT, "role": TEXT}, ("name",), True, _register,
    ),
    (
        "set_agent_status", "Set a status", "Say what an agent is doing.",
        {"name": TEXT, "status": {"enum": list(roster.STATUSES)}, "message": TEXT}, ("name", "status"), True, _status,
    ),
    (
        "create_plan", "Create a plan", "A new plan file and its card. body is Markdown; parent is another plan's id.",
        {"title": TEXT, "body": TEXT, "parent": TEXT}, ("title",), True, _create,
    ),
    (
        "search_archive", "Search the archive", "Find finished plans and exported conversations by words.",
        {"query": TEXT, "limit": NUMBER}, ("query",), False, _search,
    ),
    (
        "query_plan_archive", "Query the archive",
        "One read-only SELECT over plans, plan_revisions, conversations.",
        {"sql": TEXT, "limit": NUMBER}, ("sql",), False, _query,
    ),
    (
        "export_conversation", "Export a conversation",
        "Keep this conversation, or a file's text, in the archive; secrets are taken out.",
        {"file_path": TEXT, "metadata": {"type": "object"}}, (), True, _export,
    ),
)  # fmt: skip
