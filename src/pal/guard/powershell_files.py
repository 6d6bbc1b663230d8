"""What PowerShell commands do to files: deletes, moves, secrets shown or copied, protected files."""

from __future__ import annotations

from pal.guard import windows_rules as rows
from pal.guard.delete_targets import delete_target
from pal.guard.model import UNKNOWN, Finding, Policy, Row
from pal.guard.paths import drive_of, normalise
from pal.guard.powershell_calls import Call, canonical
from pal.guard.powershell_model import ITEM, Command, Word
from pal.guard.secrets import FOLDERS, SECRETS, read_class, write_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Judge = Callable[[str], "list[Finding]"]

FILES_AT_MOST = 64
_PIPE_AT_MOST = 20  # commands looked back over in one pipe
_RECURSE = ("recurse", "rf", "fr")


class State:
    """One text: where it is read, what it has loaded, and what the rules said so far."""

    __slots__ = ("cwd", "depth", "files", "found", "home", "judge_shell", "policy", "project")

    def __init__(self, cwd: str, home: str, policy: Policy, judge_shell: Judge, depth: int) -> None:
        self.cwd = self.project = cwd
        self.home, self.policy, self.judge_shell, self.depth = home, policy, judge_shell, depth
        if drive_of(cwd) and not drive_of(home):
            parts = normalise(cwd, "/", home).split("/")
            if len(parts) > 2 and parts[1].lower() == "users":
                self.home = "/".join(parts[:3])  # a POSIX home cannot own a folder on a drive
        self.files: dict[str, str] = {}  # what was loaded from the network, and how
        self.found: list[Finding] = []

    def flag(self, row: Row, what: str = "") -> None:
        self.found.append(Finding(row, (0, 0), what.replace(UNKNOWN, "…").replace(ITEM, "$_")[:200]))


def remove_item(state: State, call: Call) -> None:
    if "whatif" in call.switches or "wi" in call.switches:
        return
    recursive = not call.switches.isdisjoint(_RECURSE) or "/s" in call.switches
    targets = call.paths()
    if not targets or ITEM in "".join(targets):
        piped_delete(state, call, recursive)
        return
    for target in targets[:FILES_AT_MOST]:
        row = rows.registry_row(target)
        if row:
            state.flag(row, target)
        else:
            delete(state, target, recursive)


def delete(state: State, target: str, recursive: bool) -> None:
    if UNKNOWN in target:
        head = target.partition(UNKNOWN)[0].replace("\\", "/").rpartition("/")[0]
        inside = head and lost(state, head) in ("inside", "temporary", "cache")
        if recursive and not inside and not (head and lost(state, head + "/x") == "temporary"):
            state.flag(rows.DELETE_OUTSIDE, target)
        return
    found = lost(state, target)
    if found in rows.DENIED_TARGETS and (recursive or "*" in target):
        state.flag(rows.DELETE, target)
    elif found in rows.ASKED_TARGETS and recursive:
        state.flag(rows.DELETE_OUTSIDE, target)


def lost(state: State, path: str) -> str:
    """What a recursive delete of `path` takes, as `delete_target` says."""
    return delete_target(
        path, state.cwd, state.home, state.project, state.policy.pal_home, bool(drive_of(state.cwd)), tilde=True
    )


def piped_delete(state: State, call: Call, recursive: bool) -> None:
    """`Get-ChildItem X | … | Remove-Item`, and the same inside `ForEach-Object { }`."""
    command: Command | None = call.command
    while command is not None and command.source is None:
        command = command.parent
    source = command.source if command else None
    for _ in range(_PIPE_AT_MOST):
        if source is None:
            return
        name = canonical(source.words[0].text)
        if source.words[0].quoted:
            for word in source.words:
                delete(state, word.text, recursive)
            return
        if name in ("get-childitem", "get-item"):
            listed = Call(name, source, source.words[1:])
            deep = recursive or not listed.switches.isdisjoint(_RECURSE)
            narrowed = any(key in listed.named for key in ("filter", "include")) or len(listed.positional) > 1
            narrowed = narrowed or call.command.source is not source
            for path in listed.paths()[:8] or ["."]:
                found = lost(state, path if UNKNOWN not in path else ".")
                if found in rows.DENIED_TARGETS and deep:
                    state.flag(rows.DELETE, path)
                elif found in ("project", "outside", "git") and recursive and not narrowed:
                    state.flag(rows.DELETE_OUTSIDE, path)
            return
        source = source.source


def move_item(state: State, call: Call) -> None:
    for path in call.paths()[:1]:
        if UNKNOWN not in path and lost(state, path) in ("root", "drive", "system", "home", "other-home"):
            state.flag(rows.MOVE, path)


def secret(state: State, path: str) -> str:
    if not path or UNKNOWN in path or ITEM in path or len(path) > 4096:
        path = path.rpartition("/")[2].rpartition("\\")[2] if path and not path.endswith((UNKNOWN, ITEM)) else ""
    if not path or UNKNOWN in path:
        return ""
    full = normalise(path, state.cwd, state.home, bool(drive_of(state.cwd)), True)
    return read_class(full, state.home)


def reads(state: State, call: Call) -> None:
    skip = 1 if call.name in ("select-string", "findstr") and "pattern" not in call.named else 0
    paths = call.paths(skip)
    source = call.command.source
    if not paths and source is not None and source.words:
        name = canonical(source.words[0].text)
        listed = Call(name, source, source.words[1:])
        if name in ("get-childitem", "get-item"):
            paths = listed.paths() + listed.named.get("filter", []) + listed.named.get("include", [])
        elif source.words[0].quoted:
            paths = [word.text for word in source.words]
    for path in paths[:FILES_AT_MOST]:
        if secret(state, path) in SECRETS:
            state.flag(rows.SECRET, path)


def copies(state: State, call: Call) -> None:
    for path in call.paths()[: FILES_AT_MOST if call.name == "compress-archive" else 1]:
        found = secret(state, path)
        if found in ("key", "login", "account", "store") or (found in FOLDERS and call.name != "move-item"):
            state.flag(rows.SECRET, path)
    for target in call.named.get("destination", []) or call.positional[1:2]:
        writes(state, target)
        away = lost(state, target) not in ("inside", "project", "temporary", "unknown", "cache")
        if away and call.name == "copy-item" and any(secret(state, path) == "env" for path in call.paths()[:1]):
            state.flag(rows.SECRET, target)


def writes(state: State, path: str) -> None:
    if not path or UNKNOWN in path or ITEM in path or len(path) > 4096:
        return
    full = normalise(path, state.cwd, state.home, bool(drive_of(state.cwd)), True)
    found = write_class(full, state.home, state.policy.pal_home, state.project)
    if found and found != "unclear":
        state.flag(rows.FORMAT if found == "device" else rows.WRITE, path)


def redirected(state: State, words: list[Word]) -> None:
    targets = [words[spot + 1].text for spot, word in enumerate(words[:-1]) if word.text == ">" and not word.quoted]
    for target_path in targets[:FILES_AT_MOST]:
        writes(state, target_path)


def set_location(state: State, call: Call) -> None:
    path = (call.paths() or ["~"])[0]
    known_folder = UNKNOWN not in path and ITEM not in path
    state.cwd = normalise(path, state.cwd, state.home, True, True) if known_folder else ""
