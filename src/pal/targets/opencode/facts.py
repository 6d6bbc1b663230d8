"""What opencode is called, where it keeps its files, and what it accepts: data only (client 1.18.33).

The installer and the turn read it; nothing here does anything.
"""

from __future__ import annotations

NAME = "opencode"
TITLE = "opencode"
PROGRAMS = ("opencode",)
# Where its own installer puts the program when that folder is not on PATH (below the user's folder).
PROGRAM_PLACES = (".opencode/bin/opencode",)
PROVEN = "1.18.33"
NEEDS = (
    ("1.0.162", "the hook that tells a session what it should know"),
    ("1.15.13", "the hook that tells of a session's end"),
)
SESSION_VARIABLE = "PAL_OPENCODE_SESSION"  # the plugin sets it for the commands a session runs; it has none of its own
# Variables it sets for what it starts: a command that finds one was typed by an agent.
SESSION_MARKS = ("OPENCODE", SESSION_VARIABLE)
PURE = "OPENCODE_PURE"  # no plugin is loaded

FOLDER_VARIABLE = "PAL_OPENCODE_DIR"
CONFIG_VARIABLE = "XDG_CONFIG_HOME"  # the folder that holds its own; on every system
CONFIG = ".config"
FOLDER = "opencode"
# All are read, each over those before; its lists of `instructions` are joined.
SETTINGS = ("config.json", "opencode.json", "opencode.jsonc")
NEW_SETTINGS = "opencode.json"
INSTRUCTIONS = "AGENTS.md"
# Below the user's folder; read for want of AGENTS.md, which therefore must not be made where this holds something.
INSTRUCTIONS_ELSEWHERE = ".claude/CLAUDE.md"
PLUGINS = "plugin"
PLUGIN = "pal.js"
PLUGIN_FOLDERS = (PLUGINS, "plugins")  # both are searched
AGENTS = "agent"
SUBAGENT = ("mode: subagent",)  # without it a person is offered the agent to talk to

# PAL's events that the plugin hands over, each named after what it comes from:
# session-start  experimental.chat.system.transform   user-prompt  chat.message
# pre-tool       tool.execute.before                  post-tool    tool.execute.after
# stop           session.idle (session.diff fires in the middle of a turn too)
# subagent-stop  session.idle of a session with a parent
# pre-compact    experimental.session.compacting      session-end  dispose, session.deleted
EVENTS = (
    "session-start",
    "user-prompt",
    "pre-tool",
    "post-tool",
    "stop",
    "subagent-stop",
    "pre-compact",
    "session-end",
)

# A hook cannot ask the user (`permission.ask` is declared and never called); prompt context is a part of the message.
ABILITIES = {"asks": False, "prompt_context": True, "subagents": True}

# What each of its tools does, in PAL's words.
TOOLS = {
    "bash": "shell",
    "read": "read",
    "grep": "search",
    "glob": "search",
    "list": "search",
    "write": "write",
    "edit": "edit",
    "multiedit": "edit",
    "patch": "edit",
    "apply_patch": "edit",
    "skill": "skill",
    "task": "subagent",
}
