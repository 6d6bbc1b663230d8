"""`pal a2a`: PAL for agents that speak Agent2Agent; its card, and a server on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base import log
from pal.cli.parser import actions, json_option

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal a2a card
pal a2a serve --port 8897
curl http://127.0.0.1:8897/.well-known/agent-card.json
"""
PORT = 8897


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser, (("card", "print the agent card"), ("serve", "serve card and tasks on 127.0.0.1, until Ctrl-C"))
    )
    for action in table.values():
        action.add_argument("--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 takes a free one")
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    from pal.cli import serving
    from pal.external import exporting, loopback, running
    from pal.external.a2a import card, http
    from pal.external.a2a.agent import Agent
    from pal.external.mcp import own

    offer = serving.offer(context)
    if options.action == "card":
        context.output.json(card.card(f"http://{loopback.ADDRESS}:{options.port}", offer.tools()))
        return 0
    own.load()
    agent = Agent(context.home, offer.tools)
    site = loopback.Site(http.routes(agent, lambda: server.url))
    server = loopback.Server(site, options.port, lambda text: log.warning(context.home, "a2a", text))

    def ready() -> None:
        if options.json:
            context.output.json({"url": f"{server.url}/a2a", "card": server.url + card.PATH, "port": server.port})
        else:
            context.output.line(f"The agent card is at {server.url}{card.PATH}; Ctrl-C ends the server.")
        context.output.flush()

    end = exporting.begin(context.home, context.env)
    running.serve(context.home, "a2a", server, ready, agent.store.save)
    end()
    return 0
