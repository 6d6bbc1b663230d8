"""Programs that run what stands in their words: find, xargs, ssh, containers, git, editors, archivers.

Each function knows one program's options and hands what it would run back to the shell (`shell.call` for words,
`shell.run_text` for text).
"""

from __future__ import annotations

from pal.guard import streams
from pal.guard.model import UNKNOWN, Argument, Command, Stream
from pal.guard.paths import names
from pal.guard.wrappers import WRAPPERS, payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from pal.guard.unwrap import Shell

MAX_ITEMS = 32  # words from a pipe that are handed on
FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
RELATIVE = names("ls git rg grep fd fdfind ag")  # what they list lies below the folder they run in


def text(shell: Shell, words: str, command: Command) -> Stream:
    """A text that a shell of its own runs."""
    shell.note(f"{command.name} > {words}")
    return shell.run_text(words, None, command.span, apart=True)


def joined(argv: list[Argument]) -> str:
    return " ".join([word.text for word in argv])


def find(shell: Shell, command: Command) -> Stream:
    roots, i = find_roots(command.argv)
    argv = command.argv
    while i < len(argv):
        if argv[i].text in FIND_EXEC:
            end = i + 1
            while end < len(argv) and argv[end].text not in (";", "+"):
                end += 1
            for root in roots[:MAX_ITEMS]:
                found = root.rstrip("/") + "/" + UNKNOWN
                inner = [Argument(word.text.replace("{}", found), word.glob) for word in argv[i + 1 : end]]
                shell.call(inner, None, [], command.span, (*command.via, "find"))
            i = end
        i += 1
    return Stream(None, "find", argv)


def find_roots(argv: list[Argument]) -> tuple[list[str], int]:
    """The folders a find starts from, and where its tests begin."""
    i = 1
    while i < len(argv) and argv[i].text in ("-H", "-L", "-P", "-D", "-O", "-O2", "-O3", "-E", "-X", "-x", "-s", "-d"):
        i += 2 if argv[i].text == "-D" else 1
    roots = []
    while i < len(argv) and argv[i].text[:1] not in ("-", "(", "!", ","):
        roots.append(argv[i].text)
        i += 1
    return roots or ["."], i


def fd(shell: Shell, command: Command) -> Stream:
    argv = command.argv
    plain: list[str] = []
    i = 1
    while i < len(argv):
        word = argv[i].text
        if word in ("-x", "-X", "--exec", "--exec-batch"):
            roots = plain[1:] or ["."]
            end = next((k for k in range(i + 1, len(argv)) if argv[k].text == ";"), len(argv))
            for root in roots[:MAX_ITEMS]:
                found = root.rstrip("/") + "/" + UNKNOWN
                inner = [Argument(item.text.replace("{}", found)) for item in argv[i + 1 : end]]
                if not any("{" in item.text for item in argv[i + 1 : end]):
                    inner.append(Argument(found))
                shell.call(inner, None, [], command.span, (*command.via, "fd"))
                # fd hands over everything below its root, as find does
                listed = [Argument("find"), Argument(root)]
                if plain[:1] not in ([], ["."], [""], [".*"]):
                    listed += [Argument("-name"), Argument(plain[0])]
                listed += [Argument("-exec"), *argv[i + 1 : end], Argument(";")]
                shell.emit(Command("find", listed, [], command.span, command.cwd, None, (*command.via, "fd")))
            break
        if (
            word in ("-e", "-t", "-E", "-d", "-g", "-j", "--extension", "--type", "--exclude", "--max-depth")
            and word != "-g"
        ):
            i += 1
        elif not word.startswith("-"):
            plain.append(word)
        i += 1
    return Stream(None, "fd", argv)


def items_of(stdin: Stream | None) -> list[Argument]:
    """The words that arrive through a pipe, as arguments."""
    if stdin is None or stdin.text is None or UNKNOWN in stdin.text:
        if stdin is not None and stdin.source in ("find", "fd", "fdfind"):
            if stdin.source == "find":
                roots = find_roots(stdin.argv)[0]
            else:
                roots = [word.text for word in streams.operands(stdin.argv, "etEdj")[1:]] or ["."]
            return [Argument(root.rstrip("/") + "/" + UNKNOWN) for root in roots[:MAX_ITEMS]]
        listed = stdin.argv[1:] if stdin is not None and stdin.source in RELATIVE else None
        if listed is not None and not any(word.text[:1] in ("/", "~") or word.text[:2] == ".." for word in listed):
            return [Argument("./" + UNKNOWN)]
        return [Argument(UNKNOWN)]
    return [Argument(word) for word in stdin.text.replace("\0", " ").split()[:MAX_ITEMS]]


def xargs(shell: Shell, command: Command) -> Stream:
    argv = command.argv
    i, replace, stdin = 1, "", command.stdin
    while i < len(argv):
        word = argv[i].text
        if not word.startswith("-") or word == "-":
            break
        if word == "--":
            i += 1
            break
        if word in ("-I", "-J", "--replace", "-R") or word.startswith(("-I", "--replace=")):
            if word in ("-I", "-J", "-R"):
                replace = argv[i + 1].text if i + 1 < len(argv) else "{}"
                i += 1
            else:
                replace = word[2:] if word[:2] == "-I" else word.partition("=")[2] or "{}"
        elif word == "-i":
            replace = "{}"
        elif word in ("-a", "--arg-file"):
            stdin = None
            i += 1
        elif word in ("-n", "-P", "-L", "-s", "-d", "-E", "--max-args", "--max-procs", "--delimiter", "--max-lines"):
            i += 1
        i += 1
    inner = argv[i:] or [Argument("echo")]
    items = items_of(stdin)
    if stdin is not None and stdin.source == "find":
        listed = [*stdin.argv, Argument("-exec"), *inner, Argument("{}"), Argument("+")]
        shell.emit(Command("find", listed, [], command.span, command.cwd, None, (*command.via, "xargs")))
    via = (*command.via, "xargs")
    if not replace:
        return shell.call(inner + items, None, [], command.span, via)
    out = Stream(None)
    for item in items[:MAX_ITEMS]:
        words = [Argument(word.text.replace(replace, item.text), word.glob) for word in inner]
        out = shell.call(words, None, [], command.span, via)
    return out


def parallel(shell: Shell, command: Command) -> Stream:
    words = [word.text for word in command.argv[1:]]
    marks = [i for i, word in enumerate(words) if word in (":::", "::::", ":::+")]
    head = words[: marks[0]] if marks else words
    while head and head[0].startswith("-"):
        head = head[2:] if head[0] in ("-j", "-P", "--jobs", "-N", "-n", "-I", "--colsep", "-a") else head[1:]
    if marks and words[marks[0]] == ":::":
        items = [word for word in words[marks[0] + 1 :] if word[:3] != ":::"]
    else:
        items = [item.text for item in items_of(command.stdin)]
    line = " ".join(head)
    for item in items[:MAX_ITEMS]:
        text(shell, line.replace("{}", item) if "{}" in line else f"{line} {item}".strip(), command)
    return Stream(None)


def remote(shell: Shell, command: Command) -> Stream:
    """ssh: its options may run something here, its words run there."""
    argv = command.argv
    i = 1
    while i < len(argv) and argv[i].text.startswith("-") and len(argv[i].text) > 1:
        word = argv[i].text
        if word[:2] == "-o":
            option = word[2:] or (argv[i + 1].text if i + 1 < len(argv) else "")
            key, _, value = option.partition("=" if "=" in option.partition(" ")[0] else " ")
            if key.lower() in ("proxycommand", "localcommand", "knownhostscommand", "permitlocalcommand"):
                text(shell, value, command)
            i += 1 if word[2:] else 2
        elif word[1:2] in "bcDEeFIiJLlmOpQRSWw" and len(word) == 2:
            i += 2
        else:
            i += 1
    i += 1  # the host
    while i < len(argv) and argv[i].text in ("-t", "-tt", "-n", "-q", "-T", "--", "-A"):
        i += 1
    before = shell.cwd
    shell.cwd = ""
    if i < len(argv):
        out = text(shell, joined(argv[i:]), command)
    elif command.stdin is not None and command.stdin.text:
        out = text(shell, command.stdin.text, command)
    else:
        out = Stream(None, "ssh")
    shell.cwd = before
    return Stream(out.text, "ssh", out.argv, out.tags)


def dash_c(shell: Shell, command: Command) -> Stream:
    """Programs whose -c (or --command) takes a text for a shell: su, script, flock, vagrant ssh."""
    argv = command.argv
    for i in range(1, len(argv)):
        word = argv[i].text
        if word.startswith(("--command=", "--session-command=")):
            return text(shell, word.partition("=")[2], command)
        short = word[:1] == "-" and word[1:2] != "-" and word.endswith("c")
        if (short or word in ("--command", "--run", "--call", "--session-command")) and i + 1 < len(argv):
            return text(shell, argv[i + 1].text, command)
    if command.name == "script" and command.stdin is not None and command.stdin.text:
        return text(shell, command.stdin.text, command)
    wrapper = WRAPPERS.get(command.name)
    if wrapper is not None:
        return shell.call(payload(wrapper, argv)[0], command.stdin, [], command.span, (*command.via, command.name))
    if command.name == "su" and command.stdin is not None and command.stdin.text:
        return text(shell, command.stdin.text, command)
    return Stream(None, command.name)


def environment(shell: Shell, command: Command) -> Stream:
    """env: assignments, then a command; -S splits a text into words."""
    argv = command.argv
    for i in range(1, len(argv)):
        word = argv[i].text
        if word in ("-S", "--split-string") and i + 1 < len(argv):
            return text(shell, joined(argv[i + 1 :]), command)
        if word.startswith(("-S", "--split-string=")):
            return text(shell, word[2:] if word[:2] == "-S" else word.partition("=")[2], command)
        if not word.startswith("-") and "=" not in word:
            break
    rest, assigned = payload(WRAPPERS["env"], argv)
    begin = shell.mark()
    for item in assigned:
        name, _, value = item.partition("=")
        shell.assign(name, value)
    out = shell.call(rest, command.stdin, [], command.span, (*command.via, "env")) if rest else Stream(None, "env")
    shell.undo(begin)
    return out


def watcher(shell: Shell, command: Command) -> Stream:
    """watch and its relatives join their words to a text for a shell."""
    words = streams.operands(command.argv, "nidgw")
    return text(shell, joined(words), command) if words else Stream(None)


HANDLERS: dict[str, Callable[[Shell, Command], Stream]] = {
    "find": find,
    "gfind": find,
    "fd": fd,
    "fdfind": fd,
    "xargs": xargs,
    "gxargs": xargs,
    "parallel": parallel,
    "ssh": remote,
    "autossh": remote,
    "mosh": remote,
    "su": dash_c,
    "runuser": dash_c,
    "script": dash_c,
    "flock": dash_c,
    "vagrant": dash_c,
    "nix-shell": dash_c,
    "npx": dash_c,
    "sg": dash_c,
    "env": environment,
    "genv": environment,
    "watch": watcher,
}
