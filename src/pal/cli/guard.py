"""`pal guard`: what the guard says of a command and why, its rules and log, a case file put to it, a denial lifted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pal import targets
from pal.base import bare, process, settings
from pal.base import home as homes
from pal.base.errors import PalError
from pal.cli import guard_cases
from pal.cli.parser import actions, json_option
from pal.guard import allow_once, decide, judge, ledger, tools
from pal.guard import settings as guard_settings
from pal.guard.model import DENY, GROUPS

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context
    from pal.guard.model import Verdict

EXAMPLES = """
pal guard explain 'rm -rf build'
pal guard explain --tool Read .env
pal guard test cases.jsonl
pal guard log
"""
NOTHING_YET = "The guard has stopped nothing yet."


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("explain", "say what the guard thinks of a command, and why"),
            ("test", "put the cases of a file to the guard"),
            ("rules", "list the rules with what each answers here"),
            ("log", "list what was stopped, asked about or noted"),
            ("allow-once", "lift one denial by the code in its reason: one use, within a day"),
        ),
    )
    explain = table["explain"]
    explain.add_argument(
        "command", metavar="COMMAND", help="a command, a path for --tool Read, or the code of a denial"
    )
    explain.add_argument("--tool", default="Bash", help="the tool that would be called (default Bash)")
    explain.add_argument("--cwd", default="", metavar="DIR", help="where it would run (default: here)")
    table["test"].add_argument("file", metavar="FILE.jsonl", help="rows of tool, command or file_path, cwd, expect")
    table["log"].add_argument("--count", type=int, default=20, metavar="N", help="how many (default 20)")
    table["allow-once"].add_argument("code", metavar="CODE", help="the eight characters a denial shows")
    for name, action in table.items():
        if name != "allow-once":
            json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    verbs = {"explain": _explain, "test": _test, "rules": _rules, "log": _log, "allow-once": _allow_once}
    return verbs[options.action](options, context)


def _configured(context: Context, *folders: str) -> guard_settings.Guard:
    loaded = settings.load(context.home)
    return guard_settings.load(loaded, context.home.root, folders, bare.WINDOWS, bare.CASE_INSENSITIVE)


def _explain(options: argparse.Namespace, context: Context) -> int:
    import os

    tool, text, cwd = options.tool, options.command, os.path.abspath(options.cwd or os.getcwd())
    row = ledger.by_code(context.home, text)
    if row:
        tool, text, cwd = str(row.get("tool")), str(row.get("command")), str(row.get("cwd"))
    guard = _configured(context, cwd)
    user = homes.user_folder(context.env)
    given = guard_cases.tool_input(tool, text)
    if tools.kind_of(tool) == tools.SKILL:
        verdict = decide.decide(tool, given, cwd, user, guard)
    else:
        verdict = judge.explain(tool, given, cwd, user, guard.policy)
    if options.json:
        context.output.json({"tool": tool, "text": text, "cwd": cwd, **_facts(verdict, text)})
    else:
        _print(context, verdict, text)
    return 0


def _facts(verdict: Verdict, text: str) -> dict[str, Any]:
    start, end = verdict.span
    return {
        "decision": verdict.decision,
        "rule": verdict.rule,
        "group": verdict.group,
        "span": [start, end],
        "part": text[start:end],
        "reason": verdict.reason,
        "instead": verdict.instead,
        "trace": list(verdict.notes),
    }


def _print(context: Context, verdict: Verdict, text: str) -> None:
    output = context.output
    word = verdict.decision if verdict.decision == DENY or not verdict.rule else f"{verdict.decision} (and log)"
    output.line(output.style(word if verdict.decision != "ask" else "ask", _COLOURS[verdict.decision]))
    start, end = verdict.span
    rows = [("rule", f"{verdict.rule} of group {verdict.group}" if verdict.rule else "none")]
    if verdict.rule:
        rows += [("part", text[start:end] or text), ("why", verdict.reason), ("instead", verdict.instead)]
    output.table([row for row in rows if row[1]])
    for number, note in enumerate(verdict.notes):
        output.line(f"{'trace' if not number else '':<9}{note}")


_COLOURS = {"allow": "green", "ask": "yellow", "deny": "red"}


def _test(options: argparse.Namespace, context: Context) -> int:
    result = guard_cases.run(guard_cases.read(options.file))
    if options.json:
        context.output.json(result.facts())
    else:
        for miss in result.misses:
            context.output.line(
                f"{miss['said']:<6} instead of {miss['expect']:<6} {miss['rule'] or '-':<24} {miss['text']}"
            )
        context.output.line(result.line())
    return 1 if result.misses else 0


def _rules(options: argparse.Namespace, context: Context) -> int:
    import os

    guard = _configured(context, os.getcwd())
    rows = [
        {"rule": row.rule, "group": row.group, "answer": guard.policy.decision(row), "reason": row.reason,
         "instead": row.instead}
        for row in judge.rows()
    ]  # fmt: skip
    if options.json:
        context.output.json({"groups": {**GROUPS, **guard.policy.groups}, "rules": rows, "problems": guard.problems})
        return 0
    columns = ("rule", "group", "answer", "reason")
    context.output.table([[row[column] for column in columns] for row in rows], columns)
    for problem in guard.problems:
        context.output.line(f"skipped: {problem}")
    return 0


def _log(options: argparse.Namespace, context: Context) -> int:
    rows = ledger.recent(context.home, max(options.count, 1))
    if options.json:
        context.output.json(rows)
    elif not rows:
        context.output.line(NOTHING_YET)
    else:
        columns = ("ts", "agent", "verdict", "rule", "code", "command")
        context.output.table([[row.get(column, "") for column in columns] for row in reversed(rows)], columns)
    return 0


def _allow_once(options: argparse.Namespace, context: Context) -> int:
    agent = next(
        (mark for name in targets.NAMES for mark in targets.facts(name).SESSION_MARKS if context.env.get(mark)), ""
    )
    if agent or process.spawned(context.env):
        raise PalError("only a person lifts a denial; this was started by an agent: type it in a terminal of your own")
    if not context.output.interactive:
        raise PalError("only a person lifts a denial; this is no terminal: type it in one")
    row = ledger.by_code(context.home, options.code)
    if row is None:
        raise PalError(f"no denial has the code {options.code!r}; `pal guard log` lists them")
    output = context.output
    output.table([("rule", row.get("rule")), ("in", row.get("cwd")), ("runs", row.get("command"))])
    if not output.confirm("Allow this once, within a day?"):
        output.line("Nothing is changed.")
        return 0
    allow_once.grant(context.home, str(row.get("digest")), str(row.get("rule")), context.now)
    output.line("Allowed: the next time an agent tries exactly this there, it runs.")
    return 0
