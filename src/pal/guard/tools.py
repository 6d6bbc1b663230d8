"""What a tool call of any agent does: aliases of tools, where their command or paths stand, and the rules for files.

`judge.py` asks `kind_of` first, then takes the command (`command_of`) or the files (`files_of`, `judge_file`). Such a
list is always late, so a tool nobody knows is still judged by what looks like a command in its input."""

from __future__ import annotations

from pal.guard import secrets
from pal.guard.model import Finding, Policy, Row
from pal.guard.paths import drive_of, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SHELL, POWERSHELL, READ, WRITE, EDIT = "shell", "powershell", "read", "write", "edit"
SEARCH, LISTING, SKILL, OTHER = "search", "list", "skill", "other"

# Kind of tool -> the names agents give it, lower case.
TABLE = {
    SHELL: "bash shell local_shell runinterminal run_in_terminal runterminalcommand run_terminal_cmd terminal"
    " execute_command exec_command unified_exec run_command run_shell_command shell_command container_exec"
    " send_to_terminal write_bash write_stdin bash_input sh zsh",
    POWERSHELL: "powershell pwsh write_powershell run_powershell",
    READ: "read read_file readfile view view_file open_file read_many_files read_text_file read_media_file"
    " read_multiple_files get_file_contents notebookread read_notebook cat_file viewfile",
    WRITE: "write write_file apply_patch applypatch patch create create_file createfile insert insert_edit_into_file"
    " write_to_file append_file move_file rename_file copy_file delete_file remove_file save_file writefile"
    " create_or_update_file delete",
    EDIT: "edit multiedit str_replace str_replace_editor str_replace_based_edit_tool replace_string_in_file replace"
    " multi_replace_string_in_file replacestring edit_notebook_file notebookedit replace_file_content"
    " multi_replace_file_content edit_file editfile file_edit search_replace",
    SEARCH: "grep grep_search search_file_content ripgrep rg search_files searchfiles text_search findtextinfiles",
    LISTING: "glob ls list_directory list_dir find_files file_search list_files directory_tree find_by_name",
    SKILL: "skill",
}
_KIND = {name: kind for kind, listed in TABLE.items() for name in listed.split()}

_COMMAND_KEYS = ("command", "commandLine", "CommandLine", "command_line", "cmd", "script", "shell_command")
_TYPED_KEYS = ("input", "chars", "text")  # what is typed into a shell that already runs
_TYPING = ("write_bash", "write_stdin", "bash_input", "write_powershell", "send_to_terminal")
_FOLDER_KEYS = ("workdir", "cwd", "Cwd", "working_directory", "workingDirectory", "directory")
_PATH_KEYS = (
    "file_path", "filePath", "path", "TargetFile", "target_file", "notebook_path", "notebookPath", "absolute_path",
    "AbsolutePath", "filename", "file", "uri", "dir_path", "SearchPath", "SearchDirectory", "source", "destination",
    "old_path", "new_path",
)  # fmt: skip
_PATH_LISTS = ("paths", "files", "file_paths", "filePaths", "edits", "replacements", "include")
_NARROWING = ("glob", "include", "includePattern", "Includes", "include_pattern")  # which files a search opens
_PATCH_KEYS = ("input", "patch", "patchText", "patch_text", "diff", "content", "command")
_PATCH_MARKS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_FILES_AT_MOST = 400
_VIEWING = ("view", "read")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,")

_TEMPLATE = "Read the template instead (`cat .env.example`) or ask the user for the one value you need."
ROWS = {
    ("read", "env"): Row("secret-file-read", "secrets.read", "This file holds secrets of the project.", _TEMPLATE),
    ("read", "store"): Row(
        "key-store-read", "secrets.read", "This file stores private keys or passwords.", "Ask the user to look it up."
    ),
    ("read", "key"): Row(
        "private-key-read", "secrets.read", "This is a private key.",
        "Use the public half (`cat ~/.ssh/id_ed25519.pub`).",
    ),
    ("read", "login"): Row(
        "login-read", "secrets.read", "This file stores a login.",
        "Ask the program that owns the login (`gh auth status`), not its file.",
    ),
    ("read", "account"): Row(
        "account-file-read", "secrets.read", "This file holds the passwords of this machine.",
        "Account names are in `cat /etc/passwd`.",
    ),
    ("read", "unclear"): Row("file-read-unclear", "unclear", "This file may hold a secret.", "Nothing; it is logged."),
    ("write", "secret"): Row(
        "secret-file-write", "paths.write", "This file holds keys or logins.", "Tell the user what to change there."
    ),
    ("write", "account"): Row(
        "account-file-write", "paths.write", "This file decides who may log in or become root.",
        "Tell the user what to change there.",
    ),
    ("write", "system"): Row(
        "system-file-write", "paths.write", "This file belongs to the system.",
        "Write a copy in the project and tell the user where it belongs.",
    ),
    ("write", "device"): Row(
        "device-write", "disk", "This is a device, not a file.", "Write to an image file in the project."
    ),
    ("write", "state"): Row(
        "pal-state-write", "paths.write", "PAL keeps this file itself.", "Use PAL's own commands (`pal --help`)."
    ),
    ("write", "unclear"): Row("file-write-unclear", "unclear", "Some protect this file.", "Nothing; it is logged."),
}  # fmt: skip
_SECRET_WRITES = ("key", "login", "store")


def kind_of(tool: str) -> str:
    """The kind of the tool by its name, which may carry a server's prefix (`mcp__files__write_file`)."""
    name = tool[:256].strip().lower().replace("-", "_")
    for mark in ("__", ".", "/", ":"):
        name = name.rpartition(mark)[2] or name
    return _KIND.get(name, OTHER)


def command_of(tool: str, tool_input: Mapping[str, Any]) -> str:
    """The command a shell tool, or a tool nobody knows, is asked to run; "" when there is none."""
    typing = tool[:256].lower().rpartition("__")[2] in _TYPING
    for key in _COMMAND_KEYS + _TYPED_KEYS if typing else _COMMAND_KEYS:
        value = tool_input.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, (list, tuple)) and value:
            return " ".join([_quoted(str(word)) for word in value])
    return ""


def _quoted(word: str) -> str:
    """`word` as a POSIX shell has to be given it."""
    return word if word and _PLAIN.issuperset(word) else "'" + word.replace("'", "'\\''") + "'"


def folder_of(tool_input: Mapping[str, Any], cwd: str, home: str) -> str:
    """The folder a command starts in: what the call says, else the session's."""
    for key in _FOLDER_KEYS:
        value = tool_input.get(key)
        if isinstance(value, str) and value.strip():
            return normalise(value, cwd, home, tilde=True)
    return cwd


def files_of(kind: str, tool_input: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(operation, path as written) for every file the call names; operations are read, write, search and list."""
    operation = {READ: "read", SEARCH: "search", LISTING: "list"}.get(kind, "write")
    if kind == EDIT and tool_input.get("command") in _VIEWING:
        operation = "read"
    found: list[tuple[str, str]] = []
    _collect(tool_input, operation, found)
    if kind == OTHER:
        url = tool_input.get("url")
        return [("read", url)] if isinstance(url, str) and url[:7].lower() == "file://" else []
    if operation == "search":
        base = found[0][1] if found else "."
        for key in _NARROWING:
            value = tool_input.get(key)
            for pattern in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(pattern, str) and pattern and not pattern.startswith("!"):
                    found.append(("search", base.rstrip("/") + "/" + pattern))
    if operation == "write":
        for key in _PATCH_KEYS:
            body = tool_input.get(key)
            if isinstance(body, (list, tuple)):
                body = "\n".join([str(word) for word in body])
            if isinstance(body, str) and "*** " in body:
                found.extend(("write", path) for path in patched(body))
    return found[:_FILES_AT_MOST]


def _collect(tool_input: Mapping[str, Any], operation: str, found: list[tuple[str, str]]) -> None:
    for key in _PATH_KEYS:
        value = tool_input.get(key)
        if isinstance(value, str) and value:
            found.append(("read" if key == "source" else operation, value))
    for key in _PATH_LISTS:
        value = tool_input.get(key)
        if not isinstance(value, (list, tuple)) or (key == "include" and operation == "search"):
            continue
        for item in value[:_FILES_AT_MOST]:
            if isinstance(item, str):
                found.append((operation, item))
            elif isinstance(item, dict):
                for name in _PATH_KEYS:
                    if isinstance(item.get(name), str):
                        found.append((operation, item[name]))


def patched(body: str) -> list[str]:
    """The files a patch in the `*** Begin Patch` form adds, changes, deletes or moves to."""
    found = []
    for line in body.splitlines():
        for mark in _PATCH_MARKS:
            if line.startswith(mark):
                found.append(line[len(mark) :].strip())
    return found


def judge_file(operation: str, path: str, cwd: str, home: str, policy: Policy) -> Finding | None:
    """The rule that reading, searching or writing `path` meets, or None. Listing a folder shows no content."""
    if operation in (LISTING, "") or not path:
        return None
    full = normalise(path, cwd, home, policy.windows, tilde=True)
    if operation in ("read", "search"):
        found = secrets.read_class(full, home)
        if operation == "search" and found in secrets.FOLDERS:
            found = found.partition("-")[0]
        row = ROWS.get(("read", found))
    else:
        found = secrets.write_class(full, home, policy.pal_home, cwd)
        row = ROWS.get(("write", "secret" if found in _SECRET_WRITES else found))
    return Finding(row, (0, len(path)), path) if row else None


def judge_files(tool: str, tool_input: Mapping[str, Any], cwd: str, home: str, policy: Policy) -> list[Finding]:
    """Every rule the files named in a call meet, in the order they are named."""
    if not drive_of(cwd) and not cwd.startswith("/"):
        cwd = ""
    found = []
    for operation, path in files_of(kind_of(tool), tool_input):
        finding = judge_file(operation, path, cwd, home, policy)
        if finding:
            found.append(finding)
    return found
