"""What Cursor is called, where it keeps its files, and what it accepts: data only.

The client needs an account, so this was read from its documentation and from what others measured (Cursor 3.20.17,
cursor-agent 2026.09.10); contract tests hold PAL to it, no run of the real program does."""

from __future__ import annotations

NAME = "cursor"
TITLE = "Cursor"
PROGRAMS = ("cursor-agent", "cursor")
PROGRAM_PLACES = (".local/bin/cursor-agent",)
PROVEN = ""  # no version was run
NEEDS: tuple[tuple[str, str], ...] = ()
SESSION_VARIABLE = ""  # none is known that names the session
SESSION_MARKS = ("CURSOR_AGENT",)  # set for what its agent starts

FOLDER_VARIABLES = ("PAL_CURSOR_DIR",)
FOLDER = ".cursor"
HOOKS = "hooks.json"
HOOKS_VERSION = 1
SERVERS = "mcp.json"
AGENTS = "agents"
RULES = "rules"

# (the client's event, PAL's event, time-out in seconds). One name that a client does not know voids the whole file,
# silently: only names that it has documented for long stand here. A shell command meets the guard twice: the first
# event can only stop it, the second can ask.
EVENTS = (
    ("sessionStart", "session-start", 10),
    ("beforeSubmitPrompt", "user-prompt", 10),
    ("preToolUse", "pre-tool", 10),
    ("beforeShellExecution", "pre-tool", 10),
    ("postToolUse", "post-tool", 10),
    ("postToolUseFailure", "post-tool-failure", 10),
    ("afterFileEdit", "post-tool", 10),
    ("afterAgentResponse", "agent-response", 10),
    ("stop", "stop", 20),
    ("subagentStop", "subagent-stop", 10),
    ("preCompact", "pre-compact", 10),
    ("sessionEnd", "session-end", 10),
)
SHELL_EVENT = "beforeShellExecution"  # carries the command itself, no tool

# It asks at shell commands alone; what a prompt hook adds reached the model in 3.20.17, undocumented.
ABILITIES = {"asks": True, "prompt_context": False, "subagents": True}

# It loads no rules from the user's folder (seen up to 3.17.21): standing text and digests are told at session start.
UNTOLD = ("standing", "digests")
ROOM = 20_000  # units at session start; no cap is documented there, and a longer prompt context becomes a file to read

# For a version that does load them. `alwaysApply` must be a real boolean.
RULE_SUFFIX = ".mdc"
RULE_HEADER = "---\ndescription: From PAL's memory\nalwaysApply: true\n---\n\n"

TOOLS = {
    "Shell": "shell",
    "Read": "read",
    "Write": "write",
    "Edit": "edit",
    "Delete": "write",
    "Grep": "search",
    "Task": "subagent",
}
