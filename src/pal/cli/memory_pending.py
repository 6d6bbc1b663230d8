"""`pal memory pending|promote|reject|explain`: memories that others offered, for the user to decide on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.memory.acl import pending, review, score, tiers

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal memory pending
pal memory promote 01KJQ4W2
pal memory reject 01KJQ4W2 --reason "not true any more"
pal memory explain 01KJQ4W2
"""


def configure(name: str, parser: argparse.ArgumentParser) -> None:
    if name == "pending":
        parser.add_argument("--decided", action="store_true", help="show what was decided instead of what waits")
        return
    parser.add_argument("id", metavar="ID", help="a pending memory, or the beginning of its id")
    if name == "reject":
        parser.add_argument("--reason", default="not wanted", help="kept with the decision; the text itself is not")


def run(options: argparse.Namespace, context: Context) -> int:
    return {"pending": _pending, "promote": _promote, "reject": _reject, "explain": _explain}[options.action](
        options, context
    )


def _pending(options: argparse.Namespace, context: Context) -> int:
    output = context.output
    rows = pending.decisions(context.home) if options.decided else list(pending.waiting(context.home).values())
    if options.json:
        output.json(rows)
    elif not rows:
        output.line("Nothing was decided yet." if options.decided else "No memory waits for review.")
    elif options.decided:
        output.table([[row.get(name, "") for name in ("ts", "id", "status", "by", "reason")] for row in rows])
    else:
        cells = [
            [row["id"], row["source_agent"], row.get("score", ""), row["topic"], " ".join(row["content"].split())[:100]]
            for row in rows
        ]
        output.table(cells, ("id", "from", "score", "topic", "text"))
        output.line("`pal memory promote ID` takes one in, `pal memory reject ID` removes it for good.")
    return 0


def _promote(options: argparse.Namespace, context: Context) -> int:
    row = pending.get(context.home, options.id)
    name = review.promote(context.home, row, review.USER, "the user took it in", context.now)
    return _said(options, context, {"id": row["id"], "status": pending.PROMOTED, "memory_id": name}, f"kept as {name}")


def _reject(options: argparse.Namespace, context: Context) -> int:
    row = pending.get(context.home, options.id)
    review.reject(context.home, row, review.USER, options.reason, context.now)
    return _said(options, context, {"id": row["id"], "status": pending.REJECTED}, "rejected; its text is gone")


def _explain(options: argparse.Namespace, context: Context) -> int:
    row = pending.get(context.home, options.id)
    parts = score.of(context.home, row["content"], row["importance"], len(row["sessions"]), context.now).shown()
    if options.json:
        context.output.json({**row, "now": parts})
        return 0
    context.output.line(row["content"])
    context.output.line()
    facts = [("from", f"{row['source_agent']} ({tiers.EXTERNAL}, {row.get('channel', '')})"), ("offered", row["ts"])]
    context.output.table([*facts, *[(name, _plain(value)) for name, value in parts.items()]])
    verdict = "memory vouches for it: it goes in at the next session start" if parts["promoted"] else "it waits for you"
    context.output.line(f"\n{verdict[0].upper()}{verdict[1:]}.")
    return 0


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(each.get("id")) if isinstance(each, dict) else str(each) for each in value) or "none"
    return str(value)


def _said(options: argparse.Namespace, context: Context, facts: dict[str, str], text: str) -> int:
    if options.json:
        context.output.json(facts)
    else:
        context.output.line(f"{facts['id']} {text}.")
    return 0
