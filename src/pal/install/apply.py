"""Makes a plan's changes, shows them before, takes them out again, and tells what has drifted since (cold).

Every run works in memory first: all files are read, edited and found writable, or nothing is touched. What is about to
be done is recorded before the first write, so a run that is killed leaves whole files, and the next one, install or
uninstall, finds everything it left."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from typing import NamedTuple

from pal.base import files, locks
from pal.base.errors import PalError
from pal.base.home import Home
from pal.install import edits, owners, trees
from pal.install.changes import CopyTree, KeptFiles, Plan, WriteFile, change_id
from pal.install.draft import Draft, Row, left_alone, planned, undone
from pal.install.owners import State
from pal.install.staging import Moved, Staging, remove_empty, stamp, sweep

WAIT = 30.0  # seconds for another install to end
TRIES = 3  # an agent may write its settings while we edit them
BACKUPS = "files"
BACKUPS_KEPT = 40


class Preview(NamedTuple):
    rows: list[Row]
    diff: str  # unified, of the files that others write too


class Drift(NamedTuple):
    """One difference from the plan. problem: missing, altered, doubled, or edited (a user's edit of a copied file)."""

    path: str
    place: str
    problem: str


def preview(plan: Plan, home: Home, owner: str = "") -> Preview:
    """What `apply` would do; nothing is written."""
    return _shown(planned(plan, owner, owners.load(home)))


def preview_undo(owner: str, home: Home) -> Preview:
    """What `undo` would do; nothing is written."""
    return _shown(undone(owner, owners.load(home)))


def apply(plan: Plan, owner: str, home: Home, now: float) -> list[Row]:
    """Make every change of the plan for this owner, and take out what an older plan of the same owner had.

    PalError, with nothing changed, when a file cannot be read, understood or written."""
    paths = [change.path for change in plan]
    return _run(home, now, paths, lambda state: planned(plan, owner, state))


def undo(owner: str, home: Home, now: float) -> list[Row]:
    """Take out every change that no other owner holds; what people changed or added since stays."""
    if not os.path.lexists(home.changes):
        return []
    return _run(home, now, [], lambda state: undone(owner, state))


def drift(plan: Plan, home: Home) -> list[Drift]:
    """How the files differ from the plan. PalError when one of them cannot be understood."""
    state, staging = owners.load(home), Staging()
    found: list[Drift] = []
    for change in plan:
        if isinstance(change, KeptFiles):
            if not os.path.isdir(change.path):
                found.append(Drift(change.path, change.place, edits.MISSING))
            continue
        entry = state.changes.get(change_id(change))
        if isinstance(change, (CopyTree, WriteFile)):
            found += [Drift(path, change.place, problem) for path, problem in trees.look(change, entry, staging)]
            continue
        text = staging.text(change.path)
        with left_alone(change.path):
            problem = edits.look(text, change, entry)
        if problem:
            found.append(Drift(change.path, change.place, problem))
    return found


def _run(home: Home, now: float, paths: list[str], work_out: Callable[[State], Draft]) -> list[Row]:
    """One run under the lock: work out, check, record, back up, write, record."""
    try:
        files.make_folder(home.install)
    except OSError as fault:
        raise PalError(f"{home.install} cannot be made ({fault.strerror or fault}); nothing was changed") from None
    with locks.Lock(home.changes, WAIT) as held:
        if not held:
            raise PalError(
                f"another PAL is at work, or {home.install} cannot be written; wait or mend that, then try again"
            )
        for _ in range(TRIES):
            old = owners.load(home)
            sweep([home.changes, *paths, *old.paths()])
            draft = work_out(old)
            try:
                _carry_out(draft, home, now)
            except Moved:
                continue  # the agent wrote its settings meanwhile; work it out again from what is there now
            return draft.rows()
    raise PalError("a settings file keeps changing while PAL edits it; close the agents and try again")


def _carry_out(draft: Draft, home: Home, now: float) -> None:
    changed = draft.staging.changed()
    draft.staging.check()
    try:
        if changed or draft.staging.folders:
            _back_up([real for real in changed if real not in draft.whole], draft.staging, home, now)
            owners.save(home, owners.intention(draft.old, draft.new))
        draft.staging.commit()
        remove_empty(draft.left)
        owners.save(home, draft.new)
    except OSError as fault:
        raise PalError(f"{home.root} cannot be written ({fault.strerror or fault}); mend that first") from None


def _back_up(changed: list[str], staging: Staging, home: Home, now: float) -> None:
    """Copies for a person to look at should anything ever go wrong; undo never uses them."""
    folder = os.path.join(home.backups, BACKUPS)
    copies = [(real, data) for real in changed for data in [staging.before[real]] if data is not None]
    for number, (real, data) in enumerate(copies):
        files.write(os.path.join(folder, f"{stamp(now)}-{number:02}-{os.path.basename(real)}"), data, durable=True)
    if copies:
        for name in sorted(os.listdir(folder))[:-BACKUPS_KEPT]:
            files.remove(os.path.join(folder, name))


def _shown(draft: Draft) -> Preview:
    draft.staging.check()
    parts: list[str] = []
    for real in draft.staging.changed():
        if real in draft.whole:
            continue
        name, before, after = draft.staging.names[real], draft.staging.before[real], draft.staging.after[real]
        lines = difflib.unified_diff(
            _lines(before), _lines(after), name if before is not None else os.devnull,
            name if after is not None else os.devnull,
        )  # fmt: skip
        parts += [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines]
    return Preview(draft.rows(), "".join(parts))


def _lines(data: bytes | None) -> list[str]:
    pieces = (data or b"").decode("utf-8", "replace").split("\n")
    return [piece + "\n" for piece in pieces[:-1]] + [piece for piece in pieces[-1:] if piece]
