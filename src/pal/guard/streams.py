"""What commands write to standard output, as far as a text tells: constants, decoded text, downloads, search results.

unwrap.py asks `output` for every command it does not follow into another shell.
"""

from __future__ import annotations

from pal.guard.downloads import DOWNLOADERS, download
from pal.guard.model import UNKNOWN, Argument, Command, Stream
from pal.guard.paths import names
from pal.guard.posix_text import unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from pal.guard.state import State

MAX_TEXT = 64 * 1024  # characters of a constant stream that are followed
DECODERS = names(
    "base64 gbase64 base32 basenc xxd openssl rev tr gpg uudecode gunzip zcat gzip bzcat bzip2 xzcat xz"
    " unzip zstdcat hexdump od iconv uncompress lz4cat brotli age"
)
# Programs that hand on what they read, whole or in part.
FILTERS = names(
    "cat tee head tail sort uniq grep egrep fgrep rg sed awk gawk cut pv tac nl less more col fmt"
    " dos2unix sponge jq yq buffer mbuffer ts unbuffer stdbuf expand column shuf bat"
)
KEEPS_TEXT = names("cat tee head tail sort uniq grep egrep fgrep rg pv dos2unix sponge bat less more ts shuf")
SOCKETS = names("nc ncat netcat socat telnet")


def together(outs: list[Stream]) -> Stream:
    """The output of several commands, one after the other."""
    if not outs:
        return Stream("")
    if len(outs) == 1:
        return outs[0]
    tags = frozenset([tag for out in outs for tag in out.tags])
    source = next((out.source for out in outs if out.source in ("find", "fd")), outs[-1].source)
    argv = next((out.argv for out in outs if out.source == source), [])
    texts = [out.text for out in outs if out.text is not None]
    if len(texts) < len(outs) and not any(texts):
        return Stream(None, source, argv, tags)
    return Stream("".join([UNKNOWN if out.text is None else out.text for out in outs])[:MAX_TEXT], source, argv, tags)


def tainted(text: str, source: str) -> Stream:
    """A stream of this text, with the marks that say where unknown pieces of it came from turned into tags."""
    if UNKNOWN not in text:
        return Stream(text, source)
    marks = {"\x01": "decoded", "\x02": "http", "\x03": "https", "\x04": "socket"}
    tags = frozenset([tag for mark, tag in marks.items() if UNKNOWN + mark in text])
    return Stream(text, source, tags=tags)


def operands(argv: list[Argument], valued: str = "") -> list[Argument]:
    """The words that are no options; `valued` are the letters of options that take the next word."""
    out: list[Argument] = []
    i = 1
    while i < len(argv):
        text = argv[i].text
        if text == "--":
            return out + argv[i + 1 :]
        if text.startswith("-") and len(text) > 1:
            i += 2 if text[-1] in valued and text[1] != "-" else 1
            continue
        out.append(argv[i])
        i += 1
    return out


def output(shell: State, command: Command) -> Stream:
    """What this command writes."""
    writer = WRITERS.get(command.name)
    if writer is not None:
        return writer(shell, command)
    if command.name in DECODERS:
        return decode(shell, command)
    if command.name in DOWNLOADERS:
        return download(shell, command)
    if command.name in SOCKETS:
        return Stream(None, command.name, command.argv, frozenset({"socket"}))
    stdin = command.stdin
    if command.name in FILTERS and stdin is not None:
        return Stream(stdin.text if command.name in KEEPS_TEXT else None, stdin.source, stdin.argv, stdin.tags)
    return Stream(None, command.name, command.argv)


def echo(shell: State, command: Command) -> Stream:
    words = [argument.text for argument in command.argv[1:]]
    escapes = False
    while words and words[0] in ("-n", "-e", "-E", "-ne", "-en"):
        escapes = escapes or "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    if escapes:
        return Stream(unescape(text) + "\n", "echo", tags=coded(text))
    return tainted(text + "\n", "echo")


def coded(text: str) -> frozenset[str]:
    """A text written mostly in numbers is decoded text."""
    return frozenset({"decoded"}) if text.count("\\x") + text.count("\\0") + text.count("\\1") > 2 else frozenset()


def printf(shell: State, command: Command) -> Stream:
    words = [argument.text for argument in command.argv[1:]]
    if words[:1] == ["-v"] and len(words) > 2:
        shell.assign(words[1], formatted(words[2], words[3:]))
        return Stream("")
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        return Stream("")
    return Stream(formatted(words[0], words[1:]), "printf", tags=coded(words[0]) | coded(" ".join(words[1:])))


def formatted(form: str, values: list[str]) -> str:
    out: list[str] = []
    waiting = values[:256]
    while True:
        i = 0
        used = False
        while i < len(form):
            j = form.find("%", i)
            if j < 0:
                out.append(unescape(form[i:]))
                break
            out.append(unescape(form[i:j]))
            j += 1
            while j < len(form) and form[j] in "-+ 0123456789.#*":
                j += 1
            letter = form[j : j + 1]
            if letter == "%":
                out.append("%")
            elif letter:
                item = waiting.pop(0) if waiting else ""
                out.append(unescape(item) if letter == "b" else item)
                used = True
            i = j + 1
        if not waiting or not used:
            return "".join(out)[:MAX_TEXT]


def cat(shell: State, command: Command) -> Stream:
    files = operands(command.argv)
    if not files or all(item.text in ("-", "/dev/stdin") for item in files):
        return command.stdin if command.stdin is not None else Stream(None, "cat")
    outs = []
    for item in files:
        known = shell.files.get(shell.path(item.text)) if UNKNOWN not in item.text else None
        if known is None and item.text == "-":
            known = command.stdin
        outs.append(known or Stream(None, "cat", command.argv))
    return together(outs)


def tee(shell: State, command: Command) -> Stream:
    stream = command.stdin if command.stdin is not None else Stream(None, "tee")
    for item in operands(command.argv):
        shell.keep(item.text, stream)
    return stream


def decode(shell: State, command: Command) -> Stream:
    """Decoders: the tag stays even where the text could be worked out."""
    words = [argument.text for argument in command.argv[1:]]
    name = command.name
    stdin = command.stdin
    text = stdin.text if stdin is not None else None
    if name in ("base64", "gbase64", "base32", "basenc"):
        if not any(word in ("-d", "-D", "--decode") or (word[:1] == "-" and "d" in word[1:3]) for word in words):
            return Stream(None, name)
        if text and name != "base32":
            return Stream(from_base64(text), name, tags=frozenset({"decoded"}))
    elif name == "xxd":
        if not any(word.startswith("-") and "r" in word for word in words):
            return Stream(None, name)
        if text:
            return Stream(from_hex(text), name, tags=frozenset({"decoded"}))
    elif name == "openssl":
        if not any(word in ("-d", "-decrypt", "-base64d") for word in words):
            return Stream(None, name)
        if text and ("base64" in words or "-base64" in words or "-a" in words):
            return Stream(from_base64(text), name, tags=frozenset({"decoded"}))
    elif name == "rev":
        turned = None if text is None else "\n".join([line[::-1] for line in text.split("\n")])
        return Stream(turned, name, tags=frozenset({"decoded"}))
    elif name == "tr":
        if not any("-" in word[1:] and word[:1].isalnum() for word in words):
            tags = stdin.tags if stdin is not None else frozenset()
            return Stream(text if words[:1] == ["-d"] else None, stdin.source if stdin else "tr", tags=tags)
        return Stream(None, name, tags=frozenset({"decoded"}))
    elif name in ("gzip", "bzip2", "xz", "brotli", "age", "gpg"):
        if not any(word[:2] in ("-d", "--") and "d" in word for word in words):
            return Stream(None, name)
    elif name in ("hexdump", "od", "iconv"):
        return Stream(None, name)
    return Stream(None, name, tags=frozenset({"decoded"}))


def from_base64(text: str) -> str | None:
    import binascii

    try:
        return binascii.a2b_base64(text[:MAX_TEXT].replace("\n", "") + "==").decode("utf-8", "replace")
    except ValueError:
        return None


def from_hex(text: str) -> str | None:
    try:
        return bytes.fromhex("".join(text[:MAX_TEXT].split())).decode("utf-8", "replace")
    except ValueError:
        return None


def working_folder(shell: State, command: Command) -> Stream:
    return Stream(shell.cwd or UNKNOWN, "pwd")


def folder_name(shell: State, command: Command) -> Stream:
    items = operands(command.argv)
    if not items or UNKNOWN in items[0].text:
        return Stream(None, command.name)
    head, slash, last = items[0].text.rstrip("/").rpartition("/")
    if command.name == "basename":
        return Stream(last or "/", "basename")
    return Stream(head or ("/" if slash or items[0].text.startswith("/") else "."), "dirname")


def real_path(shell: State, command: Command) -> Stream:
    items = operands(command.argv)
    if not items or UNKNOWN in items[0].text or not (shell.cwd or items[0].text.startswith("/")):
        return Stream(None, command.name)
    return Stream(shell.path(items[0].text), command.name)


def temporary(shell: State, command: Command) -> Stream:
    return Stream("/tmp/tmp.made", "mktemp")


def user_name(shell: State, command: Command) -> Stream:
    return Stream(shell.home.replace("\\", "/").rpartition("/")[2], "whoami")


WRITERS: dict[str, Callable[[State, Command], Stream]] = {
    "echo": echo,
    "printf": printf,
    "print": echo,
    "cat": cat,
    "tac": cat,
    "tee": tee,
    "pwd": working_folder,
    "dirname": folder_name,
    "basename": folder_name,
    "realpath": real_path,
    "grealpath": real_path,
    "readlink": real_path,
    "mktemp": temporary,
    "whoami": user_name,
    "true": lambda shell, command: Stream(""),
    ":": lambda shell, command: Stream(""),
    "yes": lambda shell, command: Stream("y\n", "yes"),
}
