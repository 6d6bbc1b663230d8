"""From a typed command line to a verb: the table of verbs, the help page, and what an exit code means.

`app.main` hands everything that is not a hook to `run`. The table is the single list of verbs: parser, help page
and shell completion are made from it, and a verb's module is imported only when that verb runs.
"""

from __future__ import annotations

from pal import __version__
from pal.base import clock
from pal.base import home as homes
from pal.base.errors import PalError
from pal.cli.context import Context
from pal.cli.output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pal.cli.parser import Parser

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


class Verb:
    """One row of the table below."""

    __slots__ = ("group", "module", "name", "summary")

    def __init__(self, name: str, module: str, summary: str, group: str) -> None:
        self.name = name
        self.module = module
        self.summary = summary
        self.group = group


VERBS = (
    Verb("install", "install", "put PAL into the agents on this machine", "set up"),
    Verb("uninstall", "uninstall", "take PAL out again; your memory stays", "set up"),
    Verb("init", "init", "answer four questions, then install", "set up"),
    Verb("status", "status", "show what is installed, where, and how much is remembered", "set up"),
    Verb("doctor", "doctor", "find what is broken and the command that mends it", "set up"),
    Verb("update", "update", "install a newer pal.pyz from a file", "set up"),
    Verb("memory", "memory", "search, store and look after what is remembered", "memory"),
    Verb("ratings", "ratings", "list the ratings you gave, or their trend", "memory"),
    Verb("sessions", "sessions", "list past sessions of every agent, or show one", "memory"),
    Verb("project", "project", "list projects, what was done in them, what they must fulfil", "memory"),
    Verb("handoff", "handoff", "leave or read the note that the next session in a folder is told", "memory"),
    Verb("thread", "thread", "keep what to come back to, and say when it is settled", "memory"),
    Verb("relationship", "relationship", "note facts about the user and their work, or read the notes", "learning"),
    Verb("opinion", "opinion", "weigh what PAL believes of how you like things", "learning"),
    Verb("reflect", "reflect", "turn what the notes repeat into opinions", "learning"),
    Verb("wisdom", "wisdom", "keep principles by domain, and crystallise what proved itself", "learning"),
    Verb("analyze", "analyze", "show what keeps coming up; changes nothing", "learning"),
    Verb("synthesize", "synthesize", "write the report over a week or a month", "learning"),
    Verb("algorithm", "algorithm", "look back on a task: criteria, satisfaction, three answers", "learning"),
    Verb("self-model", "self_model", "show or renew the portrait that sessions begin with", "learning"),
    Verb("knowledge", "knowledge", "keep pages on people, companies, ideas and research", "memory"),
    Verb("backup", "backup", "save what is yours to a zip", "memory"),
    Verb("export", "export", "write what is yours to one file for another machine", "memory"),
    Verb("import", "import_file", "take in an export or a backup; what differs is set aside", "memory"),
    Verb("migrate", "migrate", "take over what another memory kept before PAL came", "memory"),
    Verb("telos", "telos", "show or say who you are and what you want, topic by topic", "you"),
    Verb("skill", "skill", "list, show and run skills, write and check your own", "you"),
    Verb("subagent", "subagent", "list the helpers agents can send out, write and check your own", "you"),
    Verb("usage", "usage", "add up the tokens of every agent, and what they would cost", "you"),
    Verb("timezone", "timezone", "show or set your time zone", "you"),
    Verb("switchboard", "switchboard", "plans, board, messages and archive of a project; `sb` is short", "work"),
    Verb("guard", "guard", "explain what the guard says, list its rules and log, lift a denial", "look inside"),
    Verb("infer", "infer", "ask a model: the prompt on stdin, the answer on stdout", "look inside"),
    Verb("jobs", "jobs", "show what runs in the background, what waits and what failed", "look inside"),
    Verb("mcp", "mcp", "serve memory and skills to any MCP client", "look inside"),
    Verb("a2a", "a2a", "serve the same to agents that speak Agent2Agent", "look inside"),
    Verb("events", "events", "list what happened, follow it, or serve it to programs", "look inside"),
    Verb("serve", "serve", "open the board and what happens in a browser", "look inside"),
    Verb("debug", "debug", "read the debug log, or see what an agent is told", "look inside"),
    Verb("statusline", "statusline", "print one line for an agent's status bar", "look inside"),
    Verb("hook", "hook", "answer one event of an agent; agents run this", "look inside"),
    Verb("completion", "completion", "print tab completion for your shell", "look inside"),
    Verb("version", "version", "show the version of PAL and of Python", "look inside"),
)
BY_NAME = {verb.name: verb for verb in VERBS}
SHORT = {"sb": "switchboard"}


def run(argv: Sequence[str], env: Mapping[str, str], now: float | None = None, output: Output | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    now = clock.now() if now is None else now
    output = output or Output(env)
    try:
        code = _dispatch(list(argv), env, now, output)
        output.flush()
        return code
    except PalError as fault:
        output.error(str(fault))
        return USAGE if getattr(fault, "usage", False) else getattr(fault, "exit", FAILED)
    except BrokenPipeError:
        output.abandon()
        return DONE
    except KeyboardInterrupt:
        output.line()
        return INTERRUPTED
    except OSError as fault:
        where = f" at {fault.filename}" if fault.filename else ""
        output.error(f"the system refused{where}: {fault.strerror or fault}")
        return FAILED


def _dispatch(argv: list[str], env: Mapping[str, str], now: float, output: Output) -> int:
    while argv and argv[0] == "cli":
        argv = argv[1:]
    name = argv[0] if argv else "help"
    if name in ("help", "-h", "--help"):
        if len(argv) < 2:
            output.text(help_page())
            return DONE
        name, argv = argv[1], [argv[1], "--help"]
    if name in ("-V", "-v", "--version"):
        name = "version"
    verb = BY_NAME.get(SHORT.get(name, name))
    if verb is None:
        raise _unknown(name)
    module = load(verb)
    context = Context(homes.resolve(env), env, now, output)
    if len(argv) == 1 and hasattr(module, "run_bare"):
        # Run many times a turn: no parser is loaded for a command line without arguments.
        bare: int = module.run_bare(context)
        return bare
    if hasattr(module, "run_quickly"):
        quick: int | None = module.run_quickly(argv[1:], context)
        if quick is not None:
            return quick
    try:
        options = parser_of(verb, module, output).parse_args(argv[1:])
    except SystemExit as leaving:  # argparse ends like this after --help
        return int(leaving.code or 0)
    code: int = module.run(options, context)
    return code


def load(verb: Verb) -> Any:
    return __import__(f"pal.cli.{verb.module}", fromlist=("run",))


def parser_of(verb: Verb, module: Any, output: Output | None = None) -> Parser:
    """The parser of one verb, also used to write the completion scripts."""
    from pal.cli.parser import Parser

    examples = "".join(f"\n  {line}" for line in module.EXAMPLES.strip().splitlines())
    parser = Parser(
        prog=f"pal {verb.name}",
        description=f"{verb.summary[0].upper()}{verb.summary[1:]}.",
        epilog=f"examples:{examples}",
        output=output,
    )
    module.configure(parser)
    return parser


def help_page() -> str:
    """The page `pal` prints alone: two commands to begin with, then every verb by group, within 24 lines of 80."""
    import textwrap

    lines = [
        f"PAL {__version__}: one memory, one guard, the same skills for every coding agent",
        "",
        "Begin here:",
        "  pal install     put PAL into the agents found on this machine",
        "  pal doctor      see whether everything works, and how to mend what does not",
        "",
        "Commands:",
    ]
    groups: dict[str, list[str]] = {}
    for verb in VERBS:
        groups.setdefault(verb.group, []).append(verb.name)
    for group, names in groups.items():
        wrapped = textwrap.wrap(" ".join(names), 78 - 14, break_on_hyphens=False)
        lines.append(f"  {group:<12}{wrapped[0]}")
        lines.extend(f"  {'':<12}{more}" for more in wrapped[1:])
    lines += [
        "",
        "`pal VERB --help` explains one command, with examples. `--json` prints facts",
        "for programs. PAL_HOME names the home folder (default ~/.pal), NO_COLOR turns",
        "colours off.",
    ]
    return "\n".join(lines) + "\n"


def _unknown(name: str) -> PalError:
    import difflib

    from pal.cli.parser import Usage

    near = difflib.get_close_matches(name, BY_NAME, 1, 0.5)
    hint = f"did you mean `pal {near[0]}`?" if near else "`pal help` lists the commands"
    return Usage(f"there is no command {name!r}; {hint}")
