"""Makes, undoes and checks the changes that are whole files of ours: single ones, and trees of skills or agents.

A file is ours while it holds what we wrote (its SHA-256 is in the entry). One that somebody edited is kept and
reported; what stood there before us is never touched."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

from pal.base.errors import PalError
from pal.install.changes import FILE, TREE, CopyTree, KeptFiles, WriteFile
from pal.install.edits import ALTERED, MISSING
from pal.install.staging import Staging

Entry = dict[str, Any]
Row = tuple[str, str]  # a path, and what is said about it
EDITED = "edited"
KINDS = (FILE, TREE)
_MODE, _PROGRAM = 0o644, 0o755


def put(change: WriteFile | CopyTree, entry: Entry | None, staging: Staging) -> tuple[Entry, list[Row]]:
    """Make the change in the staging: the new entry, and what was kept because it is not ours."""
    hashes = entry["hashes"] if entry else {}
    if isinstance(change, WriteFile):
        return _put_file(change, hashes, staging)
    made: dict[str, list[str]] = {}
    kept: list[Row] = []
    for name in change.files:
        top = os.path.join(change.path, name.split("/")[0])
        known = any(each.split("/")[0] == name.split("/")[0] for each in hashes)
        if not known and os.path.lexists(top):
            row = (top, "kept: it was there before PAL")
            if row not in kept and not _all_same(change, name.split("/")[0], staging):
                kept.append(row)
            continue
        path = _below(change.path, name)
        if os.path.lexists(path) and not _ours(path, name, hashes, staging):
            if name in hashes:
                made[name] = hashes[name]
            if os.path.isdir(path) or staging.read(path) != change.files[name]:
                kept.append((path, "kept: it was edited" if name in hashes else "kept: it was there before PAL"))
            continue
        data = change.files[name]
        staging.write(path, data, _PROGRAM if data.startswith(b"#!") else _MODE, durable=False)
        made[name] = [_digest(data)]
    for name in hashes:
        if name not in change.files:
            kept += _take_file(_below(change.path, name), name, hashes, staging)
    return {"hashes": made}, kept


def take(entry: Entry, staging: Staging) -> list[Row]:
    """Delete what is still as we wrote it; what was kept because somebody edited it."""
    kept: list[Row] = []
    for name in entry["hashes"]:
        kept += _take_file(_below(entry["path"], name), name, entry["hashes"], staging)
    return kept


def keep(change: KeptFiles, staging: Staging) -> Entry:
    """Have the folder made: the new entry."""
    staging.want_folder(change.path)
    return {"prefix": change.prefix, "suffix": change.suffix, "mark": change.mark}


def drop(entry: Entry, staging: Staging) -> list[str]:
    """Delete the files in the folder that are ours by name and mark; their paths."""
    try:
        names = os.listdir(entry["path"])
    except OSError:
        return []
    ours = []
    for name in sorted(names):
        path = os.path.join(entry["path"], name)
        named = name.startswith(entry["prefix"]) and name.endswith(entry["suffix"]) and os.path.isfile(path)
        if named and entry["mark"].encode("utf-8") in (staging.read(path) or b""):
            staging.delete(path)
            ours.append(path)
    return ours


def look(change: WriteFile | CopyTree, entry: Entry | None, staging: Staging) -> list[Row]:
    """What is wrong: files missing, of another version (altered), or edited by somebody."""
    hashes = entry["hashes"] if entry else {}
    wanted = {"": change.data} if isinstance(change, WriteFile) else change.files
    rows: list[Row] = []
    for name, data in wanted.items():
        path = _below(change.path, name)
        known = entry is None or any(each.split("/")[0] == name.split("/")[0] for each in hashes)
        if not known and os.path.lexists(_below(change.path, name.split("/")[0])):
            continue  # the user's own of that name
        if not os.path.lexists(path):
            rows.append((path, MISSING))
        elif os.path.isdir(path) or staging.read(path) != data:
            single = isinstance(change, WriteFile)
            rows.append((path, ALTERED if single or _ours(path, name, hashes, staging) else EDITED))
    return rows


def _put_file(change: WriteFile, hashes: Mapping[str, list[str]], staging: Staging) -> tuple[Entry, list[Row]]:
    if "" not in hashes and staging.read(change.path) not in (None, change.data):
        raise PalError(f"{change.path} is there already and is not PAL's; move it away (nothing was changed)")
    staging.write(change.path, change.data, change.mode)
    return {"hashes": {"": [_digest(change.data)]}}, []


def _take_file(path: str, name: str, hashes: Mapping[str, list[str]], staging: Staging) -> list[Row]:
    if not os.path.lexists(path):
        return []
    if not _ours(path, name, hashes, staging):
        return [(path, "kept: it was edited")]
    staging.delete(path)
    return []


def _ours(path: str, name: str, hashes: Mapping[str, list[str]], staging: Staging) -> bool:
    """Whether the file is as we wrote it. A link in its place is somebody's own."""
    if name not in hashes or os.path.isdir(path) or os.path.islink(path):
        return False
    data = staging.read(path)
    return data is None or _digest(data) in hashes[name]


def _all_same(change: CopyTree, top: str, staging: Staging) -> bool:
    """Whether the user's own folder or file holds just what we would write, so that nothing is amiss."""
    names = [name for name in change.files if name.split("/")[0] == top]
    paths = [_below(change.path, name) for name in names]
    return all(not os.path.isdir(path) and staging.read(path) == change.files[name] for name, path in zip(names, paths))


def _below(folder: str, name: str) -> str:
    return os.path.join(folder, *name.split("/")) if name else folder


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
