"""What Copilot CLI is called, where it keeps its files, and what it accepts: data only (client 1.0.102).

The installer and the turn read it; nothing here does anything.
"""

from __future__ import annotations

NAME = "copilot"
TITLE = "Copilot CLI"
PROGRAMS = ("copilot",)
# Where its own installer puts the program when that folder is not on PATH (below the user's folder).
PROGRAM_PLACES = (".local/bin/copilot",)
PACKAGE = "@github/copilot"  # its npm package, whose package.json beside the program tells the version
SESSION_VARIABLE = "COPILOT_AGENT_SESSION_ID"  # set for what it starts; names the session a command is typed in
# Variables it sets for what it starts: a command that finds one was typed by an agent.
SESSION_MARKS = ("COPILOT_CLI", SESSION_VARIABLE)

# The first of these variables that is set names its folder; else the default below the user's. With the second one
# set, skills in the folder that several agents share are not read.
FOLDER_VARIABLES = ("PAL_COPILOT_DIR", "COPILOT_HOME")
HOME_VARIABLE = "COPILOT_HOME"
FOLDER = ".copilot"
HOOKS = ("hooks", "pal.json")  # every JSON file in that folder is read; this one is PAL's
HOOKS_VERSION = 1
SETTINGS = "settings.json"
SERVERS = "mcp-config.json"
SKILLS = "skills"
AGENTS = "agents"
SESSIONS = "session-state"
EVENTS_FILE = "events.jsonl"

# An entry's command stands under the name of the shell that takes it.
FIELDS = ("bash", "powershell")
FIELDS_ON_WINDOWS = ("powershell", "bash")

# A matcher is a regular expression for the whole name; servers' tools are called `server-tool`.
GUARDED = (
    "(bash|powershell|write_bash|write_powershell|view|create|edit|str_replace_editor|apply_patch|grep|rg|glob"
    "|skill|task|.+-.+)"
)

# (the client's event, PAL's event, matcher, time-out in seconds)
EVENTS = (
    ("sessionStart", "session-start", "", 10),
    ("userPromptSubmitted", "user-prompt", "", 10),
    ("preToolUse", "pre-tool", GUARDED, 10),
    ("postToolUse", "post-tool", GUARDED, 10),
    ("postToolUseFailure", "post-tool-failure", GUARDED, 10),
    ("agentStop", "stop", "", 20),
    ("subagentStop", "subagent-stop", "", 10),
    ("preCompact", "pre-compact", "", 10),
    ("sessionEnd", "session-end", "", 10),
)
# Older versions drop what is said at `userPromptSubmitted`; there a prompt's context waits for the event after it.
TRANSFORMED = ("userPromptTransformed", "prompt-transformed", "", 10)
DIRECT_CONTEXT = (1, 0, 65)  # the first version that hands a prompt's context on
VERSION_VARIABLE = "COPILOT_CLI_BINARY_VERSION"  # set for hooks

# It puts a hook's question to the person, but says nowhere whether one is there: in `-p` a question is a refusal.
ABILITIES = {"asks": False, "prompt_context": True, "subagents": True}

# What each of its tools does, in PAL's words.
TOOLS = {
    "bash": "shell",
    "powershell": "shell",
    "write_bash": "shell",
    "write_powershell": "shell",
    "view": "read",
    "create": "write",
    "edit": "edit",
    "str_replace_editor": "edit",
    "apply_patch": "edit",
    "grep": "search",
    "rg": "search",
    "glob": "search",
    "skill": "skill",
    "task": "subagent",
}
