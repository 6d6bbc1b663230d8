"""Which changes PAL made to other programs' files, and for whom: `install/changes.json`, read and written here alone.

It holds what is needed to take every change out again without any knowledge of the agents. A change that several agents
share goes when the last of them goes."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from typing import Any

from pal.base import files, jsontext
from pal.base.errors import PalError
from pal.base.home import Home

VERSION = 1
PROJECT = "project:"  # begins the owner of changes in one project's files, which no agent's uninstall takes out
_FIELDS: dict[str, dict[str, Any]] = {
    "file": {"hashes": dict},
    "tree": {"hashes": dict},
    "kept": {"prefix": str, "suffix": str, "mark": str},
    "member": {"keys": list, "ours": list, "was": (str, type(None)), "match": (dict, type(None))},
    "element": {"keys": list, "match": dict},
    "table": {
        "keys": list,
        "ours": list,
        "was": dict,
        "before": (str, type(None)),
        "match": (dict, type(None)),
    },
    "block": {"style": str, "record": (dict, type(None))},
}
_COMMON: dict[str, Any] = {"path": str, "place": str, "owners": list}
Entry = dict[str, Any]


class State:
    """The content of changes.json.

    changes  id → {kind, path, place, owners, and what the kind needs to undo it}
    files    real path of an edited file → {"made": it was not there before us, "traces": see jsonedit}
    folders  the folders that were not there before us
    """

    __slots__ = ("changes", "files", "folders")

    def __init__(
        self,
        changes: dict[str, Entry] | None = None,
        files: dict[str, Entry] | None = None,
        folders: list[str] | None = None,
    ) -> None:
        self.changes = changes or {}
        self.files = files or {}
        self.folders = folders or []

    def copy(self) -> State:
        return State(copy.deepcopy(self.changes), copy.deepcopy(self.files), list(self.folders))

    def facts(self) -> dict[str, Any]:
        return {"version": VERSION, "changes": self.changes, "files": self.files, "folders": self.folders}

    def paths(self) -> list[str]:
        """Every file that holds, or is, something of ours."""
        found = []
        for entry in self.changes.values():
            for name in (entry["place"],) if entry["kind"] == "kept" else entry.get("hashes", ("",)):
                found.append(os.path.join(entry["path"], *name.split("/")) if name else entry["path"])
        return found

    def owned(self, owner: str) -> Iterator[tuple[str, Entry]]:
        """The changes this owner asked for."""
        return ((name, entry) for name, entry in list(self.changes.items()) if owner in entry["owners"])

    def release(self, name: str, owner: str) -> bool:
        """The owner no longer wants this change; True when nobody does, so that it is to be undone."""
        owners = self.changes[name]["owners"]
        if owner in owners:
            owners.remove(owner)
        return not owners


def load(home: Home) -> State:
    """What is recorded. PalError when it cannot be read: without it nothing may be touched."""
    try:
        data = files.read_bytes(home.changes)
    except OSError as fault:
        raise _unreadable(home, str(fault.strerror or fault)) from None
    if data is None:
        return State()
    try:
        found = jsontext.loads(data)
    except ValueError as fault:
        raise _unreadable(home, str(fault)) from None
    if isinstance(found, dict) and isinstance(found.get("version"), int) and found["version"] > VERSION:
        raise PalError(f"{home.changes} was written by a newer PAL; use that one, nothing was touched")
    if not _sound(found):
        raise _unreadable(home, "it does not hold what PAL writes there")
    return State(found["changes"], found["files"], found["folders"])


def save(home: Home, state: State) -> bool:
    """Write what is recorded, durably, when it differs; with nothing recorded the file goes. True when it did."""
    if not (state.changes or state.files or state.folders):
        return files.remove(home.changes)
    files.make_folder(os.path.dirname(home.changes))
    return files.write(home.changes, json.dumps(state.facts(), indent=1) + "\n", durable=True)


def installed(home: Home) -> list[str]:
    """The agents PAL is installed in, by the changes they own."""
    every = {owner for entry in load(home).changes.values() for owner in entry["owners"]}
    return sorted(owner for owner in every if not owner.startswith(PROJECT))


def intention(old: State, new: State) -> State:
    """What to record before the first file is touched, so that whatever a killed run leaves behind is known.

    Everything from before and after: of what is recognised by its content, both contents count as ours."""
    both = new.copy()
    for name, before in old.changes.items():
        after = both.changes.setdefault(name, copy.deepcopy(before))
        if "ours" in before and "ours" in after:
            after["ours"] += [value for value in before["ours"] if value not in after["ours"]]
        for file, hashes in before.get("hashes", {}).items():
            known = after["hashes"].setdefault(file, [])
            known += [digest for digest in hashes if digest not in known]
    for path, fact in old.files.items():
        marks = both.files.setdefault(path, copy.deepcopy(fact))
        marks["traces"] += [trace for trace in fact["traces"] if trace not in marks["traces"]]
    both.folders += [folder for folder in old.folders if folder not in both.folders]
    return both


def _sound(found: Any) -> bool:
    if not isinstance(found, dict) or found.get("version") != VERSION:
        return False
    changes, marks, folders = found.get("changes"), found.get("files"), found.get("folders")
    return (
        isinstance(changes, dict)
        and isinstance(marks, dict)
        and isinstance(folders, list)
        and all(isinstance(entry, dict) and _whole(entry) for entry in changes.values())
        and all(isinstance(fact, dict) and isinstance(fact.get("traces"), list) for fact in marks.values())
    )


def _whole(entry: Entry) -> bool:
    """Whether an entry has all that undoing it needs."""
    fields = _FIELDS.get(entry.get("kind", ""))
    return fields is not None and all(
        name in entry and isinstance(entry[name], kind) for name, kind in {**_COMMON, **fields}.items()
    )


def _unreadable(home: Home, why: str) -> PalError:
    return PalError(
        f"{home.changes}, PAL's list of what it changed, cannot be read ({why}); nothing was touched: put back a good "
        "copy, or delete it and install again (hooks and blocks are recognised by what they say)"
    )
