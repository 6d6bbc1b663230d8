"""`pal mcp`: PAL as a server of the Model Context Protocol, on standard input and output or over HTTP on loopback."""

from __future__ import annotations

import sys

from pal.base import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from pal.cli.context import Context
    from pal.external.mcp.dispatch import Server
    from pal.external.mcp.own import Offer

EXAMPLES = """
pal mcp                                # a client starts this and speaks on standard input
pal mcp --http --port 8896             # the same over HTTP, at http://127.0.0.1:8896/mcp
pal mcp --tool-names=safe              # skill_name instead of skill/name, for LangGraph and the like
pal mcp --board ~/src/shop              # with the tools of that project's board
pal mcp token --create                 # a token that lets a caller write to memory at once
"""
PORT = 8896
_LOOK = 1.0  # seconds between two looks at the skills


def configure(parser: argparse.ArgumentParser) -> None:
    from pal.cli.parser import json_option  # a client that starts the server has no flags, and waits

    parser.add_argument("action", nargs="?", choices=["token"], metavar="token", help="where the token for callers is")
    parser.add_argument("--create", action="store_true", help="with token: make one")
    parser.add_argument("--http", action="store_true", help="serve over HTTP on 127.0.0.1")
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 takes a free one")
    parser.add_argument("--board", default="", metavar="FOLDER", help="offer this project's board too")
    parser.add_argument("--tool-names", choices=["plain", "safe"], default="plain", help="how skills are listed")
    json_option(parser)


def run_bare(context: Context) -> int:
    """`pal mcp` alone: clients start it for every session, some for every call."""
    return _stdio(context, False)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "token":
        return _token(options, context)
    safe = options.tool_names == "safe"
    return _http(options, context, safe) if options.http else _stdio(context, safe, options.board)


def _stdio(context: Context, safe: bool, board: str = "") -> int:
    from pal.external import exporting
    from pal.external.mcp import own, stdio

    server, offer = _server(context, safe, board)
    # Whatever prints by mistake must not reach the client: it reads nothing but messages there.
    reading, writing = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    end = exporting.begin(context.home, context.env)
    stdio.Shell(server, reading, writing).serve(offer.fingerprint, own.load)
    end()
    import os

    writing.flush()
    os._exit(0)  # a tool that is still busy has had its time


def _http(options: argparse.Namespace, context: Context, safe: bool) -> int:
    import threading

    from pal.external import exporting, loopback, running
    from pal.external.mcp import own
    from pal.external.mcp.http import Door, refused

    server, offer = _server(context, safe, options.board)
    door = Door(server)
    made = loopback.Server(
        loopback.Site(door.routes(), refused=refused),
        options.port,
        lambda text: log.warning(context.home, "mcp", text),
    )

    own.load()

    def ready() -> None:
        threading.Thread(target=_watch, args=(offer, door.changed), daemon=True).start()
        if options.json:
            context.output.json({"url": f"{made.url}/mcp", "port": made.port})
        else:
            context.output.line(f"MCP is served at {made.url}/mcp; Ctrl-C ends it.")
        context.output.flush()

    end = exporting.begin(context.home, context.env)
    running.serve(context.home, "mcp", made, ready, door.close)
    end()
    return 0


def _server(context: Context, safe: bool, board: str) -> tuple[Server, Offer]:
    from pal.cli import serving
    from pal.external.mcp import own

    offer = serving.offer(context, board)
    return own.server(offer, context.env, safe), offer


def _watch(offer: Offer, changed: Callable[[str], object]) -> None:
    import time

    known = offer.fingerprint()
    while True:
        time.sleep(_LOOK)
        now = offer.fingerprint()
        if now != known:
            known = now
            changed("tools")


def _token(options: argparse.Namespace, context: Context) -> int:
    import os

    from pal.base import home as homes
    from pal.memory.acl import tiers

    path = tiers.create(context.env) if options.create else homes.acl_token(context.env)
    facts = {"path": path, "exists": os.path.isfile(path), "readable_by_others": tiers.exposed(path)}
    if options.json:
        context.output.json(facts)
    elif not facts["exists"]:
        context.output.line(f"There is no token; `pal mcp token --create` makes one in {path}.")
    else:
        problem = " Others can read it, so it grants nothing: `chmod 600` it." if facts["readable_by_others"] else ""
        context.output.line(f"The token that lets a caller write to memory at once is in {path}.{problem}")
    return 0
