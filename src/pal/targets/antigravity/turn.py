"""Antigravity's side of a turn: what its hook payloads mean, and in which form it hears an answer.

There is neither a start of a session nor a prompt event: the first model call of a turn is the prompt, its words stand
in the transcript, and the first one of a conversation opens the session."""

from __future__ import annotations

from pal.base import jsontext
from pal.hooks.turn import HookInput
from pal.targets.antigravity import facts
from pal.targets.payload import members, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.hooks.turn import HookReply, Message


def parse(event: str, payload: dict[str, Any], env: Mapping[str, str]) -> HookInput | None:
    """The neutral turn. None for what is no turn: a later model call, a stop while something still runs, a subagent."""
    turn = HookInput(
        event, facts.NAME, text(payload, "conversationId", "conversation_id") or env.get(facts.SESSION_VARIABLE, "")
    )
    folders = payload.get("workspacePaths", payload.get("workspace_paths"))
    named = folders[0] if isinstance(folders, list) and folders else ""
    turn.cwd = turn.folder = named if isinstance(named, str) else ""
    turn.transcript_path = text(payload, "transcriptPath", "transcript_path")
    turn.read_transcript = _recent
    turn.read_commands = _commands
    if event in ("user-prompt", "stop") and not _is_turn(event, payload, turn):
        return None
    call = members(payload, "toolCall", "tool_call")
    turn.tool = text(call, "name") or text(payload, "tool_name", "toolName")
    turn.tool_input = members(call, "args") or members(payload, "tool_input", "toolInput")
    turn.can_ask = facts.ABILITIES["asks"]
    if event == "pre-tool":
        turn.folder = text(turn.tool_input, "Cwd") or turn.cwd
    if turn.tool in facts.WRITING and not text(payload, "error"):
        turn.changed_file = text(turn.tool_input, "TargetFile")
    turn.continued = bool(payload.get("executionNum", payload.get("execution_num")))
    turn.source = text(payload, "terminationReason", "termination_reason")
    return turn


def render(event: str, reply: HookReply) -> str:
    """What goes to stdout. A tool call is always answered, since silence may mean no; a stop only to go on."""
    if event == "stop" and reply.permission == "continue":
        return jsontext.dumps({"decision": "continue", "reason": reply.reason}) + "\n"
    if event == "pre-tool":
        decision = {"decision": reply.permission, "reason": reply.reason} if reply.permission else facts.NO_OPINION
        return jsontext.dumps(decision) + "\n"
    if event == "user-prompt" and reply.context:
        return jsontext.dumps({"injectSteps": [{"userMessage": reply.context}]}) + "\n"
    return ""


def _is_turn(event: str, payload: dict[str, Any], turn: HookInput) -> bool:
    from pal.targets.antigravity import transcript

    later = payload.get("invocationNum", payload.get("invocation_num", 0))
    idle = payload.get("fullyIdle", payload.get("fully_idle"))
    if (event == "user-prompt" and later not in (0, None)) or idle is False:
        return False
    step, turn.prompt = transcript.last_request(turn.transcript_path)
    if step < 0:
        return False  # nobody asked: a subagent's conversation
    turn.event_id = f"{turn.session}:{step}"
    turn.opens = event == "user-prompt"
    return True


def _recent(path: str) -> list[Message]:
    from pal.targets.antigravity import transcript  # most events have no use for it

    return transcript.recent(path)


def _commands(path: str) -> list[str] | None:
    from pal.targets.antigravity import transcript

    return transcript.commands(path)
