"""One pass over the source of a one-liner: what it imports and sets, which calls it makes, what the rules say."""

from __future__ import annotations

from pal.guard import interpreters_rows as rows
from pal.guard.delete_targets import delete_target
from pal.guard.interpreters_lexer import NAME, NUMBER, SHELL, STRING, tokens
from pal.guard.interpreters_shapes import decodes, opens_to_write, shapes
from pal.guard.interpreters_values import Values, quoted
from pal.guard.model import UNKNOWN, Finding, Row
from pal.guard.paths import normalise
from pal.guard.secrets import SECRETS, read_class, write_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Judge = Callable[[str], "list[Finding]"]

_SHELL_CALLS_AT_MOST = 64
_NESTED_AT_MOST = 3
_WINDOW = 200  # tokens after which an argument list without brackets is over


class Reading:
    """One pass over a source: what it imports and sets, which calls it makes, and what the rules say of them."""

    __slots__ = (
        "aliases", "cwd", "depth", "found", "home", "judge_shell", "language", "left", "names", "pal", "project",
        "source", "tainted", "text", "values",
    )  # fmt: skip

    def __init__(
        self, language: str, source: str, judge_shell: Judge, home: str, cwd: str, pal: str, depth: int
    ) -> None:
        self.language = language
        self.text = source
        self.judge_shell = judge_shell
        self.home, self.cwd, self.project, self.pal = home, cwd, cwd, pal
        self.depth = depth
        self.source = tokens(source, language)
        self.values = Values(self.source, home)
        self.aliases: dict[str, str] = {}
        self.tainted: set[str] = set()
        self.found: list[Finding] = []
        self.left = _SHELL_CALLS_AT_MOST
        self.names = frozenset(
            text for kind, text in zip(self.source.kinds, self.source.texts) if kind == NAME and len(text) < 64
        )

    def flag(self, row: Row, what: str = "") -> None:
        self.found.append(Finding(row, (0, len(self.text)), what.replace(UNKNOWN, "…")[:200]))

    def findings(self) -> list[Finding]:
        source, values = self.source, self.values
        values.loops()
        for at, kind in enumerate(source.kinds):
            if kind == SHELL:
                self.shell(values.filled(at))
            elif kind == STRING:
                self.string(at)
            elif kind == NAME:
                self.name(at)
            elif source.texts[at] == "(" and values.sign(source.partners[at] + 1) == ".":
                self.receiver(at)
        self.found += shapes(self.language, source, values, self.names)
        return self.found

    def string(self, at: int) -> None:
        """A string beside the one sign that runs it: awk's pipe, JavaScript's `$`, AppleScript's `do shell script`."""
        values = self.values
        if self.language == "awk":
            if values.sign(at - 1) == "|" or values.sign(at + 1) == "|":
                self.shell(self.source.texts[at])
        elif self.language == "osascript":
            if values.word(at - 1).lower() == "script" and values.word(at - 2).lower() in ("shell", "do"):
                self.shell(values.text(at, at + 40))
        elif self.source.styles[at] == "js" and values.word(at - 1) in ("$", "sh", "execa", "$sync"):
            self.shell(values.filled(at))

    def name(self, at: int) -> None:
        values, word = self.values, self.source.texts[at]
        before = values.word(at - 1)
        if before in rows.DEFINES and values.sign(at + 1) in ("(", "{"):
            return
        if before in ("import", "as") or word == "import":
            self.imported(at)
            return
        if values.sign(at + 1) == "=" and values.sign(at - 1) != ".":
            self.assigned(at)
        start, stop = self.called(at)
        low = word.lower()
        if start >= 0:
            self.call(at, low, start, stop)
        if values.sign(at - 1) != "." and (low in rows.RECEIVERS or word in values.constants):
            self.receiver(at)

    def called(self, at: int) -> tuple[int, int]:
        """Where the arguments of the call at `at` stand; (-1, -1) when the name is not called."""
        values, source = self.values, self.source
        if values.sign(at + 1) == "(":
            return at + 2, source.partners[at + 1]
        if at + 1 < len(source.kinds) and self.language in rows.BARE_CALLS and source.texts[at].lower() in rows.BARE:
            first = source.kinds[at + 1]
            if first in (STRING, SHELL, NUMBER, NAME) or values.sign(at + 1) == "[":
                stop = at + 1
                limit = min(len(source.kinds), at + _WINDOW)
                while (
                    stop < limit
                    and values.sign(stop) not in (";", "\n", "}", ")")
                    and values.word(stop) not in rows.AFTER_CALL
                ):
                    stop = source.partners[stop] + 1 if values.sign(stop) in ("(", "[", "{") else stop + 1
                return at + 1, min(stop, len(source.kinds))
        return -1, -1

    def imported(self, at: int) -> None:
        """`import os as o`, `from subprocess import run as r`."""
        values = self.values
        if values.word(at - 1) == "as" and values.word(at - 2):
            self.aliases[self.source.texts[at]] = self.aliases.get(values.word(at - 2), values.word(at - 2))
        elif values.word(at - 1) == "import" and values.word(at - 3) == "from":
            spot = at
            while values.word(spot) and spot < at + _WINDOW:
                self.aliases[values.word(spot)] = values.word(at - 2) + "." + values.word(spot)
                spot += 1
                if values.word(spot) == "as":
                    self.aliases[values.word(spot + 1)] = values.word(at - 2) + "." + values.word(spot - 1)
                    spot += 2
                if values.sign(spot) != ",":
                    break
                spot += 1

    def assigned(self, at: int) -> None:
        values, word = self.values, self.source.texts[at]
        stop = at + 2
        limit = min(len(self.source.kinds), at + _WINDOW)
        while stop < limit and values.sign(stop) not in (";", "\n"):
            stop = self.source.partners[stop] + 1 if values.sign(stop) in ("(", "[", "{") else stop + 1
        stop = min(stop, limit)
        if decodes(self.source, self.tainted, at + 2, stop):
            self.tainted.add(word)
        found = values.value(at + 2, stop)
        if found == UNKNOWN or len(found) > rows.LONG_CONSTANT:
            values.constants.pop(word, None)
        else:
            values.constants[word] = found

    def full_name(self, at: int) -> str:
        """The dotted name a call at `at` has, lower case, with import aliases resolved; at most three parts."""
        values = self.values
        parts = [self.source.texts[at]]
        while values.sign(at - 1) == "." and values.word(at - 2) and len(parts) < 3:
            at -= 2
            parts.insert(0, self.source.texts[at])
        parts[0] = self.aliases.get(parts[0], parts[0])
        return ".".join(parts).lower()

    def call(self, at: int, low: str, start: int, stop: int) -> None:
        low = self.aliases.get(self.source.texts[at], low).rpartition(".")[2].lower()
        if low in rows.EVALUATES.get(self.language, ()):
            self.evaluated(low, start, stop)
        if self.runs_shell(at, low):
            self.shell_call(low, start, stop)
        if low in rows.DELETES or (low in rows.DELETES_RECURSIVE and self.recursive(start, stop)):
            for first, last in self.values.arguments(start, stop)[:8]:
                self.deletes(first, last)
        elif low in rows.CHMODS:
            self.mode(start, stop)
        elif low == "kill" and self.values.sign(start) == "-" and self.source.texts[start + 1 : start + 2] == ["1"]:
            self.flag(rows.KILL_ALL)
        elif low in rows.CHANGES_FOLDER:
            folder = self.values.text(start, stop)
            self.cwd = "" if UNKNOWN in folder else normalise(folder, self.cwd, self.home)
        elif low in rows.FILES and (low not in rows.COMMON_NAMES or self.of_files(at)):
            self.file(low, start, stop)

    def of_files(self, at: int) -> bool:
        """Whether a name that other things have too is called on a module for files, or is the language's own."""
        bare = self.language in ("perl", "php") and self.source.texts[at] in ("unlink", "copy")
        return bare or self.full_name(at).rpartition(".")[0].rpartition(".")[2] in rows.FILE_MODULES

    def runs_shell(self, at: int, low: str) -> bool:
        if low in rows.SHELL_CALLS.get(self.language, ()):
            return True
        if self.language == "python" and low in rows.PYTHON_RUNS:
            return self.full_name(at).rpartition(".")[0] in ("subprocess", "sp", "pty", "commands")
        if self.language == "js" and low in rows.JS_RUNS:
            return not self.names.isdisjoint(rows.JS_RUNNERS) or "child_process" in self.text
        return False

    def shell_call(self, low: str, start: int, stop: int) -> None:
        values = self.values
        if decodes(self.source, self.tainted, start, stop) == "decoded":
            self.flag(rows.DECODED)
        words: list[str] = []
        single = True
        arguments = values.arguments(start, stop)[:40]
        for number, (first, last) in enumerate(arguments):
            if values.sign(first + 1) == "=" and values.word(first) not in ("args", "cmd", "command"):
                continue  # a keyword
            part = values.value(first + 2 if values.sign(first + 1) == "=" else first, last)
            if isinstance(part, list) and low in rows.ONE_TEXT:
                for command in part:
                    self.shell(command)
                return
            if isinstance(part, list):
                words, single = ([] if low in rows.ARGV_SECOND else words) + part, False
            elif values.sign(first) == "{" or (part == UNKNOWN and number):
                words.extend(values.list_inside(first, last))
                single = single and len(words) < 2
            else:
                words.append(part)
        if low in ("execl", "execlp", "execle"):
            words = words[:1] + words[2:]
        elif low in ("spawnl", "spawnlp", "spawnv", "spawnvp"):
            words = words[1:2] + words[3:] if low.startswith("spawnl") else words
        if not words:
            return
        if (len(words) == 1 and single) or low in rows.FIRST_ONLY:
            self.shell(words[0])
        else:
            self.shell(" ".join([quoted(word) for word in words]))

    def shell(self, command: str) -> None:
        if self.left and command and command != UNKNOWN:
            self.left -= 1
            self.found.extend(self.judge_shell(command.replace(UNKNOWN, "${UNKNOWN}")))

    def evaluated(self, low: str, start: int, stop: int) -> None:
        origin = decodes(self.source, self.tainted, start, stop)
        if origin == "decoded":
            self.flag(rows.DECODED)
        elif origin == "fetched":
            self.flag(rows.FETCHED_PLAIN if "http://" in self.text else rows.FETCHED)
        elif low != "function" and self.depth < _NESTED_AT_MOST:
            inner = self.values.text(start, stop)
            if UNKNOWN not in inner and len(inner) < len(self.text):
                deeper = Reading(self.language, inner, self.judge_shell, self.home, self.cwd, self.pal, self.depth + 1)
                self.found += deeper.findings()

    def recursive(self, start: int, stop: int) -> bool:
        for spot in range(start, min(stop, start + _WINDOW, len(self.source.kinds))):
            if self.source.texts[spot].lower() in ("recursive", "recurse"):
                return True
        return False

    def deletes(self, first: int, last: int) -> None:
        if self.values.sign(first + 1) == "=":
            first += 2
        part = self.values.value(first, last)
        for path in part if isinstance(part, list) else [part]:
            if path and UNKNOWN not in path:
                target = delete_target(path, self.cwd, self.home, self.project, self.pal)
                if target in rows.DENIED_TARGETS:
                    self.flag(rows.DELETE, path)
                elif target in rows.ASKED_TARGETS:
                    self.flag(rows.DELETE_OUTSIDE, path)

    def mode(self, start: int, stop: int) -> None:
        for spot in range(start, min(stop, start + 40, len(self.source.kinds))):
            if self.source.texts[spot] in rows.OPEN_MODES:
                self.flag(rows.WORLD_WRITABLE)
                return

    def file(self, low: str, start: int, stop: int) -> None:
        """A call that opens, reads, writes or removes the file of its first (in Perl: last) argument."""
        arguments = self.values.arguments(start, stop)
        if not arguments:
            return
        spot = len(arguments) - 1 if self.language == "perl" and low == "open" else 0
        path = self.values.text(*arguments[spot])
        mode = rows.FILES[low]
        if mode == "?":
            mode = "w" if opens_to_write(self.source, arguments[1:] if spot == 0 else arguments[1:-1]) else "r"
        if self.language == "perl" and low == "open":
            bare = path.lstrip("<>+& ")
            mode = "w" if path.startswith((">", "+>")) else mode
            if path.endswith("|") or path.startswith("|"):
                self.shell(path.strip("| "))
                return
            path = bare.strip()
        self.touches(path, mode)

    def touches(self, path: str, mode: str) -> None:
        if not path or UNKNOWN in path[:1] or len(path) > 4096:
            return
        full = normalise(path, self.cwd, self.home, tilde=self.language in ("ruby",))
        if mode in ("r", "c"):
            found = read_class(full, self.home)
            if found in SECRETS and (mode == "r" or found != "env"):
                self.flag(rows.SECRET, path)
        elif "*" in path:
            if delete_target(path, self.cwd, self.home) in rows.DENIED_TARGETS:
                self.flag(rows.DELETE, path)
        elif UNKNOWN not in path:
            found = write_class(full, self.home, self.pal, self.project)
            if found and found != "unclear":
                self.flag(rows.DEVICE if found == "device" else rows.WRITE, path)

    def receiver(self, at: int) -> None:
        """A method called on a path: `Path(".env").read_text()`, `p.rmtree()`."""
        values = self.values
        part, stop = values.primary(at, min(len(self.source.kinds), at + _WINDOW), 1)
        if values.sign(stop) == "/" or not isinstance(part, str):
            return
        method = values.word(stop + 1).lower() if values.sign(stop) == "." else ""
        if method in rows.METHODS:
            kind = rows.METHODS[method]
            if kind == "delete":
                if part and UNKNOWN not in part and delete_target(part, self.cwd, self.home) in rows.DENIED_TARGETS:
                    self.flag(rows.DELETE, part)
            elif method == "open" and opens_to_write(
                self.source, values.arguments(stop + 3, self.source.partners[stop + 2])
            ):
                self.touches(part, "w")
            else:
                self.touches(part, kind)
