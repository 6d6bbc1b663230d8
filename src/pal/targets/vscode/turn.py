"""VS Code's side of a turn: what its hook payloads mean, and in which form it hears an answer.

A result that names another event than the one that ran is discarded there, so each answer names its own."""

from __future__ import annotations

from pal.base import jsontext
from pal.hooks.turn import HookInput
from pal.targets.payload import members, text
from pal.targets.vscode import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.hooks.turn import HookReply, Message

_CONTEXT = {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"}


def parse(event: str, payload: dict[str, Any], env: Mapping[str, str]) -> HookInput:
    """The neutral turn. Its keys come in both spellings, mixed; unknown ones are ignored."""
    turn = HookInput(event, facts.NAME, text(payload, "sessionId", "session_id"))
    turn.cwd = turn.folder = text(payload, "cwd")
    turn.prompt = text(payload, "prompt")
    turn.reply = text(payload, "last_assistant_message", "lastAssistantMessage")
    turn.tool = text(payload, "tool_name", "toolName")
    turn.tool_input = members(payload, "tool_input", "toolInput")
    if turn.tool in facts.WRITING:
        turn.changed_file = text(turn.tool_input, "filePath", "file_path", "path")
    turn.source = text(payload, "source", "reason", "trigger")
    turn.custom = text(payload, "custom_instructions", "customInstructions")
    turn.agent_type = text(payload, "agent_type", "agentType")
    turn.subagent = bool(text(payload, "agent_id", "agentId"))
    turn.continued = payload.get("stop_hook_active") is True or payload.get("stopHookActive") is True
    turn.can_ask = facts.ABILITIES["asks"]
    turn.transcript_path = text(payload, "transcript_path", "transcriptPath")
    turn.read_transcript = _recent
    turn.read_commands = _commands
    return turn


def render(event: str, reply: HookReply) -> str:
    """What goes to stdout. Empty is silence; a stop is answered only to make the client go on."""
    if event == "stop" and reply.permission == "continue":
        answer = {"hookEventName": "Stop", "decision": "block", "reason": reply.reason}
        return jsontext.dumps({"hookSpecificOutput": answer}) + "\n"
    if event == "pre-tool" and reply.permission:
        decision = {"permissionDecision": reply.permission, "permissionDecisionReason": reply.reason}
        return jsontext.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}) + "\n"
    if reply.context and event in _CONTEXT:
        answer = {"hookEventName": _CONTEXT[event], "additionalContext": reply.context}
        return jsontext.dumps({"hookSpecificOutput": answer}) + "\n"
    return ""


def _recent(path: str) -> list[Message]:
    from pal.targets.vscode import transcript  # most events have no use for it

    return transcript.recent(path)


def _commands(path: str) -> list[str] | None:
    from pal.targets.vscode import transcript

    return transcript.commands(path)
