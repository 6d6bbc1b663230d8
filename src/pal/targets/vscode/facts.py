"""What VS Code's agent hooks are, where they and the editor's settings stand, and what is accepted: data only.

A desktop program with an account, so this was read from its documentation (June to October 2026) and its published
source; contract tests hold PAL to it, no run of the real program does. Hooks are a preview feature there."""

from __future__ import annotations

NAME = "vscode"
TITLE = "VS Code"
PROGRAMS = ("code", "code-insiders", "codium")
PROVEN = ""  # no version was run
NEEDS: tuple[tuple[str, str], ...] = ()
SESSION_VARIABLE = ""  # none is known that names the session
SESSION_MARKS: tuple[str, ...] = ()

# Hooks and instructions stand in a folder that Copilot CLI reads as well.
FOLDER_VARIABLES = ("PAL_COPILOT_DIR",)
FOLDER = ".copilot"
HOOKS = ("hooks", "pal-vscode.json")
HOOKS_VERSION = 1
# An entry's fields for each system. Copilot CLI reads `bash`, `powershell`, `command` and `exec`, none of these.
COMMANDS = ("linux", "osx", "windows")
COMMANDS_ON_WINDOWS = ("windows", "linux", "osx")

# The user's settings, below the system's folder for them; each edition that is there is told where instructions are.
SETTINGS_VARIABLE = "PAL_VSCODE_DIR"  # names one such folder
EDITIONS = ("Code", "Code - Insiders", "VSCodium")
USER = "User"
SETTINGS = "settings.json"
SERVERS = "mcp.json"
INSTRUCTION_FOLDERS = "chat.instructionsFilesLocations"

# (the client's event, PAL's event, time-out in seconds). There is no end of a session, and matchers are ignored.
EVENTS = (
    ("SessionStart", "session-start", 10),
    ("UserPromptSubmit", "user-prompt", 10),
    ("PreToolUse", "pre-tool", 10),
    ("PostToolUse", "post-tool", 10),
    ("Stop", "stop", 20),
    ("SubagentStop", "subagent-stop", 10),
    ("PreCompact", "pre-compact", 10),
)

# Whether a prompt's context reaches the model is not established: it is sent all the same.
ABILITIES = {"asks": True, "prompt_context": False, "subagents": True}

WRITING = (
    "create_file",
    "replace_string_in_file",
    "multi_replace_string_in_file",
    "insert_edit_into_file",
    "editFiles",
)
TOOLS = {
    "run_in_terminal": "shell",
    "runTerminalCommand": "shell",
    "read_file": "read",
    "create_file": "write",
    "insert_edit_into_file": "write",
    "replace_string_in_file": "edit",
    "multi_replace_string_in_file": "edit",
    "editFiles": "edit",
    "grep_search": "search",
    "file_search": "search",
    "runSubagent": "subagent",
}
