"""What the page can ask and do at a board: one row for each call, with its fields checked before anything happens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pal import __version__
from pal.switchboard import archive_search, board, cards, mailbox, messages, moves, prompts, roster, runs, scan, store
from pal.switchboard.desk import PERSON, Desk
from pal.switchboard.errors import EXIT, Refused, refused
from pal.switchboard.workspace import Workspace

ENTRIES = 200  # of a card's history
_LISTED = 100  # messages


class Malformed(Refused):
    """A request that makes no sense whatever the board holds."""

    def __init__(self, code: str, sentence: str, hint: str) -> None:
        super().__init__("E_ACTION", sentence, hint, {})
        self.code = code


def wrong(code: str, sentence: str, hint: str) -> Refused:
    """A refusal of the page's own, with a code that commands do not have."""
    return refused(code, sentence, hint) if code in EXIT else Malformed(code, sentence, hint)


class Fields:
    """The fields of a request, each read as what it must be."""

    __slots__ = ("_given",)

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def text(self, name: str, default: str | None = None) -> str:
        value = self._given.get(name, default)
        if not isinstance(value, str):
            raise wrong("E_JSON", f"`{name}` is missing or no text", "send it as a text")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise wrong("E_JSON", f"`{name}` holds half a character", "send whole Unicode text") from None
        return value

    def flag(self, name: str) -> bool:
        value = self._given.get(name, False)
        if not isinstance(value, bool):
            raise wrong("E_JSON", f"`{name}` is neither true nor false", "send one of the two")
        return value

    def number(self, name: str) -> int | None:
        """A whole number, also as digits in an address; None where it is absent."""
        value = self._given.get(name)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
            return int(value)
        if value is None or value == "":
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong("E_JSON", f"`{name}` is no whole number", "send a number")
        return value

    def texts(self, name: str) -> list[str] | None:
        value = self._given.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise wrong("E_JSON", f"`{name}` is no list of texts", "send a list")
        return value

    def has(self, name: str) -> bool:
        return self._given.get(name) is not None


def start(projects: list[dict[str, Any]]) -> dict[str, Any]:
    return {"version": __version__, "person": PERSON, "projects": projects}


def projects(here: Workspace | None, others: Iterable[Workspace]) -> list[dict[str, Any]]:
    rows = [(here, True)] if here else []
    rows += [(place, False) for place in others]
    return [
        {"id": "" if mine else place.id, "name": os.path.basename(place.root), "root": place.root, "here": mine}
        for place, mine in rows
        if mine or place.id
    ]


def _board(desk: Desk, fields: Fields) -> object:
    """The whole board, or nothing when it is as the asker saw it."""
    since = fields.number("since")
    if since is not None and since == store.revision(desk.workspace):
        return None
    scan.scan(desk)
    # Read before the cards: what changes in between is read once more, never missed.
    rev = store.revision(desk.workspace)
    found = board.state(desk, done=board.COMPLETED_SHOWN, scanning=False)
    totals = board.counts(desk, scanning=False)
    columns = [{**column, "total": max(totals.get(name, 0), len(column["items"]))} for name, column in found.items()]
    active = [runs.facts(run) for run in runs.listing(desk)]
    return {
        "rev": rev,
        "columns": columns,
        "unread": mailbox.unread(desk).get(PERSON, 0),
        "runs": [{name: each[name] for name in ("plan", "workflow", "agent")} for each in active if each["plan"]],
    }


def _card(desk: Desk, fields: Fields) -> object:
    """One card with its text and its history; a text that cannot be read is a sentence, not the end."""
    found = board.find(desk, fields.text("id"))
    text, sha, problem = "", "", ""
    try:
        text, sha = cards.text(desk, found["planId"])
    except Refused as fault:
        problem = str(fault)
    log = board.log(desk, found["planId"], ENTRIES)
    return {"card": found, "text": text, "sha": sha, "problem": problem, "log": log}


def _prompt(desk: Desk, fields: Fields) -> object:
    return prompts.prompt(desk, fields.text("id"), fields.text("role", ""))


def _messages(desk: Desk, fields: Fields) -> object:
    agent = fields.text("agent", "")
    box = fields.text("box", "inbox")
    if box not in ("inbox", "outbox", "all"):
        raise wrong("E_JSON", f"there is no box {box[:40]!r}", "inbox, outbox or all")
    found = mailbox.inbox(desk, agent, limit=_LISTED, box=box)
    return {"messages": found, "unread": mailbox.unread(desk), "agent": agent or PERSON}


def _roster(desk: Desk, fields: Fields) -> object:
    return roster.roster(desk)


def _runs(desk: Desk, fields: Fields) -> object:
    """The runs under way and the last ones, each with the names of its steps."""
    found = runs.listing(desk, every=True)
    return {"runs": [{**runs.facts(run), "steps": [step.name for step in run.steps]} for run in found]}


def _search(desk: Desk, fields: Fields) -> object:
    return archive_search.search(desk, fields.text("q"), limit=20)


def _move(desk: Desk, fields: Fields) -> object:
    return moves.move(
        desk, fields.text("id"), fields.text("target"), fields.number("rev"), fields.text("reason", ""),
        fields.flag("force"),
    )  # fmt: skip


def _undo(desk: Desk, fields: Fields) -> object:
    return moves.undo(desk, fields.text("id", ""))


def _create(desk: Desk, fields: Fields) -> object:
    """One plan with a title, or all the plans of a paste."""
    title, text = fields.text("title", ""), fields.text("text", "")
    if title.strip():
        return {"cards": [cards.create(desk, title, text, parent=fields.text("parent", ""))]}
    return {"cards": cards.take_in(desk, text)}


def _edit(desk: Desk, fields: Fields) -> object:
    return cards.edit(desk, fields.text("id"), fields.text("text"), fields.text("sha"))


def _set(desk: Desk, fields: Fields) -> object:
    return cards.change(
        desk,
        fields.text("id"),
        score=fields.text("score") if fields.has("score") else None,
        tags=fields.text("tags") if fields.has("tags") else None,
        deps=fields.texts("deps"),
    )


def _rename(desk: Desk, fields: Fields) -> object:
    return cards.rename(desk, fields.text("id"), fields.text("title"))


def _remove(desk: Desk, fields: Fields) -> object:
    return cards.remove(desk, fields.text("id"))


def _restore(desk: Desk, fields: Fields) -> object:
    return cards.restore(desk, fields.text("id"))


def _fail(desk: Desk, fields: Fields) -> object:
    return moves.fail(desk, fields.text("id"), fields.text("feedback"))


def _stop(desk: Desk, fields: Fields) -> object:
    return runs.facts(runs.stop(desk, fields.text("run"), fields.text("reason", "")))


def _send(desk: Desk, fields: Fields) -> object:
    return messages.send(
        desk, fields.text("action", "status_update"), fields.text("text"), fields.text("recipient", ""),
        fields.text("inReplyTo", ""), fields.text("plan", ""),
    )  # fmt: skip


def _ack(desk: Desk, fields: Fields) -> object:
    return mailbox.ack(desk, fields.text("id"), fields.flag("failed"))


Call = Callable[[Desk, Fields], object]
READS: dict[str, Call] = {
    "/api/board": _board,
    "/api/card": _card,
    "/api/prompt": _prompt,
    "/api/messages": _messages,
    "/api/roster": _roster,
    "/api/runs": _runs,
    "/api/search": _search,
}
WRITES: dict[str, Call] = {
    "/api/move": _move,
    "/api/undo": _undo,
    "/api/create": _create,
    "/api/edit": _edit,
    "/api/set": _set,
    "/api/rename": _rename,
    "/api/remove": _remove,
    "/api/restore": _restore,
    "/api/fail": _fail,
    "/api/stop": _stop,
    "/api/send": _send,
    "/api/ack": _ack,
}
