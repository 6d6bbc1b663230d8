"""opencode's side of a turn: what PAL's plugin hands over, and the answers it puts into opencode's own hooks.

Source: assets/targets/opencode/pal.js, which is the other end of both."""

from __future__ import annotations

from pal.base import jsontext
from pal.hooks.turn import HookInput
from pal.targets.opencode import transcript
from pal.targets.payload import members, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.hooks.turn import HookReply

_WRITING = ("write", "edit", "multiedit", "patch", "apply_patch")
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
# A reopened session is told again what it should know: that stands in no message of it.
_SOURCES = {"resume": "reopened"}


def parse(event: str, payload: dict[str, Any], env: Mapping[str, str]) -> HookInput:
    """The neutral turn. Keys may be snake_case or camelCase; unknown ones are ignored."""
    turn = HookInput(event, "opencode", text(payload, "session_id", "sessionId", "sessionID"))
    turn.cwd = turn.folder = text(payload, "cwd", "directory")
    turn.event_id = text(payload, "prompt_id", "promptId")
    turn.prompt = transcript.unquoted(text(payload, "prompt"))
    turn.reply = text(payload, "last_assistant_message", "lastAssistantMessage")
    turn.tool = text(payload, "tool_name", "toolName", "tool")
    turn.tool_input = members(payload, "tool_input", "toolInput", "args")
    if turn.tool == "skill":
        turn.tool_input = {**turn.tool_input, "skill": text(turn.tool_input, "name")}
    if turn.tool in _WRITING:
        turn.changed_file = text(turn.tool_input, "filePath", "file_path") or _patched(turn.tool_input)
    source = text(payload, "source", "reason", "trigger")
    turn.source = _SOURCES.get(source, source)
    turn.agent_type = text(payload, "agent_type", "agentType")
    turn.attended = payload.get("attended") is True
    turn.subagent = event == "subagent-stop"  # the plugin keeps everything else of a subagent to itself
    turn.read_transcript = transcript.handed_over(payload.get("transcript"))
    return turn


def render(event: str, reply: HookReply) -> str:
    """What goes to stdout, for the plugin. Empty is silence."""
    if event == "pre-tool" and reply.permission:
        return jsontext.dumps({"permission": reply.permission, "reason": reply.reason}) + "\n"
    if reply.context and event in ("session-start", "user-prompt"):
        return jsontext.dumps({"context": reply.context}) + "\n"
    return ""


def _patched(tool_input: dict[str, Any]) -> str:
    """The first file that a patch names."""
    for line in text(tool_input, "patchText", "patch", "input").split("\n"):
        for mark in _PATCHED:
            if line.startswith(mark):
                return line[len(mark) :].strip()
    return ""
