"""Claude Code's side of a turn: what its hook payloads mean, and in which form it hears an answer.

Source: the client's hook contract as captured in tests/contract/payloads/claude."""

from __future__ import annotations

from pal.base import jsontext
from pal.hooks.turn import HookInput
from pal.targets.claude import facts
from pal.targets.payload import members, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.hooks.turn import HookReply, Message

# Prompts that the client writes itself; no person rates, names or counts anything with them.
_NOT_A_PERSON = (
    "<task-notification>",
    "<system-reminder>",
    "<local-command",
    "<bash-",
    "This session is being continued from a previous conversation",
    "Please continue the conversation",
)

_WRITING = ("Write", "Edit", "MultiEdit", "NotebookEdit")


def parse(event: str, payload: dict[str, Any], env: Mapping[str, str]) -> HookInput:
    """The neutral turn. Keys may be snake_case or camelCase; unknown ones are ignored."""
    turn = HookInput(event, "claude", text(payload, "session_id", "sessionId"))
    # The folder the client was started in: a session that changes folders stays the same project's.
    turn.folder = text(payload, "cwd")
    turn.cwd = env.get("CLAUDE_PROJECT_DIR") or turn.folder
    turn.event_id = text(payload, "prompt_id", "promptId")
    turn.prompt = text(payload, "prompt")
    turn.human = not turn.prompt.lstrip().startswith(_NOT_A_PERSON)
    turn.reply = text(payload, "last_assistant_message", "lastAssistantMessage")
    turn.tool = text(payload, "tool_name", "toolName")
    turn.tool_input = members(payload, "tool_input", "toolInput")
    if turn.tool in _WRITING:
        turn.changed_file = text(turn.tool_input, "file_path", "filePath", "notebook_path")
    turn.source = text(payload, "source", "reason", "trigger")
    turn.custom = text(payload, "custom_instructions", "customInstructions")
    turn.agent_type = text(payload, "agent_type", "agentType")
    turn.subagent = (
        bool(text(payload, "agent_id", "agentId") or env.get("CLAUDE_AGENT_TYPE"))
        or "/.claude/agents/" in env.get("CLAUDE_PROJECT_DIR", "").replace("\\", "/").lower()
    )
    turn.attended = env.get("CLAUDE_CODE_SESSION_ATTENDED") == "1"
    mode = text(payload, "permission_mode", "permissionMode") or facts.ASKING_MODES[0]
    turn.can_ask = turn.attended and facts.ABILITIES["asks"] and mode in facts.ASKING_MODES
    process = env.get("CLAUDE_PID", "")
    turn.process = int(process) if process.isascii() and process.isdigit() else 0
    turn.transcript_path = text(payload, "transcript_path", "transcriptPath")
    turn.read_transcript = _recent
    turn.read_commands = _commands
    turn.continued = payload.get("stop_hook_active") is True or payload.get("stopHookActive") is True
    return turn


def render(event: str, reply: HookReply) -> str:
    """What goes to stdout. Empty is silence; a stop is answered only to make the client go on."""
    if event == "stop" and reply.permission == "continue":
        return jsontext.dumps({"decision": "block", "reason": reply.reason}) + "\n"
    if event == "pre-tool" and reply.permission:
        decision = {"permissionDecision": reply.permission, "permissionDecisionReason": reply.reason}
        return jsontext.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}) + "\n"
    if not reply.context:
        return ""
    if event == "session-start":
        answer = {"hookEventName": "SessionStart", "additionalContext": reply.context}
        return jsontext.dumps({"hookSpecificOutput": answer}) + "\n"
    if event == "user-prompt":
        return reply.context + "\n"  # plain text: the client takes it as it is
    return ""


def _recent(path: str) -> list[Message]:
    from pal.targets.claude import transcript  # most events have no use for it

    return transcript.recent(path)


def _commands(path: str) -> list[str] | None:
    from pal.targets.claude import transcript

    return transcript.commands(path)
