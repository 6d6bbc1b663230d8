"""Judges one tool call against the workflow its session follows, and keeps everybody's hands off the board's own files.

It is a rail, not a wall: a shell has a thousand ways to write, so only plain ones are stopped here, and what is written
all the same is found when a step is reported. Reading, looking at the state and stopping are always free."""

from __future__ import annotations

import os

from pal.base.home import PROJECT_BOARD
from pal.guard import tools
from pal.switchboard import rights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.base.home import Home

ACTIONS = ("submit_result", "status_update")
_TERMINAL = frozenset((
    "write_stdin", "write_bash", "bash_input", "send_to_terminal", "run_in_terminal_input", "write_powershell",
))  # fmt: skip
_JOINTS = frozenset((";", "&&", "||", "|", "&", "(", ")", "\n"))
_INTO = frozenset((">", ">>", ">|", "&>", "&>>"))
_FROM = frozenset(("<", "<<", "<<<", "<<-", "<&"))
_PREFIXES = frozenset(("sudo", "env", "command", "time", "nice", "nohup"))
_GIT_WRITES = frozenset(
    ("checkout", "restore", "reset", "apply", "am", "stash", "clean", "rm", "mv", "revert", "merge", "pull")
)
_ALL = frozenset(("rm", "touch", "truncate", "tee", "unlink", "shred", "install"))
_READERS = frozenset(
    """
    cat ls dir head tail grep egrep fgrep rg wc pwd echo printf true test stat file du df date which whoami tree less
    more nl diff cmp sort uniq cut tr jq basename dirname realpath readlink sha256sum md5sum cd type find
    """.split()  # noqa: SIM905  one word a string would be a page
)
_GIT_READS = frozenset(
    ("status", "log", "diff", "show", "blame", "ls-files", "ls-tree", "rev-parse", "grep", "describe")
)
_REACHING = (
    "-exec",
    "-ok",
    "-delete",
    "-fprint",
    "-fls",
    "-o",
    "--output",
    "--pre",
)  # what makes a reader write or run
_LONGEST = 20_000  # characters of a command that are looked at


def on_board(tool: str, tool_input: Mapping[str, Any], folder: str) -> str:
    """Why a call may not touch a board's own files, whoever makes it; "" when it may."""
    for path in _written(tool, tool_input, folder):
        ours = rights.kept_by_pal(path)
        if ours:
            return (
                f"{ours} is kept by PAL. Use `pal sb` or the board's tools: `move_kanban_card` for cards, "
                "`send_message` for messages."
            )
        if _artifact(tool_input) and PROJECT_BOARD in path.replace("\\", "/").split("/"):
            return f"Files below {PROJECT_BOARD}/ are no artifacts. Write the same again with IsArtifact: false."
    return ""


def _artifact(tool_input: Mapping[str, Any]) -> bool:
    said = tool_input.get("IsArtifact", tool_input.get("is_artifact"))
    return said is True or (isinstance(said, str) and said.strip().lower() == "true")


def on_message(tool: str, tool_input: Mapping[str, Any]) -> str:
    """Why a message is refused before it reaches the tool, which would refuse it as well; "" when it is fine."""
    action = tool_input.get("action")
    if action in ACTIONS or not tool.endswith("send_message"):
        return ""
    return (
        f"send_message knows {' and '.join(ACTIONS)}, not {str(action)[:60]!r}. To hand a plan on use "
        "move_kanban_card(sessionId, target)."
    )


def in_run(home: Home, row: Mapping[str, Any], tool: str, tool_input: Mapping[str, Any], folder: str) -> str:
    """Why the workflow under way does not allow a call; "" when it does."""
    denied = row.get("denied") or []
    name = tool.rpartition("__")[2].lower()
    if ("terminal" in denied and name in _TERMINAL) or ("send_message" in denied and name == "send_message"):
        return _said(row, f"{row.get('workflow')} does without {name}")
    place = rights.Place(
        str(row.get("root") or ""),
        str(row.get("worktree") or ""),
        row.get("writes") or [],
        str(row.get("target") or ""),
    )
    for path in _written(tool, tool_input, folder):
        if rights.defines_workflows(path, home.switchboard_workflows):
            return _said(
                row, f"{_short(path, place)} defines workflows, and none of them changes while one is followed"
            )
        if not place.may_write(path):
            return _said(
                row, f"{row.get('workflow')} may write {place.said()}, and {_short(path, place)} is none of it"
            )
    return ""


def _short(path: str, place: rights.Place) -> str:
    return rights.within(path, place.worktree) or path


def _said(row: Mapping[str, Any], rule: str) -> str:
    """The rule, where the run stands, what may be done next, and the way out."""
    step, of, name = int(row.get("step") or 0) + 1, row.get("of"), row.get("name")
    return (
        f"{rule} (run {row.get('run')}, step {step} of {of}: {name}). Go on with that step, or tell the user why it "
        f"needs more. The way out is `stop_workflow` or `pal sb wf stop {row.get('run')}`."
    )


def _written(tool: str, tool_input: Mapping[str, Any], folder: str) -> list[str]:
    """The absolute paths that a call plainly writes, moves or removes."""
    kind = tools.kind_of(tool)
    if kind in (tools.WRITE, tools.EDIT):
        named = [path for operation, path in tools.files_of(kind, tool_input) if operation == "write"]
    elif kind in (tools.SHELL, tools.POWERSHELL):
        named = targets(tools.command_of(tool, tool_input))
        folder = tools.folder_of(tool_input, folder, "") or folder
    else:
        return []
    return [
        os.path.normpath(os.path.join(folder, os.path.expanduser(path))) for path in named if path and "\0" not in path
    ]


def targets(command: str) -> list[str]:
    """What a shell command plainly writes to: redirections, everyday programs. What has to be expanded is left out."""
    found: list[str] = []
    for words, into in _parts(command) or []:
        found += into + _by_program(words)
    unclear = {"$", "`", "*", "?"}
    return [path for path in found if path and not unclear.intersection(path) and not path.startswith(("/dev/", "&"))]


def only_reads(command: str) -> bool:
    """Whether a command plainly does nothing but show things; False where nobody can tell."""
    parts = _parts(command)
    if not parts or "$(" in command or "`" in command:
        return False
    return all(_shows(words) and all(path.startswith(("/dev/", "&")) for path in into) for words, into in parts)


def _shows(words: list[str]) -> bool:
    if not words:
        return True
    program = os.path.basename(words[0])
    if program == "git":
        return next((word for word in words[1:] if not word.startswith("-")), "") in _GIT_READS
    return program in _READERS and not any(word.startswith(_REACHING) for word in words[1:])


def _parts(command: str) -> list[tuple[list[str], list[str]]] | None:
    """(the words of each simple command, what it is redirected into); None for what is no sound command line."""
    import shlex

    if len(command) > _LONGEST:
        return None
    try:
        lexer = shlex.shlex(_without_documents(command), posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return None
    parts: list[tuple[list[str], list[str]]] = [([], [])]
    at = 0
    while at < len(words):
        word = words[at]
        if word in _JOINTS:
            parts.append(([], []))
        elif word in _INTO or word in _FROM:
            if word in _INTO:
                parts[-1][1].extend(words[at + 1 : at + 2])
            if parts[-1][0] and parts[-1][0][-1].isdigit():
                parts[-1][0].pop()  # the number of a stream
            at += 1
        else:
            parts[-1][0].append(word)
        at += 1
    return parts


def _without_documents(command: str) -> str:
    """The command on one line, without the text of its here-documents."""
    kept = []
    ends: list[str] = []
    for line in command.split("\n"):
        if ends:
            if line.strip() == ends[0]:
                ends.pop(0)
            continue
        kept.append(line)
        for piece in line.replace("<<<", "   ").split("<<")[1:]:
            word = piece.lstrip("-").split(None, 1)[:1]
            if word and word[0].strip("'\"\\"):
                ends.append(word[0].strip("'\"\\;)"))
    return " ; ".join(kept)


def _by_program(words: list[str]) -> list[str]:
    while words and (words[0] in _PREFIXES or ("=" in words[0] and not words[0].startswith("-"))):
        words = words[1:]
    if not words:
        return []
    program, rest = os.path.basename(words[0]), words[1:]
    plain = [word for word in rest if not word.startswith("-")]
    if program in _ALL:
        return plain
    if program in ("cp", "ln"):
        return plain[-1:]
    if program == "mv":
        return plain
    if program in ("sed", "perl") and any(
        word.startswith("-i") or (word[:1] == "-" and "i" in word[1:3]) for word in rest
    ):
        return plain[1:] if not any(word in ("-e", "-f") for word in rest) else plain
    if program == "sqlite3":
        return plain[:1]
    if program == "git" and plain[:1] and plain[0] in _GIT_WRITES:
        return [word for word in plain[1:] if word != "--"][-1:] or ["."]
    return []
