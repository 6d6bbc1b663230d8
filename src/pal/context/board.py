"""Tier 3, the project's board at a session's start: how many plans stand where, what is next, who has messages.

Nothing where there is no board, and nothing is made or taken in from disk for it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.context.session_parts import Start

_WAIT = 0.25  # seconds; a session does not wait for a board that somebody writes to
_LONGEST_TOPIC = 80  # units
_BOXES = 5  # mailboxes that are named


def standing(start: Start) -> str:
    """A few lines on the board of this folder."""
    from pal.switchboard import workspace

    place = workspace.find(start.env, start.cwd)
    if place is None:
        return ""
    import os

    if not os.path.exists(place.board):
        return ""
    from pal.base import redaction, text
    from pal.switchboard import summary
    from pal.switchboard.desk import Desk

    facts = summary.status(Desk(start.home, place, start.now, wait=_WAIT))
    lines = [summary.counted(facts) + "; `get_kanban_state` or `pal sb board` shows them"] if facts["columns"] else []
    lines += [f"next: {text.clip(each['topic'], _LONGEST_TOPIC)} ({each['sessionId']})" for each in facts["next"]]
    lines += [f"run: {run['workflow']} by {run['agent']}, {run['step']} steps done" for run in facts["runs"]]
    boxes = sorted(facts["unread"].items(), key=lambda box: (-box[1], box[0]))
    unread = ", ".join(f"{count} for {text.clip(name, _LONGEST_TOPIC)}" for name, count in boxes[:_BOXES])
    lines += [f"unread messages: {unread}{', …' if len(boxes) > _BOXES else ''}"] if unread else []
    return redaction.scrub("\n".join(f"- {line}" for line in lines))
