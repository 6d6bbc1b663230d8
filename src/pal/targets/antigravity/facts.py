"""What Google Antigravity is called, where it keeps its files, and what it accepts: data only.

The client needs an account, so this was read from its documentation and from what others captured (1.3.1, measured
1.1.22 to 1.5.0); contract tests hold PAL to it, no run of the real program does."""

from __future__ import annotations

NAME = "antigravity"
TITLE = "Antigravity"
PROGRAMS = ("agy",)
PROVEN = ""  # no version was run
NEEDS = (("1.1", "plugins, and with them hooks, from ~/.gemini/config/plugins"),)
SESSION_VARIABLE = "ANTIGRAVITY_CONVERSATION_ID"  # set for what it starts; names the session a command is typed in
SESSION_MARKS = (SESSION_VARIABLE,)

FOLDER_VARIABLES = ("PAL_GEMINI_DIR",)
FOLDER = ".gemini"  # other programs of the same maker keep files there too
OWN_FOLDER = "antigravity-cli"  # its own below that one
SETTINGS = "settings.json"
ALLOWED = ("permissions", "allow")
CONFIG = "config"
SERVERS = "mcp_config.json"
PLUGIN = ("config", "plugins", "pal")
MANIFEST = "plugin.json"
HOOKS = "hooks.json"
RULES = "rules"
SKILLS = "skills"
AGENTS = "agents"
RULE_HEADER = "---\ntrigger: always_on\n---\n\n"  # a rule without a valid trigger is discarded, silently

# (the client's event, PAL's event, matcher, time-out in seconds). Events about tools take groups with a matcher,
# the others flat lists; a wrong shape rejects the whole file, silently.
EVENTS = (
    ("PreInvocation", "user-prompt", "", 10),
    ("PostToolUse", "post-tool", "*", 10),
    ("Stop", "stop", "", 20),
)
# Not registered unless asked for: what it takes as "no opinion" differs by version, and a wrong one stops every tool.
TOOL_EVENT = ("PreToolUse", "pre-tool", "*", 10)
GUARD_PROVEN: tuple[str, ...] = ()  # versions on which the answers below were seen to work
# 1.3.1 was seen to let a call run on silence alone; later builds are said to want this answer.
NO_OPINION = {"decision": "allow"}

ABILITIES = {"asks": True, "prompt_context": True, "subagents": True}

WRITING = ("write_to_file", "replace_file_content", "multi_replace_file_content")
TOOLS = {
    "run_command": "shell",
    "view_file": "read",
    "write_to_file": "write",
    "replace_file_content": "edit",
    "multi_replace_file_content": "edit",
    "grep_search": "search",
    "find_by_name": "search",
    "invoke_subagent": "subagent",
}
