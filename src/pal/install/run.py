"""Installs PAL for agents and takes it out again, in an order that leaves a working PAL at every step (cold).

The command line hands in one `Side` for each agent, made from its target, and what other floors lend as functions.
Everything is worked out in memory before anything is written; then the home comes first, since a registered hook must
find what it starts.
"""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pal.base import assets, files, jsontext
from pal.base.errors import PalError
from pal.base.home import Home
from pal.install import apply, home_setup, owners, scaffold
from pal.install.changes import Change
from pal.install.interpreter import Interpreter
from pal.memory import backup
from pal.skills import index

Row = tuple[str, str]  # a path, and what is done with it: create, change, remove
Routes = dict[str, list[dict[str, Any]]]
DONE = ("create", "change", "remove")


class Side:
    """One agent's part of an install. Its plan is made when it is needed: it speaks of the home as it is then."""

    __slots__ = ("name", "plan", "routes", "title")

    def __init__(self, name: str, title: str, plan: Callable[[], list[Change]], routes: Routes) -> None:
        self.name = name
        self.title = title
        self.plan = plan
        self.routes = routes


class Outcome:
    """What a run did, or in a dry run would do: files with what happens to them, what was left alone, the diff."""

    __slots__ = ("agents", "changed", "diff", "dry_run", "home", "notes", "python", "refused", "remaining", "titles")

    def __init__(self, home: Home, agents: Sequence[str], titles: Sequence[str], dry_run: bool) -> None:
        self.home = home
        self.agents = list(agents)
        self.titles = list(titles)
        self.dry_run = dry_run
        self.changed: list[Row] = []
        self.notes: list[str] = []
        self.diff = ""
        self.python = ""
        self.refused: list[str] = []  # agents whose files cannot be edited, each with the reason; the others went on
        self.remaining: list[str] = []

    def add(self, rows: Sequence[Row]) -> None:
        """Rows of `apply`; a file is named once, whatever happened to it."""
        for path, what in rows:
            if what not in DONE:
                note = f"{path}: {what}"
                if note not in self.notes:
                    self.notes.append(note)
            elif not any(path == known for known, _ in self.changed):
                self.changed.append((path, what))

    @property
    def outside(self) -> list[Row]:
        """The changes to files of other programs."""
        return [row for row in self.changed if not row[0].startswith(self.home.root + os.sep)]

    def facts(self) -> dict[str, object]:
        return {
            "home": self.home.root,
            "agents": [{"name": name, "title": title} for name, title in zip(self.agents, self.titles)],
            "python": self.python,
            "dry_run": self.dry_run,
            "changed": [{"path": path, "what": what} for path, what in self.changed],
            "notes": self.notes,
            "refused": self.refused,
            "diff": self.diff,
        }


def install(
    home: Home,
    env: Mapping[str, str],
    now: float,
    python: Interpreter,
    sides: Sequence[Side],
    refresh: Callable[[], object],
    dry_run: bool = False,
) -> Outcome:
    """Install for these agents, or say what that would do; PalError, with nothing changed, when that goes for none.

    refresh renews the standing text and the digests; it runs when the routes to them are recorded.
    """
    outcome = Outcome(home, [side.name for side in sides], [side.title for side in sides], dry_run)
    outcome.python = python.path
    contents, engine_data = home_setup.packed(), home_setup.engine_for(home, python, env, assets.running())
    own = home_setup.own_files(home, python, contents, engine_data, env)
    # Worked out and checked for every agent before the first file is written.
    sides, previews = _possible(home, sides, outcome)
    if dry_run:
        outcome.add([(path, "create") for path, _ in scaffold.missing(home)])
        outcome.add(home_setup.rows(own))
        for preview in previews:
            outcome.add(preview.rows)
            outcome.diff += preview.diff
        return outcome
    files.make_folder(home.root)
    files.sweep(home.root, now)
    outcome.add([(path, "create") for path in scaffold.lay_out(home)])
    outcome.add(home_setup.place(home, own, now))
    outcome.add(_record_routes(home, {side.name: side.routes for side in sides}))
    for side in sides:
        outcome.add(apply.apply(whole_plan(home, side.plan()), side.name, home, now))
    index.build(home)
    refresh()
    return outcome


def _possible(home: Home, sides: Sequence[Side], outcome: Outcome) -> tuple[list[Side], list[apply.Preview]]:
    """The agents that can be installed for, with what that does; PalError when that is none of them."""
    possible: list[Side] = []
    previews: list[apply.Preview] = []
    for side in sides:
        try:
            previews.append(apply.preview(whole_plan(home, side.plan()), home, side.name))
            possible.append(side)
        except PalError as fault:
            outcome.refused.append(f"not installed for {side.title}: {fault}")
            if len(outcome.refused) == len(sides):
                raise
    outcome.agents = [side.name for side in possible]
    outcome.titles = [side.title for side in possible]
    return possible, previews


def adopt(home: Home, now: float, side: Side) -> None:
    """Record again what stands in an agent's files, recognised by its content, so that it can be taken out."""
    apply.apply(whole_plan(home, side.plan()), side.name, home, now)


def whole_plan(home: Home, plan: list[Change]) -> list[Change]:
    """An agent's plan with what all agents share in the home, so that this goes with the last of them."""
    return [*home_setup.shared(home), *plan]


def uninstall(home: Home, now: float, agents: Sequence[str], titles: Sequence[str], dry_run: bool = False) -> Outcome:
    """Take PAL out of these agents, or say what that would do; with the last agent PAL's own files go too."""
    outcome = Outcome(home, agents, titles, dry_run)
    outcome.remaining = [name for name in owners.installed(home) if name not in agents]
    if dry_run:
        for name in agents:
            preview = apply.preview_undo(name, home)
            outcome.add(preview.rows)
            outcome.diff += preview.diff
        if not outcome.remaining:
            outcome.add([(path, "remove") for path in home_setup.leftovers(home)])
        return outcome
    _record_routes(home, {name: {} for name in agents})  # first, or a hook writes again what is taken out below
    for name in agents:
        outcome.add(apply.undo(name, home, now))
    if not outcome.remaining:
        files.sweep(home.root, now)
        # Last, so that a hook that is running finds its engine until no agent starts another.
        outcome.add([(path, "remove") for path in home_setup.clear(home)])
    return outcome


def purge(home: Home, now: float) -> str:
    """Remove the whole home after a backup beside it; the backup's path, empty when there was no home."""
    if not os.path.isdir(home.root):
        return ""
    beside, _ = os.path.split(home.root)
    saved = os.path.join(beside, time.strftime("pal-backup-%Y%m%d-%H%M%S.zip", time.gmtime(now)))
    shutil.copyfile(backup.run(home, now), saved)
    with zipfile.ZipFile(saved) as copy:
        if copy.testzip() is not None:
            raise PalError(f"the backup {saved} is damaged, so nothing was removed; try again")
    shutil.rmtree(os.path.realpath(home.root))
    return saved


def _record_routes(home: Home, routes: Mapping[str, Routes]) -> list[Row]:
    """Write where standing text and digests go: these agents' routes anew, the others' as they were."""
    try:
        known = jsontext.loads(files.read_bytes(home.digest_routes) or b"{}")
    except ValueError:
        known = {}
    kept: dict[str, Any] = {"command": home_setup.command(home)}
    for kind in ("blocks", "digests"):
        listed = known.get(kind) if isinstance(known, dict) else None
        entries = [entry for entry in listed or () if isinstance(entry, dict) and entry.get("owner") not in routes]
        kept[kind] = entries + [entry for each in routes.values() for entry in each.get(kind, [])]
    if not kept["blocks"] and not kept["digests"] and not os.path.lexists(home.digest_routes):
        return []
    created = not os.path.lexists(home.digest_routes)
    written = files.write(home.digest_routes, jsontext.pretty(kept))
    return [(home.digest_routes, "create" if created else "change")] if written else []
