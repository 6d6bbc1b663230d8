"""Codex's side of a turn: what its hook payloads mean, and in which form it hears an answer.

Source: the client's hook contract as captured in tests/contract/payloads/codex. It refuses an answer with any key it
does not know, so each is as small as can be."""

from __future__ import annotations

from pal.base import jsontext
from pal.hooks.turn import HookInput
from pal.targets.codex import facts
from pal.targets.payload import members, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.hooks.turn import HookReply, Message

# Prompts that the client writes itself; no person rates, names or counts anything with them.
_NOT_A_PERSON = ("<hook_prompt", "<subagent_notification", "<environment_context>", "<turn_aborted>")
_PATCHES = ("input", "patch", "command")
_CONTEXT = {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"}


def parse(event: str, payload: dict[str, Any], env: Mapping[str, str]) -> HookInput:
    """The neutral turn. Keys may be snake_case or camelCase; unknown ones are ignored."""
    turn = HookInput(event, facts.NAME, text(payload, "session_id", "sessionId"), text(payload, "cwd"))
    turn.folder = turn.cwd
    turn.event_id = text(payload, "turn_id", "turnId")
    turn.prompt = text(payload, "prompt")
    turn.human = not turn.prompt.lstrip().startswith(_NOT_A_PERSON)
    turn.reply = text(payload, "last_assistant_message", "lastAssistantMessage")
    turn.tool = text(payload, "tool_name", "toolName")
    turn.tool_input = members(payload, "tool_input", "toolInput")
    if event == "post-tool":
        turn.changed_file = _changed(turn)
    turn.source = text(payload, "source", "reason", "trigger")
    turn.agent_type = text(payload, "agent_type", "agentType")
    turn.subagent = bool(text(payload, "agent_id", "agentId"))
    turn.attended = text(payload, "permission_mode", "permissionMode") in facts.ATTENDED_MODES
    turn.transcript_path = text(payload, "transcript_path", "transcriptPath")
    turn.read_transcript = _recent
    turn.read_commands = _commands
    turn.continued = payload.get("stop_hook_active") is True or payload.get("stopHookActive") is True
    turn.untold, turn.room = ("digests",), facts.ROOM
    return turn


def render(event: str, reply: HookReply) -> str:
    """What goes to stdout. Empty is silence; a stop is answered only to make the client go on."""
    if event == "stop" and reply.permission == "continue":
        return jsontext.dumps({"decision": "block", "reason": reply.reason}) + "\n"
    if event == "pre-tool" and reply.permission == "deny":
        # A refusal without a reason is an error there, and the tool runs.
        decision = {"permissionDecision": "deny", "permissionDecisionReason": reply.reason or "PAL's guard refused it."}
        return jsontext.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}) + "\n"
    if event in _CONTEXT and reply.context:
        answer = {"hookEventName": _CONTEXT[event], "additionalContext": reply.context}
        return jsontext.dumps({"hookSpecificOutput": answer}) + "\n"
    return ""


def _changed(turn: HookInput) -> str:
    """The first file that a tool wrote; a patch names its files inside."""
    if facts.TOOLS.get(turn.tool) not in ("write", "edit"):
        return ""
    named = text(turn.tool_input, "file_path", "filePath", "path")
    if named:
        return named
    from pal.guard import tools

    for patch in (text(turn.tool_input, name) for name in _PATCHES):
        for path in tools.patched(patch):
            return path if path[:1] in ("/", "\\") or path[1:2] == ":" else f"{turn.cwd.rstrip('/')}/{path}"
    return ""


def _recent(path: str) -> list[Message]:
    from pal.targets.codex import transcript  # most events have no use for it

    return transcript.recent(path)


def _commands(path: str) -> list[str] | None:
    from pal.targets.codex import transcript

    return transcript.commands(path)
