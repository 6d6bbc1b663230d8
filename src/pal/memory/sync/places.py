"""Which files of the memory travel to the user's other machines, and which names may come from one.

A name is the path below the memory folder, with forward slashes. What belongs to one machine (its state, caches, paths)
stays there, whichever machine asks."""

from __future__ import annotations

import os

from pal.base import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pal.base.home import Home

ATTRIBUTES, IGNORED = ".gitattributes", ".gitignore"
# `union` is git's own driver; where PAL is installed, one of that name in the repository's settings takes its place.
ATTRIBUTES_TEXT = "*.jsonl merge=union\n*.md merge=union\n*.json merge=union\n* -text\n"
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(port + str(number) for port in ("com", "lpt") for number in range(1, 10)))
)
_FORBIDDEN = frozenset('\\:*?"<>|\x7f') | frozenset(map(chr, range(32)))


def of_one_machine(home: Home) -> tuple[str, ...]:
    """The folders at the top of the memory that never leave this machine."""
    return tuple(os.path.relpath(path, home.memory).replace(os.sep, "/") for path in (home.state, home.cache))


def ignored_text(home: Home) -> str:
    """What a person's own `git add` in the folder leaves out."""
    folders = "".join(f"/{name}/\n" for name in of_one_machine(home))
    return f"{folders}.*.lock\n{files.TEMPORARY}*\n*.corrupt-*\n"


def travels(home: Home, name: str) -> bool:
    """Whether a file of this name is synced; never one whose name would leave the folder or mean a device."""
    parts = name.split("/")
    last = parts[-1]
    if parts[0] in of_one_machine(home) or len(name) > 1000:
        return False
    if last.startswith(files.TEMPORARY) or (last.startswith(".") and last.endswith(".lock")) or ".corrupt-" in last:
        return False
    return all(_plain(part) for part in parts) and not any(_of_git(part) for part in parts[:-1]) and (
        not _of_git(last) or name in (ATTRIBUTES, IGNORED)
    )  # fmt: skip


def _plain(part: str) -> bool:
    """A name that means one file on every system."""
    if not part or part in (".", "..") or part[-1] in ". " or _FORBIDDEN.intersection(part):
        return False
    try:
        part.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return part.split(".", 1)[0].lower() not in _DEVICES


def _of_git(part: str) -> bool:
    return part.lower().startswith((".git", "git~"))


def listing(home: Home) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """(name, entry) of every file that travels, in the order of names; links are left out, they are somebody else's."""
    yield from _below(home, home.memory, "")


def _below(home: Home, folder: str, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        name = prefix + entry.name
        if entry.is_dir(follow_symlinks=False):
            if name not in of_one_machine(home) and not _of_git(entry.name) and _plain(entry.name):
                yield from _below(home, entry.path, name + "/")
        elif entry.is_file(follow_symlinks=False) and travels(home, name):
            yield name, entry


def path(home: Home, name: str) -> str | None:
    """Where a file of this name stands; None when a folder on the way is a link out of the memory."""
    here = home.memory
    for part in name.split("/")[:-1]:
        here = os.path.join(here, part)
        if os.path.islink(here):
            return None
    return os.path.join(home.memory, *name.split("/"))
