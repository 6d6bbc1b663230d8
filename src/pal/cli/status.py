"""`pal status`: what is installed, where, which Python runs it, and how much is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.cli import agents
from pal.cli.parser import json_option
from pal.install import interpreter, status
from pal.memory import counts

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal status
pal status --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    agents.flags(parser)
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    found = agents.look(context, versions=True)
    named = agents.named(options)
    found = [agent for agent in found if agent.name in named] if named else found
    paths = [entry.python for agent in found for entry in agent.registered]
    python = interpreter.probe(paths[0], context.env) if paths else None
    facts = status.facts(context.home, python, found, counts.read(context.home))
    if options.json:
        context.output.json(facts)
        return 0
    output = context.output
    engine = facts["engine"]
    output.table(
        [
            ("version", facts["version"]),
            ("home", context.home.root),
            ("python", f"{python.version} at {python.path}" if python else "none registered"),
            ("engine", (engine["problem"] or engine["name"]) if paths else "none"),
        ]
    )
    output.line()
    output.table([(agent.title, _state(agent), agent.version or "", agent.folder) for agent in found])
    if facts["counts"]:
        output.line()
        output.line(", ".join(f"{number} {name.replace('_', ' ')}" for name, number in facts["counts"].items()))
    return 0


def _state(agent: status.Agent) -> str:
    if agent.problem:
        return agent.problem
    if agent.registered:
        return _installed(agent)
    return "found, not installed" if agent.found else "not found"


def _installed(agent: status.Agent) -> str:
    """Installed, and what of it is not as it should be."""
    wanting = []
    if agent.drift:
        wanting.append(f"{len(agent.drift)} change(s) to mend")
    if agent.lacking():
        wanting.append(f"too old for what came with {agent.lacking()[-1][0]}")
    if any(remark.fix for remark in agent.remarks):
        wanting.append("not all of it in force")
    return f"installed, {', '.join(wanting)}: pal doctor" if wanting else "installed"
