"""Takes another machine's files into this home: what is new is written, logs are united, and where both have a file
that differs, ours stays and theirs is set aside for a person. Doing it again changes nothing."""

from __future__ import annotations

import os
import time

from pal.base import clock, files, locks
from pal.base.errors import PalError
from pal.memory import backup, cleaning
from pal.memory.moving import exporting
from pal.memory.sync import lines, merging, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from pal.base.home import Home

NEW, SAME, UNITED, ASIDE, LEFT = "new", "same", "united", "aside", "left"
CONFLICTS = "import-conflicts-"


class Outcome:
    """The names by what became of them: new, the same here, united, set aside, left out as another machine's own."""

    __slots__ = ("aside", "folder", "left", "new", "same", "united")

    def __init__(self) -> None:
        self.new: list[str] = []
        self.same: list[str] = []
        self.united: list[str] = []
        self.aside: list[str] = []
        self.left: list[str] = []
        self.folder = ""  # where what was set aside is

    def shown(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def take(
    home: Home,
    entries: Iterable[tuple[str, bytes]],
    now: float,
    dry: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Outcome:
    """Take in (name below the home, bytes); with `dry` only say what would become of each."""
    outcome = Outcome()
    folder = os.path.join(home.backups, CONFLICTS + time.strftime("%Y%m%d%H%M%S", time.gmtime(now)))
    for name, data in entries:
        if progress is not None:
            progress(name)
        path = place(home, name)
        if path is None:
            outcome.left.append(name)
            continue
        fate, aside = _take(home, name, path, cleaning.leaving(home, name, data), folder, dry)
        getattr(outcome, fate).append(name)
        outcome.folder = aside or outcome.folder
    return outcome


def place(home: Home, name: str) -> str | None:
    """Where a file of this name goes; None for what is not taken: another machine's state, caches and manifests, and
    whatever stands behind a link."""
    memory = home.relative(home.memory) + "/"
    if name.startswith(memory):
        inner = name[len(memory) :]
        if name == home.relative(home.threads):
            return home.threads
        own = places.travels(home, inner) and inner not in (places.ATTRIBUTES, places.IGNORED)
        return places.path(home, inner) if own else None
    tops = {home.relative(path) for path in (home.telos, home.skills, home.agents)}
    if name != home.relative(home.settings) and name.partition("/")[0] not in tops:
        return None
    if name in (backup.MANIFEST, exporting.MANIFEST):
        return None
    path = home.below(name)
    here = os.path.dirname(path)
    while len(here) > len(home.root):
        if os.path.islink(here):
            return None
        here = os.path.dirname(here)
    return path


def _take(home: Home, name: str, path: str, data: bytes, folder: str, dry: bool) -> tuple[str, str]:
    """(what became of it, the folder it was set aside in, now or before)."""
    if os.path.islink(path) or os.path.isdir(path):
        return LEFT, ""
    if dry:
        return _fate(name, files.read_bytes(path), data)[0], ""
    files.make_folder(os.path.dirname(path))
    with locks.Lock(path) as held:
        if not held:
            raise PalError(f"another process keeps {path} locked; import again when it is done")
        here = files.read_bytes(path)
        fate, whole = _fate(name, here, data)
        if fate in (NEW, UNITED):
            files.write(path, whole, durable=True)
    if fate != ASIDE:
        return fate, ""
    before = _set_aside_before(home, name, data)
    if not before:
        aside = os.path.join(folder, *name.split("/"))
        files.make_folder(os.path.dirname(aside))
        files.write(aside, data, durable=True)
    return fate, before or folder


def _fate(name: str, here: bytes | None, data: bytes) -> tuple[str, bytes]:
    if here is None:
        return NEW, data
    if here == data:
        return SAME, here
    if merging.kind(name) != merging.LOG:
        return ASIDE, here
    whole = lines.united(here, data)
    return (SAME if whole == here else UNITED), whole


def _set_aside_before(home: Home, name: str, data: bytes) -> str:
    """The folder in which an earlier import put these very bytes aside under this name; empty when none did."""
    names = os.listdir(home.backups) if os.path.isdir(home.backups) else []
    folders = [os.path.join(home.backups, folder) for folder in sorted(names) if folder.startswith(CONFLICTS)]
    inner = name.split("/")
    return next((folder for folder in folders if files.read_bytes(os.path.join(folder, *inner)) == data), "")


def note(home: Home, source: str, outcome: Outcome, now: float) -> None:
    """One line on what was done, for whoever looks into it later."""
    from pal.base import records

    counts: dict[str, Any] = {kind: len(getattr(outcome, kind)) for kind in (NEW, SAME, UNITED, ASIDE, LEFT)}
    row = {"ts": clock.iso(now), "source": os.path.basename(source), **counts, "conflicts": outcome.folder}
    records.append(home, home.import_log, row, now)


def newest(home: Home) -> str:
    """The newest export or backup in the home and its backups; PalError when there is none."""
    found = []
    for folder in (home.root, home.backups):
        names = os.listdir(folder) if os.path.isdir(folder) else []
        for name in names:
            if name.startswith((exporting.BEGIN, "pal-backup-")) and name.endswith(exporting.END):
                found.append((files.modified(os.path.join(folder, name)), os.path.join(folder, name)))
    if not found:
        raise PalError(f"say what to take in: pal import FILE; there is no export or backup in {home.root}")
    return max(found)[1]
