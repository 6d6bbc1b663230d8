"""Judges a cmd.exe line: `&`, `|`, carets, `%VARIABLE%`, `if` and `for … do`, and the commands that delete and read.

`powershell.py` and the shell's rules come here when `cmd /c` is started; what follows is read as cmd reads it."""

from __future__ import annotations

from pal.guard import powershell_names as known
from pal.guard import windows_rules as rows
from pal.guard.delete_targets import delete_target
from pal.guard.model import Finding, Policy, Row
from pal.guard.paths import drive_of, names, normalise
from pal.guard.secrets import SECRETS, read_class, write_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_COMMANDS_AT_MOST = 200
_NESTED_AT_MOST = 8
_DELETES = names("del erase rd rmdir")
_READS = names("type more findstr find fc comp")
_COPIES = names("copy xcopy move")
_SILENT = names("echo rem title prompt set color")
_BEFORE = names("call start else do not exist @ cmd.exe")


def cmd_source(argv: list[str]) -> str:
    """The line that `cmd /c …` runs; "" when there is none. `argv` are its words without quotes."""
    for spot, word in enumerate(argv[1:], 1):
        low = word.lower()
        if low.lstrip("/")[:1] in ("c", "k", "r") and low.startswith("/") and len(low.lstrip("/")) == 1:
            rest = argv[spot + 1 :]
            return rest[0] if len(rest) == 1 else " ".join([_quoted(part) for part in rest])
        if not low.startswith("/"):
            return ""
    return ""


def _quoted(word: str) -> str:
    return '"' + word + '"' if " " in word and '"' not in word else word


def commands_of(text: str) -> list[tuple[list[str], str]]:
    """The commands of a line as words, each with the sign before it; quotes are taken off, carets escape."""
    found: list[tuple[list[str], str]] = []
    words: list[str] = []
    piece: list[str] = []
    sign, quoted, begun = "", False, False
    at, end = 0, len(text)
    while at <= end and len(found) < _COMMANDS_AT_MOST:
        letter = text[at] if at < end else "\n"
        if letter == '"' and at < end:
            quoted, begun = not quoted, True
        elif quoted and at < end:
            piece.append(letter)
        elif letter == "^" and at + 1 < end:
            at += 1
            piece.append(text[at])
            begun = True
        elif letter in " \t\r,;=" or letter in "&|\n()<>":
            if begun or piece:
                words.append("".join(piece))
            piece, begun = [], False
            if letter in "<>":
                words.append(letter)
            elif letter in "&|\n()":
                if words:
                    found.append((words, sign))
                words = []
                sign = "|" if letter == "|" and text[at : at + 2] != "||" else ""
                at += 1 if text[at : at + 2] in ("&&", "||") else 0
        else:
            piece.append(letter)
            begun = True
        at += 1
    return found


def judge_cmd(
    text: str, cwd: str, home: str, policy: Policy, judge_shell: Callable[[str], list[Finding]], depth: int = 0
) -> list[Finding]:
    """What the rules find in a cmd line."""
    if depth > _NESTED_AT_MOST:
        return []
    if not drive_of(cwd):
        cwd = cwd if cwd.startswith("/") else ""  # a folder nobody can tell
    reading = _Line(cwd, home, policy, judge_shell, depth)
    before: list[str] = []
    for words, sign in commands_of(_expanded(text, known.environment(home, cwd))):
        reading.judge(words, before if sign == "|" else [])
        before = words
    return reading.found


def _expanded(text: str, values: dict[str, str]) -> str:
    """`%NAME%` by what a usual system holds; an unknown name stays as it is."""
    pieces = text.split("%")
    out = [pieces[0]]
    at = 1
    while at < len(pieces):
        known_value = values.get("env:" + pieces[at].lower()) if at + 1 < len(pieces) else None
        if pieces[at].lower() == "cd" and at + 1 < len(pieces):
            known_value = values["pwd"]
        if known_value is None:
            out.append("%" + pieces[at])
            at += 1
        else:
            out.append(known_value + pieces[at + 1])
            at += 2
    return "".join(out)


class _Line:
    """The commands of one line, and the folder they run in."""

    __slots__ = ("cwd", "depth", "found", "home", "judge_shell", "policy", "project")

    def __init__(
        self, cwd: str, home: str, policy: Policy, judge_shell: Callable[[str], list[Finding]], depth: int
    ) -> None:
        self.cwd = self.project = cwd
        self.home, self.policy, self.judge_shell, self.depth = home, policy, judge_shell, depth
        self.found: list[Finding] = []

    def flag(self, row: Row, what: str = "") -> None:
        self.found.append(Finding(row, (0, 0), what[:200]))

    def judge(self, words: list[str], before: list[str]) -> None:
        words = _past_control(words)
        if not words:
            return
        if words[0].lower().endswith(("cd..", "cd.", "cd\\")) and len(words[0]) <= 4:
            words = [words[0][:2], words[0][2:], *words[1:]]
        name = rows.program(words[0].lstrip("@"))
        for path in [words[spot + 1] for spot, word in enumerate(words[:-1]) if word == ">"][:_COMMANDS_AT_MOST]:
            self.writes(path)
        arguments = [word for word in words[1:] if not word.startswith("/") and word not in ("<", ">")][
            :_COMMANDS_AT_MOST
        ]
        switches = "".join([word.lower() for word in words[1:] if word.startswith("/")])
        if name in _SILENT:
            return
        if name in _DELETES:
            recursive = "/s" in switches
            for path in arguments:
                self.delete(path, recursive)
        elif name in ("cd", "chdir", "pushd"):
            self.cwd = normalise(arguments[0], self.cwd, self.home, True) if arguments else self.cwd
        elif name in _READS:
            for path in arguments[1 if name in ("findstr", "find") else 0 :]:
                if self.read(path) in SECRETS:
                    self.flag(rows.SECRET, path)
        elif name in _COPIES:
            if arguments and self.read(arguments[0]) in ("key", "login", "account", "store"):
                self.flag(rows.SECRET, arguments[0])
            for path in arguments[1:2]:
                self.writes(path)
        elif name == "cmd":
            source = cmd_source(words)
            self.found += judge_cmd(source, self.cwd, self.home, self.policy, self.judge_shell, self.depth + 1)
        elif name in ("powershell", "pwsh"):
            from pal.guard.powershell import judge_powershell
            from pal.guard.powershell_calls import powershell_source

            encoded, source = powershell_source(words)
            if encoded:
                self.flag(rows.DECODED)
            self.found += judge_powershell(source, self.cwd, self.home, self.policy, self.judge_shell, self.depth + 1)
        else:
            stdin = " ".join(before[1:]) if before and before[0].lower() == "echo" else None
            found = rows.native(words, self.cwd, self.home, self.policy, stdin)
            self.found += found
            if not found:
                self.found += self.judge_shell(" ".join(["'" + word.replace("'", "'\\''") + "'" for word in words]))

    def delete(self, path: str, recursive: bool) -> None:
        if "%" in path or "!" in path:
            if recursive:
                self.flag(rows.DELETE_OUTSIDE, path)
            return
        target = delete_target(path, self.cwd, self.home, self.project, self.policy.pal_home, True)
        if target in rows.DENIED_TARGETS and recursive:
            self.flag(rows.DELETE, path)
        elif target in rows.ASKED_TARGETS and recursive:
            self.flag(rows.DELETE_OUTSIDE, path)

    def read(self, path: str) -> str:
        return read_class(normalise(path, self.cwd, self.home, True), self.home)

    def writes(self, path: str) -> None:
        if path.lower() in ("nul", "con", "prn", "aux"):
            return
        found = write_class(normalise(path, self.cwd, self.home, True), self.home, self.policy.pal_home, self.project)
        if found and found != "unclear":
            self.flag(rows.FORMAT if found == "device" else rows.WRITE, path)


def _past_control(words: list[str]) -> list[str]:
    """The command after `if … `, `for … do`, `call`, `start`."""
    for _ in range(_NESTED_AT_MOST):
        low = [word.lower() for word in words[:8]]
        if low[:1] == ["for"] and "do" in low:
            words = words[low.index("do") + 1 :]
        elif low[:1] == ["do"] or low[:1] == ["else"] or low[:1] == ["call"] or low[:1] == ["@"]:
            words = words[1:]
        elif low[:1] == ["if"]:
            rest = 1
            while rest < len(low) and low[rest] in ("not", "/i", "defined", "exist", "errorlevel"):
                rest += 1
            words = (
                words[rest + 1 :] if "exist" in low or "defined" in low or "errorlevel" in low else words[rest + 2 :]
            )
        elif low[:1] == ["start"]:
            rest = 1
            while rest < len(words) and (words[rest].startswith("/") or " " in words[rest] or words[rest] == ""):
                rest += 1
            words = words[rest:]
        else:
            return words
    return words
