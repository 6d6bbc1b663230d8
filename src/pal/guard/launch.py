"""The shell's own commands that change what is known or run text, shells and interpreters, and what is fed to them.

unwrap.py looks a command up in HANDLERS; each handler follows what the command runs and returns what it writes.
"""

from __future__ import annotations

from pal.guard import launch_builtins, launch_containers, launch_programs, launch_tools, rows, streams
from pal.guard.interpreters import code_of, language_of
from pal.guard.model import UNKNOWN, Argument, Command, Stream
from pal.guard.paths import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from pal.guard.posix_tree import Node
    from pal.guard.unwrap import Shell

SHELLS = names("sh bash zsh dash ksh ash mksh fish rbash ksh93 yash csh tcsh pdksh")
WINDOWS_SHELLS = frozenset(["powershell", "pwsh", "cmd", "powershell_ise"])
# Programs of Windows that a POSIX shell there (Git Bash) starts as well; PowerShell's rules judge them.
WINDOWS_PROGRAMS = names(
    "remove-item format-volume clear-disk initialize-disk remove-partition format diskpart vssadmin wbadmin"
    " diskshadow wmic reagentc bcdedit reg icacls cacls takeown netsh robocopy certutil deltree mshta regsvr32"
    " rundll32 procdump ntdsutil mimikatz wsl"
)
# A word of these in the middle of an unknown program's words is probably what it runs.
TELLING = names("rm mkfs dd shred wipefs sudo doas chmod chown")
# Programs that only talk about their words.
TALKERS = names(
    "echo printf print man which type whatis apropos help tldr info whereis hash command say logger"
    " notify-send pal grep egrep fgrep rg ag ack git gh glab npm yarn pnpm bun cargo go pip jq yq sed awk"
    " expr test [ let seq curl wget history complete compgen alias unalias export local declare typeset"
    " readonly set shopt bindkey bind trap let read pytest make cmake brew apt apt-get dnf yum pacman apk"
    " snap code vim nvim nano emacs ls cat cp mv ln mkdir touch tail head wc sort cut tr tee diff basename"
    " dirname kill pkill killall docker kubectl helm terraform psql mysql sqlite3 redis-cli add-user"
    " adduser figlet cowsay banner wall write mail gcc cc clang ld ps top node python python3 ruby perl"
    " crontab systemctl journalctl ssh-keygen gpg tar zip unzip rsync scp sftp dpkg rpm"
)


def requoted(argv: list[Argument]) -> str:
    """Words as a text that reads back as the same words."""
    return " ".join([word.text if word.glob else "'" + word.text.replace("'", "'\\''") + "'" for word in argv])


# What is fed to a shell or an interpreter


def run_stream(shell: Shell, stream: Stream | None, command: Command, language: str = "") -> Stream:
    """Follow a text, or what is known of one, that a shell (or the interpreter of `language`) is given to run."""
    if stream is None:
        return Stream(None)
    origin(shell, stream.tags, command)
    text = stream.text
    if text is None or text.strip() == UNKNOWN:
        return Stream(None, command.name, tags=frozenset({"shell"}))
    if text.strip() in shell.decoded:
        shell.find(rows.DECODED_RUN, command.span)
    if language:
        run_code(shell, language, text, command)
        return Stream(None)
    return shell.run_text(text, None, command.span, apart=True)


def origin(shell: Shell, tags: frozenset[str], command: Command) -> None:
    if "decoded" in tags:
        shell.find(rows.DECODED_RUN, command.span)
    if "http" in tags:
        shell.find(rows.HTTP_RUN, command.span)
    elif "https" in tags:
        shell.find(rows.HTTPS_RUN, command.span)
    if "socket" in tags:
        shell.find(rows.REMOTE_SHELL, command.span)


def run_words(shell: Shell, text: str, command: Command, apart: bool = True, keep_stdin: bool = True) -> Stream:
    """Follow the text of `-c`, `eval` or an option that a shell runs."""
    return run_stream_text(shell, streams.tainted(text, command.name), command, apart, keep_stdin)


def run_stream_text(shell: Shell, stream: Stream, command: Command, apart: bool, keep_stdin: bool) -> Stream:
    origin(shell, stream.tags, command)
    text = stream.text or ""
    if text.strip() in shell.decoded:
        shell.find(rows.DECODED_RUN, command.span)
    if not text or not text.strip(UNKNOWN + "\x01\x02\x03\x04 \n"):
        if text:
            shell.find(rows.UNKNOWN_RUN, command.span)
        return Stream(None)
    return shell.run_text(text, command.stdin if keep_stdin else None, command.span, apart=apart)


def run_code(shell: Shell, language: str, source: str, command: Command) -> None:
    if shell.judge_code is not None and source:
        shell.judge_code(language, source, shell, command.span)


# Builtins


def trap(shell: Shell, command: Command) -> Stream:
    words = [word.text for word in command.argv[1:] if word.text not in ("--", "-l", "-p", "-")]
    if len(words) > 1 and words[0].strip(UNKNOWN) and len(shell.traps) < 100:
        shell.traps.append((words[0], Command("trap", command.argv, [], command.span, command.cwd)))
    return Stream("")


def run_traps(shell: Shell) -> None:
    """What traps run happens at the end, when the variables they name are set."""
    for text, command in shell.traps:
        run_words(shell, text, command)


def evaluate(shell: Shell, command: Command) -> Stream:
    words = command.argv[1:]
    if words and words[0].text == "--":
        words = words[1:]
    return run_words(shell, " ".join([word.text for word in words]), command, apart=False)


def source(shell: Shell, command: Command) -> Stream:
    if len(command.argv) < 2:
        return Stream(None)
    name = command.argv[1].text
    if name in ("/dev/stdin", "-"):
        return run_stream(shell, command.stdin, command)
    known = shell.files.get(shell.path(name)) if UNKNOWN not in name else None
    if known is None:
        return Stream("")
    origin(shell, known.tags, command)
    return shell.run_text(known.text, None, command.span) if known.text else Stream("")


# Shells and interpreters


def shell_program(shell: Shell, command: Command) -> Stream:
    argv = command.argv
    i = 1
    reads = False
    while i < len(argv):
        text = argv[i].text
        if text in ("-", "--"):
            i += 1
            break
        if text[:1] not in ("-", "+") or len(text) < 2:
            break
        if text in ("--rcfile", "--init-file", "-o", "+o", "-O", "+O"):
            i += 2
            continue
        if text[:2] == "--":
            if text in ("--version", "--help"):
                return Stream(None)
            i += 1
            continue
        if "n" in text and text[0] == "-" and "c" not in text:
            return Stream(None)  # only checks the syntax
        if "c" in text[1:]:
            i += 1
            while i < len(argv) and argv[i].text[:1] in ("-", "+") and len(argv[i].text) > 1:
                i += 1
            if i >= len(argv):
                return Stream(None)
            before, shell.positional = shell.positional, [word.text for word in argv[i + 2 :]]
            if len(argv) <= i + 2:
                shell.positional = []
            out = run_words(shell, argv[i].text, command)
            shell.positional = before
            return out
        reads = reads or "s" in text
        i += 1
    if i < len(argv) and not reads:
        name = argv[i].text
        if name not in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            known = shell.files.get(shell.path(name)) if UNKNOWN not in name else None
            if known is None:
                return Stream(None, command.name)
            return run_stream(shell, known, command)
    before = shell.positional
    shell.positional = [word.text for word in argv[i:]] if reads else None
    out = run_stream(shell, command.stdin, command)
    shell.positional = before
    return Stream(out.text, out.source or command.name, out.argv, out.tags | {"shell"})


def other_shell(shell: Shell, command: Command) -> Stream:
    """PowerShell and cmd, started from a POSIX shell: their words are a text of their own."""
    if shell.judge_other is not None and len(command.argv) > 1:
        words = [word.text for word in command.argv[1:]]
        name = "cmd" if command.name == "cmd" else "powershell"
        shell.judge_other(
            name + " " + " ".join([word if word[:1] in "-/" else quoted(word) for word in words]), shell, command.span
        )
    if command.stdin is not None:
        origin(shell, command.stdin.tags, command)
        if shell.judge_other is not None and command.stdin.text:
            shell.judge_other(command.stdin.text, shell, command.span)
    return Stream(None)


def quoted(word: str) -> str:
    """One word as PowerShell text; what holds blanks is put between double quotes it does not hold itself."""
    return word if word and not any(c in word for c in " \t;|&<>()") else '"' + word.replace('"', "'") + '"'


def other(shell: Shell, command: Command) -> Stream:
    """A command with no handler: an interpreter, a program that only writes, or one that may run its words."""
    language = language_of(command.name)
    if language:
        return interpreter(shell, command, language)
    name = command.name.lower()
    name = name[:-4] if name.endswith(".com") else name
    if name in WINDOWS_PROGRAMS and shell.judge_other is not None:
        words = [quoted(word.text) for word in command.argv[1:]]
        shell.judge_other(" ".join([name, *words]), shell, command.span)
    if command.name not in TALKERS and not command.name.startswith("mkfs"):
        for i in range(2 if command.name in TELLING else 1, min(len(command.argv) - 1, 40)):
            word = command.argv[i].text
            if word.rpartition("/")[2] in TELLING and command.argv[i - 1].text[:2] != "--":
                inner = Command(word.rpartition("/")[2], command.argv[i:], [], command.span, command.cwd, None, ("?",))
                if command.name not in TELLING:
                    shell.emit(inner)
                break
    return streams.output(shell, command)


def interpreter(shell: Shell, command: Command, language: str) -> Stream:
    argv = command.argv
    for code in code_of([word.text for word in argv]):
        origin(shell, streams.tainted(code, command.name).tags, command)
        if code.strip() in shell.decoded:
            shell.find(rows.DECODED_RUN, command.span)
        run_code(shell, language, code, command)
        return Stream(None, command.name)
    if language == "awk":
        return streams.output(shell, command)
    i = 1
    while i < len(argv) and argv[i].text.startswith("-") and len(argv[i].text) > 1:
        if argv[i].text in ("-m", "--version", "-V", "-h", "--help", "-v"):
            return Stream(None, command.name)
        i += 2 if argv[i].text in ("-W", "-X", "-r", "--require", "--import", "-I") else 1
    if language == "js" and i < len(argv) and argv[i].text in ("run", "test", "task", "install", "add", "i"):
        i += 1
        if argv[i - 1].text != "run":
            return Stream(None, command.name)
    name = argv[i].text if i < len(argv) else "-"
    if name in ("-", "/dev/stdin"):
        run_stream(shell, command.stdin, command, language)
    elif UNKNOWN not in name and shell.path(name) in shell.files:
        run_stream(shell, shell.files[shell.path(name)], command, language)
    return Stream(None, command.name)


def fork_bomb(shell: Shell, node: Node) -> None:
    """A function that starts itself twice, or in the background, without an end."""
    body = [command for script in node.scripts for nodes, _ in script.pipelines for command in nodes]
    first = body[0].command.words if body and body[0].command is not None else []
    if first and first[0].literal() == "{" + node.name:  # no shell takes it without blanks, but everybody writes it so
        shell.find(rows.FORK_BOMB, shell.span or (0, 0))
        return
    calls = background = 0
    pending = list(node.scripts)
    seen = 0
    while pending and seen < 200:
        seen += 1
        for nodes, connector in pending.pop().pipelines:
            own = 0
            for inner in nodes:
                if inner.kind == "simple" and inner.command is not None and inner.command.words:
                    if inner.command.words[0].literal() == node.name:
                        own += 1
                elif inner.kind in ("group", "subshell", "loop", "for"):
                    pending += inner.scripts
            calls += own
            if own and connector == "&":
                background += 1
    if calls > 1 and background:
        shell.find(rows.FORK_BOMB, shell.span or (0, 0))
    elif calls > 1 or background:
        shell.functions.pop(node.name, None)
        if background:
            shell.find(rows.FORK_BOMB, shell.span or (0, 0))


HANDLERS: dict[str, Callable[[Shell, Command], Stream]] = {
    "trap": trap,
    "eval": evaluate,
    "source": source,
    ".": source,
    **dict.fromkeys(SHELLS, shell_program),
    **dict.fromkeys(WINDOWS_SHELLS, other_shell),
    **launch_builtins.HANDLERS,
    **launch_containers.HANDLERS,
    **launch_programs.HANDLERS,
    **launch_tools.HANDLERS,
}
