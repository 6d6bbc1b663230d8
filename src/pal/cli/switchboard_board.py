"""The actions of `pal switchboard` on the board: look, move, undo, history, and what to tell whoever takes over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.switchboard import board, moves, prompts

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context
    from pal.switchboard.desk import Desk

    Answer = tuple[Any, list[str]]

ACTIONS = (
    ("board", "show the columns and their plans"),
    ("move", "move a plan to a column, role or agent; `coded` goes by complexity"),
    ("next", "move a plan one on"),
    ("undo", "take back the last move, of a plan or of the board"),
    ("log", "show what happened to a plan"),
    ("prompt", "print what to tell the agent that takes over a plan"),
    ("fail", "send a plan back with what its test showed"),
)


def configure(table: dict[str, argparse.ArgumentParser]) -> list[argparse.ArgumentParser]:
    table["board"].add_argument("--column", default="", metavar="C", help="only this column")
    table["board"].add_argument("--score", default="", metavar="N..M", help="only this complexity: 3..6, 7, low, high")
    table["board"].add_argument("--tag", default="", metavar="T", help="only plans with this tag")
    table["board"].add_argument("--done", action="store_true", help="finished plans too")
    for name in ("move", "next", "log", "prompt", "fail"):
        table[name].add_argument("id", help="session id, plan id, six characters of one, or its file")
    table["undo"].add_argument("id", nargs="?", default="", help="a plan (default: the board's last move)")
    table["move"].add_argument("target", nargs="+", help="a column, role, agent, coded, team or next")
    for name in ("move", "next"):
        table[name].add_argument("--rev", type=int, default=None, help="refuse if it was moved since this revision")
        table[name].add_argument("--reason", default="", help="kept in the plan's history")
        table[name].add_argument("--force", action="store_true", help="though it was moved, or waits for others")
    table["prompt"].add_argument("--role", default="", help="for this role (default: who works on it next)")
    table["fail"].add_argument("--feedback", required=True, metavar="TEXT", help="what went wrong")
    return list(table.values())


def run(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    answer = {
        "board": _board, "move": _move, "next": _move, "undo": _undo, "log": _log, "prompt": _prompt, "fail": _fail,
    }  # fmt: skip
    return answer[options.action](options, desk)


def _board(options: argparse.Namespace, desk: Desk) -> Answer:
    done = board.COMPLETED_SHOWN if options.done else 0
    facts = board.state(desk, options.column, options.score, options.tag, done)
    lines = []
    for column in facts.values():
        lines.append(f"{column['label']} ({len(column['items'])})")
        for item in column["items"]:
            marks = [f"complexity {item['score']}"] if item["score"] else []
            marks += ["file missing"] if item["missing"] else []
            marks += [f"waits for {', '.join(item['blockedBy'])}"] if item.get("blockedBy") else []
            lines.append(f"  {item['sessionId']}  {item['topic']}" + (f"  ({', '.join(marks)})" if marks else ""))
    return facts, lines


def _move(options: argparse.Namespace, desk: Desk) -> Answer:
    target = "next" if options.action == "next" else " ".join(options.target)
    return moved(moves.move(desk, options.id, target, options.rev, options.reason, options.force))


def moved(reply: dict[str, Any]) -> Answer:
    """A move in words: where it was, where it is, what decided that, and what to do next."""
    if not reply["changed"]:
        return reply, [f"{reply['topic']} is in {reply['label']} already."]
    why = f", {reply['routedBy']}" if reply["routedBy"] not in ("target", "undo", "next") else ""
    lines = [f"{reply['topic']}: {reply['from']} → {reply['to']} ({reply['label']}{why})"]
    lines += [f"  {reply['note']}"] if reply.get("note") else []
    lines += [f"  {reply['recipient']} has a message"] if reply.get("recipient") else []
    if reply.get("prompt"):
        lines.append(f"  pal switchboard prompt {reply['planId'][:8]} --role {reply['role']}")
    return reply, lines


def _undo(options: argparse.Namespace, desk: Desk) -> Answer:
    return moved(moves.undo(desk, options.id))


def _log(options: argparse.Namespace, desk: Desk) -> Answer:
    events = board.log(desk, options.id)
    lines = []
    for event in events:
        way = " → ".join(filter(None, (event["from"], event["to"])))
        lines.append("  ".join(filter(None, (event["at"], event["kind"], way, event["actor"], event["reason"]))))
    return {"events": events}, lines


def _prompt(options: argparse.Namespace, desk: Desk) -> Answer:
    facts = prompts.prompt(desk, options.id, options.role)
    return facts, [facts["text"]]


def _fail(options: argparse.Namespace, desk: Desk) -> Answer:
    reply, lines = moved(moves.fail(desk, options.id, options.feedback))
    return reply, [*lines[:1], "", reply["prompt"]]
