"""The shell's own commands that change what is known: folders, variables, aliases."""

from __future__ import annotations

from pal.guard import streams
from pal.guard.model import UNKNOWN, Argument, Command, Stream
from pal.guard.posix_words import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from pal.guard.state import State


def change_folder(shell: State, command: Command) -> Stream:
    words = [word for word in command.argv[1:] if word.text == "-" or not word.text.startswith("-")]
    if command.name == "popd":
        shell.cwd, shell.old = shell.old, shell.cwd
    elif not words:
        shell.go(shell.home if command.name == "cd" else "-")
    else:
        shell.go(words[0].text if not words[0].glob else None)
    return Stream("")


def declare(shell: State, command: Command) -> Stream:
    for word in command.argv[1:]:
        name, equals, text = word.text.partition("=")
        if equals and NAME.issuperset(name) or equals and name.endswith("+"):
            shell.assign(name, text)
    return Stream("")


def unset(shell: State, command: Command) -> Stream:
    for word in command.argv[1:]:
        shell.assign(word.text, "")
        shell.functions.pop(word.text, None)
    return Stream("")


def read(shell: State, command: Command) -> Stream:
    names = streams.operands(command.argv, "adinNptu") or [Argument("REPLY")]
    text = command.stdin.text if command.stdin is not None else None
    pieces = (text or "").split("\n")[0].split(None, len(names) - 1) if text and UNKNOWN not in text else []
    for i, word in enumerate(names):
        shell.assign(word.text, pieces[i].strip() if i < len(pieces) else None)
    return Stream("")


def set_words(shell: State, command: Command) -> Stream:
    words = [word.text for word in command.argv[1:]]
    if "--" in words:
        shell.positional = words[words.index("--") + 1 :]
    return Stream("")


def shift(shell: State, command: Command) -> Stream:
    if shell.positional:
        shell.positional = shell.positional[1:]
    return Stream("")


def alias(shell: State, command: Command) -> Stream:
    for word in command.argv[1:]:
        name, equals, text = word.text.partition("=")
        if equals:
            shell.aliases[name] = text
    return Stream("")


HANDLERS: dict[str, Callable[[State, Command], Stream]] = {
    **dict.fromkeys(("cd", "chdir", "pushd", "popd"), change_folder),
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), declare),
    "unset": unset,
    "read": read,
    "set": set_words,
    "shift": shift,
    "alias": alias,
}
