"""Reads what stands between and around the words of shell text: blanks, separators, redirects, heredocs, assignments.

posix.py builds commands on it. A heredoc is announced by its redirect and read at the next newline.
"""

from __future__ import annotations

from pal.guard.model import Part, Redirect, Simple, Word
from pal.guard.posix_text import Budget
from pal.guard.posix_words import NAME, Reader

BLANKS = frozenset(" \t\r")
DIGITS = frozenset("0123456789")
OPERATORS = ("&>>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "&>", "<", ">")


class Lines(Reader):
    """A reader that knows where a line and a command end."""

    __slots__ = ("pending",)

    def __init__(self, text: str, budget: Budget, base: int = 0) -> None:
        super().__init__(text, budget, base)
        self.pending: list[Redirect] = []

    def separators(self) -> None:
        """Step over blanks, newlines (and the heredocs due there), comments, and single `;` and `&`."""
        text = self.text
        while self.pos < self.size:
            c = text[self.pos]
            if c in BLANKS:
                self.pos += 1
            elif c == "\n":
                self.newline()
            elif c == "#":
                end = text.find("\n", self.pos, self.size)
                self.pos = self.size if end < 0 else end
            elif c == "\\" and text[self.pos + 1 : self.pos + 2] == "\n":
                self.pos += 2
            elif (c == ";" and text[self.pos + 1 : self.pos + 2] not in (";", "&")) or (
                c in "&|" and text[self.pos + 1 : self.pos + 2] != ">"
            ):
                self.pos += 1
            else:
                return

    def blanks(self) -> None:
        text = self.text
        while self.pos < self.size:
            if text[self.pos] in BLANKS:
                self.pos += 1
            elif text[self.pos] == "\\" and text[self.pos + 1 : self.pos + 2] == "\n":
                self.pos += 2
            else:
                return

    def connector(self) -> str:
        self.blanks()
        pair = self.text[self.pos : self.pos + 2]
        if pair in ("&&", "||"):
            self.pos += 2
            return pair
        if pair[:1] == "&":
            self.pos += 1
            return "&"
        return ";" if pair and pair[0] in ";\n" else ""

    def lines(self) -> None:
        """Step over blanks, newlines and comments where a command must follow."""
        while self.pos < self.size:
            self.blanks()
            c = self.text[self.pos : self.pos + 1]
            if c == "\n":
                self.newline()
            elif c == "#":
                end = self.text.find("\n", self.pos, self.size)
                self.pos = self.size if end < 0 else end
            else:
                return

    def words_of_line(self) -> list[Word]:
        words: list[Word] = []
        while True:
            self.blanks()
            if self.pos >= self.size or self.text[self.pos] in "\n;&|()":
                return words
            before = self.pos
            words.append(self.word())
            if self.pos == before:
                self.pos += 1

    def assignment(self, command: Simple) -> bool:
        """Read `name=value`, `name+=value` or `name=(words)` at pos; False when it is none of them."""
        text, end = self.text, self.pos
        while end < self.size and text[end] in NAME:
            end += 1
        name = text[self.pos : end]
        if text[end : end + 1] == "[":
            close = text.find("]", end, end + 100)
            end = close + 1 if close > 0 else end
        if text[end : end + 1] == "+":
            name, end = name + "+", end + 1
        if text[end : end + 1] != "=":
            return False
        self.pos = end + 1
        if text[self.pos : self.pos + 1] == "(":
            start = self.pos
            self.pos += 1
            words: list[Word] = []
            while self.pos < self.size and text[self.pos] != ")":
                self.lines()
                before = self.pos
                words += self.words_of_line()
                stuck = self.pos == before and text[self.pos : self.pos + 1] != ")"
                if self.pos < self.size and (text[self.pos] in ";&|(" or stuck):
                    self.pos += 1
            self.pos = min(self.pos + 1, self.size)
            value = Word([Part("array", "", body=words)], self.base + start, self.base + self.pos)
        else:
            value = self.word()
        command.assignments.append((name, value))
        return True

    def redirect(self) -> Redirect | None:
        """The redirect at pos, with its descriptor before it; None (and nothing read) when there is none."""
        text, i = self.text, self.pos
        end = i
        while end < self.size and end - i < 6 and text[end] in DIGITS:
            end += 1
        if end == i and text[i : i + 1] == "{":
            close = text.find("}", i, i + 40)
            if close < 0 or text[close + 1 : close + 2] not in ("<", ">"):
                return None
            end = close + 1
        if text[end : end + 1] not in ("<", ">", "&") or (end > i and text[end] == "&"):
            return None
        operator = next((known for known in OPERATORS if text.startswith(known, end)), "")
        if not operator or (operator in "<>" and text[end + 1 : end + 2] == "(" and end == i):
            return None
        self.pos = end + len(operator)
        self.blanks()
        target = self.word()
        found = Redirect(text[i:end], operator, target)
        if operator in ("<<", "<<-"):
            found.expands = not target.quoted()
            found.body = ""
            self.pending.append(found)
        return found

    def newline(self) -> None:
        """Step over the newline at pos, and read the heredocs that were announced before it."""
        self.pos += 1
        if not self.pending:
            return
        pending, self.pending = self.pending, []
        text = self.text
        for redirect in pending:
            ends = "".join(part.text for part in redirect.target.parts)
            strip = redirect.operator == "<<-"
            lines: list[str] = []
            while self.pos < self.size:
                end = text.find("\n", self.pos, self.size)
                end = self.size if end < 0 else end
                line = text[self.pos : end]
                self.pos = min(end + 1, self.size)
                if strip:
                    line = line.lstrip("\t")
                if line.rstrip("\r") == ends:
                    break
                lines.append(line)
            redirect.body = "\n".join(lines) + "\n" if lines else ""
