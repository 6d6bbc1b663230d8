"""The agents a command is about: their flags, which of them are chosen, and what each looks like on this machine."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pal import targets
from pal.base import settings
from pal.base.errors import PalError
from pal.context import digests
from pal.install import apply, edits, owners, run, trees
from pal.install.changes import Change, JsonMember, KeptFiles, TomlTable, change_id
from pal.install.status import Agent
from pal.targets import places, shadow, skill_folders

if TYPE_CHECKING:
    import argparse

    from pal.base.home import Home
    from pal.cli.context import Context
    from pal.targets.contract import Target


def flags(parser: argparse.ArgumentParser) -> None:
    """One flag for each agent of the table, and one for all of them."""
    for name in targets.NAMES:
        parser.add_argument(f"--{name}", action="store_true", help=targets.installer(name).TITLE)
    parser.add_argument("--all", action="store_true", help="every agent PAL knows")


def named(options: argparse.Namespace) -> list[str]:
    """The agents named by flags, in the order of the table; empty when none was."""
    return [name for name in targets.NAMES if options.all or getattr(options, name)]


def detected(context: Context) -> list[str]:
    """The agents found on this machine, and those that PAL is installed in already."""
    owning = installed(context.home)
    return [name for name in targets.NAMES if name in owning or present(targets.installer(name), context)]


def present(target: Target, context: Context) -> bool:
    """Whether its program is found, or a folder of its own that is not only PAL's doing (some share a folder)."""
    folder = os.path.realpath(target.folder(context.env))
    if target.program(context.env):
        return True
    try:
        inside, state = os.listdir(folder), owners.load(context.home)
    except OSError:
        return False
    except PalError:
        return True  # nobody can tell what is PAL's
    if folder not in state.folders:
        return True
    ours = [os.path.realpath(path) + os.sep for path in state.paths()]
    return any(not any(path.startswith(os.path.join(folder, name, "")) for path in ours) for name in inside)


def installed(home: Home) -> list[str]:
    """The agents PAL is installed in, in the order of the table; one that this PAL does not know comes last."""
    owning = owners.installed(home)
    return [name for name in targets.NAMES if name in owning] + [name for name in owning if name not in targets.NAMES]


def unrecorded(context: Context) -> list[str]:
    """The agents in whose settings hooks of ours stand though no record says so: the record was lost."""
    owning = installed(context.home)
    return [name for name in targets.NAMES if name not in owning and _holds_hooks(name, context)]


def _holds_hooks(name: str, context: Context) -> bool:
    try:
        return bool(targets.installer(name).registered(context.env))
    except PalError:
        return False  # a broken file of an agent that PAL is not in stops nobody


def side(name: str, context: Context, python: str, mcp: bool = False) -> run.Side:
    """What the installer needs of one agent; `mcp` asks for PAL's server too, which then stays registered."""
    target = targets.installer(name)
    return run.Side(
        name,
        target.TITLE,
        lambda: whole_plan(target, context, python, mcp),
        target.routes(context.home, context.env),
    )


def whole_plan(target: Target, context: Context, python: str, mcp: bool = False) -> list[Change]:
    """What the target plans, its MCP server when that is or was asked for, and the folders it loads digests from."""
    home, env = context.home, context.env
    changes = list(target.plan(home, env, python, settings.load(home)))
    servers = list(target.mcp(home, env, python))
    if mcp or _asked_before(home, target.NAME, servers):
        changes += servers
    for row in target.routes(home, env)["digests"]:
        changes.append(KeptFiles(row["folder"], row["prefix"], row["suffix"], digests.MARK))
    return changes


def servers(name: str, context: Context, python: str) -> list[Change]:
    """The entries of PAL's server in this agent's settings; none where it was not asked for."""
    target = targets.installer(name)
    made = list(target.mcp(context.home, context.env, python))
    return made if _asked_before(context.home, name, made) else []


def _asked_before(home: Home, name: str, servers: list[Change]) -> bool:
    """Whether the server is registered for this agent, by what is recorded or, without a record, by what stands."""
    recorded = owners.load(home).changes
    if recorded:
        return any(name in recorded.get(change_id(change), {}).get("owners", ()) for change in servers)
    try:
        return bool(servers) and not any(row.problem == edits.MISSING for row in apply.drift(servers, home))
    except PalError:
        return False  # a file that cannot be read, and that nobody asked to touch


def look(context: Context, versions: bool = False) -> list[Agent]:
    """Every agent of the table as it stands now; with versions each program found is asked for its own."""
    try:
        owning, problem = installed(context.home), ""
    except PalError as fault:
        owning, problem = [], str(fault)
    with ThreadPoolExecutor(len(targets.NAMES)) as pool:  # programs take their time to say their version
        asked = [
            pool.submit(_look, targets.installer(name), name in owning, problem, context, versions)
            for name in targets.NAMES
        ]
        found = [each.result() for each in asked]
    running = {agent.name: agent.title for agent in found if agent.registered}
    for agent in found:
        if agent.registered:
            agent.standing_down = [running[name] for name in shadow.ALSO_RUN.get(agent.name, ()) if name in running]
    return found


def _look(target: Target, owned: bool, problem: str, context: Context, versions: bool) -> Agent:
    program = target.program(context.env)
    agent = Agent(target.NAME, target.TITLE, target.folder(context.env), program, installed=owned, problem=problem)
    agent.proven, agent.needs, agent.here = target.PROVEN, target.NEEDS, present(target, context)
    if versions and program:
        agent.version = places.version_of(program, context.env)
    try:
        agent.registered = target.registered(context.env)
        if owned and not problem:
            python = agent.registered[0].python if agent.registered else sys.executable
            plan = whole_plan(target, context, python)
            agent.drift = _drift(context.home, run.whole_plan(context.home, plan))
            agent.remarks = list(target.remarks(context.home, context.env, settings.load(context.home)))
            agent.remarks += skill_folders.remarks(target.NAME, context.home, context.env)
    except PalError as fault:
        agent.problem = problem or str(fault)
    return agent


def _drift(home: Home, plan: list[Change]) -> list[str]:
    """What differs from the plan and is ours to mend, a phrase each."""
    optional = {
        change.place for change in plan if isinstance(change, (JsonMember, TomlTable)) and change.only_if_absent
    }
    found = []
    for path, place, problem in apply.drift(plan, home):
        if problem == trees.EDITED or (problem == edits.MISSING and place in optional):
            continue  # the user's own doing, and theirs to decide
        found.append(f"{place.partition('#')[0] or 'the file'} is {problem} in {path}")
    return list(dict.fromkeys(found))
