"""Reads POSIX shell text (bash and its relatives) into a small tree: lists, pipelines, compound and simple commands,
heredocs.

One pass over the text. Unfinished input is closed at its end, nonsense is stepped over, nothing is raised; where a
budget ends, `budget.over` says so and the tree holds what was read until there.
"""

from __future__ import annotations

from pal.guard.model import Part, Simple, Word
from pal.guard.posix_lines import BLANKS, DIGITS, Lines
from pal.guard.posix_text import Budget
from pal.guard.posix_tree import Node, Script
from pal.guard.posix_words import NAME, NAME_START

NO_STOPS: frozenset[str] = frozenset()
# Reserved words that begin a compound command, and those that only end or divide one.
OPENERS = frozenset({"if", "while", "until", "for", "select", "case", "function", "{", "[[", "time", "!", "coproc"})
DIVIDERS = frozenset({"then", "else", "elif", "fi", "do", "done", "esac", "}"})
RESERVED = OPENERS | DIVIDERS


class Posix(Lines):
    """A reader of commands. `script(NO_STOPS, "")` reads everything."""

    __slots__ = ()

    def script(self, stops: frozenset[str], closer: str) -> Script:
        """Pipelines up to a reserved word in stops, the closer (")" or ";;") or the end; pos is then at that end."""
        out = Script()
        if not self.deeper():
            return out
        text = self.text
        while True:
            self.separators()
            if self.pos >= self.size:
                break
            if text[self.pos] == ")":
                if self.parens:
                    break
                self.pos += 1
                continue
            if text[self.pos] == ";":  # separators() stops at ;; only
                if closer == ";;":
                    break
                self.pos += 2
                continue
            word = self.reserved()
            if word in stops:
                break
            if word in DIVIDERS:
                self.pos += len(word)
                continue
            before = self.pos
            nodes = self.pipeline()
            if self.pos == before:
                self.pos += 1
            out.pipelines.append((nodes, self.connector()))
        self.budget.depth -= 1
        return out

    def reserved(self) -> str:
        """The reserved word at pos, "" when the text there is something else."""
        text, i = self.text, self.pos
        end = i
        while end < self.size and end - i < 9 and (text[end] in NAME or text[end] in "{}![]"):
            end += 1
        word = text[i:end]
        if word not in RESERVED:
            return ""
        following = text[end] if end < self.size else "\n"
        return word if following in " \t\r\n;&|()<>" else ""

    def pipeline(self) -> list[Node]:
        nodes: list[Node] = []
        while self.pos < self.size:
            nodes.append(self.node())
            self.blanks()
            if self.text[self.pos : self.pos + 1] != "|" or self.text[self.pos : self.pos + 2] == "||":
                break
            self.pos += 2 if self.text[self.pos : self.pos + 2] == "|&" else 1
            self.lines()
        return nodes

    def node(self) -> Node:
        """One command, compound or simple, with its redirects."""
        self.blanks()
        if self.text[self.pos : self.pos + 1] == "(":
            end = self.arithmetic(self.pos)
            if end:
                node = Node("arithmetic")
                node.words = [Word(self.embedded(self.pos + 2, end - 2), self.base + self.pos, self.base + end)]
                self.pos = end
            else:
                node = Node("subshell")
                node.scripts = [self.inside(self.pos + 1)]
            return self.trailing(node)
        word = self.reserved()
        if word in ("!", "time", "coproc"):
            self.pos += len(word)
            self.blanks()
            while word == "time" and self.text.startswith("-p", self.pos):
                self.pos += 2
                self.blanks()
            if not self.deeper():
                return Node("group")
            node = self.node()
            self.budget.depth -= 1
            return node
        if word in OPENERS:
            self.pos += len(word)
            return self.trailing(self.compound(word))
        return self.simple()

    def compound(self, word: str) -> Node:
        if word == "{":
            node = Node("group")
            node.scripts = [self.until("}")]
        elif word == "if":
            node = Node("if")
            while True:
                node.scripts.append(self.script(frozenset({"then", "elif", "else", "fi"}), ""))
                word = self.reserved()
                self.pos += len(word)
                if word not in ("then", "elif", "else"):
                    break
        elif word in ("while", "until"):
            node = Node("loop")
            node.scripts = [self.until("do"), self.until("done")]
        elif word in ("for", "select"):
            node = self.loop_over()
        elif word == "case":
            node = self.case()
        elif word == "[[":
            node = Node("test")
            self.test(node)
        else:
            self.blanks()
            name = self.word()
            self.blanks()
            if self.text.startswith("()", self.pos):
                self.pos += 2
            node = self.function(name)
        return node

    def until(self, stop: str) -> Script:
        body = self.script(frozenset({stop}), "")
        if self.pos < self.size and self.reserved() == stop:
            self.pos += len(stop)
        return body

    def loop_over(self) -> Node:
        self.blanks()
        end = self.arithmetic(self.pos) if self.text.startswith("((", self.pos) else 0
        node = Node("loop" if end else "for")
        if end:
            node.words = [Word(self.embedded(self.pos + 2, end - 2))]
            self.pos = end
        else:
            node.name = self.word().literal() or ""
            self.lines()
            if self.text.startswith("in", self.pos) and self.text[self.pos + 2 : self.pos + 3] not in NAME:
                self.pos += 2
                node.words = self.words_of_line()
        self.separators()
        if self.reserved() == "{":
            self.pos += 1
            node.scripts = [self.until("}")]
        else:
            self.until("do")
            node.scripts = [self.until("done")]
        return node

    def case(self) -> Node:
        node = Node("case")
        self.blanks()
        node.words = [self.word()]
        self.lines()
        if self.text.startswith("in", self.pos):
            self.pos += 2
        while self.pos < self.size:
            self.separators()
            if self.text[self.pos : self.pos + 1] == ";":
                self.pos += 2 + (self.text[self.pos + 2 : self.pos + 3] == "&")
                continue
            if self.reserved() == "esac":
                self.pos += 4
                break
            if self.text[self.pos : self.pos + 1] == "(":
                self.pos += 1
            while self.pos < self.size and self.text[self.pos] not in ")\n":
                before = self.pos
                self.word()  # a pattern: nothing in it runs but substitutions, which nobody hides there
                self.blanks()
                if self.pos == before or self.text[self.pos : self.pos + 1] == "|":
                    self.pos += 1
            if self.text[self.pos : self.pos + 1] == ")":
                self.pos += 1
            elif self.parens:
                break
            before = self.pos
            node.scripts.append(self.script(frozenset({"esac"}), ";;"))
            if self.text[self.pos : self.pos + 1] == ")":
                break
            if self.pos == before and self.pos < self.size and self.text[self.pos] not in ";e":
                self.pos += 1
        return node

    def test(self, node: Node) -> None:
        """`[[ … ]]`: its operators are no redirects."""
        while self.pos < self.size:
            self.blanks()
            c = self.text[self.pos : self.pos + 1]
            if c == "\n" or (c and c in ";&|()<>"):
                if c == ";":
                    return
                self.pos += 1
                continue
            if not c:
                return
            word = self.word()
            if word.literal() == "]]":
                return
            node.words.append(word)

    def function(self, name: Word) -> Node:
        node = Node("function")
        node.name = name.literal() or "".join(part.text for part in name.parts)
        self.lines()
        if self.deeper():
            body = Script()
            if self.pos < self.size:
                body.pipelines.append(([self.node()], ""))
            node.scripts = [body]
            self.budget.depth -= 1
        return node

    def trailing(self, node: Node) -> Node:
        """The redirects behind a compound command."""
        while True:
            self.blanks()
            redirect = self.redirect()
            if redirect is None:
                return node
            node.redirects.append(redirect)

    def simple(self) -> Node:
        text = self.text
        command = Simple(self.base + self.pos)
        node = Node("simple", command)
        while True:
            self.blanks()
            if self.pos >= self.size:
                break
            c = text[self.pos]
            if c in "\n;|)" or (c == "&" and text[self.pos + 1 : self.pos + 2] != ">"):
                break
            if c == "#":
                end = text.find("\n", self.pos, self.size)
                self.pos = self.size if end < 0 else end
                break
            if c == "(":
                close = self.pos + 1
                while close < self.size and text[close] in BLANKS:
                    close += 1
                if len(command.words) == 1 and not command.assignments and text[close : close + 1] == ")":
                    self.pos = close + 1
                    return self.function(command.words[0])
                if command.words or command.assignments or command.redirects:
                    self.pos += 1
                    continue
                break
            if c in "<>&" or c in DIGITS or c == "{":
                redirect = self.redirect()
                if redirect is not None:
                    command.redirects.append(redirect)
                    continue
            before = self.pos
            if not command.words and c in NAME_START and self.assignment(command):
                continue
            command.words.append(self.word())
            if self.pos == before:
                self.pos += 1
        command.end = self.base + self.pos
        return node


def parse(text: str, budget: Budget, base: int = 0) -> Script:
    """The commands of a text."""
    return Posix(text, budget, base).script(NO_STOPS, "")


def heredoc_word(body: str, budget: Budget, base: int = 0) -> Word:
    """The body of a heredoc whose delimiter was not quoted: only `$` and backquotes mean anything in it."""
    parts: list[Part] = []
    Posix(body, budget, base).pieces(0, "", True, parts)
    return Word(parts, base, base)
