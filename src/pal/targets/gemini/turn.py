"""Gemini CLI's side of a turn: what its hook payloads mean, and in which form it hears an answer.

Source: the client's hook contract as captured in tests/contract/payloads/gemini."""

from __future__ import annotations

from pal.base import jsontext
from pal.hooks.turn import HookInput
from pal.targets.gemini import facts
from pal.targets.payload import members, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.hooks.turn import HookReply, Message

_SKILL_TOOL = "activate_skill"
_TOLD = "<hook_context>"


def parse(event: str, payload: dict[str, Any], env: Mapping[str, str]) -> HookInput:
    """The neutral turn. Keys may be snake_case or camelCase; unknown ones are ignored."""
    turn = HookInput(event, "gemini", text(payload, "session_id", "sessionId"))
    turn.folder = text(payload, "cwd")
    # The folder the client was started in: a session that changes folders stays the same project's.
    turn.cwd = env.get("GEMINI_PROJECT_DIR") or turn.folder
    turn.event_id = text(payload, "timestamp")  # of the event: every delivery of one has the same
    turn.prompt = _typed(text(payload, "prompt"))
    turn.opens = event == "user-prompt"
    turn.tool_input = members(payload, "tool_input", "toolInput")
    turn.tool = _tool(payload)
    # The guard looks for a skill's name and a command's folder under names of its own.
    for tool, theirs, ours in (("skill", "name", "skill"), ("run_shell_command", "dir_path", "workdir")):
        if turn.tool == tool and theirs in turn.tool_input:
            turn.tool_input = {**turn.tool_input, ours: turn.tool_input[theirs]}
    if turn.tool in facts.WRITING:
        turn.changed_file = text(turn.tool_input, "file_path", "filePath", "absolute_path")
    turn.source = text(payload, "source", "reason", "trigger")
    turn.transcript_path = text(payload, "transcript_path", "transcriptPath")
    turn.read_transcript = _recent
    turn.reply = text(payload, "prompt_response", "promptResponse")
    turn.read_commands = _commands
    turn.continued = payload.get("stop_hook_active", payload.get("stopHookActive")) is True
    if turn.reply and turn.continued:
        turn.reply = _last_reply(turn.transcript_path) or turn.reply  # or all replies of the turn, run together
    return turn


def render(event: str, reply: HookReply) -> str:
    """What goes to stdout. Empty is silence. A stop is answered to send the turn back, once: the client itself sets no
    limit."""
    if event == "stop" and reply.permission == "continue":
        return jsontext.dumps({"decision": "deny", "reason": reply.reason}) + "\n"
    if event == "pre-tool" and reply.permission:
        return jsontext.dumps({"decision": reply.permission, "reason": reply.reason}) + "\n"
    if reply.context and event == "user-prompt":
        answer = {"hookEventName": "BeforeAgent", "additionalContext": _bare(reply.context)}
        return jsontext.dumps({"hookSpecificOutput": answer}) + "\n"
    return ""


def _bare(context: str) -> str:
    """Without the tags around each block: the client puts its own around all of it, and spells others out."""
    from pal.context import budget  # which made them

    for tag in (budget.OPENING, budget.CLOSING):
        context = context.replace(tag, "")
    return context.strip()


def _tool(payload: dict[str, Any]) -> str:
    """The tool's name as the guard knows it; of an MCP server's the parts are told beside a name run together."""
    name = text(payload, "tool_name", "toolName")
    if name == _SKILL_TOOL:
        return "skill"
    if name.startswith("mcp_"):
        context = members(payload, "mcp_context", "mcpContext")
        server, tool = text(context, "server_name", "serverName"), text(context, "tool_name", "toolName")
        return f"mcp__{server}__{tool}" if tool else name
    return name


def _typed(prompt: str) -> str:
    if not prompt.startswith(_TOLD):
        return prompt
    from pal.targets.gemini import transcript  # at the first prompt of a session only

    return transcript.typed(prompt)


def _recent(path: str) -> list[Message]:
    from pal.targets.gemini import transcript  # most events have no use for it

    return transcript.recent(path)


def _commands(path: str) -> list[str] | None:
    from pal.targets.gemini import transcript

    return transcript.commands(path)


def _last_reply(path: str) -> str:
    messages = _recent(path)
    return messages[-1][1] if messages and messages[-1][0] == "assistant" else ""
