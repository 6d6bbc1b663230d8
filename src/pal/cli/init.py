"""`pal init`: a person's first command: four questions, then the install; without a terminal it asks nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal import targets
from pal.base import settings
from pal.base.errors import PalError
from pal.cli import agents, install, timezone
from pal.install import scaffold

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal init
pal init --all
"""


def configure(parser: argparse.ArgumentParser) -> None:
    install.configure(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    if context.output.interactive and not options.dry_run:
        _ask(options, context)
    return install.run(options, context)


def _ask(options: argparse.Namespace, context: Context) -> None:
    """Fill in names, time zone and agents; what is answered goes into the settings before anything is installed."""
    output = context.output
    values = settings.load(context.home)
    known = values.text("identity.principal.name")
    login = context.env.get("USER") or context.env.get("USERNAME") or ""
    name = output.ask("What shall agents call you?", known if known not in ("", "User") else login)
    assistant = output.ask("What shall your assistant be called?", values.assistant)
    zone = ""
    while True:
        answer = output.ask("Your time zone (Enter: this machine's)?", values.zone)
        if not answer:
            break
        try:
            zone = timezone.known(answer)
            break
        except PalError as problem:
            output.line(str(problem))
    if not agents.named(options):
        _ask_for_agents(options, context)
    scaffold.lay_out(context.home)
    if name:
        scaffold.set_value(context.home, scaffold.NAME, name)
    if assistant != values.assistant:
        scaffold.set_value(context.home, scaffold.ASSISTANT, assistant)
    if zone:
        scaffold.set_value(context.home, scaffold.TIMEZONE, zone)


def _ask_for_agents(options: argparse.Namespace, context: Context) -> None:
    found = agents.detected(context)
    answer = context.output.ask(f"Which agents ({', '.join(targets.NAMES)})?", ", ".join(found))
    wanted = answer.replace(",", " ").split()
    unknown = [name for name in wanted if name not in targets.NAMES]
    if unknown:
        raise PalError(f"PAL knows no agent {unknown[0]!r}; it knows {', '.join(targets.NAMES)}")
    for name in wanted:
        setattr(options, name, True)
