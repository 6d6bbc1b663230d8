"""The last look at a text too large or too deep to be read: one pass for the few things that cannot be taken back."""

from __future__ import annotations

from pal.guard import paths
from pal.guard.paths import names

NEAR = 160  # characters behind a word that belong to its command
QUOTES = str.maketrans(
    {'"': "", "'": "", "\\": "", ";": " ; ", "&": " & ", "|": " | ", ")": " ) ", "}": " } ", "\n": " ; "}
)
ENDS = frozenset({";", "&", "|", ")", "}"})
EDGES = frozenset(" \t\n;&|(){}`'\"=/\\$")
WHOLE = frozenset({"/", "/*", "~", "~/", "~/*", "/.", "/..", "//"})
HOMES = ("$HOME", "${HOME}")
STARTS = frozenset("/~$")  # of everything protected but a home
SYSTEM = names("bin boot dev etc home lib lib64 opt proc root run sbin srv sys usr var Users System Library")


def catastrophe(text: str, home: str) -> tuple[int, int]:
    """Where the text deletes the root or a home, or writes over a disk, in plain spelling; (0, 0) when nowhere."""
    for word, check in (("rm", removes), ("mkfs", formats), ("dd", overwrites)):
        i = text.find(word)
        while i >= 0:
            if i == 0 or text[i - 1] in EDGES:
                near = text[i : i + NEAR].translate(QUOTES).split()
                if check(near, home):
                    return i, min(i + NEAR, len(text))
            i = text.find(word, i + 1)
    for mark in (":(){", ":|:&", "> /dev/sd", ">/dev/sd", "> /dev/nvme", ">/dev/nvme", "--no-preserve-root"):
        i = text.find(mark)
        if i >= 0:
            return i, i + len(mark)
    return 0, 0


def removes(words: list[str], home: str) -> bool:
    if words[0] != "rm":
        return False
    recursive = False
    for word in words[1:]:
        if word in ENDS:
            return False
        if word.startswith("-"):
            recursive = recursive or "r" in word or "R" in word
        elif recursive and protected(word, home):
            return True
    return False


def protected(word: str, home: str) -> bool:
    if word[:1] not in STARTS and word[:1] != home[:1]:
        return False  # most words, at once: a long text has many
    if word in WHOLE or word.rstrip("/*") in (home, *HOMES):
        return True
    parts = word.strip("/*").split("/")
    return word[:1] == "/" and len(parts) == 1 and parts[0] in SYSTEM


def formats(words: list[str], home: str) -> bool:
    return (words[0] == "mkfs" or words[0].startswith("mkfs.")) and any(
        paths.device(word) == "block" for word in words[1:8]
    )


def overwrites(words: list[str], home: str) -> bool:
    return words[0] == "dd" and any(word[:3] == "of=" and paths.device(word[3:]) == "block" for word in words[1:12])
