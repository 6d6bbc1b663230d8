"""More programs that run what stands in their words: git, archivers, editors, make, terminals, schedulers."""

from __future__ import annotations

from pal.guard import streams
from pal.guard.launch_programs import joined, text
from pal.guard.model import Argument, Command, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from pal.guard.unwrap import Shell

# Keys of git's settings whose value git runs.
GIT_RUNS = (
    "pager",
    "editor",
    "sshcommand",
    "askpass",
    "fsmonitor",
    "external",
    "cmd",
    "textconv",
    "clean",
    "smudge",
    "process",
)


def git(shell: Shell, command: Command) -> Stream:
    """`-c` settings that git runs, aliases given on the line, and the verbs that run a command per commit."""
    argv = command.argv
    aliases: dict[str, str] = {}
    i = 1
    while i < len(argv) and argv[i].text.startswith("-"):
        word = argv[i].text
        if word == "-c" and i + 1 < len(argv):
            key, _, value = argv[i + 1].text.partition("=")
            low = key.lower()
            if low.startswith("alias."):
                aliases[key[6:]] = value
            elif low.startswith("pager.") or low.endswith(GIT_RUNS) or (low.endswith("helper") and value[:1] == "!"):
                text(shell, value.lstrip("!"), command)
        i += 2 if word in ("-c", "-C", "--git-dir", "--work-tree", "--namespace", "--exec-path") else 1
    verb = argv[i].text if i < len(argv) else ""
    rest = argv[i + 1 :]
    if verb in aliases:
        value = aliases[verb]
        if value.startswith("!"):
            return text(shell, value[1:] + " " + joined(rest), command)
        words = [Argument(word) for word in value.split()]
        return shell.call([argv[0], *words, *rest], command.stdin, [], command.span, (*command.via, "git"))
    if verb == "submodule" and len(rest) > 1 and rest[0].text == "foreach":
        text(shell, joined([word for word in rest[1:] if not word.text.startswith("--")]), command)
    elif verb == "bisect" and len(rest) > 1 and rest[0].text == "run":
        shell.call(rest[1:], None, [], command.span, (*command.via, "git"))
    elif verb == "rebase" or verb == "filter-branch" or verb == "difftool":
        for k, option in enumerate(rest):
            if option.text in ("-x", "--exec", "--extcmd") or option.text.endswith("-filter"):
                if k + 1 < len(rest):
                    text(shell, rest[k + 1].text, command)
            elif option.text.startswith(("--exec=", "--extcmd=")):
                text(shell, option.text.partition("=")[2], command)
    elif verb == "config":
        plain = [word.text for word in rest if not word.text.startswith("--")]
        if len(plain) > 1 and plain[0].startswith("alias.") and plain[1].startswith("!"):
            text(shell, plain[1][1:], command)
    elif verb == "rev-parse" and any(word.text == "--show-toplevel" for word in rest):
        return Stream(shell.project or None, "git")
    return Stream(None, "git", argv)


def tar(shell: Shell, command: Command) -> Stream:
    words = [word.text for word in command.argv]
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else ""
        if word.startswith(
            ("--to-command=", "--use-compress-program=", "--info-script=", "--new-volume-script=", "--rsh-command=")
        ):
            text(shell, word.partition("=")[2], command)
        elif word.startswith("--checkpoint-action=exec="):
            text(shell, word[len("--checkpoint-action=exec=") :], command)
        elif word in ("-I", "--to-command", "--use-compress-program", "-F") and following:
            text(shell, following, command)
        elif word == "--checkpoint-action" and following.startswith("exec="):
            text(shell, following[5:], command)
    return Stream(None, "tar", command.argv)


def rsync(shell: Shell, command: Command) -> Stream:
    words = [word.text for word in command.argv]
    for i, word in enumerate(words):
        if word.startswith(("--rsh=", "--rsync-path=")):
            text(shell, word.partition("=")[2], command)
        elif (
            word in ("--rsh", "--rsync-path") or (word[:1] == "-" and word[1:2] != "-" and word.endswith("e"))
        ) and i + 1 < len(words):
            text(shell, words[i + 1], command)
    return Stream(None, "rsync", command.argv)


def sed(shell: Shell, command: Command) -> Stream:
    """GNU sed's `e` runs a command: `1e rm`, or the `e` flag of `s`."""
    argv = command.argv
    scripts = [argv[i + 1].text for i in range(1, len(argv) - 1) if argv[i].text in ("-e", "--expression")]
    if not scripts:
        scripts = [word.text for word in streams.operands(argv, "ef")[:1]]
    for script in scripts:
        for line in script.replace(";", "\n").split("\n"):
            rest = line.lstrip("0123456789$,!{~ \t")
            if rest.startswith("/") and rest.count("/") > 1:
                rest = rest[1:].partition("/")[2].lstrip()
            if rest.startswith("e ") and len(rest) > 2:
                text(shell, rest[2:], command)
    return streams.output(shell, command)


def vim(shell: Shell, command: Command) -> Stream:
    """Commands given to an editor: `:!` runs a shell, and so does system()."""
    words = [word.text for word in command.argv]
    for i, word in enumerate(words):
        given = word[1:] if word.startswith("+") else ""
        if word in ("-c", "--cmd") and i + 1 < len(words):
            given = words[i + 1]
        given = given.lstrip(": ")
        for lead in ("silent ", "silent! ", "sil ", "exe ", "execute ", "call "):
            if given.startswith(lead):
                given = given[len(lead) :].lstrip(": ")
        if given.startswith(("!", "r!", "r !", "terminal ", "term ")):
            text(shell, given.partition("!")[2] if "!" in given[:3] else given.partition(" ")[2], command)
        elif given.startswith(("system(", "os.execute(", "lua ", "py", "systemlist(")):
            begin = max(given.find("'"), given.find('"'))
            inner = given[begin + 1 :] if begin >= 0 else ""
            text(shell, inner.rstrip("')\""), command)
    return Stream(None, command.name)


def make(shell: Shell, command: Command) -> Stream:
    """The recipes of a makefile that the text itself holds."""
    words = [word.text for word in command.argv]
    if any(word in ("-n", "--dry-run", "--just-print", "--recon") for word in words):
        return Stream(None, "make")
    body = None
    for i, word in enumerate(words):
        if word in ("-f", "--file", "--makefile") and i + 1 < len(words):
            known = command.stdin if words[i + 1] in ("-", "/dev/stdin") else shell.files.get(shell.path(words[i + 1]))
            body = known.text if known is not None else None
    if body is None and "-f" not in words:
        for name in ("Makefile", "makefile"):
            known = shell.files.get(shell.path(name))
            body = known.text if known is not None else body
    for line in (body or "").split("\n"):
        if line.startswith("\t"):
            text(shell, line.lstrip("\t@-+ ").replace("$$", "$"), command)
    return Stream(None, "make", command.argv)


def terminal(shell: Shell, command: Command) -> Stream:
    """tmux, screen and terminal windows: the words that are a command, or keys typed into a shell."""
    argv = command.argv
    words = [word.text for word in argv]
    if command.name == "tmux":
        for verb in (
            "new-session",
            "new",
            "new-window",
            "neww",
            "split-window",
            "splitw",
            "respawn-pane",
            "send-keys",
            "send",
            "run-shell",
            "run",
            "if-shell",
        ):
            if verb in words[1:]:
                rest = streams.operands([argv[0], *argv[words.index(verb) + 1 :]], "censtxyF")
                typed = [word for word in rest if word.text not in ("Enter", "C-m", "C-c", "ENTER")]
                if typed:
                    text(shell, joined(typed), command)
                break
    elif command.name == "screen":
        rest = streams.operands(argv, "SctTps")
        if "-X" in words and "stuff" in words:
            text(shell, joined(rest[1:]), command)
        elif rest and any(word.startswith("-") and "d" in word for word in words[1:]):
            shell.call(rest, None, [], command.span, (*command.via, "screen"))
    else:
        for i, word in enumerate(words):
            if word in ("-e", "-x", "--", "--command") and i + 1 < len(words):
                if i + 2 == len(words):
                    text(shell, words[i + 1], command)
                else:
                    shell.call(argv[i + 1 :], None, [], command.span, (*command.via, command.name))
                break
    return Stream(None, command.name)


def scheduled(shell: Shell, command: Command) -> Stream:
    """at and batch run what they read; crontab runs it behind the five fields of a line."""
    body = command.stdin.text if command.stdin is not None else None
    if not body and len(command.argv) > 1 and command.name == "crontab":
        known = shell.files.get(shell.path(command.argv[-1].text))
        body = known.text if known is not None else None
    if not body:
        return Stream(None, command.name)
    if command.name != "crontab":
        return text(shell, body, command)
    for line in body.split("\n")[:200]:
        line = line.strip()
        fields = line.split(None, 1 if line.startswith("@") else 5)
        if line and line[0] != "#" and len(fields) in (2, 6):
            text(shell, fields[-1], command)
    return Stream(None, command.name)


def ansible(shell: Shell, command: Command) -> Stream:
    words = [word.text for word in command.argv]
    for i, word in enumerate(words):
        if word in ("-a", "--args") and i + 1 < len(words):
            text(shell, words[i + 1], command)
    return Stream(None, command.name)


# Programs with an option whose next word they run, and the words in front of it that are their own.
OPTION_RUNS = {"zip": ("-TT",), "tcpdump": ("-z",), "gdb": ("-ex", "--ex", "--eval-command"), "expect": ("-c",)}


def option(shell: Shell, command: Command) -> Stream:
    words = [word.text for word in command.argv]
    for i, word in enumerate(words[:-1]):
        if word in OPTION_RUNS[command.name]:
            given = words[i + 1]
            own = command.name in ("gdb", "expect")
            for lead in ("shell ", "spawn ", "exec ", "!"):
                if own and given.startswith(lead):
                    text(shell, given[len(lead) :], command)
            if not own:
                text(shell, given, command)
    return streams.output(shell, command)


HANDLERS: dict[str, Callable[[Shell, Command], Stream]] = {
    "git": git,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), tar),
    "rsync": rsync,
    "sed": sed,
    "gsed": sed,
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view", "vimdiff", "gvim", "rvim"), vim),
    "make": make,
    "gmake": make,
    **dict.fromkeys(("tmux", "screen", "xterm", "gnome-terminal", "konsole", "alacritty", "kitty"), terminal),
    **dict.fromkeys(("at", "batch", "crontab"), scheduled),
    "ansible": ansible,
    **dict.fromkeys(OPTION_RUNS, option),
}
