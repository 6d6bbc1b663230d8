"""Cuts PowerShell text into commands and their words: quoting, backquotes, here-strings, variables, `$( )`, pipes.

One linear pass with an explicit stack; unfinished text is closed at its end. What only the running shell could know is
the mark UNKNOWN in a word, and `$_` is the mark ITEM, so that a rule can ask what the pipe carries."""

from __future__ import annotations

from pal.guard.model import UNKNOWN
from pal.guard.powershell_model import AND, ITEM, NAMED, Command, Word, constants, past_parenthesis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

COMMANDS_AT_MOST = 400
WORDS_AT_MOST = 16_000
_DEPTH = 40
_LONGEST_VALUE = 4096
_LIST_AT_MOST = 64

_BLANK = frozenset(" \t\r\f\v\xa0")
_ENDS_BARE = frozenset(" \t\r\f\v\xa0\n;|&(){},\"'`$><")
_BACKQUOTED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


class Reader:
    """Reads one text; `commands` holds every command in it, the inner ones before those that hold them."""

    __slots__ = (
        "at", "commands", "fixed", "joined", "nested", "now", "sources", "stack", "text", "total", "variables",
    )  # fmt: skip

    def __init__(self, text: str, variables: dict[str, str], fixed: Mapping[str, str]) -> None:
        self.text = text
        self.variables = variables  # what the text sets, by lower-case name
        self.fixed = fixed  # what the system sets
        self.at = self.total = 0
        self.commands: list[Command] = []
        self.nested: list[str] = []  # sources of `$( )` inside strings
        self.sources: list[str] = []  # those of the word that is read
        self.stack: list[tuple[Command, str]] = []
        self.now = Command(0, None, None)
        self.joined = False

    def read(self) -> list[Command]:
        """All commands of the text, in the order they end."""
        text, end = self.text, len(self.text)
        while self.at < end and len(self.commands) < COMMANDS_AT_MOST and self.total < WORDS_AT_MOST:
            letter = text[self.at]
            if letter in _BLANK:
                self.at += 1
            elif letter == "\n" or letter == ";":
                self.finish(False)
                self.at += 1
            elif letter == "#" and (self.at == 0 or text[self.at - 1] in " \t\n;({|"):
                self.at = self.find("\n", self.at)
            elif text.startswith("<#", self.at):
                self.at = self.find("#>", self.at) + 2
            elif letter == "`" and text[self.at + 1 : self.at + 2] in ("\n", "\r"):
                self.at += 3 if text.startswith("\r\n", self.at + 1) else 2
            elif letter == "|":
                self.finish(not text.startswith("||", self.at))
                self.at += 2 if text.startswith("||", self.at) else 1
            elif letter == "&":
                self.ampersand()
            elif letter == ",":
                self.joined = True
                self.at += 1
            elif letter in ")}":
                self.close()
                self.at += 1
            elif letter in "({" or text.startswith(("@(", "@{", "$("), self.at):
                self.open(letter)
            elif letter in "<>" or (letter in "0123456*" and text[self.at + 1 : self.at + 2] == ">"):
                self.redirect()
            else:
                self.word()
        while self.stack:
            self.close()
        self.finish(False)
        return self.commands

    def find(self, mark: str, at: int) -> int:
        """Where `mark` is next, or the end of the text."""
        spot = self.text.find(mark, at)
        return spot if spot >= 0 else len(self.text)

    def finish(self, piped: bool) -> None:
        """Ends the command; after a pipe the next one reads from it."""
        done = self.now
        if done.words:
            self.commands.append(done)
            self.assign(done)
        self.now = Command(self.at, done.parent, done if piped and done.words else None)
        self.joined = False

    def assign(self, done: Command) -> None:
        """Keeps `$name = constant` and `foreach ($name in constants)`."""
        words = done.words
        if len(words) >= 3 and words[1].text in ("=", "in") and words[0].text.startswith(NAMED):
            name = words[0].text[1:]
            value = AND.join(constants(words[2:]))
            if value and UNKNOWN not in value and ITEM not in value and len(value) <= _LONGEST_VALUE:
                self.variables[name] = value
            else:
                self.variables.pop(name, None)

    def ampersand(self) -> None:
        if self.text.startswith("&&", self.at):
            self.finish(False)
            self.at += 2
        elif self.now.words and not (len(self.now.words) == 2 and self.now.words[1].text == "="):
            self.finish(False)
            self.at += 1
        else:
            self.now.called = True
            self.at += 1

    def open(self, letter: str) -> None:
        """`(`, `{`, `$(`, `@(`, `@{`: a word with commands inside."""
        opener = letter if letter in "({" else self.text[self.at + 1]
        self.at += 1 if letter in "({" else 2
        glued = letter == "(" and self.at > 1 and self.now.words and self.text[self.at - 2] not in " \t\n,|;&({"
        if not glued or not self.now.words:
            self.add(Word(UNKNOWN, False, self.joined))
        if len(self.stack) >= _DEPTH:
            return
        self.stack.append((self.now, opener))
        self.now = Command(self.at, self.now, None)
        self.joined = False

    def close(self) -> None:
        first = len(self.commands)
        self.finish(False)
        if not self.stack:
            return
        holder, _ = self.stack.pop()
        spot = len(self.commands) - 1
        while spot >= 0 and self.commands[spot].parent is holder and spot >= first - COMMANDS_AT_MOST:
            if holder.words:
                holder.words[-1].inner.insert(0, self.commands[spot])
            spot -= 1
        self.now = holder
        if len(holder.words) > 1 and holder.words[-1].text == UNKNOWN and len(holder.words[-1].inner) == 1:
            values = constants(holder.words[-1].inner[0].words)
            if values:
                held = holder.words[-1]
                held.text, held.quoted = values[0], True
                for value in values[1:_LIST_AT_MOST]:
                    self.add(Word(value, True, True))

    def redirect(self) -> None:
        """`>`, `2>`, `*>>`: a word of its own, so that the target follows it; `2>&1` is nothing."""
        stop = self.at + 1
        while self.text[stop : stop + 1] == ">":
            stop += 1
        if self.text[stop : stop + 1] == "&":
            self.at = stop + 2
            return
        self.add(Word(">" if ">" in self.text[self.at : stop] else "<"))
        self.at = stop

    def add(self, word: Word) -> None:
        self.total += 1
        if self.sources:
            word.sources, self.sources = self.sources, []
        self.joined = False
        self.now.words.append(word)

    def word(self) -> None:
        """A word up to a blank or an operator, of any mixture of quoted and unquoted pieces."""
        text, end, start = self.text, len(self.text), self.at
        pieces: list[str] = []
        quoted = False
        if text.startswith(("@'\n", '@"\n', "@'\r\n", '@"\r\n'), start):
            self.here_string()
            return
        while self.at < end:
            letter = text[self.at]
            if letter in "\"'":
                quoted = True
                pieces.append(self.string(letter))
            elif letter == "`":
                follows = text[self.at + 1 : self.at + 2]
                if follows in ("\n", "\r", ""):
                    break
                pieces.append(follows if self.at == start or follows not in "ntr0" else follows)
                self.at += 2
            elif letter == "$" and not text.startswith("$(", self.at):
                pieces.append(self.variable(not pieces and self.at == start))
            elif letter == "$" and pieces:
                pieces.append(self.substituted())
            elif letter in _ENDS_BARE:
                break
            else:
                stop = self.at + 1
                while stop < end and text[stop] not in _ENDS_BARE:
                    stop += 1
                pieces.append(text[self.at : stop])
                self.at = stop
        if self.at == start:
            self.at += 1
            return
        value = "".join(pieces)
        if value in ("=", "+=") or not value.startswith(NAMED):
            self.add(Word(value, quoted, self.joined))
            return
        self.set_or_use(value)

    def set_or_use(self, value: str) -> None:
        """A word that is a variable: the target of an assignment keeps its name, any other its value."""
        rest = self.text[self.at : self.at + 5].lstrip()
        name = value[1:]
        if not self.now.words and ((rest[:1] == "=" and rest[1:2] != "=") or rest[:3].lower() == "in "):
            self.add(Word(NAMED + name))
            return
        for number, value in enumerate(self.value_of(name).split(AND)[:_LIST_AT_MOST]):
            self.add(Word(value, True, self.joined or number > 0))

    def value_of(self, name: str) -> str:
        low, dot, member = name.lower().partition(".")
        if low in ("_", "psitem"):
            return ITEM
        found = self.variables.get(low, self.fixed.get(low))
        if found is None or (dot and member not in ("path", "fullname", "providerpath")):
            return UNKNOWN
        return found

    def variable(self, first: bool) -> str:
        """The value of the variable at the reading place; at the start of a word its name, marked."""
        text, end = self.text, len(self.text)
        start = self.at + 1
        if text[start : start + 1] == "{":
            stop = self.find("}", start)
            name = text[start + 1 : stop]
            self.at = stop + 1
        else:
            stop = start
            while stop < end and (text[stop].isalnum() or text[stop] in "_:?"):
                stop += 1
            if text[stop - 1 : stop] == ":" and stop > start:
                stop -= 1
            name = text[start:stop]
            self.at = max(stop, start)
        if name.lower().startswith(("global:", "script:", "local:", "private:")):
            name = name.partition(":")[2]
        if not name:
            return "$"
        member = self.at
        while first and text[member : member + 1] == "." and text[member + 1 : member + 2].isalpha():
            member += 1
            while member < end and text[member].isalnum():
                member += 1
        if first and member == end or (first and text[member : member + 1] in " \t\r\n;|,)}=+&"):
            name += text[self.at : member]
            self.at = member
            return NAMED + name.lower()
        found = self.value_of(name)
        return UNKNOWN if AND in found else found

    def string(self, quote: str) -> str:
        """A quoted string; in double quotes variables are filled in and `$( )` is read for itself."""
        text, end = self.text, len(self.text)
        self.at += 1
        pieces: list[str] = []
        while self.at < end:
            letter = text[self.at]
            if letter == quote:
                if text[self.at + 1 : self.at + 2] != quote:
                    break
                pieces.append(quote)
                self.at += 2
            elif quote == "'":
                stop = self.find("'", self.at)
                pieces.append(text[self.at : stop])
                self.at = stop
            else:
                self.expanding(letter, '"', pieces)
        self.at += 1
        return "".join(pieces)

    def expanding(self, letter: str, quote: str, pieces: list[str]) -> None:
        """One piece of a text in which variables are filled in."""
        text, end = self.text, len(self.text)
        if letter == "`":
            follows = text[self.at + 1 : self.at + 2]
            pieces.append(_BACKQUOTED.get(follows, follows))
            self.at += 2
        elif letter == "$" and text[self.at + 1 : self.at + 2] == "(":
            pieces.append(self.substituted())
        elif letter == "$":
            pieces.append(self.variable(False))
        else:
            stop = self.at + 1
            while stop < end and text[stop] not in "`$" and text[stop] != quote:
                stop += 1
            pieces.append(text[self.at : stop])
            self.at = stop

    def substituted(self) -> str:
        """The `$( )` at the reading place: the value of a lone variable, else UNKNOWN, its source kept."""
        stop = past_parenthesis(self.text, self.at + 1)
        source = self.text[self.at + 2 : stop - 1].strip()
        self.at = stop
        if source[:1] == "$" and source[1:].replace(":", "").replace("_", "").isalnum():
            return self.value_of(source[1:])
        self.nested.append(source)
        self.sources.append(source)
        return UNKNOWN

    def here_string(self) -> None:
        quote = self.text[self.at + 1]
        start = self.find("\n", self.at) + 1
        stop = self.find("\n" + quote + "@", start - 1)
        self.add(Word(self.text[start:stop], True, self.joined))
        self.at = stop + 3
