"""Reads one word of POSIX shell text at a time, keeping how every piece was quoted; posix.py builds commands from it.

It goes over the text once, never raises, and stops reading (`budget.over`) where a text is larger or deeper than any
work that a person or an agent would write.
"""

from __future__ import annotations

from pal.guard.model import Part, Word
from pal.guard.posix_text import MAX_DEPTH, MAX_WORDS, Budget, unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.guard.posix_tree import Script

MAX_ARITHMETIC = 2000  # `((` is looked at for its end this far, else it is two subshells

BREAKS = frozenset(" \t\r\n;&|<>()")
SPECIAL = frozenset(" \t\r\n;&|<>()'\"\\$`*?[~")
NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAME = NAME_START | frozenset("0123456789")
ONE_CHARACTER = frozenset("0123456789@*#?-$!")
TILDE = NAME | frozenset(".+-")


class Reader:
    """A place in a text, and the functions that read words from there."""

    __slots__ = ("base", "budget", "parens", "pos", "size", "text")

    def __init__(self, text: str, budget: Budget, base: int = 0) -> None:
        self.text = text
        self.pos = 0
        self.size = len(text)
        self.base = base  # where this text begins in the whole, for spans
        self.parens = 0
        self.budget = budget
        budget.open(self.size)
        if budget.over:
            self.size = 0

    def stop(self) -> None:
        """Read nothing more: the budget is spent."""
        self.budget.over = True
        self.pos = self.size

    def script(self, stops: frozenset[str], closer: str) -> Script:
        raise NotImplementedError

    def word(self) -> Word:
        """The word that begins at pos; pos is then behind it."""
        text, size = self.text, self.size
        start = i = run = self.pos
        parts: list[Part] = []
        while i < size:
            c = text[i]
            if c not in SPECIAL:
                i += 1
                continue
            if c in BREAKS:
                nested = text[i + 1 : i + 2] == "("
                if c in "<>" and nested:
                    self.flush(parts, run, i)
                    body = self.inside(i + 2)
                    parts.append(Part("process", text[i + 2 : self.pos - 1], body=body, operator=c))
                    i = run = self.pos
                    continue
                if c == "(" and i > start and text[i - 1] in "@?+*!":
                    i = self.balanced(i)
                    parts.append(Part("glob", text[run:i]))
                    run = i
                    continue
                break
            if c == "~" and i != start and not (text[i - 1] == "=" and NAME.issuperset(text[start : i - 1])):
                i += 1
                continue
            self.flush(parts, run, i)
            i = run = self.piece(i, parts)
        self.flush(parts, run, i)
        self.pos = i
        self.budget.words += 1
        if self.budget.words > MAX_WORDS:
            self.stop()
        return Word(parts, self.base + start, self.base + i)

    def flush(self, parts: list[Part], begin: int, end: int) -> None:
        if end > begin:
            parts.append(Part("literal", self.text[begin:end]))

    def piece(self, i: int, parts: list[Part]) -> int:
        """Read one quoted or expanding piece at i into parts; the place behind it."""
        text = self.text
        c = text[i]
        if c == "'":
            end = text.find("'", i + 1, self.size)
            end = self.size if end < 0 else end
            parts.append(Part("quoted", text[i + 1 : end]))
            return end + 1 if end < self.size else end
        if c == '"':
            parts.append(Part("quoted", ""))
            return self.pieces(i + 1, '"', True, parts)
        if c == "\\":
            if text[i + 1 : i + 2] == "\n":
                return i + 2
            if text[i + 1 : i + 3] == "\r\n":
                return i + 3
            parts.append(Part("quoted", text[i + 1 : i + 2] if i + 1 < self.size else "\\"))
            return min(i + 2, self.size)
        if c == "~":
            end = i + 1
            while end < self.size and text[end] in TILDE:
                end += 1
            whole = end >= self.size or text[end] == "/" or text[end] in BREAKS or text[end] in ":}"
            parts.append(Part("tilde" if whole else "literal", text[i + 1 : end] if whole else text[i:end]))
            return end
        if c == "`":
            return self.backquote(i, parts, False)
        if c == "$":
            return self.dollar(i, parts, False)
        parts.append(Part("glob", c))
        return i + 1

    def pieces(self, i: int, closer: str, quoted: bool, parts: list[Part]) -> int:
        """Read up to the closer (`"`, `}` or "" for the end of the text) where blanks and operators mean nothing."""
        text, size = self.text, self.size
        run = i
        kind = "quoted" if quoted else "literal"
        while i < size:
            c = text[i]
            if c == closer:
                break
            if c == "\\":
                following = text[i + 1 : i + 2]
                if not quoted or following in ("$", "`", '"', "\\", "\n", "}"):
                    if i > run:
                        parts.append(Part(kind, text[run:i]))
                    if following != "\n":
                        parts.append(Part("quoted", following))
                    i = run = min(i + 2, size)
                else:
                    i += 1
            elif c in "$`" or (c in "'\"" and not quoted) or (c == '"' and closer == "}"):
                if i > run:
                    parts.append(Part(kind, text[run:i]))
                if c == "$":
                    i = self.dollar(i, parts, quoted)
                elif c == "`":
                    i = self.backquote(i, parts, quoted)
                else:
                    i = self.piece(i, parts)
                run = i
            else:
                i += 1
        if i > run:
            parts.append(Part(kind, text[run:i]))
        return i + 1 if i < size and closer else i

    def dollar(self, i: int, parts: list[Part], quoted: bool) -> int:
        """Read what begins with `$` at i."""
        text, size = self.text, self.size
        c = text[i + 1] if i + 1 < size else ""
        if c == "(":
            end = self.arithmetic(i + 1)
            if end:
                parts.append(Part("arithmetic", text[i + 3 : end - 2], quoted, operand=self.embedded(i + 3, end - 2)))
                return end
            body = self.inside(i + 2)
            parts.append(Part("substitution", text[i + 2 : self.pos - 1], quoted, body=body))
            return self.pos
        if c == "{":
            return self.parameter(i + 2, parts, quoted)
        if c == "'" and not quoted:
            j = i + 2
            while j < size and text[j] != "'":
                j += 2 if text[j] == "\\" else 1
            parts.append(Part("quoted", unescape(text[i + 2 : min(j, size)])))
            return min(j + 1, size)
        if c == '"' and not quoted:
            return self.piece(i + 1, parts)
        if c in NAME_START:
            end = i + 2
            while end < size and text[end] in NAME:
                end += 1
            parts.append(Part("variable", text[i + 1 : end], quoted))
            return end
        if c and c in ONE_CHARACTER:
            parts.append(Part("variable", c, quoted))
            return i + 2
        parts.append(Part("quoted" if quoted else "literal", "$"))
        return i + 1

    def parameter(self, i: int, parts: list[Part], quoted: bool) -> int:
        """Read `${…}` from behind its brace."""
        text, size = self.text, self.size
        operator = ""
        if text[i : i + 1] in ("#", "!") and text[i + 1 : i + 2] not in ("}", ""):
            operator = text[i]
            i += 1
        end = i
        while end < size and text[end] in NAME:
            end += 1
        if end == i and i < size and text[i] in ONE_CHARACTER:
            end = i + 1
        name = text[i:end]
        if end < size and text[end] == "[":
            close = text.find("]", end, end + 200)
            name += text[end : close + 1] if close > 0 else ""
            end = close + 1 if close > 0 else end
        i = end
        while end < size and text[end] in ":-=?+#%/^,@" and end - i < 2:
            end += 1
        operator += text[i:end]
        operand: list[Part] = []
        if not self.deeper():
            return size
        if text[end : end + 1] == "~" and not quoted:
            end = self.piece(end, operand)
        end = self.pieces(end, "}", quoted, operand)
        self.budget.depth -= 1
        parts.append(Part("variable", name, quoted, operator, operand))
        return end

    def backquote(self, i: int, parts: list[Part], quoted: bool) -> int:
        """Read an old-style substitution; its inside is a text of its own, since backslashes are taken off first."""
        text, size = self.text, self.size
        j = i + 1
        inner: list[str] = []
        run = j
        while j < size and text[j] != "`":
            if text[j] == "\\" and text[j + 1 : j + 2] in ("`", "\\", "$"):
                inner.append(text[run:j])
                run = j + 1
                j += 2
            else:
                j += 1
        inner.append(text[run : min(j, size)])
        source = "".join(inner)
        body: object = None
        if source and self.deeper():
            body = type(self)(source, self.budget, self.base + i + 1).script(frozenset(), "")
            self.budget.depth -= 1
        parts.append(Part("substitution", source, quoted, body=body))
        return min(j + 1, size)

    def inside(self, i: int) -> Script:
        """The commands from i to the parenthesis that ends them; pos is then behind it."""
        self.pos = i
        self.parens += 1
        body = self.script(frozenset(), ")")
        self.parens -= 1
        self.pos = min(self.pos + 1, self.size)
        return body

    def embedded(self, begin: int, end: int) -> list[Part]:
        """The expanding pieces of text[begin:end], read as if it stood between double quotes."""
        inner = self.text[begin:end]
        parts: list[Part] = []
        if ("$" in inner or "`" in inner) and self.deeper():
            type(self)(inner, self.budget, self.base + begin).pieces(0, "", True, parts)
            self.budget.depth -= 1
        return parts

    def arithmetic(self, i: int) -> int:
        """The place behind `((…))` that opens at i, or 0 when these are two parentheses."""
        text = self.text
        if text[i + 1 : i + 2] != "(":
            return 0
        limit = min(self.size, i + MAX_ARITHMETIC)
        level, j = 2, i + 2
        while j < limit:
            c = text[j]
            if c == "(":
                level += 1
            elif c == ")":
                level -= 1
                if level == 1:
                    return j + 2 if text[j + 1 : j + 2] == ")" else 0
            j += 1
        return 0

    def balanced(self, i: int) -> int:
        """The place behind the parenthesis that closes the one at i, at most a line away."""
        level, j = 0, i
        while j < self.size and self.text[j] != "\n":
            level += {"(": 1, ")": -1}.get(self.text[j], 0)
            j += 1
            if level == 0:
                break
        return j

    def deeper(self) -> bool:
        """One level down; False (and an end to reading) where the text is too deep."""
        self.budget.depth += 1
        if self.budget.depth > MAX_DEPTH:
            self.budget.depth -= 1
            self.stop()
            return False
        return True
