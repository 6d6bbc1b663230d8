"""Finds which Markdown and state files changed since the index last read them, without reading any of them.

Only folders that changed are listed; an edit that leaves the folder's time alone is seen with the next file that comes
into it, or by a rebuild. Folders of files that are edited in place are listed every time."""

from __future__ import annotations

import os

from pal.memory.index.documents import FAILURE, HANDOFF, KNOWLEDGE, LEARNING, OPINION, RELATIONSHIP, WISDOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pal.base.home import Home

    FilesIn = Callable[[str], dict[str, tuple[int, int]]]  # a folder's files by name: (size, mtime)

_YOUNG = 3.0  # seconds; a folder that changed this recently may change again without a newer time
_IN_PLACE = (WISDOM, KNOWLEDGE)


class Changed:
    """What differs between the files and the index: (source, folder, name below the home, path, size, mtime) to read,
    names to forget, folders by their mtime, folders to forget."""

    __slots__ = ("folders", "gone", "gone_folders", "read")

    def __init__(self) -> None:
        self.read: list[tuple[str, str, str, str, int, int]] = []
        self.gone: list[str] = []
        self.folders: dict[str, int] = {}
        self.gone_folders: list[str] = []

    def any(self) -> bool:
        return bool(self.read or self.gone or self.gone_folders or self.folders)


def changes(home: Home, known: dict[str, int], files_in: FilesIn, now: float) -> Changed:
    """Compare the files with what was known: `known` are folders by mtime, `files_in` gives a folder's files."""
    changed = Changed()
    children: dict[str, list[str]] = {}
    for folder in known:
        children.setdefault(folder.rpartition("/")[0], []).append(folder)
    for source, path in (
        (LEARNING, home.session_learning),
        (FAILURE, home.failures),
        (WISDOM, home.wisdom),
        (RELATIONSHIP, home.relationship),
        (KNOWLEDGE, home.knowledge),
    ):
        _look_into(source, home.relative(path), path, known, children, files_in, changed, now)
    for source, path in ((OPINION, home.opinions), (HANDOFF, home.handoffs)):
        name = home.relative(path)
        before = files_in(name).get(name)  # such a file is its own folder
        stamp = _stamp(path)
        if stamp is None:
            changed.gone += [name] if before else []
        elif stamp != before:
            changed.read.append((source, name, name, path, *stamp))
    return changed


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _look_into(
    source: str,
    folder: str,
    path: str,
    known: dict[str, int],
    children: dict[str, list[str]],
    files_in: FilesIn,
    changed: Changed,
    now: float,
) -> None:
    inner = {name.rpartition("/")[2] for name in children.get(folder, ())}
    try:
        mtime = os.stat(path).st_mtime_ns
        listed = None if mtime == known.get(folder) and source not in _IN_PLACE else list(os.scandir(path))
    except OSError:
        mtime, listed = -1, []
    if listed is not None:
        before = files_in(folder) if folder in known else {}
        inner_before, inner = inner, set()
        for entry in listed:
            if entry.name[0] == ".":
                continue
            if entry.is_dir(follow_symlinks=False):
                inner.add(entry.name)
            elif entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                name, status = folder + "/" + entry.name, os.stat(entry.path)
                stamp = (status.st_size, status.st_mtime_ns)
                if before.pop(name, None) != stamp:
                    changed.read.append((source, folder, name, entry.path, *stamp))
        changed.gone += before
        inner |= inner_before
        if mtime < 0 and folder in known:
            changed.gone_folders.append(folder)
        elif mtime >= 0:
            seen = 0 if now - mtime / 1e9 < _YOUNG else mtime
            if seen != known.get(folder):
                changed.folders[folder] = seen
    for name in sorted(inner):
        _look_into(source, folder + "/" + name, os.path.join(path, name), known, children, files_in, changed, now)
