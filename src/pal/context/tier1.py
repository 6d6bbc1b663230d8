"""Tier 1: the standing text every agent loads at its start, made from one template, the settings and the telos.

`refresh` keeps it current in PAL's docs and inside the marked blocks of the agents' own instruction files; a block
the user deleted is not put back."""

from __future__ import annotations

import os

from pal import __version__
from pal.base import assets, files, jsontext, log, markers, text
from pal.base import home as homes
from pal.context import digests, routes, semi_static, telos

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

TEMPLATE = "templates/AGENTS.md"
NAME = "AGENTS.md"
BEGIN = f"<!-- {markers.BEGIN}{markers.NOTE} -->"
END = f"<!-- {markers.END} -->"
_LONGEST_NAME = 60  # units of a person's or assistant's name


def render(
    home: Home, settings: Settings, command: str = "", imports: bool = True, env: Mapping[str, str] | None = None
) -> str:
    """The standing text. With `imports` it ends in a line `@<path>` for each digest, which some agents load.

    `command` is the absolute path of the `pal` command (default: what the install recorded)."""
    user = homes.user_folder(os.environ if env is None else env)
    command = command or routes.read(home).command
    assistant, principal = _name(settings.assistant), _name(settings.principal)
    phrase = text.clip(_one_line(settings.text("identity.ai.catchphrase")), 2 * _LONGEST_NAME)
    values = {
        "assistant": assistant,
        "principal": principal if principal != "User" else "the user",
        "catchphrase": f" Your line: {phrase.replace('{name}', assistant)}" if phrase else "",
        "command": f'"{command}"' if " " in command else command,
        "home": home.root.replace("\\", "/"),
        "telos": _telos(home),
    }
    parts = assets.read(TEMPLATE).decode("utf-8").split("{{")
    filled = [parts[0]]
    for part in parts[1:]:
        name, _, rest = part.partition("}}")
        filled.append(values.get(name, "") + rest)
    standing = "".join(filled).strip()
    if not imports:
        return standing
    lines = [f"@{_importable(os.path.join(home.digests, source.slug + '.md'), user)}" for source in semi_static.SOURCES]
    return "\n".join([standing, "", *lines])


def stale(home: Home, settings: Settings) -> bool:
    """True if the template, the engine, the settings, the telos or the routes changed since the last refresh."""
    try:
        stamp = jsontext.loads(files.read_bytes(home.tier1_stamp) or b"{}")
    except (OSError, ValueError):
        return True
    if not isinstance(stamp, dict) or stamp.get("made_from") != _made_from(home):
        return True
    return not os.path.isfile(os.path.join(home.docs, NAME))


def refresh(home: Home, settings: Settings) -> list[str]:
    """Renew the standing text wherever it stands, if it is stale; the paths that changed.

    A file that cannot be read or written is logged and left alone; the others are renewed."""
    if not stale(home, settings):
        return []
    made_from = _made_from(home)  # before anything is read: what changes meanwhile is found stale the next time
    recorded = routes.read(home)
    changed = []
    document = os.path.join(home.docs, NAME)
    if files.write(document, render(home, settings, recorded.command, imports=False) + "\n"):
        changed.append(document)
    for block in recorded.blocks:
        standing = render(home, settings, recorded.command, block.imports)
        try:
            if _renew(block.path, standing):
                changed.append(block.path)
        except OSError as fault:
            log.error(home, "tier1", f"{block.path} was left as it is: {fault}")
    files.write(home.tier1_stamp, jsontext.dumps_rows({"made_from": made_from}))
    return changed


def replaced(data: bytes, standing: str) -> bytes | None:
    """The file's bytes with the inside of its one block exchanged, in the file's own line ends; None without one."""
    begin, end = BEGIN.encode(), END.encode()
    if data.count(begin) != 1 or data.count(end) != 1:
        return None
    start, stop = data.index(begin) + len(begin), data.index(end)
    if stop < start:
        return None
    line_end = b"\r\n" if data[start : start + 2] == b"\r\n" else b"\n"
    inside = standing.strip("\n").encode("utf-8", "replace").replace(b"\n", line_end)
    return data[:start] + line_end + inside + line_end + data[stop:]


def _renew(path: str, standing: str) -> bool:
    data = files.read_bytes(path)
    renewed = None if data is None else replaced(data, standing)
    return renewed is not None and files.write(path, renewed, durable=True)


def _made_from(home: Home) -> str:
    place = assets.package()
    if not os.path.isfile(place):  # a checkout: its template may be edited
        place = os.path.join(place, "assets", *TEMPLATE.split("/"))
    sources = [place, home.settings, home.digest_routes, home.telos]
    try:
        sources += sorted(entry.path for entry in os.scandir(home.telos) if entry.name.endswith(".md"))
    except OSError:
        pass
    return " ".join([__version__, place, *map(digests.signature, sources)])


def _telos(home: Home) -> str:
    """What of the telos can be read, by file name."""
    told = [topic for topic, answered in telos.answered(home) if answered]
    if told:
        return ", ".join(told)
    return "nothing yet; when there is time, offer to fill it in together"


def _name(name: str) -> str:
    return text.clip(_one_line(name), _LONGEST_NAME)


def _one_line(words: str) -> str:
    return " ".join(words.split()).replace("<", "‹").replace("`", "'")


def _importable(path: str, user: str) -> str:
    """The path in the form an import line takes: `~/…` where it can be, forward slashes, spaces escaped."""
    if path.startswith(user + os.sep):
        path = "~" + path[len(user) :]
    return path.replace("\\", "/").replace(" ", "\\ ")
