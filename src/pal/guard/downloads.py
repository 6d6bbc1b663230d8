"""What programs fetch from the network: how far it can be trusted, and which file it lands in."""

from __future__ import annotations

from pal.guard.model import UNKNOWN, Command, Stream
from pal.guard.paths import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.guard.state import State

DOWNLOADERS = names("curl wget http https aria2c lynx fetch httpie xh curlie wget2 w3m")
LOCAL_HOSTS = ("localhost", "127.", "[::1]", "0.0.0.0", "host.docker.internal", "10.0.2.2")


def download(shell: State, command: Command) -> Stream:
    """What a downloader fetches, tagged by how it was fetched; a file it writes is remembered."""
    name, words = command.name, [argument.text for argument in command.argv[1:]]
    kept = ""
    urls: list[str] = []
    insecure = name == "http"
    i = 0
    while i < len(words):
        word = words[i]
        if word in ("-o", "--output", "-O", "--output-document") and (name != "curl" or word != "-O"):
            kept = words[i + 1] if i + 1 < len(words) else ""
            i += 1
        elif word.startswith(("--output=", "--output-document=")):
            kept = word.partition("=")[2]
        elif word[:1] == "-" and word[1:2] != "-" and len(word) > 2 and word[-1] == ("o" if name == "curl" else "O"):
            kept = words[i + 1] if i + 1 < len(words) else ""
            i += 1
        elif word[:1] == "-" and word[1:2] != "-" and "O" in word and name in ("wget", "wget2"):
            kept = word.partition("O")[2]
        elif word in ("-k", "--insecure", "--no-check-certificate"):
            insecure = True
        elif (
            word[:1] == "-"
            and word[1:2] != "-"
            and word[-1:] in "dFHXAbcuTeUxmQ"
            or word
            in (
                "--data",
                "--header",
                "--request",
                "--user-agent",
                "--user",
                "--data-raw",
                "--max-time",
                "--retry",
            )
        ):
            i += 1
        elif word[:1] != "-":
            urls.append(word)
        elif word.startswith(("--url=", "http")):
            urls.append(word.partition("=")[2])
        i += 1
    plain = insecure or any(unsafe(url) for url in urls)
    stream = Stream(None, name, command.argv, frozenset({"http" if plain else "https"}))
    named = kept
    if not kept and urls and (name in ("wget", "wget2", "aria2c") or "-O" in words or "--remote-name" in words):
        named = urls[-1].partition("?")[0].rstrip("/").rpartition("/")[2]
    if named and named != "-":
        shell.keep(named, stream)
        return Stream("")
    return stream


def unsafe(url: str) -> bool:
    """Whether what this address gives could come from anybody: no encryption, or a bare number for a host."""
    if UNKNOWN in url[:8]:
        return False
    scheme, mark, rest = url.partition("://")
    if not mark:
        scheme, rest = "http", url
    host = rest.partition("/")[0].rpartition("@")[2]
    if host.startswith(LOCAL_HOSTS):
        return False
    number = host.partition(":")[0].replace(".", "")
    return scheme.lower() != "https" or number.isdigit() or host.startswith("[") or number[:2].lower() == "0x"
