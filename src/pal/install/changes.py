"""The words an agent's plan is written in: each change that PAL makes to files outside its memory, as a plain value.

A target returns a list of these; `apply` makes, shows, undoes and checks them. A change is known by its id (path and
place), whoever asks for it, so what several agents share is made once and goes with the last of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union

FILE, TREE, MEMBER, ELEMENT, BLOCK, TABLE = "file", "tree", "member", "element", "block", "table"
KEPT = "kept"
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class Match(NamedTuple):
    """How an entry of ours is recognised, in any version and from wherever it was installed: it says one of these.

    says    texts such as `hook.py pre-tool --agent=claude`; compared without quotes, on whole words
    fields  the members of an entry to look at, joined by spaces (text or lists of texts); none: the entry is the text
    inside  the list in which an entry stands within its group (`hooks` in Claude's settings); "" where it stands alone
    """

    says: tuple[str, ...]
    fields: tuple[str, ...] = ()
    inside: str = ""

    def fits(self, entry: Any) -> bool:
        """Whether this entry (a hook, not its group) is ours."""
        if self.fields:
            parts = [entry.get(field) for field in self.fields] if isinstance(entry, dict) else []
        else:
            parts = [entry]
        words: list[str] = []
        for part in parts:
            words += [word for word in (part if isinstance(part, list) else [part]) if isinstance(word, str)]
        text = _bare(" ".join(words))
        return any(_holds(text, _bare(says)) for says in self.says)

    def facts(self) -> dict[str, Any]:
        return {"says": list(self.says), "fields": list(self.fields), "inside": self.inside}


def match_from(facts: Mapping[str, Any]) -> Match:
    """The match that `facts` wrote."""
    return Match(tuple(facts["says"]), tuple(facts["fields"]), facts["inside"])


class WriteFile(NamedTuple):
    """A file that is ours alone; a file of somebody else's in its place stops the install."""

    path: str
    data: bytes
    mode: int = 0o600

    @property
    def kind(self) -> str:
        return FILE

    @property
    def place(self) -> str:
        return ""


class CopyTree(NamedTuple):
    """Files of ours in a folder that others use too (names with `/`, relative to it).

    A file somebody edited is kept; a file or folder of the same name that was there before is never touched."""

    path: str
    files: Mapping[str, bytes]

    @property
    def kind(self) -> str:
        return TREE

    @property
    def place(self) -> str:
        return "tree"


class KeptFiles(NamedTuple):
    """Files that PAL writes into this folder between installs: named so and carrying the mark. The folder is made; at
    the end these files go, and whatever is called so and carries no mark is somebody else's."""

    path: str
    prefix: str
    suffix: str
    mark: str

    @property
    def kind(self) -> str:
        return KEPT

    @property
    def place(self) -> str:
        return f"{self.prefix}*{self.suffix}"


class JsonMember(NamedTuple):
    """A member of a JSON file. One that somebody else wrote is left alone, or replaced until uninstall."""

    path: str
    keys: tuple[str, ...]
    value: Any
    only_if_absent: bool = True
    match: Match | None = None

    @property
    def kind(self) -> str:
        return MEMBER

    @property
    def place(self) -> str:
        return "/".join(self.keys)


class JsonElement(NamedTuple):
    """An element of a list in a JSON file: a text, an entry, or a group with one entry of ours."""

    path: str
    keys: tuple[str, ...]
    value: Any
    match: Match

    @property
    def kind(self) -> str:
        return ELEMENT

    @property
    def place(self) -> str:
        return "/".join(self.keys) + "#" + self.match.says[0]


class TomlTable(NamedTuple):
    """Members of one table of a TOML file; other members of it stay. A table that somebody else made is left alone, or
    with only_if_absent=False gets these members until uninstall."""

    path: str
    keys: tuple[str, ...]
    values: Mapping[str, Any]
    only_if_absent: bool = True
    match: Match | None = None

    @property
    def kind(self) -> str:
        return TABLE

    @property
    def place(self) -> str:
        return "/".join(self.keys[:-1]) + "#" + self.keys[-1]


class Block(NamedTuple):
    """A marked block in a text file that people write too. style: `html` for Markdown, `hash` for `#` comments.

    header: what a file that only PAL fills begins with, where its agent wants one; it goes with the block."""

    path: str
    text: str
    style: str = "html"
    header: str = ""

    @property
    def kind(self) -> str:
        return BLOCK

    @property
    def place(self) -> str:
        return "block"


Change = Union[WriteFile, CopyTree, KeptFiles, JsonMember, JsonElement, TomlTable, Block]
Plan = Sequence[Change]


def change_id(change: Change) -> str:
    """What the change is known by, whoever asks for it."""
    return os.path.abspath(change.path) + "|" + change.place


def _bare(text: str) -> str:
    return " ".join(text.replace('"', "").replace("'", "").split())


def _holds(text: str, says: str) -> bool:
    """Whether the text says this on whole words: `--agent=a` is not in `--agent=ab`."""
    place = text.find(says) if says else -1
    while place >= 0:
        end = place + len(says)
        if text[place - 1 : place] not in _WORD and text[end : end + 1] not in _WORD:
            return True
        place = text.find(says, place + 1)
    return False
