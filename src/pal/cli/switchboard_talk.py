"""The actions of `pal switchboard` for messages and the roster: send, read, finish; who there is and what they do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pal.cli.parser import actions
from pal.switchboard import mailbox, messages, roster, signing

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context
    from pal.switchboard.desk import Desk

    Answer = tuple[Any, list[str]]

ACTIONS = (
    ("send", "send a message: submit_result or status_update"),
    ("inbox", "read a mailbox, or with --claim take what is in it"),
    ("ack", "finish a message"),
    ("agent", "list, add, change, hide or remove agents and roles"),
)
_PARTS = (
    ("list", "show agents and roles"),
    ("add", "add a custom agent, with a column of its own"),
    ("register", "announce an agent and the role it takes"),
    ("set", "change a role's prompt, command or place on the board"),
    ("hide", "take a role out of routing, or with --show back in"),
    ("rm", "remove an agent"),
    ("status", "say what an agent is doing"),
)


def configure(table: dict[str, argparse.ArgumentParser]) -> list[argparse.ArgumentParser]:
    send = table["send"]
    send.add_argument("message_action", metavar="ACTION", help="submit_result or status_update")
    send.add_argument("text", help="what to say; - reads it from stdin")
    send.add_argument("--to", default="", metavar="NAME", help="a mailbox or role (default: whoever waits for it)")
    send.add_argument("--reply-to", default="", metavar="ID", help="the message it answers")
    send.add_argument("--plan", default="", metavar="ID", help="the plan it is about")
    send.add_argument("--as", dest="sender", default="", metavar="NAME", help="sign it as this agent")
    send.add_argument("--key", default="", metavar="KEY", help="the same key sends the message once")
    table["inbox"].add_argument("agent", nargs="?", default="", help="whose (default: yours)")
    table["inbox"].add_argument("--claim", action="store_true", help="take the oldest ones for ten minutes")
    table["inbox"].add_argument("--sent", action="store_true", help="what was sent instead")
    table["inbox"].add_argument("--all", action="store_true", help="finished ones too")
    table["inbox"].add_argument("--limit", type=int, default=20, help="how many (default: 20)")
    table["ack"].add_argument("id", help="the message")
    table["ack"].add_argument("--failed", action="store_true", help="it could not be done")
    parts = actions(table["agent"], _PARTS, "part")
    for name in ("add", "register", "rm", "status"):
        parts[name].add_argument("name", help="what the agent is called")
    for name in ("set", "hide"):
        parts[name].add_argument("role", help="a role or a custom agent")
    for name in ("add", "set"):
        parts[name].add_argument("--prompt", default=None, help="what to tell it beside the plan")
        parts[name].add_argument("--command", default=None, help="how a person starts it")
        parts[name].add_argument("--sort", type=int, default=None, help="its place among the columns (Reviewed: 300)")
        parts[name].add_argument("--no-column", action="store_true", help="it gets no column")
    parts["register"].add_argument("--role", default="", help="planner, lead, coder, intern, reviewer, a custom agent")
    parts["hide"].add_argument("--show", action="store_true", help="the other way round")
    parts["status"].add_argument("status", choices=roster.STATUSES)
    parts["status"].add_argument("note", nargs="?", default="", help="a few words")
    return [send, table["inbox"], table["ack"], *parts.values()]


def run(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    answer = {"send": _send, "inbox": _inbox, "ack": _ack, "agent": _agent}
    return answer[options.action](options, context, desk)


def _send(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    payload = sys.stdin.read() if options.text == "-" else options.text
    signature = None
    if options.sender:
        signature = signing.sign(context.home, context.now, options.message_action, options.sender, options.to, payload)
    metadata = {"idempotencyKey": options.key} if options.key else None
    reply = messages.send(desk, options.message_action, payload, options.to, options.reply_to, options.plan, metadata,
                          sender=options.sender, signature=signature)  # fmt: skip
    said = "is there already" if reply["duplicate"] else "is in the mailbox"
    lines = [f"{reply['id']} {said} of {reply['recipient']}"]
    move = reply.get("suggestedMove")
    lines += [f"  next: pal switchboard move {move['sessionId']} {move['target']}"] if move else []
    return reply, lines


def _inbox(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    box = "outbox" if options.sent else "all" if options.all else "inbox"
    found = mailbox.inbox(desk, options.agent, options.claim, options.limit, box)
    lines = []
    for each in found:
        lines.append(f"{each['id']}  {each['action']}  {each['sender']} → {each['recipient']}  {each['state']}")
        lines += ["    " + line for line in each["payload"].splitlines()]
    return {"messages": found}, lines or ["Nothing."]


def _ack(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    done = mailbox.ack(desk, options.id, options.failed)
    return done, [f"{done['id']} is {done['state']}{'' if done['changed'] else ' already'}."]


def _agent(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    part = options.part
    if part == "list":
        return _listed(desk)
    if part == "register":
        facts = roster.register(desk, options.name, options.role)
        return facts, [f"{facts['name']} is registered{' as ' + facts['role'] if facts['role'] else ''}."]
    if part == "status":
        facts = roster.set_status(desk, options.name, options.status, options.note)
        return facts, [f"{facts['name']} is {facts['status']}."]
    if part == "rm":
        roster.remove(desk, options.name)
        return {"removed": options.name}, [f"{options.name} is off the roster."]
    if part == "hide":
        facts = roster.change(desk, options.role, visible=int(options.show))
        return facts, [f"{facts['name']} is {'back' if options.show else 'hidden'}."]
    in_board = not options.no_column
    if part == "add":
        facts = roster.add(desk, options.name, options.prompt or "", options.command or "",
                           options.sort if options.sort is not None else roster.CUSTOM_SORT, in_board)  # fmt: skip
        return facts, [f"{facts['name']} is on the {'board' if in_board else 'roster'}."]
    facts = roster.change(desk, options.role, prompt=options.prompt, command=options.command, sort=options.sort,
                          in_board=int(in_board))  # fmt: skip
    return facts, [f"{facts['name']} is set."]


def _listed(desk: Desk) -> Answer:
    facts = roster.roster(desk)
    lines = [f"{each['name']}  {each['role']}  {each['status']}  {each['note']}".rstrip() for each in facts["agents"]]
    lines += ["", "roles:"]
    for role in facts["roles"]:
        marks = [mark for mark, on in (("held", role["held"]), ("hidden", not role["visible"])) if on]
        lines.append(f"  {role['role']}  {role['name']}" + (f"  ({', '.join(marks)})" if marks else ""))
    return facts, lines
