"""The tree that posix.py reads a text into."""

from __future__ import annotations

from pal.guard.model import Redirect, Simple, Word


class Node:
    """One command of a pipeline.

    Kinds: "simple" (command), "subshell" and "group" (scripts[0]), "if", "loop" and "case" (scripts, in the order of
    the text), "for" (name, words, scripts[0]), "function" (name, scripts[0]), "test" and "arithmetic" (words).
    """

    __slots__ = ("command", "kind", "name", "redirects", "scripts", "words")

    def __init__(self, kind: str, command: Simple | None = None) -> None:
        self.kind = kind
        self.command = command
        self.scripts: list[Script] = []
        self.words: list[Word] = []
        self.name = ""
        self.redirects: list[Redirect] = []


class Script:
    """A list of commands: each pipeline with the operator behind it ("&", "&&", "||", ";" or "")."""

    __slots__ = ("pipelines",)

    def __init__(self) -> None:
        self.pipelines: list[tuple[list[Node], str]] = []
