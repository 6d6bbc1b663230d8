"""Copilot CLI's side of a turn: what its hook payloads mean, and in which form it hears an answer.

Source: the client's hook contract as captured in tests/contract/payloads/copilot. An event registered in capitals has
its keys in snake_case; the flat keys of an answer are understood either way."""

from __future__ import annotations

from pal.base import jsontext
from pal.hooks.turn import HookInput
from pal.targets.copilot import facts
from pal.targets.payload import members, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.hooks.turn import HookReply, Message

# Prompts that the client writes itself; no person rates, names or counts anything with them.
_NOT_A_PERSON = ("<system_reminder>", "<system_notification>")
_NAMED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def parse(event: str, payload: dict[str, Any], env: Mapping[str, str]) -> HookInput:
    """The neutral turn. Keys may be camelCase or snake_case; unknown ones are ignored."""
    turn = HookInput(event, facts.NAME, text(payload, "sessionId", "session_id"))
    turn.folder = text(payload, "cwd")
    turn.cwd = env.get("COPILOT_PROJECT_DIR") or turn.folder
    turn.event_id = str(payload.get("timestamp") or "")
    turn.prompt = text(payload, "prompt")
    turn.human = not turn.prompt.lstrip().startswith(_NOT_A_PERSON)
    if event == "prompt-transformed":
        turn.prompt = text(payload, "transformedPrompt", "transformed_prompt")
    turn.reply = text(payload, "response", "last_assistant_message", "lastAssistantMessage")
    turn.tool = text(payload, "toolName", "tool_name")
    # JSON inside a text in older versions
    turn.tool_input = members(payload, "toolArgs", "tool_args", "toolInput", "tool_input")
    if event == "post-tool" and facts.TOOLS.get(turn.tool.lower(), "edit") in ("write", "edit"):
        turn.changed_file = text(turn.tool_input, "path", "file_path", "filePath")
    turn.source = _source(payload)
    turn.custom = text(payload, "customInstructions", "custom_instructions")
    turn.agent_type = text(payload, "agentType", "agent_type", "agentName")
    turn.subagent = bool(text(payload, "agentId", "agent_id", "parentAgentId"))
    turn.continued = bool(payload.get("stop_hook_active") or payload.get("stopHookActive"))
    turn.late = True
    turn.parks = _version(env) < facts.DIRECT_CONTEXT
    turn.transcript_path = text(payload, "transcriptPath", "transcript_path") or _events_file(turn.session, env)
    turn.read_transcript = _recent
    return turn


def render(event: str, reply: HookReply) -> str:
    """What goes to stdout. Empty is silence; a stop is never answered, since the client would go on."""
    if event == "pre-tool" and reply.permission:
        decision = {"permissionDecision": reply.permission, "permissionDecisionReason": reply.reason}
        return jsontext.dumps(decision) + "\n"
    if not reply.context:
        return ""
    if event in ("session-start", "user-prompt"):
        return jsontext.dumps({"additionalContext": reply.context}) + "\n"
    if event == "prompt-transformed":
        return jsontext.dumps({"modifiedTransformedPrompt": reply.context}) + "\n"
    return ""


def _source(payload: dict[str, Any]) -> str:
    """How a session began or ended, in the words of the others. What a resumed one was told at its first start is not
    in its transcript, so the client does not tell it again; it starts anew in that."""
    source = text(payload, "source", "reason", "trigger")
    return {"new": "startup", "resume": "resumed"}.get(source, source)


def _version(env: Mapping[str, str]) -> tuple[int, ...]:
    """The client's version; of one that does not say, nothing can be counted on."""
    parts = env.get(facts.VERSION_VARIABLE, "").partition("-")[0].split(".")
    return tuple([int(part) for part in parts if part.isascii() and part.isdigit()])


def _events_file(session: str, env: Mapping[str, str]) -> str:
    """Where the transcript of a session is, for the events that do not say."""
    if not session or not _NAMED.issuperset(session):
        return ""
    folder = env.get(facts.HOME_VARIABLE, "")
    if not folder:
        from pal.base import home as homes

        folder = f"{homes.user_folder(env)}/{facts.FOLDER}"
    return f"{folder}/{facts.SESSIONS}/{session}/{facts.EVENTS_FILE}"


def _recent(path: str) -> list[Message]:
    from pal.targets.copilot import transcript  # most events have no use for it

    return transcript.recent(path)
