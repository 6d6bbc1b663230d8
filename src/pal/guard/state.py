"""What a text makes true while it is walked: constants, functions, the folder after `cd`, files written earlier in it.

unwrap.py walks on it; launch_builtins.py changes it; expand.py asks it.
"""

from __future__ import annotations

from pal.guard import paths
from pal.guard.model import UNKNOWN, Command, Finding, Row, Stream
from pal.guard.paths import names
from pal.guard.posix_text import Budget
from pal.guard.posix_tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from pal.guard.unwrap import Shell

MAX_SCOPES = 40  # subshells inside subshells that keep their variables apart

# Variables that another program runs as a command.
RUN_BY_OTHERS = names(
    "GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND"
    " GIT_ASKPASS PAGER MANPAGER SYSTEMD_PAGER BAT_PAGER DELTA_PAGER AWS_PAGER GH_PAGER EDITOR VISUAL"
    " SUDO_EDITOR KUBE_EDITOR PROMPT_COMMAND BROWSER GH_BROWSER LESSOPEN LESSCLOSE SSH_ASKPASS"
    " SUDO_ASKPASS RSYNC_RSH CVS_RSH SVN_SSH FCEDIT PYTHONBREAKPOINT HGEDITOR SVN_EDITOR"
)


class State:
    """One shell and what is known of it."""

    __slots__ = (
        "aliases", "arrays", "budget", "calling", "commands", "cwd", "decoded", "descriptors", "files", "findings",
        "functions", "home", "judge_code", "judge_other", "kept", "log", "mounts", "nested", "notes", "old",
        "positional", "project", "scopes", "span", "steps", "traps", "variables", "windows",
    )  # fmt: skip

    def __init__(self, cwd: str, home: str, windows: bool = False, notes: list[str] | None = None) -> None:
        self.home = home
        self.cwd = self.project = cwd
        self.old = ""
        self.windows = windows
        self.notes = notes  # the trace that explain shows; None where nobody asks
        self.budget = Budget()
        self.variables: dict[str, str | None] = {}
        self.arrays: dict[str, list[str]] = {}
        self.functions: dict[str, Node] = {}
        self.aliases: dict[str, str] = {}
        self.files: dict[str, Stream] = {}  # written earlier in the same text
        self.decoded: set[str] = set()  # constant texts that were decoded
        self.positional: list[str] | None = None
        self.log: list[tuple[str, str | None, bool]] = []  # assignments to take back when a subshell ends
        self.scopes = 0
        self.steps = 0
        self.kept = False
        self.nested = 0
        self.descriptors = 63
        self.calling: list[str] = []
        self.mounts: list[tuple[str, str]] | None = None  # inside a container: its folders that are the host's
        self.span: tuple[int, int] | None = None  # the word of the outer text that holds a nested one
        self.commands: list[Command] = []
        self.findings: list[Finding] = []
        self.traps: list[tuple[str, Command]] = []
        # Handed in by judge.py: code of another language, and PowerShell or cmd text.
        self.judge_code: Callable[[str, str, Shell, tuple[int, int]], None] | None = None
        self.judge_other: Callable[[str, Shell, tuple[int, int]], None] | None = None

    def run_text(
        self, text: str, stdin: Stream | None, span: tuple[int, int] | None = None, apart: bool = False
    ) -> Stream:
        raise NotImplementedError

    def lookup(self, name: str) -> str | None:
        """The text of a variable; None when only the running shell could know it."""
        if name in self.variables:
            return self.variables[name]
        if name.isdigit():
            if self.positional is None or name == "0":
                return None
            return self.positional[int(name) - 1] if 0 < int(name[:6]) <= len(self.positional) else ""
        if name in ("@", "*"):
            return None if self.positional is None else " ".join(self.positional)
        if name == "HOME":
            return self.home
        if name == "PWD":
            return self.cwd or UNKNOWN
        if name == "OLDPWD":
            return self.old or None
        if name in ("TMPDIR", "TMP", "TEMP"):
            return "/tmp"
        if name == "IFS":
            return " \t\n"
        if name in ("USER", "LOGNAME"):
            return self.home.replace("\\", "/").rpartition("/")[2]
        if name.endswith("]"):
            array, _, index = name[:-1].partition("[")
            items = self.arrays.get(array)
            if items is not None and index.isdigit():
                return items[int(index)] if int(index) < len(items) else ""
            if items is not None and index in ("@", "*"):
                return " ".join(items)
        elif name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else ""
        return None

    def array(self, name: str) -> list[str] | None:
        return self.arrays.get(name)

    def assign(self, name: str, text: str | None) -> None:
        if name.endswith("+"):
            name = name[:-1]
            before = self.lookup(name)
            text = UNKNOWN if before is None or text is None else before + text
        if self.scopes:
            self.log.append((name, self.variables.get(name), name in self.variables))
        self.variables[name] = text
        if text and name in RUN_BY_OTHERS and text[0] != UNKNOWN:
            self.run_text(text, None)

    def mark(self) -> tuple[int, str, str, list[str] | None]:
        """The beginning of a subshell; what is set from here on goes away with `undo`."""
        self.scopes += 1
        return len(self.log), self.cwd, self.old, self.positional

    def undo(self, begin: tuple[int, str, str, list[str] | None]) -> None:
        length, self.cwd, self.old, self.positional = begin
        self.scopes -= 1
        if self.scopes < MAX_SCOPES:
            while len(self.log) > length:
                name, text, existed = self.log.pop()
                if existed:
                    self.variables[name] = text
                else:
                    self.variables.pop(name, None)

    def path(self, text: str) -> str:
        return paths.normalise(text, self.cwd, self.home, self.windows)

    def go(self, target: str | None) -> None:
        """`cd target`; None or an unknown piece loses the folder."""
        before = self.cwd
        if target is None or UNKNOWN in target:
            self.cwd = ""
        elif target == "-":
            self.cwd = self.old
        elif not self.cwd and not target.startswith("/"):
            self.cwd = ""
        else:
            self.cwd = self.path(target)
        self.old = before

    def find(self, row: Row, span: tuple[int, int], what: str = "") -> None:
        self.findings.append(Finding(row, span, what))

    def note(self, text: str) -> None:
        if self.notes is not None and len(self.notes) < 200:
            self.notes.append(text.replace(UNKNOWN, "…")[:200])

    def keep(self, target: str, stream: Stream) -> None:
        if UNKNOWN not in target and not target.startswith("/dev/") and len(self.files) < 200:
            self.files[self.path(target)] = stream
