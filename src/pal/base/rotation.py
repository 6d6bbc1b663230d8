"""Logs that would grow for ever: the file becomes `name.1`, that one `name.2`, and the oldest goes."""

from __future__ import annotations

import os

from pal.base import files, locks


def rotate(path: str, limit: int, old_files: int) -> None:
    """Begin a new file if this one is longer than `limit` bytes; nothing when another process is about to."""
    with locks.Lock(path, wait=0) as held:
        if not held or os.path.getsize(path) <= limit:
            return
        for number in range(old_files - 1, 0, -1):
            older = f"{path}.{number}"
            if os.path.exists(older):
                files.replace(older, f"{path}.{number + 1}")
        files.replace(path, path + ".1")
