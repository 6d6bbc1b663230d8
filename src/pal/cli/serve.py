"""`pal serve`: the control room in a browser, on 127.0.0.1 only: the board, its messages and runs, and what happens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base import log
from pal.cli.parser import json_option

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal serve --open
pal serve --port 0 --json
pal serve --root ~/src/shop
"""
PORT = 8898


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 takes a free one")
    parser.add_argument("--open", action="store_true", help="open the page in your browser")
    parser.add_argument("--root", default="", metavar="FOLDER", help="the project to begin with (default: this one)")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    import secrets

    from pal.cli import switchboard
    from pal.external import event_stream, loopback, page, running
    from pal.switchboard import workspace

    home, output = context.home, context.output
    here = workspace.find(context.env, os.getcwd(), options.root)
    if here or options.root:
        here = workspace.need(home, context.env, os.getcwd(), options.root, context.now)
    token = secrets.token_urlsafe(24)
    room = page.Room(home, here, token, event_stream.Broadcast(home), private=switchboard.private(context))
    site = loopback.Site(page.routes(room, context.env), body_limit=page.BODY_LIMIT)
    server = loopback.Server(site, options.port, lambda text: log.warning(home, "page", text))
    address = f"{server.url}/#key={token}"

    def ready() -> None:
        room.broadcast.start()
        if options.json:
            output.json({"url": address, "port": server.port, "token": token})
        else:
            output.line(f"The page is at {address}")
            output.line("The address is the key to it, so keep it to yourself. Ctrl-C ends the server.")
        output.flush()
        if options.open:
            import webbrowser

            webbrowser.open(address)

    running.serve(home, "page", server, ready, room.stop)
    return 0
