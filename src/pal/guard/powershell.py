"""Judges PowerShell text: its own commands, native programs by `windows_rules.py`, the rest by the shell's rules.

`judge_powershell` is called for PowerShell tools and for `powershell -Command …` started from another shell."""

from __future__ import annotations

from pal.guard import powershell_files as files
from pal.guard import powershell_names as known
from pal.guard import windows_rules as rows
from pal.guard.model import UNKNOWN, Finding, Policy
from pal.guard.paths import normalise
from pal.guard.powershell_calls import Call, canonical, origin, posix, powershell_source, texts
from pal.guard.powershell_files import FILES_AT_MOST, State, delete, redirected, secret, writes
from pal.guard.powershell_model import ITEM, NAMED, Command, Word
from pal.guard.powershell_words import Reader
from pal.guard.secrets import SECRETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Judge = Callable[[str], "list[Finding]"]

_NESTED_AT_MOST = 8
_PIPE_AT_MOST = 20  # commands looked back over in one pipe


def judge_powershell(
    text: str, cwd: str, home: str, policy: Policy, judge_shell: Judge, depth: int = 0
) -> list[Finding]:
    """What the rules find in PowerShell `text`; `judge_shell` judges a command line by the POSIX shell's rules."""
    if depth > _NESTED_AT_MOST:
        return []
    state = State(cwd, home, policy, judge_shell, depth)
    read(state, text)
    return state.found


def read(state: State, text: str) -> None:
    reader = Reader(text, {}, known.environment(state.home, state.cwd))
    commands = reader.read()
    for command in commands:
        judge(state, command)
    for inner in reader.nested[:FILES_AT_MOST]:
        state.found += judge_powershell(inner, state.cwd, state.home, state.policy, state.judge_shell, state.depth + 1)
    shape(state, text)


def judge(state: State, command: Command) -> None:
    words = command.words
    if len(words) > 1 and words[1].text in ("=", "+=") and not words[1].quoted:
        words = words[2:]
    while words and words[0].text.lower() in known.KEYWORDS and not words[0].quoted:
        words = words[1:]
    if len(words) > 2 and words[1].text == "in" and words[0].text.startswith(NAMED):
        words = words[2:]
    if not words:
        return
    first = words[0]
    if first.text.lower() == ITEM + ".delete":
        files.piped_delete(state, Call("remove-item", command, []), True)
        return
    if first.text == "." and len(words) > 1 and not first.quoted:
        words = words[1:]
    elif first.quoted and not command.called:
        redirected(state, words)
        return
    elif first.text.startswith("[") or "::" in first.text or (first.text[:1] == UNKNOWN and first.inner):
        expression(state, command, words)
        return
    start(state, words, command)


def start(state: State, words: list[Word], command: Command, level: int = 0) -> None:
    """A command by its name and words, after `sudo` and the like are taken off."""
    if level > _NESTED_AT_MOST:
        return
    name = canonical(words[0].text)
    call = Call(name, command, words[1:])
    for target in call.targets[:FILES_AT_MOST]:
        writes(state, target)
    if name in known.TALKS:
        return
    if name in known.TAKES_COMMAND:
        started(state, call, level + 1)
        return
    handler = HANDLERS.get(name)
    if handler is not None:
        handler(state, call)
    elif name in known.DISKS:
        if "whatif" not in call.switches:
            state.flag(rows.FORMAT, name)
    elif name in known.ACCOUNTS:
        state.flag(rows.ACCOUNTS, name)
    elif name in known.UNCLEAR:
        state.flag(rows.UNCLEAR, name)
    else:
        other(state, words, call)
    if name in known.READS:
        files.reads(state, call)
    if name in known.COPIES:
        files.copies(state, call)
    if name in known.WRITES and "whatif" not in call.switches:
        for path in call.paths()[:FILES_AT_MOST]:
            writes(state, path)
    if name in known.DOWNLOADS:
        downloads(state, call)


def downloads(state: State, call: Call) -> None:
    for path in call.named.get("infile", []) + call.named.get("source", []):
        if secret(state, path) in SECRETS:
            state.flag(rows.SENT, path)
    where = origin(texts(call.command))
    for path in call.named.get("outfile", []) + call.named.get("destination", []):
        if where and len(state.files) < FILES_AT_MOST:
            state.files[normalise(path, state.cwd, state.home, True, True).lower()] = where


def invoke_expression(state: State, call: Call) -> None:
    said: list[str] = []
    command: Command | None = call.command
    for _ in range(_PIPE_AT_MOST):
        if command is None:
            break
        said += texts(command)
        command = command.source
    run_text(state, said)
    source = call.command.source
    for word in call.argv + (source.words[:1] if source else []):
        if word.quoted and not word.inner and UNKNOWN not in word.text:
            nested(state, word.text)


def run_text(state: State, said: list[str]) -> None:
    """Text that is run: where it comes from, by the words of the commands that make it."""
    joined = " ".join(said).lower()
    if "frombase64string" in joined or "gzipstream" in joined or "deflatestream" in joined or "-bxor" in joined:
        state.flag(rows.DECODED)
    loads = any(canonical(word) in known.DOWNLOADS for word in joined.split())
    if loads or any(part in joined for part in known.DOWNLOAD_CALLS) or "net.webclient" in joined:
        state.flag(rows.FETCHED_PLAIN if origin(said) == "plain" else rows.FETCHED)


def nested(state: State, text: str) -> None:
    state.found += judge_powershell(text, state.cwd, state.home, state.policy, state.judge_shell, state.depth + 1)


def expression(state: State, command: Command, words: list[Word]) -> None:
    """`[IO.File]::ReadAllText(…)`, `(…).Method(…)`, `([scriptblock]::Create(…))`."""
    said = texts(command)
    low = " ".join([word.text.lower() for word in words])
    inner = [argument.text for word in words for held in word.inner for argument in held.words]
    if any(call in low for call in known.READ_CALLS):
        for path in inner[:1]:
            if secret(state, path) in SECRETS:
                state.flag(rows.SECRET, path)
    elif any(call in low for call in known.WRITE_CALLS):
        for path in inner[:1]:
            writes(state, path)
    elif low.endswith("directory]::delete") and inner:
        delete(state, inner[0], True)
    elif low.endswith("file]::delete") and inner:
        writes(state, inner[0])
    elif low.endswith("process]::start") and inner:
        start(state, [Word(part) for part in inner[:1] + " ".join(inner[1:]).split()], command)
    elif ".uploadfile" in low or ".uploaddata" in low or "streamreader" in " ".join(said).lower():
        for path in said:
            if secret(state, path) in SECRETS:
                state.flag(rows.SENT if "upload" in low else rows.SECRET, path)
    if command.called and ("scriptblock" in " ".join(said).lower() or words[0].inner):
        run_text(state, said)
    if ".delete" in low and words[0].inner:
        for held in words[0].inner:
            if held.words and canonical(held.words[0].text) in ("get-item", "get-childitem"):
                for path in Call("get-item", held, held.words[1:]).paths():
                    delete(state, path, True)


def started(state: State, call: Call, level: int) -> None:
    """`Start-Process X -ArgumentList …`, `sudo X …`, `runas /user:y "X …"`."""
    words = call.named.get("filepath", []) + call.positional
    for value in call.named.get("argumentlist", []) + call.named.get("args", []):
        words += value.split(" ") if " " in value and '"' not in value else [value]
    if call.name in ("sudo", "gsudo", "nsudo", "runas", "psexec", "psexec64"):
        spot = 0
        while spot < len(call.argv) and call.argv[spot].text[:1] in ("-", "/"):
            spot += 1
        argv = call.argv[spot:]
        if len(argv) == 1 and " " in argv[0].text:
            nested(state, argv[0].text)
        elif argv:
            start(state, argv, call.command, level)
        return
    if words:
        start(state, [Word(word) for word in words], call.command, level)


def stop_process(state: State, call: Call) -> None:
    source = call.command.source
    everything = source is not None and len(source.words) == 1 and canonical(source.words[0].text) == "get-process"
    if everything or call.named.get("name") == ["*"]:
        state.flag(rows.PROCESSES)


def set_defender(state: State, call: Call) -> None:
    if any(name.startswith("disable") for name in call.switches):
        state.flag(rows.DEFENCES)


def set_firewall(state: State, call: Call) -> None:
    if "false" in [value.lower() for value in call.positional] + call.named.get("enabled", []):
        state.flag(rows.DEFENCES)


def disable_restore(state: State, call: Call) -> None:
    state.flag(rows.RECOVERY)


def other(state: State, words: list[Word], call: Call) -> None:
    """Another shell, a native program, a script that was loaded before, or a program every shell knows."""
    name = rows.program(words[0].text)
    argv = [_argument(word) for word in words]
    if name == "cmd":
        from pal.guard.powershell_cmd import cmd_source, judge_cmd

        line = cmd_source(argv)
        if line:
            state.found += judge_cmd(line, state.cwd, state.home, state.policy, state.judge_shell, state.depth + 1)
        return
    if name in ("powershell", "pwsh"):
        powershell(state, argv, call)
        return
    script = state.files.get(normalise(argv[0], state.cwd, state.home, True, True).lower())
    if script:
        state.flag(rows.FETCHED_PLAIN if script == "plain" else rows.FETCHED, argv[0])
    source = call.command.source
    stdin = " ".join([word.text for word in source.words if word.quoted]) if source else None
    found = rows.native(argv, state.cwd, state.home, state.policy, stdin)
    state.found += found
    if name == "wsl":
        words = words[1:]
        while words and words[0].text.startswith("-"):
            words = words[2:] if words[0].text in ("-d", "-u", "--distribution", "--user", "--cd") else words[1:]
    if name in rows.PROGRAMS or name.partition("-")[0] in known.VERBS:
        words = words if name == "wsl" else []
    if words and not found:
        state.found += state.judge_shell(" ".join([posix(word) for word in words]))


def _argument(word: Word) -> str:
    """A word as a native program gets it; `Everyone:(F)` is one word to those who write it."""
    if not word.inner or word.text == UNKNOWN or word.quoted:
        return word.text
    return word.text + "".join(["(" + ",".join([part.text for part in held.words]) + ")" for held in word.inner])


def powershell(state: State, argv: list[str], call: Call) -> None:
    if call.command.source is not None:
        invoke_expression(state, Call("invoke-expression", call.command, []))
    encoded, source = powershell_source(argv)
    if encoded:
        state.flag(rows.DECODED)
    if source:
        nested(state, source)


def shape(state: State, text: str) -> None:
    low = text.lower()
    if "net.sockets.tcpclient" in low and "getstream" in low and ("iex" in low or "invoke-expression" in low):
        state.flag(rows.REVERSE)
    if "win32_shadowcopy" in low and ("delete" in low or "remove-" in low):
        state.flag(rows.RECOVERY)
    if "invoke-mimikatz" in low:
        state.flag(rows.CREDENTIALS)


HANDLERS: dict[str, Callable[[State, Call], None]] = {
    "remove-item": files.remove_item,
    "move-item": files.move_item,
    "set-location": files.set_location,
    "push-location": files.set_location,
    "invoke-expression": invoke_expression,
    "stop-process": stop_process,
    "set-mppreference": set_defender,
    "set-netfirewallprofile": set_firewall,
    "disable-computerrestore": disable_restore,
}
