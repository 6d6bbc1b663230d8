"""The guard's one answer: from a tool call to a verdict, pure and without looking at anything but its arguments.

The hook, `guard explain` and `guard test` all come here. The verdict is the strongest that any effective command,
path or piece of code in the call meets under the policy; nothing safe ever switches a rule off.
"""

from __future__ import annotations

from pal.guard import (
    rules_files,
    rules_modes,
    rules_paths,
    rules_services,
    rules_system,
    rules_writes,
    tools,
    user_rules,
)
from pal.guard.last_look import catastrophe
from pal.guard.launch import run_traps
from pal.guard.model import DENY, NOTHING, STRENGTH, UNKNOWN, Command, Finding, Policy, Row, Verdict
from pal.guard.paths import normalise
from pal.guard.rows import LAST_LOOK
from pal.guard.rules_files import Place
from pal.guard.unwrap import Shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

GUESSED = frozenset({"filesystem", "disk"})  # groups that count behind a program that may or may not run its words


def judge(tool: str, tool_input: Mapping[str, Any], cwd: str, home: str, policy: Policy) -> Verdict:
    """The verdict on a call of `tool` in the folder `cwd` by the user whose home is `home`."""
    return Judge(cwd, home, policy, None).call(tool, tool_input)


def explain(tool: str, tool_input: Mapping[str, Any], cwd: str, home: str, policy: Policy) -> Verdict:
    """The same verdict, with the trace of what was unwrapped in its notes."""
    notes: list[str] = []
    found = Judge(cwd, home, policy, notes).call(tool, tool_input)
    return Verdict(found.decision, found.rule, found.group, found.span, found.reason, found.instead, notes)


def rows() -> tuple[Row, ...]:
    """Every built-in rule, for `guard rules` and the documentation."""
    from pal.guard import interpreters_rows, windows_rules
    from pal.guard.rows import ROWS

    listed = [*ROWS, *tools.ROWS.values()]
    for module in (interpreters_rows, windows_rules):
        listed += [value for value in vars(module).values() if isinstance(value, Row)]
    return tuple({row.rule: row for row in listed}.values())


class Judge:
    """One judging: what is found, and the strongest of it."""

    __slots__ = ("best", "cwd", "home", "notes", "place", "policy")

    def __init__(self, cwd: str, home: str, policy: Policy, notes: list[str] | None) -> None:
        self.cwd = cwd
        self.home = home
        self.policy = policy
        self.notes = notes
        self.best = NOTHING
        self.place = Place(home, cwd, policy.pal_home, policy.windows)

    def call(self, tool: str, tool_input: Mapping[str, Any]) -> Verdict:
        kind = tools.kind_of(tool)
        if kind in (tools.SHELL, tools.OTHER, tools.POWERSHELL):
            text = tools.command_of(tool, tool_input)
            folder = tools.folder_of(tool_input, self.cwd, self.home) if text else self.cwd
            if text and kind == tools.POWERSHELL:
                self.powershell(text, folder, (0, len(text)))
            elif text:
                self.shell(text, folder)
        if kind not in (tools.SHELL, tools.POWERSHELL, tools.SKILL):
            for finding in tools.judge_files(tool, tool_input, self.cwd, self.home, self.policy):
                self.meet(finding.row, finding.span, finding.what)
            for operation, path in tools.files_of(kind, tool_input):
                self.user_path(path, self.cwd, "write" if operation == "write" else "read")
        return self.best

    # Findings

    def meet(self, row: Row, span: tuple[int, int], what: str = "") -> None:
        decision = self.policy.decision(row)
        if self.notes is not None:
            self.notes.append(f"{decision}: {row.rule}" + (f" ({what.replace(UNKNOWN, '…')[:80]})" if what else ""))
        if STRENGTH[decision] > STRENGTH[self.best.decision] or not self.best.rule:
            self.best = Verdict(decision, row.rule, row.group, span, row.reason, row.instead)

    def meet_verdict(self, verdict: Verdict | None, span: tuple[int, int]) -> None:
        if verdict is not None and (STRENGTH[verdict.decision] > STRENGTH[self.best.decision] or not self.best.rule):
            self.best = Verdict(verdict.decision, verdict.rule, verdict.group, span, verdict.reason, verdict.instead)

    def user_path(self, path: str, cwd: str, operation: str, span: tuple[int, int] = (0, 0)) -> None:
        full = normalise(path, cwd, self.home, self.policy.windows, tilde=True)
        self.meet_verdict(user_rules.match_path(self.policy.user_rules, full, operation), span)

    # Texts

    def shell(self, text: str, cwd: str) -> None:
        """Judge a POSIX text: everything it would run."""
        shell = Shell(cwd, self.home, self.policy.windows, self.notes)
        shell.project = self.cwd
        shell.judge_code = self.code
        shell.judge_other = self.other
        shell.run_text(text, None)
        run_traps(shell)
        for finding in shell.findings:
            self.meet(finding.row, finding.span, finding.what)
        for command in shell.commands:
            self.command(command)
            if self.best.decision == DENY and self.notes is None:
                break
        if shell.budget.over and self.best.decision != DENY:
            begin, end = catastrophe(text, self.home)
            if end:
                self.meet(LAST_LOOK, (begin, end))

    def command(self, command: Command) -> None:
        guessed = command.via[-1:] == ("?",)
        name = command.name
        found: list[tuple[Row, str]] = []
        for check in (rules_files.CHECKS.get(name), rules_modes.CHECKS.get(name), rules_system.checks(name)):
            if check is not None:
                found += check(command, self.place)
        if not guessed:
            check = rules_services.CHECKS.get(name)
            if check is not None:
                found += check(command, self.place)
            if command.redirects:
                found += rules_system.redirected_shell(command, self.place)
            found += rules_paths.reading(command, self.place)
            found += rules_writes.writing(command, self.place)
            argv = [None if UNKNOWN in word.text else word.text for word in command.argv]
            if argv:
                self.meet_verdict(user_rules.match_command(self.policy.user_rules, argv), command.span)
            if self.policy.user_rules or name in rules_writes.WRITES_ALL or command.redirects:
                self.user_paths(command)
        for row, what in found:
            if not guessed or row.group in GUESSED:
                self.meet(row, command.span, what)

    def user_paths(self, command: Command) -> None:
        """The paths a command names, for the user's path rules."""
        operation = "write" if command.name in rules_writes.WRITES_ALL or command.name in ("rm", "mv") else "read"
        named = [(word.text, operation) for word in command.argv[1:] if word.text[:1] != "-"]
        if command.name in rules_writes.WRITES_LAST and named:
            named[-1] = (named[-1][0], "write")
        named += [(target.text, "write" if ">" in operator else "read") for _, operator, target in command.redirects]
        for path, what in named[:200]:
            if path and UNKNOWN not in path and len(path) < 4096:
                self.user_path(path, command.cwd, what, command.span)

    def code(self, language: str, source: str, shell: Shell, span: tuple[int, int]) -> None:
        """Judge code of another language that the shell text starts."""
        from pal.guard.interpreters import judge_code

        def judge_shell(text: str) -> list[Finding]:
            shell.run_text(text, None, span, apart=True)
            return []

        for finding in judge_code(
            language, source, judge_shell, self.home, shell.cwd or self.cwd, self.policy.pal_home
        ):
            self.meet(finding.row, span, finding.what)

    def other(self, text: str, shell: Shell, span: tuple[int, int]) -> None:
        """Judge PowerShell or cmd text that the shell text starts."""
        self.powershell(text, shell.cwd or self.cwd, span)

    def powershell(self, text: str, cwd: str, span: tuple[int, int]) -> None:
        from pal.guard.powershell import judge_powershell

        def judge_shell(text: str) -> list[Finding]:
            self.shell(text, cwd)
            return []

        for finding in judge_powershell(text, cwd, self.home, self.policy, judge_shell):
            self.meet(finding.row, finding.span if finding.span != (0, 0) else span, finding.what)
