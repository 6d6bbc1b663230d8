"""Writes what is the user's into one zip for another machine: nothing of this machine's state, and no secrets.

What is a backup, which gives this machine back as it was, holds more; both can be taken in by `pal import`."""

from __future__ import annotations

import os
import time

from pal.base import files
from pal.base.errors import PalError
from pal.memory import backup, cleaning
from pal.memory.sync import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pal.base.home import Home

MANIFEST = "export-manifest.json"
BEGIN, END = "pal-export-", ".zip"


def contents(home: Home) -> Iterator[tuple[str, str]]:
    """(name below the home, path) of every file that goes along."""
    memory = home.relative(home.memory) + "/"
    for name, path in backup.sources(home):
        if not name.startswith(memory) or places.travels(home, name[len(memory) :]):
            yield name, path
    if os.path.isfile(home.threads):
        yield home.relative(home.threads), home.threads  # what to come back to belongs to no machine


def run(home: Home, wanted: str, now: float) -> tuple[str, int]:
    """Write the export to the file or into the folder `wanted`, by default the home; (its path, how many files)."""
    found = list(contents(home))
    if not found:
        raise PalError(f"there is nothing to export in {home.root} yet")
    name = BEGIN + time.strftime("%Y%m%d%H%M%S", time.gmtime(now)) + END
    path = os.path.abspath(os.path.expanduser(wanted)) if wanted else home.root
    path = os.path.join(path, name) if os.path.isdir(path) else path
    if os.path.exists(path):
        raise PalError(f"{path} is there already; name another file")
    folder = os.path.dirname(path)
    half = os.path.join(folder, files.TEMPORARY + os.urandom(4).hex())
    try:
        files.make_folder(folder)
        count = backup.zipped(home, half, now, found, MANIFEST, lambda name, data: cleaning.leaving(home, name, data))
        files.replace(half, path)
    except OSError as problem:
        raise PalError(f"the export could not be written to {path}: {problem.strerror or problem}") from problem
    finally:
        files.remove(half)
    return path, count
