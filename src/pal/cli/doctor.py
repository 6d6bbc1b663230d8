"""`pal doctor`: what is broken and the command that mends it; with `--fix` the mending install is run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal import targets
from pal.base import bare, settings
from pal.cli import agents, install, probe, probe_servers
from pal.cli.parser import json_option
from pal.context import steering
from pal.guard import settings as guard_settings
from pal.install import doctor

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal doctor
pal doctor --fix
pal doctor --probe
pal doctor --json
"""
STYLES = {doctor.PASS: "green", doctor.NOTE: "bold", doctor.WARNING: "yellow", doctor.FAIL: "red"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--verbose", action="store_true", help="also show what is sound")
    parser.add_argument("--fix", action="store_true", help="install again where only PAL's own entries differ")
    parser.add_argument("--probe", action="store_true", help="also ask every route to a model for one word")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    findings = examine(context)
    if options.fix and mendable(findings):
        done = install.perform(context, agents.installed(context.home))
        if not options.json:
            install.report(context.output, done)
        findings = examine(context)
    if options.probe:
        findings += probe.each(context)
    if os.path.isdir(context.home.root):
        findings += probe.standing(context)
    if options.json:
        context.output.json([finding.facts() for finding in findings])
    else:
        _print(context, findings, options.verbose)
    return 1 if any(finding.level == doctor.FAIL for finding in findings) else 0


def examine(context: Context) -> list[doctor.Finding]:
    # Hooks are tried as if no client stood around this command, or one that stands there would be asked.
    env = {name: value for name, value in context.env.items() if name not in targets.MARKS}
    findings = doctor.examine(context.home, env, context.now, agents.look(context, versions=True))
    for problem in steering.problems(settings.load(context.home)):
        fix = f"edit steering.rules in {context.home.settings}"
        findings.append(doctor.Finding("steering", doctor.WARNING, problem, fix))
    for problem in guard_settings.load(
        settings.load(context.home), context.home.root, (os.getcwd(),), bare.WINDOWS, bare.CASE_INSENSITIVE
    ).problems:
        fix = "correct what it names; the other rules hold"
        findings.append(doctor.Finding("guard-settings", doctor.WARNING, problem, fix))
    if os.path.isdir(context.home.root):
        findings += probe_servers.findings(context, env)
    return findings


def mendable(findings: list[doctor.Finding]) -> bool:
    """Whether an install mends something that fails, and nothing that fails needs more than an install."""
    failing = [finding for finding in findings if finding.level == doctor.FAIL]
    return bool(failing) and all(finding.fix.startswith(doctor.REINSTALL) for finding in failing)


def _print(context: Context, findings: list[doctor.Finding], verbose: bool) -> None:
    output = context.output
    always = (probe.SPEND, probe.PROBE)
    shown = [each for each in findings if verbose or each.level != doctor.PASS or each.id.startswith(always)]
    for finding in shown:
        output.line(f"{output.style(finding.level.ljust(7), STYLES[finding.level])}  {finding.title}")
        if finding.fix:
            output.line(f"{'':9}mend it: {finding.fix}")
    failed = sum(finding.level == doctor.FAIL for finding in findings)
    warned = sum(finding.level == doctor.WARNING for finding in findings)
    sound = len(findings) - failed - warned
    output.line(f"{sound} sound, {warned} to look at, {failed} broken.")
