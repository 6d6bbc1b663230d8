"""Plans as files: what they are called, how a new one begins, how they are read and written without losing one."""

from __future__ import annotations

import hashlib
import os
import time

from pal.base import clock, files, locks
from pal.base import settings as settings_file
from pal.base import text as texts
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.switchboard.desk import Desk

LARGEST = 1024 * 1024  # bytes of a plan
_ENDING = ".md"
_MODE = 0o644  # plans may be committed and read by colleagues
SKELETON = """# {title}

## Goal

{goal}

## Metadata

**Tags:**
**Complexity:** Unknown

## Proposed Changes

## Verification Plan

## Open Questions
"""


def sha(data: str | bytes) -> str:
    """What a plan's content is known by."""
    return hashlib.sha256(data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data).hexdigest()


def slug(title: str) -> str:
    """The title in a file's name: lower case, runs of anything else as `_`."""
    return texts.slug(title, limit=10).replace("-", "_") if texts.words(title) else "new_plan"


def name_for(home: Home, title: str, now: float) -> str:
    """`feature_plan_20260302_081500_fix_login.md`, by the user's clock."""
    stamp = time.strftime("%Y%m%d_%H%M%S", clock.local(now, settings_file.load(home).zone))
    return f"feature_plan_{stamp}_{slug(title)}{_ENDING}"


def renamed(name: str, title: str) -> str:
    """The name with another title: its stamp stays, as far as it has one."""
    parts = name[: -len(_ENDING)].split("_")
    stamped = len(parts) > 3 and parts[:2] == ["feature", "plan"] and parts[2].isdigit() and parts[3].isdigit()
    prefix = "_".join(parts[:4]) + "_" if stamped else ""
    return prefix + slug(title) + _ENDING


def free(folder: str, name: str) -> str:
    """The name, or with `_2`, `_3`, … where something stands."""
    base, count, tried = name[: -len(_ENDING)], 2, name
    while os.path.lexists(os.path.join(folder, tried)):
        tried = f"{base}_{count}{_ENDING}"
        count += 1
    return tried


def create(folder: str, name: str, content: str) -> str:
    """Write a new file, never over another; its path. The text is whole under its name, or not there at all."""
    data = content.encode("utf-8", "backslashreplace")
    if len(data) > LARGEST:
        raise refused("E_SIZE", f"the plan has {len(data):,} bytes, at most {LARGEST:,} fit", "split it")
    files.make_folder(folder)
    while True:
        path = os.path.join(folder, free(folder, name))
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | files.BINARY, _MODE))  # the name is taken
        except FileExistsError:
            continue
        try:
            files.put(path, data, durable=True, mode=_MODE)
        except BaseException:
            files.remove(path)
            raise
        return path


def read(path: str) -> tuple[str, str, os.stat_result]:
    """(text, hash, stat) of a plan; E_NOT_FOUND for a missing file, E_SIZE and E_CONFLICT for one that is no plan."""
    try:
        data = files.read_bytes(path)
        if data is None:
            raise refused("E_NOT_FOUND", f"{path} is missing", "put it back, or `plan rm` its card")
        if len(data) > LARGEST:
            raise refused("E_SIZE", f"{path} has more than {LARGEST:,} bytes", "split the plan")
        return data.decode("utf-8"), sha(data), os.stat(path)
    except UnicodeDecodeError:
        raise refused("E_CONFLICT", f"{path} is not UTF-8 text", "save it as UTF-8") from None


def rewrite(desk: Desk, path: str, content: str, expected: str) -> str:
    """Replace a plan that still has the hash its reader saw; the new hash. E_CONFLICT otherwise, nothing is written.
    Of two who edit at once one is first, and the other is told."""
    with locks.Lock(desk.workspace.plans, desk.wait) as held:
        if not held:
            raise refused("E_LOCKED", "somebody else is changing a plan", "try again")
        return _replaced(path, content, expected)


def _replaced(path: str, content: str, expected: str) -> str:
    _, standing, _ = read(path)
    if standing != expected:
        raise refused(
            "E_CONFLICT", f"{os.path.basename(path)} has changed since it was read",
            "read it again and edit that", expected=expected, current=standing,
        )  # fmt: skip
    data = content.encode("utf-8", "backslashreplace")
    if len(data) > LARGEST:
        raise refused("E_SIZE", f"the plan has {len(data):,} bytes, at most {LARGEST:,} fit", "split it")
    files.write(path, data, durable=True)
    return sha(data)
