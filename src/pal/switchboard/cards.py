"""Plans come, change and go: every way a plan gets onto the board or off it. The file is written first and the card
second; for removal the other way round, so that a crash leaves what the next scan can put right."""

from __future__ import annotations

import os

from pal.base import jsontext
from pal.switchboard import board, columns, filing, planfiles, plans, scan, schema, store
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.switchboard.desk import Desk

    Card = dict[str, Any]

LARGEST_PASTE = 200_000  # bytes of text with several plans
_LONGEST_TITLE = 200
_AT = {name: number for number, name in enumerate(schema.PLAN)}


def create(desk: Desk, title: str, body: str = "", parent: str = "", source: str = "local") -> Card:
    """A new plan: its file, then its card. Without a body it begins with the usual headings; with a parent it stands
    in the parent's column. The same text twice is one plan (`duplicate`)."""
    title = " ".join(title.split())[:_LONGEST_TITLE] or plans.facts(body, "").title
    text = body if body.strip() else planfiles.SKELETON.format(title=title, goal="What should be true afterwards.")
    if body.strip() and plans.facts(body, "").title != title and not _begins_with_title(body):
        text = f"# {title}\n\n{body.lstrip()}"
    above = board.find(desk, parent) if parent else None
    if body.strip():
        twin = _twin(desk, planfiles.sha(_whole(text)))
        if twin:
            return {**twin, "duplicate": True}
    path = planfiles.create(desk.workspace.plans, planfiles.name_for(desk.home, title, desk.now), _whole(text))
    content, sha, stat = planfiles.read(path)
    one = scan.Found(desk.workspace.relative(path), stat, sha, plans.facts(content, path))
    with store.Writing(desk) as write:
        standing = write.db.execute(
            "select plan_id from plans where plan_file = ? and status != 'deleted'", (one.file,)
        ).fetchone()  # a scan elsewhere may have seen the file in this moment
        if standing is None:
            column = above["column"] if above and above["status"] == "active" else columns.CREATED
            plan_id, _ = scan.register(write, desk, one, column, source, "created", above["planId"] if above else "")
        else:
            plan_id = standing[0]
    return board.find(desk, plan_id, scanning=False)


def _whole(text: str) -> str:
    return text.rstrip() + "\n"


def _begins_with_title(body: str) -> bool:
    return body.lstrip("\ufeff \n\r\t").startswith("# ")


def _twin(desk: Desk, sha: str) -> Card | None:
    with store.Reading(desk.workspace, desk.wait) as db:
        row = db.execute(f"{board.PICK} board where content_sha = ?", (sha,)).fetchone()
    return board.find(desk, row[0], scanning=False) if row else None


def take_in(desk: Desk, text: str, source: str = "paste") -> list[Card]:
    """The plans of one paste, each a card; a text without `### PLAN 1 START` lines is one plan."""
    if len(text.encode("utf-8", "replace")) > LARGEST_PASTE:
        raise refused("E_SIZE", f"the text is longer than {LARGEST_PASTE:,} bytes", "take it in by parts")
    found = plans.split(text)
    if not found:
        raise refused("E_SIZE", "the text is empty", "paste a plan")
    return [create(desk, "", each, source=source) for each in found]


def text(desk: Desk, id: str) -> tuple[str, str]:
    """(the plan's text, its hash): the hash is what `edit` asks for."""
    content, sha, _ = planfiles.read(desk.workspace.at(board.find(desk, id)["planFile"]))
    return content, sha


def edit(desk: Desk, id: str, content: str, sha: str) -> Card:
    """Another text for a plan that still has the text its editor saw (E_CONFLICT otherwise, nothing is written)."""
    found = board.find(desk, id)
    _living(found)
    planfiles.rewrite(desk, desk.workspace.at(found["planFile"]), content, sha)
    scan.scan(desk, settled=True)
    return board.find(desk, found["planId"], scanning=False)


def _living(found: Card) -> None:
    if found["status"] != "active":
        hint = f"take it up again first: `plan restore {found['planId'][:8]}`"
        raise refused("E_STATUS", f"{found['topic']!r} is {found['status']}", hint, status=found["status"])


def change(
    desk: Desk, id: str, score: str | int | None = None, tags: str | None = None, deps: list[str] | None = None
) -> Card:
    """Set what the board knows of a plan besides its column. A score set here stays, whatever the text says; `unknown`
    leaves it to the text again. Tags and dependencies last until the text is edited."""
    found = board.find(desk, id)
    _living(found)
    value = None if score is None else 0 if str(score).lower() == "unknown" else plans.score(str(score))
    if value == 0 and str(score).lower() not in ("unknown", "0"):
        raise refused("E_TARGET", f"{score!r} is no complexity", "say 1 to 10, low, medium, high or unknown")
    needed = [board.find(desk, each, scanning=False)["sessionId"] for each in deps] if deps is not None else None
    if needed and found["sessionId"] in needed:
        raise refused("E_DEPS", "a plan cannot wait for itself", "name another plan")
    with store.Writing(desk) as write:
        if value is not None:
            write.db.execute("update plans set score = ?, score_source = ? where plan_id = ?",
                             (value, "set" if value else "none", found["planId"]))  # fmt: skip
            write.event("scored", found["planId"], data={"from": found["score"], "to": value, "by": "hand"})
        if tags is not None:
            write.db.execute("update plans set tags = ? where plan_id = ?",
                             (plans.stored_tags(plans.tags(tags)), found["planId"]))  # fmt: skip
        if needed is not None:
            write.db.execute("update plans set deps = ? where plan_id = ?", (jsontext.dumps(needed), found["planId"]))
        if tags is not None or needed is not None:
            write.event("edited", found["planId"], data={"tags": tags, "deps": needed})
        write.db.execute("update plans set updated_at = ? where plan_id = ?", (write.now, found["planId"]))
    return board.find(desk, found["planId"], scanning=False)


def rename(desk: Desk, id: str, title: str) -> Card:
    """Another title, in the text and in the file's name; its stamp and its place on the board stay."""
    title = " ".join(title.split())[:_LONGEST_TITLE]
    if not title:
        raise refused("E_TARGET", "a plan needs a title", "say the new title")
    found = board.find(desk, id)
    _living(found)
    place = desk.workspace
    old = place.at(found["planFile"])
    content, sha, _ = planfiles.read(old)
    lines = content.split("\n")
    headline = next((at for at, line in enumerate(lines) if line.startswith("# ")), None)
    ending = "\r" if headline is not None and lines[headline].endswith("\r") else ""
    lines[: 0 if headline is None else 0] = [] if headline is not None else [f"# {title}", ""]
    if headline is not None:
        lines[headline] = f"# {title}{ending}"
    planfiles.rewrite(desk, old, "\n".join(lines), sha)
    folder, name = os.path.split(old)
    wanted = planfiles.renamed(name, title)
    if wanted != name:
        target = place.relative(os.path.join(folder, planfiles.free(folder, wanted)))
        with store.Writing(desk) as write:
            row = board.need(write.db, desk, found["planId"])
            if row[_AT["plan_file"]] == found["planFile"] and not row[_AT["moving_from"]]:
                write.db.execute(
                    "update plans set plan_file = ?, home_file = ?, moving_from = ? where plan_id = ?",
                    (target, target, found["planFile"], found["planId"]),
                )
                write.event("edited", found["planId"], data={"renamed": [found["planFile"], target]})
        scan.settle(desk)
    scan.scan(desk, settled=True)
    return board.find(desk, found["planId"], scanning=False)


def remove(desk: Desk, id: str) -> Card:
    """Take a plan off the board; its file goes to the trash and `restore` brings both back."""
    found = board.find(desk, id)
    if found["status"] == "deleted":
        return found
    with store.Writing(desk) as write:
        row = board.need(write.db, desk, found["planId"])
        _living({**found, "status": row[_AT["status"]]})
        write.db.execute(
            "update plans set status = 'deleted', rev = rev + 1, updated_at = ? where plan_id = ?",
            (write.now, found["planId"]),
        )
        write.event("deleted", found["planId"], row[_AT["column_id"]])
    filing.throw_away(desk, found["planId"])
    return board.find(desk, found["planId"], scanning=False)


def restore(desk: Desk, id: str) -> Card:
    """Take up again what was removed or done: a removed plan in its column, a finished one where it was before."""
    found = board.find(desk, id)
    if found["status"] == "active":
        return found
    with store.Writing(desk) as write:
        row = board.need(write.db, desk, found["planId"])
        before = row[_AT["column_id"]]
        column = _before_done(write, found["planId"]) if before == columns.DONE else before
        write.db.execute(
            "update plans set status = 'active', column_id = ?, completed_at = '', rev = rev + 1, updated_at = ?"
            " where plan_id = ?", (column, write.now, found["planId"]),
        )  # fmt: skip
        write.event("restored", found["planId"], before, column, data={"was": found["status"]})
    filing.bring_back(desk, found["planId"])
    return board.find(desk, found["planId"])


def _before_done(write: store.Writing, plan_id: str) -> str:
    row = write.db.execute(
        "select from_col from events where plan_id = ? and to_col = ? order by id desc limit 1",
        (plan_id, columns.DONE),
    ).fetchone()
    return row[0] if row and row[0] else columns.REVIEWED
