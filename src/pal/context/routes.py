"""Where an agent looks for its standing text and its digests: data that each install records, read by tiers 1 and 2.

`home.digest_routes` holds

    {"command": "<absolute path of the `pal` command>",
     "blocks":  [{"path": "<instruction file>", "owner": "<agent>", "imports": true}],
     "digests": [{"folder": "<absolute>", "prefix": "pal-", "suffix": ".mdc", "header": "<text put before each>"}]}

`imports` (default true): the agent loads the files that lines like `@~/notes.md` name. Every key may be left out."""

from __future__ import annotations

import os

from pal.base import files, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home


class Block:
    """An instruction file that holds, or held, PAL's marked block."""

    __slots__ = ("imports", "path")

    def __init__(self, path: str, imports: bool) -> None:
        self.path = path
        self.imports = imports


class Folder:
    """A folder an agent loads by itself: one file a digest, named prefix + slug + suffix, beginning with header."""

    __slots__ = ("header", "path", "prefix", "suffix")

    def __init__(self, path: str, prefix: str, suffix: str, header: str) -> None:
        self.path = path
        self.prefix = prefix
        self.suffix = suffix
        self.header = header

    def file(self, slug: str) -> str:
        return os.path.join(self.path, self.prefix + slug + self.suffix)


class Routes:
    """All routes that are recorded now."""

    __slots__ = ("blocks", "command", "folders")

    def __init__(self, command: str, blocks: list[Block], folders: list[Folder]) -> None:
        self.command = command
        self.blocks = blocks
        self.folders = folders


def read(home: Home) -> Routes:
    """The recorded routes; entries that make no sense are left out, PAL's own folder of digests is always the first."""
    blocks: list[Block] = []
    folders = [Folder(home.digests, "", ".md", "")]
    try:
        value = jsontext.loads(files.read_bytes(home.digest_routes) or b"{}")
    except (OSError, ValueError):
        value = {}
    value = value if isinstance(value, dict) else {}
    for entry in _entries(value, "blocks"):
        path = _text(entry, "path")
        if os.path.isabs(path):
            blocks.append(Block(path, entry.get("imports") is not False))
    for entry in _entries(value, "digests"):
        path, prefix, suffix, header = (_text(entry, name) for name in ("folder", "prefix", "suffix", "header"))
        if os.path.isabs(path) and suffix and not {"/", "\\", "\0"}.intersection(prefix + suffix):
            folders.append(Folder(path, prefix, suffix, header))
    return Routes(_text(value, "command") or os.path.join(home.bin, "pal"), blocks, folders)


def _text(entry: dict[str, object], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _entries(value: dict[str, object], name: str) -> list[dict[str, object]]:
    listed = value.get(name)
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
