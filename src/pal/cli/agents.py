"""The agents a command is about: their flags, which of them are chosen, and what each looks like on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from pal import targets
from pal.base import settings
from pal.base.errors import PalError
from pal.install import apply, edits, owners, run, trees
from pal.install.changes import Change, JsonMember
from pal.install.status import Agent

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.cli.context import Context
    from pal.targets.contract import Target

VERSION_PATIENCE = 5.0  # seconds for an agent to say its version


def flags(parser: argparse.ArgumentParser) -> None:
    """One flag for each agent of the table, and one for all of them."""
    for name in targets.NAMES:
        parser.add_argument(f"--{name}", action="store_true", help=targets.installer(name).TITLE)
    parser.add_argument("--all", action="store_true", help="every agent PAL knows")


def named(options: argparse.Namespace) -> list[str]:
    """The agents named by flags, in the order of the table; empty when none was."""
    return [name for name in targets.NAMES if options.all or getattr(options, name)]


def detected(env: Mapping[str, str]) -> list[str]:
    """The agents found on this machine."""
    return [name for name in targets.NAMES if present(targets.installer(name), env)]


def present(target: Target, env: Mapping[str, str]) -> bool:
    return bool(target.program(env)) or os.path.isdir(target.folder(env))


def installed(home: Home) -> list[str]:
    """The agents PAL is installed in, in the order of the table; one that this PAL does not know comes last."""
    owning = owners.installed(home)
    return [name for name in targets.NAMES if name in owning] + [name for name in owning if name not in targets.NAMES]


def unrecorded(context: Context) -> list[str]:
    """The agents in whose settings hooks of ours stand though no record says so: the record was lost."""
    owning = installed(context.home)
    return [name for name in targets.NAMES if name not in owning and targets.installer(name).registered(context.env)]


def side(name: str, context: Context, python: str) -> run.Side:
    """What the installer needs of one agent."""
    target = targets.installer(name)

    def plan() -> list[Change]:
        return list(target.plan(context.home, context.env, python, settings.load(context.home)))

    return run.Side(name, target.TITLE, plan, target.routes(context.home, context.env))


def look(context: Context, versions: bool = False) -> list[Agent]:
    """Every agent of the table as it stands now; with versions each program found is asked for its own."""
    try:
        owning, problem = installed(context.home), ""
    except PalError as fault:
        owning, problem = [], str(fault)
    return [_look(targets.installer(name), name in owning, problem, context, versions) for name in targets.NAMES]


def _look(target: Target, owned: bool, problem: str, context: Context, versions: bool) -> Agent:
    program = target.program(context.env)
    agent = Agent(target.NAME, target.TITLE, target.folder(context.env), program, installed=owned, problem=problem)
    if versions and program:
        agent.version = _version(program, context.env)
    try:
        agent.registered = target.registered(context.env)
        if owned and not problem:
            python = agent.registered[0].python if agent.registered else sys.executable
            plan = target.plan(context.home, context.env, python, settings.load(context.home))
            agent.drift = _drift(context.home, run.whole_plan(context.home, list(plan)))
    except PalError as fault:
        agent.problem = problem or str(fault)
    return agent


def _drift(home: Home, plan: list[Change]) -> list[str]:
    """What differs from the plan and is ours to mend, a phrase each."""
    optional = {change.place for change in plan if isinstance(change, JsonMember) and change.only_if_absent}
    found = []
    for path, place, problem in apply.drift(plan, home):
        if problem == trees.EDITED or (problem == edits.MISSING and place in optional):
            continue  # the user's own doing, and theirs to decide
        found.append(f"{place.partition('#')[0] or 'the file'} is {problem} in {path}")
    return found


def _version(program: str, env: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=dict(env),
            timeout=VERSION_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.decode("utf-8", "replace").split("\n")
    return lines[0].strip() if done.returncode == 0 else ""
