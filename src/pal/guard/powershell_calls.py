"""One PowerShell command with its parameters sorted out, and the small questions asked of commands and texts."""

from __future__ import annotations

from pal.guard import powershell_names as known
from pal.guard.model import UNKNOWN
from pal.guard.powershell_model import ITEM, Command, Word

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./~:=@%+*?,")


class Call:
    """A command with its parameters sorted out: values by full parameter name, positional words, switches."""

    __slots__ = ("argv", "command", "name", "named", "positional", "switches", "targets")

    def __init__(self, name: str, command: Command, argv: list[Word]) -> None:
        self.name = name
        self.command = command
        self.argv = argv
        self.named: dict[str, list[str]] = {}
        self.positional: list[str] = []
        self.switches: set[str] = set()
        self.targets: list[str] = []  # of redirections
        self._sort(argv)

    def _sort(self, argv: list[Word]) -> None:
        waiting = ""
        bucket: list[str] = self.positional
        spot = 0
        while spot < len(argv):
            word = argv[spot]
            text = word.text
            if text == ">" and not word.quoted:
                if spot + 1 < len(argv):
                    self.targets.append(argv[spot + 1].text)
                spot += 1
            elif text[:1] == "-" and len(text) > 1 and not word.quoted and (text[1].isalpha() or text[1] == "-"):
                waiting, bucket = self._parameter(text[1:].lower())
            elif text[:1] == "/" and not word.quoted and 1 < len(text.rstrip(":")) <= 3 and text[1:2].isalpha():
                self.switches.add(text.lower())
            elif word.joined:
                bucket.append(text)
            elif waiting:
                bucket.append(text)
                waiting = ""
            else:
                bucket = self.positional
                bucket.append(text)
            spot += 1

    def _parameter(self, text: str) -> tuple[str, list[str]]:
        name, colon, value = text.partition(":")
        if name in known.SHORT and (self.name in ("remove-item", "get-childitem", "copy-item") or len(name) > 1):
            full, valued = known.SHORT[name], known.SHORT[name] in known.VALUED
        else:
            full, valued = _full(name)
        if colon and not valued:
            if value not in ("false", "$false", "0"):
                self.switches.add(full)
            return "", self.positional
        if not valued:
            self.switches.add(full)
            return "", self.positional
        bucket = self.named.setdefault(full, [])
        if colon and value:
            bucket.append(value)
            return "", bucket
        return full, bucket

    def paths(self, skip: int = 0) -> list[str]:
        """The paths the command names, by parameter or position."""
        found = []
        for name in ("path", "literalpath", "lp", "pspath", "filepath"):
            found += self.named.get(name, [])
        return found or self.positional[skip:]


def _full(name: str) -> tuple[str, bool]:
    """The full name of a parameter that may be shortened, and whether it takes a value."""
    if name in known.VALUED:
        return name, True
    for full in known.SWITCHES:
        if full.startswith(name):
            return full, False
    for full in known.VALUED:
        if full.startswith(name):
            return full, True
    return name, False


def canonical(word: str) -> str:
    """The command an alias stands for, lower case; a module's name before it does not matter."""
    name = word.lower().rpartition("\\")[2]
    return known.CANONICAL.get(name, name) if "." not in name else word.lower()


def powershell_source(argv: list[str]) -> tuple[bool, str]:
    """Whether the command line of `powershell` gives encoded text, and the text it runs ("" for a script file)."""
    spot = 1
    while spot < len(argv):
        word = argv[spot].lower()
        name = "-" + word[1:] if word[:1] in "-/" and len(word) > 1 else word
        if name in ("-c", "-command") or (len(name) > 3 and "-command".startswith(name)):
            return False, " ".join(argv[spot + 1 :])
        if name in ("-e", "-ec", "-en", "-enc") or (len(name) > 3 and "-encodedcommand".startswith(name)):
            return True, decoded(argv[spot + 1]) if spot + 1 < len(argv) else ""
        if name == "-f" or (len(name) > 2 and "-file".startswith(name)):
            return False, ""
        if name.startswith("-"):
            takes = ("-ex", "-ep", "-w", "-ver", "-v", "-wo", "-psc", "-conf", "-in", "-o")
            spot += 2 if name.startswith(takes) else 1
        else:
            return False, " ".join(argv[spot:])
    return False, ""


def decoded(text: str) -> str:
    """The PowerShell text in an `-EncodedCommand`; "" when it holds none."""
    import binascii

    try:
        return binascii.a2b_base64(text[:65536]).decode("utf-16-le", "replace")
    except (binascii.Error, ValueError):
        return ""


def texts(command: Command) -> list[str]:
    """All words of a command and of what its parentheses hold."""
    found: list[str] = []
    pending = [command]
    while pending and len(found) < 400:
        for word in pending.pop().words:
            found.append(word.text)
            pending += word.inner
            for source in word.sources:
                found += source.split(None, 40)[:40]
    return found


def origin(texts: list[str]) -> str:
    """ "plain" when a text names a plain http address or a bare number, "secure" for https, "" for no address."""
    found = ""
    for text in texts:
        low = text.lower()
        spot = low.find("://")
        if spot < 0:
            continue
        host = low[spot + 3 :].partition("/")[0].partition(":")[0].rpartition("@")[2]
        if host in ("localhost", "127.0.0.1"):
            found = found or "secure"
        elif low[:spot].endswith("http") or (host and host.replace(".", "").isdigit()):
            return "plain"
        else:
            found = "secure"
    return found


def posix(word: Word) -> str:
    """The word for a POSIX shell; a bare one stays bare, so that its `~` and `*` keep their meaning."""
    if not word.quoted and word.text and _BARE.issuperset(word.text):
        return word.text
    text = word.text.replace("'", "'\\''")
    for mark in (UNKNOWN, ITEM):
        text = text.replace(mark, "'\"${UNKNOWN}\"'")
    return "'" + text + "'"
