"""The skills and subagents that PAL puts into agents' folders: the shipped ones and the user's own (cold).

One merged file a subagent serves every agent: a block in its header named after an agent holds what only that one
understands. `subagents` gives each agent its own form of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

from pal import targets
from pal.base import assets, files, frontmatter, settings
from pal.base.errors import PalError
from pal.install import owners
from pal.install.changes import CopyTree, change_id
from pal.skills import index
from pal.targets import places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pal.base.home import Home

SKILLS = "skills"
_DEEPEST = 8  # folders below a skill
_FENCE = "---"
_COMMON = ("name", "description")  # what every agent understands
_PLATFORMS = "platforms"  # the agents a subagent is for; all of them without it


def skills(home: Home) -> dict[str, bytes]:
    """Every file of every skill that is not switched off, by its name below the folder of skills."""
    disabled = settings.load(home).texts(index.DISABLED)
    every = _of_both(home, "skills/", home.skills)
    return {name: data for name, data in every.items() if name.partition("/")[0] not in disabled}


def shared_skills(home: Home, env: Mapping[str, str]) -> list[CopyTree]:
    """The skills in the one folder that several agents read, the same change for each of them."""
    tree = skills(home)
    return [CopyTree(os.path.join(places.agents_folder(env), SKILLS), tree)] if tree else []


def subagents(home: Home, platform: str, plain: Sequence[str] | None = None) -> dict[str, bytes]:
    """Every subagent in the form this agent reads; `plain`: see `split`."""
    merged = _of_both(home, "agents/", home.agents)
    return {
        name: split(data, platform, plain) if name.endswith(".md") else data
        for name, data in merged.items()
        if not name.endswith(".md") or _meant_for(data, platform)
    }


def roles(home: Home, platform: str) -> dict[str, bytes]:
    """Every subagent as a role in TOML: name, description, what its own block says, and the body as instructions."""
    found = {}
    for name, data in subagents(home, platform, ()).items():
        if name.endswith(".md") and "/" not in name:
            fields, body = frontmatter.parse(data.decode("utf-8", "replace"))
            said = {key: value for key, value in fields.items() if isinstance(value, str)}
            role = {"name": name[: -len(".md")], **said, "developer_instructions": body.strip() + "\n"}
            rows = [f"{key} = {_quoted(value)}\n" for key, value in role.items() if _is_bare(key)]
            found[name[: -len(".md")] + ".toml"] = "".join(rows).encode("utf-8")
    return found


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # else JSON's quoting is TOML's


def _is_bare(key: str) -> bool:
    return bool(key) and all(char.isascii() and (char.isalnum() or char in "_-") for char in key)


def _meant_for(data: bytes, platform: str) -> bool:
    """Whether `platforms` in the header, where it stands, names this one."""
    named = frontmatter.parse(data.decode("utf-8", "replace"))[0].get(_PLATFORMS)
    if isinstance(named, str):
        named = [word.strip() for word in named.split(",")]
    return not named or platform in named


def split(data: bytes, platform: str, plain: Sequence[str] | None = None) -> bytes:
    """A merged subagent file for one platform: what its block says stands in the header itself, other platforms'
    blocks are gone, the body is as it was. A file without a header stays as it is.

    A file without any block was written for one agent. With `plain` this is another one, whose header gets the name,
    the description and these lines: it may refuse to start over what else stands there."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() == _FENCE), 0)
    if not end or lines[0].lstrip("\ufeff").rstrip() != _FENCE:
        return data
    kept, own, merged = _sorted_out(lines[1:end], platform)
    if merged or plain is not None:
        common = [line for key, line in kept if merged or key in _COMMON]
        lines[1:end] = [*common, *(own or plain or ())]
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _sorted_out(header: list[str], platform: str) -> tuple[list[tuple[str, str]], list[str], bool]:
    """(lines that stand in no block with the key they belong to, lines of this platform's block, is there a block)."""
    kept: list[tuple[str, str]] = []
    own: list[str] = []
    key = block = ""
    merged = False
    for line in header:
        indented = line[:1] in (" ", "\t")
        if line.strip() and not indented:
            key, colon, value = line.partition(":")
            block = key if colon and not value.strip() and key in targets.NAMES else ""
            merged = merged or bool(block) or key == _PLATFORMS
            if not block and key != _PLATFORMS:
                kept.append((key, line))
        elif not block:
            if key != _PLATFORMS:
                kept.append((key, line))
        elif block == platform and line.strip():
            own.append(line[2:] if line.startswith("  ") else line.lstrip())
    return kept, own, merged


def _of_both(home: Home, prefix: str, folder: str) -> dict[str, bytes]:
    """The shipped files and those in the user's folder. A skill or subagent of the user's own stands whole for a
    shipped one of its name; what lies there as an install wrote it counts as shipped, also when a newer one comes."""
    shipped, there = _shipped(prefix), contents(folder)
    ours = _as_installed(home, folder)
    own = {name: data for name, data in there.items() if _digest(data) not in ours.get(name, ())}
    owned = {name.partition("/")[0] for name in there} - {name.partition("/")[0] for name in ours}
    kept = {name: data for name, data in shipped.items() if name.partition("/")[0] not in owned}
    return {**kept, **own}


def _as_installed(home: Home, folder: str) -> dict[str, list[str]]:
    """What an install wrote into the folder: name → digests; nothing when no record can be read."""
    try:
        entry = owners.load(home).changes.get(change_id(CopyTree(folder, {})), {})
    except PalError:
        return {}
    hashes: dict[str, list[str]] = entry.get("hashes", {})
    return hashes


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def contents(folder: str) -> dict[str, bytes]:
    """The files below one of the user's folders, by name with `/`; links are followed, hidden files left out."""
    found = {}
    for path, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(each for each in folders if each[0] != "." and each != "__pycache__")
        inside = os.path.relpath(path, folder).replace(os.sep, "/")
        if inside.count("/") > _DEEPEST:
            folders.clear()  # a link to a folder above would lead round for ever
        for name in sorted(names):
            data = files.read_bytes(os.path.join(path, name)) if name[0] != "." else None
            if data is not None:
                found[name if inside == "." else f"{inside}/{name}"] = data
    return found


def _shipped(prefix: str) -> dict[str, bytes]:
    return {name[len(prefix) :]: assets.read(name) for name in assets.names(prefix)}
