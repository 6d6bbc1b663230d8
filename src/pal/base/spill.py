"""What could not be written because its file's lock was busy: one small file each, until the next writer folds it in.

`records` and `state` leave and collect entries; the lock of the target file makes the collector the only one."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home


def leave(home: Home, path: str, entry: dict[str, Any], now: float) -> None:
    """Keep `entry`, meant for the file at `path`, until somebody can write it there."""
    name = os.path.basename(path) + "-" + os.urandom(8).hex()
    entry = {"file": home.relative(path), "ts": clock.iso_ms(now), **entry}
    files.write(os.path.join(home.spill, name), jsontext.dumps(entry) + "\n", durable=True)


def any_for(home: Home, path: str) -> bool:
    """Whether something seems to wait for `path`; cheap, and no lock is needed to ask."""
    begin = os.path.basename(path) + "-"
    try:
        return any(name.startswith(begin) for name in os.listdir(home.spill))
    except OSError:
        return False


def waiting(home: Home, path: str) -> list[tuple[str, dict[str, Any]]]:
    """The entries left for `path`, oldest first, each with its own file's path. Call it holding the lock of `path`."""
    try:
        names = os.listdir(home.spill)
    except OSError:
        return []
    begin, relative = os.path.basename(path) + "-", home.relative(path)
    found = []
    for name in names:
        if name.startswith(begin):
            place = os.path.join(home.spill, name)
            entry = _read(place)
            if entry is not None and entry.get("file") == relative:
                found.append((place, entry))
    found.sort(key=lambda pair: (str(pair[1].get("ts")), pair[0]))
    return found


def _read(path: str) -> dict[str, Any] | None:
    try:
        data = files.read_bytes(path)
        value = jsontext.loads(data) if data else None
    except (ValueError, OSError):
        return None
    return value if isinstance(value, dict) else None
