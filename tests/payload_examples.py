"""One example of each event that an agent's clients send: files below tests/contract/payloads/<agent>, by PAL's event.

Read by the tests of this Python and by the driver that runs on Windows; both know no other list."""

from __future__ import annotations

EXAMPLES = {
    "claude": {
        "session-start": "SessionStart.startup",
        "user-prompt": "UserPromptSubmit",
        "pre-tool": "PreToolUse.Bash",
        "post-tool": "PostToolUse.Edit",
        "post-tool-failure": "PostToolUseFailure.Bash",
        "stop": "Stop",
        "subagent-stop": "SubagentStop",
        "pre-compact": "PreCompact",
        "session-end": "SessionEnd.other",
        "statusline": "statusLine",
    },
    "codex": {
        "session-start": "SessionStart",
        "user-prompt": "UserPromptSubmit",
        "pre-tool": "PreToolUse",
        "post-tool": "PostToolUse",
        "stop": "Stop",
        "subagent-stop": "SubagentStop",
        "pre-compact": "PreCompact",
        "session-end": "SessionEnd",
    },
    "copilot": {
        "session-start": "sessionStart",
        "user-prompt": "userPromptSubmitted",
        "pre-tool": "preToolUse.bash",
        "post-tool": "postToolUse",
        "post-tool-failure": "postToolUseFailure",
        "stop": "agentStop",
        "subagent-stop": "subagentStop",
        "pre-compact": "preCompact",
        "session-end": "sessionEnd",
    },
    "cursor": {
        "session-start": "sessionStart",
        "user-prompt": "beforeSubmitPrompt",
        "pre-tool": "beforeShellExecution",
        "post-tool": "afterFileEdit",
        "agent-response": "afterAgentResponse",
        "stop": "stop",
        "pre-compact": "preCompact",
        "session-end": "sessionEnd",
    },
    "vscode": {
        "session-start": "SessionStart",
        "user-prompt": "UserPromptSubmit",
        "pre-tool": "PreToolUse",
        "post-tool": "PostToolUse",
        "stop": "Stop",
        "subagent-stop": "SubagentStop",
        "pre-compact": "PreCompact",
    },
    "antigravity": {
        "user-prompt": "PreInvocation.first",
        "post-tool": "PostToolUse",
        "stop": "Stop",
    },
    "gemini": {
        "user-prompt": "BeforeAgent",
        "pre-tool": "BeforeTool",
        "post-tool": "AfterTool",
        "stop": "AfterAgent",
        "session-end": "SessionEnd",
    },
}
# What Claude Code's hooks are called for.
EVENTS = tuple(event for event in EXAMPLES["claude"] if event != "statusline")
