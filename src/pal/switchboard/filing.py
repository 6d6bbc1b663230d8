"""Where a plan's file lies: in `plans/` while it lives, in `archive/YYYY-MM/` when done, in `trash/` when removed.

First the row says where the file is to be and where it comes from, then the file is moved: whoever dies in between
leaves a row that any later scan finishes."""

from __future__ import annotations

import os

from pal.base import clock, log
from pal.base.errors import PalError
from pal.memory.icm import store as icm
from pal.switchboard import archive, board, planfiles, scan, schema, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.switchboard.desk import Desk

_AT = {name: number for number, name in enumerate(schema.PLAN)}


def file_away(desk: Desk, plan_id: str) -> dict[str, Any]:
    """A finished plan into the archive: its text and events are copied, then its file goes to the month's folder."""
    kept = archive.add(desk, plan_id)
    with store.Reading(desk.workspace, desk.wait) as db:
        row = board.need(db, desk, plan_id)
    if row[_AT["status"]] == "completed" and row[_AT["plan_file"]] == row[_AT["home_file"]]:
        folder = os.path.join(desk.workspace.archived, clock.iso(desk.now)[:7])
        _to(desk, plan_id, folder, "completed", "archived")
    with store.Reading(desk.workspace, desk.wait) as db:
        row = board.need(db, desk, plan_id)
    with archive.Writing(desk) as db:
        db.execute("update plans set plan_file = ? where plan_id = ?", (row[_AT["plan_file"]], plan_id))
    if kept["changed"] and kept["revision"] == 1:
        _remember(desk, row, kept["days"])
    return {"archiveId": plan_id, "revision": kept["revision"]}


def _remember(desk: Desk, row: tuple[Any, ...], days: int) -> None:
    """One line for the user's memory: what was finished, where. Texts and messages stay in the project."""
    project = os.path.basename(desk.workspace.root)
    score = f"complexity {row[_AT['score']]}, " if row[_AT["score"]] else ""
    said = f"Plan finished in {project}: {row[_AT['topic']]} ({score}{days} days, {row[_AT['plan_file']]})"
    try:
        icm.store(desk.home, said, desk.now, topic=f"learnings-{project}", importance="low", source_agent=desk.actor,
                  source_tier="external")  # fmt: skip
    except (PalError, OSError) as fault:
        log.warning(desk.home, "switchboard", f"a finished plan was not remembered: {fault}")


def throw_away(desk: Desk, plan_id: str) -> None:
    """The file of a removed plan into the trash, whence `restore` brings it back."""
    _to(desk, plan_id, desk.workspace.trash, "deleted", "filed")


def bring_back(desk: Desk, plan_id: str) -> None:
    """The file of a plan that lives again, to where it was."""
    place = desk.workspace
    with store.Reading(place) as db:
        row = board.need(db, desk, plan_id)
    _to(desk, plan_id, os.path.dirname(place.at(row[_AT["home_file"]])), "active", "filed", row[_AT["home_file"]])


def _to(desk: Desk, plan_id: str, folder: str, status: str, kind: str, wanted: str = "") -> None:
    place = desk.workspace
    with store.Writing(desk) as write:
        row = board.need(write.db, desk, plan_id)
        source = row[_AT["plan_file"]]
        if row[_AT["status"]] != status or source == wanted:
            return  # somebody else decided otherwise in this moment, or it is there
        name = os.path.basename(wanted or row[_AT["home_file"]])
        if os.path.lexists(os.path.join(folder, name)):
            name = planfiles.free(folder, f"{name[:-3]}_{plan_id[:8]}.md")
        target = place.relative(os.path.join(folder, name))
        write.db.execute(
            "update plans set plan_file = ?, moving_from = ?, home_file = case when ? then ? else home_file end"
            " where plan_id = ?", (target, source, status == "active", target, plan_id),
        )  # fmt: skip
        write.event(kind, plan_id, data={"file": target})
    scan.carry(desk, plan_id, source, target)
