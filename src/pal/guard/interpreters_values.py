"""Works out what an argument in a one-liner is, as far as its text says: joined strings, lists, `~`, the home, paths.

What only the running program could know becomes the mark UNKNOWN inside the value. Depth and width are bounded."""

from __future__ import annotations

from pal.guard.interpreters_lexer import NAME, NUMBER, SHELL, STRING, Tokens
from pal.guard.model import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Value = Union[str, list[str]]

_DEPTH = 12
_WIDTH = 400  # tokens looked at for one expression
_LIST = 64  # values of a loop
_LONG = 32_768  # characters; a longer value is not worked out
_SAME = frozenset(
    (
        "path", "purepath", "posixpath", "pathname", "str", "string", "abspath", "realpath", "normpath", "normalize",
        "resolve", "fspath", "quote", "escape", "glob", "iglob", "file", "fs", "bytes", "array", "list",
        "pureposixpath", "tuple", "paste0", "c", "strip", "encode", "raw",
    )
)  # fmt: skip
_KEEPS = frozenset(
    ("resolve", "absolute", "as_posix", "strip", "encode", "decode", "tostring", "trim", "to_s", "chomp")
)
_HOMES = ("path.home", "dir.home", "os.homedir", "homedir", "user_home", "system.user_home!", "system.user_home")
_HOME_NAMES = ("HOME", "USERPROFILE")
_ENVIRONMENTS = ("os.environ", "environ", "process.env", "env", "$env", "$_env", "$_server", "deno.env", "bun.env")
_JOINS = frozenset(("os.path.join", "path.join", "file.join", "posixpath.join", "join", "path.posix.join"))


class Values:
    """The constants a source sets, and the evaluation of its expressions with them."""

    __slots__ = ("constants", "home", "source")

    def __init__(self, source: Tokens, home: str) -> None:
        self.source = source
        self.home = home
        self.constants: dict[str, Value] = {}

    def sign(self, at: int) -> str:
        """The sign at `at`, or ""."""
        source = self.source
        return source.texts[at] if 0 <= at < len(source.kinds) and source.kinds[at] == "sign" else ""

    def word(self, at: int) -> str:
        """The name at `at`, or ""."""
        source = self.source
        return source.texts[at] if 0 <= at < len(source.kinds) and source.kinds[at] == NAME else ""

    def loops(self) -> None:
        """Keeps `for name in (constants)`, also where the loop stands behind what it repeats."""
        for at, text in enumerate(self.source.texts):
            if text == "for" and self.word(at + 2) in ("in", "of") and self.sign(at + 3) in ("(", "["):
                found = self.value(at + 3, at + 4)
                if isinstance(found, list) and len(found) <= _LIST:
                    self.constants[self.word(at + 1)] = found

    def arguments(self, at: int, end: int) -> list[tuple[int, int]]:
        """Where the arguments between `at` and `end` stand, cut at the commas of their own level."""
        found: list[tuple[int, int]] = []
        end = min(end, len(self.source.kinds))
        start, limit = at, min(end, at + _WIDTH)
        while at < limit:
            mark = self.sign(at)
            if mark == ",":
                found.append((start, at))
                start = at + 1
            elif mark in ("(", "[", "{"):
                at = self.source.partners[at]
            at += 1
        if start < limit:
            found.append((start, min(limit, end)))
        return found

    def value(self, at: int, end: int, depth: int = 0) -> Value:
        """What the expression between `at` and `end` comes to."""
        if depth > _DEPTH:
            return UNKNOWN
        total: Value = ""
        begun, joined = False, False
        limit = min(end, at + _WIDTH, len(self.source.kinds))
        while at < limit:
            mark = self.sign(at)
            if mark == "\n":
                at += 1
                continue
            if begun and mark in ("+", "/", "%", "."):
                if mark == "%":
                    return total if isinstance(total, list) else _filled(total)
                if mark == "/" and isinstance(total, str) and self.source.language == "python":
                    total += "/"
                elif mark == "." and not self.word(at + 1):
                    return UNKNOWN
                elif mark == ".":
                    return total if isinstance(total, list) else UNKNOWN
                at, joined = at + 1, True
                continue
            if begun and not joined and self.source.kinds[at] != STRING:
                return total if mark in (";", ")", "}", "]") or self.word(at) else UNKNOWN
            part, stop = self.primary(at, end, depth + 1)
            if isinstance(part, list) or isinstance(total, list):
                total = (total if isinstance(total, list) else []) + (part if isinstance(part, list) else [part])
            elif total.endswith("/") and part.startswith("/") and joined:
                total = part
            else:
                total += part
            if len(total) > _LONG:
                return UNKNOWN
            begun, joined = True, False
            at = max(stop, at + 1)
        return total if begun else UNKNOWN

    def text(self, at: int, end: int) -> str:
        """The expression as one string; a list is UNKNOWN."""
        found = self.value(at, end)
        return found if isinstance(found, str) else UNKNOWN

    def list_inside(self, first: int, last: int) -> list[str]:
        """The list inside an options object: `{args: ["-rf", "/"]}`."""
        for spot in range(first, min(last, first + _WIDTH)):
            if self.sign(spot) == "[":
                part = self.value(spot, self.source.partners[spot] + 1)
                return part if isinstance(part, list) else []
        return []

    def primary(self, at: int, end: int, depth: int) -> tuple[Value, int]:
        """The value that begins at `at`, and where it ends."""
        source = self.source
        if at >= len(source.kinds):
            return UNKNOWN, at
        kind = source.kinds[at]
        if kind in (STRING, SHELL):
            return self._after(self.filled(at), at + 1, end, depth)
        if kind == NUMBER:
            return source.texts[at], at + 1
        mark = self.sign(at)
        if mark in ("(", "[", "{"):
            stop = source.partners[at]
            inner = self.arguments(at + 1, stop)
            if mark == "(" and len(inner) == 1:
                return self._after(self.value(inner[0][0], inner[0][1], depth + 1), stop + 1, end, depth)
            if mark == "{" or depth > _DEPTH:
                return UNKNOWN, stop + 1
            return self._after(self._listed(inner, depth), stop + 1, end, depth)
        if kind != NAME:
            return UNKNOWN, at + 1
        return self._named(at, end, depth)

    def _listed(self, inner: list[tuple[int, int]], depth: int) -> list[str]:
        found: list[str] = []
        for start, stop in inner:
            part = self.value(start, stop, depth + 1)
            found.extend(part if isinstance(part, list) else [part])
        return found

    def _named(self, at: int, end: int, depth: int) -> tuple[Value, int]:
        parts = [self.source.texts[at]]
        known = self.constants.get(parts[0])
        if known is not None:
            return self._after(known, at + 1, end, depth)
        at += 1
        while self.sign(at) == "." and self.word(at + 1):
            parts.append(self.word(at + 1))
            at += 2
        if parts[0] == "new" and len(parts) == 1 and self.word(at):
            return self._named(at, end, depth)
        last = parts[-1].lower()
        if last == "new" and len(parts) > 1:
            last = parts[-2].lower()
        full = ".".join(parts).lower()
        opener = self.sign(at)
        stop = self.source.partners[at] if opener in ("(", "[", "{") else at
        if full in _HOMES or full.endswith((".homedir", "path.home")):
            return self._after(self.home, stop + 1 if opener == "(" else at, end, depth)
        if full in ("process.env.home", "process.env.userprofile", "bun.env.home"):
            return self._after(self.home, at, end, depth)
        if opener not in ("(", "[", "{"):
            return UNKNOWN, at
        inner = self.arguments(at + 1, stop)
        if self._is_home(full, last, inner):
            return self._after(self.home, stop + 1, end, depth)
        if last == "expandvars":
            found = self.value(inner[0][0], inner[0][1], depth + 1) if inner and depth <= _DEPTH else UNKNOWN
            if isinstance(found, str):
                return found.replace("${HOME}", self.home).replace("$HOME", self.home), stop + 1
        if full in ("require", "__import__") and depth <= _DEPTH:
            return self._after(UNKNOWN, stop + 1, end, depth)
        if opener == "{" or not inner or depth > _DEPTH:
            return UNKNOWN, stop + 1
        if last in ("expanduser", "expand_path"):
            found = self.value(inner[0][0], inner[0][1], depth + 1)
            return self._after(self._expanded(found), stop + 1, end, depth)
        if full in _JOINS or (last in ("path", "purepath", "resolve") and len(inner) > 1):
            pieces = self._listed(inner, depth)
            return self._after(_pathed(pieces), stop + 1, end, depth)
        if full == "shlex.split" or last in _SAME or (last == "dir" and opener == "["):
            listed = self._listed(inner, depth) if last in ("c", "array") else self.value(*inner[0], depth + 1)
            return self._after(listed, stop + 1, end, depth)
        return UNKNOWN, stop + 1

    def _is_home(self, full: str, last: str, inner: list[tuple[int, int]]) -> bool:
        if not inner or (full not in _ENVIRONMENTS and last not in ("getenv", "get", "fetch", "get_env")):
            return False
        spot = inner[0][0]
        return spot < len(self.source.kinds) and self.source.texts[spot] in _HOME_NAMES

    def _after(self, value: Value, at: int, end: int, depth: int) -> tuple[Value, int]:
        """What the methods called on a value make of it; stops before the first that is not understood."""
        while at < end and self.sign(at) == "." and self.word(at + 1):
            name = self.word(at + 1).lower()
            called = self.sign(at + 2) == "("
            stop = self.source.partners[at + 2] + 1 if called else at + 2
            inner = self.arguments(at + 3, stop - 1) if called and depth <= _DEPTH else []
            if value == UNKNOWN and name in ("homedir", "home"):
                value = self.home
            elif value == UNKNOWN and name in ("path", "os") and not called:
                pass
            elif name in ("joinpath", "join") and inner:
                pieces = self._listed(inner, depth)
                if name == "join" and isinstance(value, str) and self.source.language == "python":
                    value = value.join(pieces)
                elif name == "join" and value == UNKNOWN:
                    value = _pathed(pieces)
                elif name == "join":
                    return UNKNOWN, at
                else:
                    value = _pathed([value if isinstance(value, str) else UNKNOWN, *pieces])
            elif name == "split" and isinstance(value, str) and called:
                value = value.split()
            elif name == "expanduser":
                value = self._expanded(value)
            elif name == "parent" and isinstance(value, str):
                value = value.rstrip("/").rpartition("/")[0] or "/"
            elif name == "format" and isinstance(value, str):
                value = _filled(value)
            elif name not in _KEEPS:
                break
            at = stop
        return value, at

    def _expanded(self, value: Value) -> Value:
        if isinstance(value, str) and (value == "~" or value.startswith("~/")):
            return self.home + value[1:]
        return value

    def filled(self, at: int) -> str:
        """The string at `at` with what it fills in: constants by their value, the rest UNKNOWN."""
        text, style = self.source.texts[at], self.source.styles[at]
        if style in ("f", "js", "ruby"):
            opener = {"f": "{", "js": "${", "ruby": "#{"}[style]
            pieces = text.split(opener)
            out = [pieces[0]]
            for piece in pieces[1:]:
                inside, closed, rest = piece.partition("}")
                if style == "f" and not inside and not closed:
                    out.append(opener)
                    continue
                out.append(self._constant(inside.strip()))
                out.append(rest)
            return "".join(out)
        if style == "sigil" and "$" in text:
            pieces = text.split("$")
            out = [pieces[0]]
            for piece in pieces[1:]:
                stop = 0
                while stop < len(piece) and (piece[stop].isalnum() or piece[stop] in "_{}"):
                    stop += 1
                out.append(self._constant("$" + piece[:stop].strip("{}")) if stop else "$")
                out.append(piece[stop:])
            return "".join(out)
        return text

    def _constant(self, name: str) -> str:
        if name in ("$HOME", "$ENV{HOME", "Path.home()", "os.homedir()", "process.env.HOME", "Dir.home", "ENV['HOME']"):
            return self.home
        known = self.constants.get(name)
        return known if isinstance(known, str) else UNKNOWN


def _filled(template: str) -> str:
    """A format string with its places marked as unknown."""
    return template.replace("{}", UNKNOWN).replace("%s", UNKNOWN).replace("%d", UNKNOWN)


def _pathed(pieces: list[str]) -> str:
    path = ""
    for piece in pieces:
        path = piece if piece.startswith("/") or not path else path.rstrip("/") + "/" + piece
    return path


def quoted(word: str) -> str:
    """`word` for a shell, what is unknown in it as a variable."""
    return "'" + word.replace("'", "'\\''").replace(UNKNOWN, "'\"${UNKNOWN}\"'") + "'"
