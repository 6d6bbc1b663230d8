"""`pal events`: what hooks, servers and commands reported, as a list, as numbers, as it happens, or over HTTP."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from pal.base import files
from pal.base.errors import PalError
from pal.base.jsontext import dumps
from pal.cli.parser import actions, json_option
from pal.events import follow, log, schema

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from pal.cli.context import Context

EXAMPLES = """
pal events list --count 20 --type tool_end
pal events tail
pal events serve --port 8895
curl -N http://127.0.0.1:8895/events
"""
PORT = 8895
_LOOK = 0.2  # seconds between two looks of `tail`
_UPGRADE = 5.0  # seconds between two looks at the launcher


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("list", "list the newest events"),
            ("tail", "print events as they happen, until Ctrl-C"),
            ("stats", "count events by kind, tool and outcome"),
            ("serve", "serve the events on 127.0.0.1 as server-sent events"),
        ),
    )
    for name in ("list", "tail"):
        table[name].add_argument("--type", metavar="KIND", help=f"one of {', '.join(schema.TYPES)}")
        table[name].add_argument("--session", metavar="ID", help="of this session only")
    table["list"].add_argument("--count", type=int, default=20, metavar="N", help="how many (default 20)")
    table["serve"].add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 takes a free one"
    )
    table["serve"].add_argument(
        "--until-upgrade", action="store_true", help="end when PAL is upgraded or taken out; for servers nobody watches"
    )
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    kind = getattr(options, "type", None)
    if kind and kind not in schema.TYPES:
        raise PalError(f"there is no kind of event {kind!r}; there are {', '.join(schema.TYPES)}")
    action = {"list": _list, "tail": _tail, "stats": _stats, "serve": _serve}[options.action]
    return action(options, context)


def _list(options: argparse.Namespace, context: Context) -> int:
    wanted = [event for event in log.each(context.home) if _matches(event, options)]
    newest = wanted[-max(options.count, 1) :]
    if options.json:
        context.output.json(newest)
    elif not newest:
        context.output.line("No event yet: they come with the next tool call of an agent that PAL is installed in.")
    else:
        cells = [(event["ts"], event["type"], event.get("agent", ""), _subject(event)) for event in newest]
        context.output.table(cells, ("when", "type", "agent", "what"))
    return 0


def _tail(options: argparse.Namespace, context: Context) -> int:
    follower = follow.Follower(context.home)
    while True:
        for event, _ in follower.poll():
            if _matches(event, options):
                plain = f"{event['ts']}  {event['type']:<15}  {event.get('agent', ''):<10}  {_subject(event)}"
                context.output.line(dumps(event) if options.json else plain.rstrip())
        context.output.flush()
        time.sleep(_LOOK)


def _stats(options: argparse.Namespace, context: Context) -> int:
    kinds: dict[str, int] = {}
    tools: dict[str, dict[str, float]] = {}
    first = last = ""
    for event in log.each(context.home):
        first, last = first or event["ts"], event["ts"]
        kinds[event["type"]] = kinds.get(event["type"], 0) + 1
        if event["type"] == "tool_end":
            row = tools.setdefault(str(event.get("tool")), {"calls": 0, "failed": 0, "duration_ms": 0.0})
            row["calls"] += 1
            row["failed"] += event.get("ok") is False
            row["duration_ms"] += event.get("duration_ms") or 0
    if options.json:
        context.output.json({"first": first, "last": last, "types": kinds, "tools": tools})
        return 0
    if not kinds:
        context.output.line("No event yet.")
        return 0
    context.output.line(f"{sum(kinds.values())} events from {first} to {last}")
    commonest = sorted(kinds.items(), key=lambda row: -row[1])
    context.output.table(commonest, ("type", "count"))
    if tools:
        busiest = sorted(tools.items(), key=lambda row: (-row[1]["calls"], row[0]))
        cells = [
            (name, int(row["calls"]), int(row["failed"]), f"{row['duration_ms'] / row['calls']:.0f} ms")
            for name, row in busiest
        ]
        context.output.line()
        context.output.table(cells, ("tool", "calls", "failed", "mean"))
    return 0


def _serve(options: argparse.Namespace, context: Context) -> int:
    from pal.base import log as own_log
    from pal.base import settings
    from pal.external import event_stream, exporting, loopback, running

    home, output = context.home, context.output
    launched = files.modified(home.launcher)
    origins = settings.load(home).texts("events.allowed_origins")
    broadcast = event_stream.Broadcast(home)
    site = loopback.Site(event_stream.routes(broadcast), origins, event_stream.POST_LIMIT)
    try:
        server = loopback.Server(site, options.port, lambda text: own_log.warning(home, "events", text))
    except PalError as fault:
        if running.found(home, "events").get("port") == options.port:
            raise PalError(f"the events are served on port {options.port} already") from None
        own_log.warning(home, "events", str(fault))  # a session's start may have asked, whom nobody sees
        raise

    def ready() -> None:
        broadcast.start()
        if options.json:
            output.line(dumps({"url": server.url, "port": server.port}))
        else:
            output.line(f"Events are served at {server.url}/events; Ctrl-C ends it.")
        output.flush()
        if options.until_upgrade:
            threading.Thread(target=_end_with, args=(home.launcher, launched, server.shutdown), daemon=True).start()

    end = exporting.begin(home, context.env)
    running.serve(home, "events", server, ready, broadcast.stop)
    end()
    return 0


def _end_with(launcher: str, known: float, end: Callable[[], object]) -> None:
    """End when the launcher is another one or gone: what was loaded is of yesterday then, and so is this server."""
    while files.modified(launcher) == known:
        time.sleep(_UPGRADE)
    end()


def _matches(event: log.Event, options: argparse.Namespace) -> bool:
    return (not options.type or event["type"] == options.type) and (
        not options.session or event.get("session_id") == options.session
    )


def _subject(event: log.Event) -> str:
    """What an event is about, in a few words."""
    if event["type"] == "tool_end":
        outcome = "ok" if event.get("ok") else str(event.get("error_type") or "failed")
        return f"{event.get('tool')} {outcome} {event.get('duration_ms', 0):.0f} ms"
    if event["type"] == "agent_handoff":
        return f"{event.get('from_agent')} → {event.get('to_agent')}"
    for name in ("tool", "memory_id", "reason", "cwd", "session_id", "agent"):
        if event.get(name):
            return str(event[name])
    return ""
