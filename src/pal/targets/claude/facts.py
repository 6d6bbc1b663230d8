"""What Claude Code is called, where it keeps its files, and what it accepts: data only (client 2.1.332).

The installer and the turn read it; nothing here does anything.
"""

from __future__ import annotations

NAME = "claude"
TITLE = "Claude Code"
PROGRAMS = ("claude",)
PROVEN = "2.1.332"  # the version PAL's tests run
NEEDS: tuple[tuple[str, str], ...] = ()
SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"  # set for what it starts; names the session a command is typed in
# Where its own installers put the program when that folder is not on PATH (below the user's folder).
PROGRAM_PLACES = (".local/bin/claude", ".claude/local/claude")

# The first of these variables that is set names its folder; else the default below the user's.
FOLDER_VARIABLES = ("PAL_CLAUDE_DIR", "CLAUDE_CONFIG_DIR")
FOLDER = ".claude"
SETTINGS = "settings.json"
INSTRUCTIONS = "CLAUDE.md"
SERVERS = ".claude.json"  # beside its default folder, else inside the one that a variable names
ALL_OFF = "disableAllHooks"
SKILLS = "skills"
AGENTS = "agents"

# A matcher with other characters than names and `|` is a regular expression that matches anywhere, so it brings its
# own anchors.
GUARDED = "^(Bash|Read|Write|Edit|MultiEdit|NotebookEdit|Grep|Glob|Skill|Task|Agent|mcp__.*)$"

# (the client's event, PAL's event, matcher, time-out in seconds). Without a time-out of its own SessionEnd gets 1.5 s.
EVENTS = (
    ("SessionStart", "session-start", "", 10),
    ("UserPromptSubmit", "user-prompt", "", 10),
    ("PreToolUse", "pre-tool", GUARDED, 10),
    ("PostToolUse", "post-tool", GUARDED, 10),
    ("PostToolUseFailure", "post-tool-failure", GUARDED, 10),
    ("Stop", "stop", "", 20),
    ("SubagentStop", "subagent-stop", "", 10),
    ("PreCompact", "pre-compact", "", 10),
    ("SessionEnd", "session-end", "", 10),
)

# It does not wait for these; one that still runs when the client ends is killed with it.
ASYNC = ("post-tool", "post-tool-failure")

# What the core may count on: the client asks the user when a hook says so, hands prompt context to the model,
# and reports the end of subagents.
ABILITIES = {"asks": True, "prompt_context": True, "subagents": True}

# The permission modes in which it puts a hook's question to the person. In the others (auto,
# bypassPermissions, dontAsk) an ask is passed over or is a refusal.
ASKING_MODES = ("default", "acceptEdits", "plan")
# Variables it sets for what it starts: a command that finds one was typed by an agent.
SESSION_MARKS = ("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", SESSION_VARIABLE, "AI_AGENT")

# What each of its tools does, in PAL's words.
TOOLS = {
    "Bash": "shell",
    "Read": "read",
    "Grep": "search",
    "Glob": "search",
    "Write": "write",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Skill": "skill",
    "Task": "subagent",
    "Agent": "subagent",
}
