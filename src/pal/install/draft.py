"""Works out in memory what a plan, or its undoing, makes of the files and of the record (cold).

`apply` carries a draft out or shows it. Nothing here writes; PalError when a file cannot be read or understood."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Set

from pal.base.errors import PalError
from pal.install import edits, jsonedit, trees
from pal.install.changes import BLOCK, KEPT, TREE, Change, CopyTree, KeptFiles, Plan, WriteFile, change_id
from pal.install.jsonscan import BOM, SPACE
from pal.install.owners import Entry, State
from pal.install.staging import Staging

Row = tuple[str, str]  # a path, and what is done with it: create, change, remove, or "kept: …"


def planned(plan: Plan, owner: str, state: State) -> Draft:
    """All changes of the plan made for this owner, and what an older plan of the same owner had taken out."""
    draft = Draft(state)
    wanted = {change_id(change): change for change in plan}
    draft.release(owner, wanted.keys())
    for change in wanted.values():
        draft.put(change, owner)
    draft.settle()
    return draft


def undone(owner: str, state: State) -> Draft:
    """All changes that no other owner holds taken out."""
    draft = Draft(state)
    draft.release(owner, frozenset())
    draft.settle()
    return draft


class Draft:
    """One plan or undo worked out in memory: the staged files and what is to be recorded."""

    __slots__ = ("fresh", "kept", "left", "new", "old", "staging", "whole")

    def __init__(self, old: State) -> None:
        self.old = old
        self.new = old.copy()
        self.staging = Staging()
        self.kept: list[Row] = []
        self.left: list[str] = []
        self.whole: set[str] = set()  # real paths of copied files: listed, but neither shown nor backed up
        self.fresh: set[str] = set()  # real paths of edited files met in this run

    def put(self, change: Change, owner: str) -> None:
        name = change_id(change)
        entry = self.new.changes.get(name)
        if isinstance(change, KeptFiles):
            made = trees.keep(change, self.staging)
        elif isinstance(change, (CopyTree, WriteFile)):
            made, kept = trees.put(change, entry, self.staging)
            self.kept += kept
            self._copied(change.kind, change.path, {**(entry or {}).get("hashes", {}), **made["hashes"]})
        else:
            edited = self._put_text(change, entry)
            if edited is None:
                if not edits.agrees(self.staging.text(change.path), change):
                    self.kept.append((change.path, f"kept: {change.place} is not PAL's"))
                return
            made = edited
        named = entry["owners"] if entry else []
        self.new.changes[name] = {
            **made,
            "kind": change.kind,
            "path": os.path.abspath(change.path),
            "place": change.place,
            "owners": [*named, owner] if owner not in named else named,
        }

    def _put_text(self, change: edits.TextChange, entry: Entry | None) -> Entry | None:
        text = self.staging.text(change.path)
        fact = self._fact(change.path, text)
        with left_alone(change.path):
            edited, traces, made = edits.put(text, change, entry)
        fact["traces"] = jsonedit.merge(fact["traces"], traces)
        if edited != text:
            self.staging.write(change.path, edited.encode("utf-8"), 0o644 if change.kind == BLOCK else 0o600)
        return made

    def _fact(self, path: str, text: str) -> Entry:
        """What is recorded of an edited file, brought up to date when the run first meets it."""
        real = os.path.realpath(path)
        fact = self.new.files.setdefault(real, {"made": False, "traces": []})
        if real not in self.fresh:
            self.fresh.add(real)
            if self.staging.before[real] is None:
                fact["made"], fact["traces"] = True, []
            elif fact["made"] and not self._stands(path, text):
                # Recorded by a run that was killed before it wrote; since then somebody made the file.
                fact["made"], fact["traces"] = False, [trace for trace in fact["traces"] if "begun" not in trace]
        return fact

    def _stands(self, path: str, text: str) -> bool:
        with left_alone(path):
            entries = self._in_file(os.path.realpath(path))
            return any(edits.stands(text, entry["kind"], entry) for entry in entries)

    def release(self, owner: str, wanted: Set[str]) -> None:
        """The owner lets go of all but the wanted changes; what nobody holds any more is taken out."""
        touched: list[str] = []
        for name, entry in self.new.owned(owner):
            if name in wanted or not self.new.release(name, owner):
                continue
            if entry["kind"] == KEPT:
                del self.new.changes[name]
                self.whole |= {os.path.realpath(path) for path in trees.drop(entry, self.staging)}
                continue
            if entry["kind"] in trees.KINDS:
                del self.new.changes[name]
                self.kept += trees.take(entry, self.staging)
                self._copied(entry["kind"], entry["path"], entry["hashes"])
                continue
            text = self.staging.text(entry["path"])
            self._fact(entry["path"], text)
            del self.new.changes[name]
            with left_alone(entry["path"]):
                left = edits.take(text, entry["kind"], entry)
            if left != text:
                self.staging.write(entry["path"], left.encode("utf-8"))
            touched.append(entry["path"])
        for path in touched:
            self._tidy(path)

    def _tidy(self, path: str) -> None:
        """Take out the containers that were only there to hold our changes."""
        fact = self.new.files.get(os.path.realpath(path))
        if fact is None or not fact["traces"]:
            return
        text = self.staging.text(path)
        with left_alone(path):
            left, fact["traces"] = edits.tidy(text, fact["traces"])
        if left != text:
            self.staging.write(path, left.encode("utf-8"))

    def _in_file(self, real: str) -> list[Entry]:
        return [
            entry
            for entry in self.new.changes.values()
            if entry["kind"] in edits.KINDS and os.path.realpath(entry["path"]) == real
        ]

    def _copied(self, kind: str, folder: str, names: dict[str, list[str]]) -> None:
        if kind == TREE:
            self.whole |= {os.path.realpath(os.path.join(folder, *name.split("/"))) for name in names}

    def settle(self) -> None:
        """Let go of the files and folders that hold nothing of ours any more; `left` are the folders among them."""
        for real, fact in list(self.new.files.items()):
            if not self._in_file(real):
                del self.new.files[real]
                if fact["made"] and not self.staging.text(real).strip(SPACE + BOM):
                    self.staging.delete(real)
        made = self.staging.new_folders()
        known = self.old.folders + [folder for folder in made if folder not in self.old.folders]
        held = [os.path.realpath(path) for path in self.new.paths()]
        self.new.folders = [folder for folder in known if any(path.startswith(folder + os.sep) for path in held)]
        self.left = [folder for folder in known if folder not in self.new.folders]

    def rows(self) -> list[Row]:
        staging = self.staging
        said: list[Row] = []
        for real in staging.changed():
            before, after = staging.before[real], staging.after[real]
            said.append((staging.names[real], "create" if before is None else "remove" if after is None else "change"))
        return said + self.kept


@contextlib.contextmanager
def left_alone(path: str) -> Iterator[None]:
    """Says which file it was that could not be edited."""
    try:
        yield
    except PalError as problem:
        raise PalError(f"{path} was left alone: {problem}") from None
