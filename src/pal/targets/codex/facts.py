"""What Codex is called, where it keeps its files, and what it accepts: data only (client 0.171.0).

The installer and the turn read it; nothing here does anything.
"""

from __future__ import annotations

NAME = "codex"
TITLE = "Codex"
PROGRAMS = ("codex",)
# Where its own installers put the program when that folder is not on PATH (below the user's folder).
PROGRAM_PLACES = (".local/bin/codex", ".codex/bin/codex")
SESSION_VARIABLE = "CODEX_THREAD_ID"  # set for what it starts; names the session a command is typed in
# Variables it sets for what it starts: a command that finds one was typed by an agent.
SESSION_MARKS = (SESSION_VARIABLE,)

# The first of these variables that is set names its folder; else the default below the user's.
FOLDER_VARIABLES = ("PAL_CODEX_DIR", "CODEX_HOME")
FOLDER = ".codex"
HOOKS = "hooks.json"
SETTINGS = "config.toml"
INSTRUCTIONS = "AGENTS.md"
AGENTS = "agents"  # a TOML file a role
INSTRUCTIONS_INSTEAD = "AGENTS.override.md"  # where it is there, it is read and the other is not
HOOK_KEYS = ("description", "hooks")  # any other key in hooks.json, or a comment, and it loads no hook at all

# A matcher is a regular expression that matches anywhere and minds capitals. The shell is reported as Bash.
GUARDED = "^(Bash|apply_patch|Edit|Write|view_image|mcp__.*)$"

# (the client's event, PAL's event, matcher, time-out in seconds). SessionEnd is given three seconds at most.
EVENTS = (
    ("SessionStart", "session-start", "", 10),
    ("UserPromptSubmit", "user-prompt", "", 10),
    ("PreToolUse", "pre-tool", GUARDED, 10),
    ("PostToolUse", "post-tool", GUARDED, 10),
    ("Stop", "stop", "", 20),
    ("SubagentStop", "subagent-stop", "", 10),
    ("PreCompact", "pre-compact", "", 10),
    ("SessionEnd", "session-end", "", 3),
)
# A hook's context may have 2,500 tokens of four bytes, unless its entry names another limit. AGENTS.md includes no
# other file, so a session's start brings the digests along.
ROOM = 21_000  # units, for the parts of a session's start and every digest
ROOMY = {"session-start": 16_000}  # event: tokens of four bytes, for that many units of three bytes each

# It cannot ask for a hook ("ask" is an error there, and the tool runs); context reaches the model at both events.
ABILITIES = {"asks": False, "prompt_context": True, "subagents": True}
# The permission modes of a session in a terminal or an editor; `codex exec` works without a person.
ATTENDED_MODES = ("default", "acceptEdits", "plan")

# How the trust of a hook is worked out: the names of the events there, the time-outs that are raised or cut, and the
# events whose matcher does not count.
TRUST_EVENTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "user_prompt_submit",
    "PreToolUse": "pre_tool_use",
    "PostToolUse": "post_tool_use",
    "Stop": "stop",
    "SubagentStop": "subagent_stop",
    "PreCompact": "pre_compact",
    "SessionEnd": "session_end",
}
DEFAULT_TIMEOUT = 600
CLAMPED = {"SessionEnd": (1, 3)}  # default and most
NO_MATCHER = ("UserPromptSubmit", "Stop")

# What each of its tools does, in PAL's words.
TOOLS = {
    "Bash": "shell",
    "apply_patch": "edit",
    "Write": "write",
    "Edit": "edit",
    "view_image": "read",
}
