"""Cursor's side of a turn: what its hook payloads mean, and in which form it hears an answer.

The final reply comes by an event of its own, `afterAgentResponse`, once for each message; a stop carries none."""

from __future__ import annotations

from pal.base import jsontext
from pal.hooks.turn import HookInput
from pal.targets.cursor import facts
from pal.targets.payload import members, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.hooks.turn import HookReply, Message


def parse(event: str, payload: dict[str, Any], env: Mapping[str, str]) -> HookInput:
    """The neutral turn. Keys may be snake_case or camelCase; unknown ones are ignored."""
    turn = HookInput(event, facts.NAME, text(payload, "conversation_id", "conversationId", "session_id", "sessionId"))
    turn.cwd = _project(payload) or env.get("CURSOR_PROJECT_DIR", "") or text(payload, "cwd")
    turn.folder = text(payload, "cwd") or turn.cwd
    turn.event_id = text(payload, "generation_id", "generationId")
    turn.prompt = text(payload, "prompt")
    turn.reply = text(payload, "text") if event == "agent-response" else ""
    turn.spoken = event == "stop"
    turn.continued = bool(payload.get("loop_count", payload.get("loopCount")))
    turn.tool = text(payload, "tool_name", "toolName")
    turn.tool_input = members(payload, "tool_input", "toolInput")
    command = text(payload, "command")
    if event == "pre-tool" and command and not turn.tool:  # the event that is about a shell command alone
        turn.tool, turn.tool_input, turn.can_ask = "Shell", {"command": command}, facts.ABILITIES["asks"]
        turn.repeats = True
    if event == "post-tool":
        turn.repeats = not turn.tool  # that a file was edited is told beside the tool's own end
        turn.tool = turn.tool or "Edit"
        turn.changed_file = text(payload, "file_path", "filePath")
    turn.source = text(payload, "source", "reason", "trigger", "status")
    turn.agent_type = text(payload, "subagent_type", "subagentType", "agent_type", "agentType")
    turn.subagent = event == "subagent-stop"
    turn.untold, turn.room = facts.UNTOLD, facts.ROOM
    turn.transcript_path = text(payload, "transcript_path", "transcriptPath")
    turn.read_transcript = _recent
    turn.read_commands = _commands
    return turn


def render(event: str, reply: HookReply) -> str:
    """What goes to stdout: one JSON object or nothing. A stop is answered only to make the client go on."""
    if event == "stop" and reply.permission == "continue":
        return jsontext.dumps({"followup_message": reply.reason}) + "\n"
    if event == "pre-tool" and reply.permission:
        answer = {"permission": reply.permission, "user_message": reply.reason, "agent_message": reply.reason}
        return jsontext.dumps(answer) + "\n"
    if not reply.context:
        return ""
    if event == "session-start":
        return jsontext.dumps({"additional_context": reply.context}) + "\n"
    if event == "user-prompt":
        return jsontext.dumps({"continue": True, "additional_context": reply.context}) + "\n"
    return ""


def _project(payload: dict[str, Any]) -> str:
    for name in ("workspace_roots", "workspaceRoots"):
        roots = payload.get(name)
        if isinstance(roots, list) and roots and isinstance(roots[0], str):
            return roots[0]
    return ""


def _recent(path: str) -> list[Message]:
    from pal.targets.cursor import transcript  # most events have no use for it

    return transcript.recent(path)


def _commands(path: str) -> list[str] | None:
    from pal.targets.cursor import transcript

    return transcript.commands(path)
