"""What Gemini CLI is called, where it keeps its files, and what it accepts: data only (client 0.61.0).

The installer and the turn read it; nothing here does anything.
"""

from __future__ import annotations

NAME = "gemini"
TITLE = "Gemini CLI"
PROGRAMS = ("gemini",)
PROVEN = "0.61.0"
NEEDS = (("0.26", "hooks that are not switched off, and with them memory and guard"),)
SESSION_VARIABLE = "GEMINI_SESSION_ID"  # set for its hooks; names the session a command is started in
# Variables it sets for what it starts: a command that finds one was typed by an agent.
SESSION_MARKS = ("GEMINI_CLI", SESSION_VARIABLE)

FOLDER_VARIABLE = "PAL_GEMINI_DIR"
HOME_VARIABLE = "GEMINI_CLI_HOME"  # the folder that holds its own
FOLDER = ".gemini"  # other programs of the same maker keep files there too
SETTINGS = "settings.json"
EXTENSIONS = "extensions"  # its own below that one
# Everything of PAL's is one extension: another program reads the folder's GEMINI.md as well, and would be told twice.
EXTENSION = "pal"
MANIFEST = "gemini-extension.json"
ENABLEMENT = "extension-enablement.json"  # in the folder of extensions: for which folders each is switched off
HOOKS = ("hooks", "hooks.json")
CONTEXT = "PAL.md"
DIGEST = ("pal-", ".md")  # before and after the name of a digest
AGENTS = "agents"

# Patterns match anywhere in a tool's name, so they bring their anchors.
GUARDED = (
    "^(run_shell_command|read_file|read_many_files|write_file|replace|edit|glob|list_directory|grep_search"
    "|search_file_content|web_fetch|activate_skill|mcp_.*|.*__.*)$"
)
WRITING = ("write_file", "replace", "edit")

# (the client's event, PAL's event, matcher, time-out in milliseconds). Left out are
# SessionStart  what a hook says there stands before the prompt of a headless run, and a prompt that begins so is
#               forgotten when the session is resumed; after /clear it is dropped. The first prompt's hook says it.
# PreCompress   fired before every model call, and no session start follows that could tell what was lost.
EVENTS = (
    ("BeforeAgent", "user-prompt", "", 10_000),
    ("BeforeTool", "pre-tool", GUARDED, 10_000),
    ("AfterTool", "post-tool", GUARDED, 10_000),
    ("AfterAgent", "stop", "", 20_000),
    ("SessionEnd", "session-end", "", 10_000),
)

# A hook may refuse a tool, not ask about it; a subagent's end is not reported.
ABILITIES = {"asks": False, "prompt_context": True, "subagents": False}

# What each of its tools does, in PAL's words.
TOOLS = {
    "run_shell_command": "shell",
    "read_file": "read",
    "read_many_files": "read",
    "grep_search": "search",
    "search_file_content": "search",
    "glob": "search",
    "list_directory": "search",
    "write_file": "write",
    "replace": "edit",
    "edit": "edit",
    "activate_skill": "skill",
}
