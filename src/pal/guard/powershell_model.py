"""What PowerShell text is cut into: commands and their words, and the marks that stand for what is unknown."""

from __future__ import annotations

ITEM = "\ue001"  # `$_`
NAMED = "\ue002"  # begins a word that names a variable to set
AND = "\ue003"  # between the values of a list


class Word:
    """A word: its value, whether any of it was quoted, whether it is another value of the word before (after a comma),
    the commands inside its parentheses or braces, and the sources of the `$( )` in its strings."""

    __slots__ = ("inner", "joined", "quoted", "sources", "text")

    def __init__(self, text: str, quoted: bool = False, joined: bool = False) -> None:
        self.text = text
        self.quoted = quoted
        self.joined = joined
        self.inner: list[Command] = []
        self.sources: list[str] = []


class Command:
    """One command: its words, whether `&` calls it, the command whose output it reads, and the one it stands in."""

    __slots__ = ("called", "parent", "source", "start", "words")

    def __init__(self, start: int, parent: Command | None, source: Command | None) -> None:
        self.start = start
        self.parent = parent
        self.source = source
        self.called = False
        self.words: list[Word] = []


def constants(words: list[Word]) -> list[str]:
    """The values that an expression comes to when its text alone says so; [] otherwise."""
    if not words:
        return []
    first = words[0]
    if first.quoted:
        return [word.text for word in words] if all(word.joined for word in words[1:]) else []
    name = first.text.lower()
    given = [word.text for word in words[1:] if word.text[:1] != "-" or word.quoted]
    if name == "join-path" and len(given) > 1:
        return ["\\".join(given)]
    if name in ("get-item", "gi", "resolve-path", "rvpa", "convert-path"):
        return given
    if name.endswith("]::getfolderpath") and first.inner and first.inner[0].words:
        known = {"userprofile": "~", "mydocuments": "~\\Documents", "personal": "~\\Documents", "desktop": "~\\Desktop"}
        found = known.get(first.inner[0].words[0].text.lower(), "")
        return [found] if found else []
    return []


def past_parenthesis(text: str, at: int) -> int:
    """Past the parenthesis that closes the one at `at`; beyond the end of the text when none does."""
    depth = 0
    while at < len(text):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(text) + 1
