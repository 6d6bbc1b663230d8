"""The files that tell a project's agents about Switchboard: a marked block in its `AGENTS.md`, workflows and skills in
`.agent/`. Written when a person asks, taken out again to the byte; what somebody changed or added stays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pal.base import assets, files, text
from pal.base.errors import PalError
from pal.install import apply, block, owners
from pal.install.changes import Block, Change, CopyTree
from pal.install.staging import stamp
from pal.switchboard import registry

if TYPE_CHECKING:
    from pal.base.home import Home

Row = tuple[str, str]

PROTOCOL = "workflows/protocol/AGENTS.md"
INSTRUCTIONS = "AGENTS.md"
FOLDER = ".agent"
SKILLS = ("archive", "review")
_TABLE = "{{WORKFLOWS}}"


def write(home: Home, root: str, now: float) -> list[Row]:
    """Put them there, or bring them up to date; what was done. PalError, with nothing changed, where it fails."""
    return apply.apply(plan(home, root), owner(root), home, now)


def plan(home: Home, root: str) -> list[Change]:
    """The changes, in the words of the installer."""
    return [Block(os.path.join(root, INSTRUCTIONS), protocol(home)), CopyTree(os.path.join(root, FOLDER), _tree(home))]


def protocol(home: Home) -> str:
    """The block's text, with the workflows that this user has."""
    rows = [
        f"| {commands(flow.name, flow.flags)} | `{flow.name}.md` | {flow.summary} |" for flow in registry.every(home)
    ]
    return assets.read(PROTOCOL).decode("utf-8").replace(_TABLE, "\n".join(rows))


def commands(name: str, flags: tuple[str, ...]) -> str:
    """How a workflow is asked for: alone and with each of its flags."""
    return ", ".join([f"`/{name}`", *[f"`/{name} {flag}`" for flag in flags]])


def _tree(home: Home) -> dict[str, bytes]:
    tree = {}
    for flow in registry.every(home):
        # The header that agents read: one line that says what for. Gates stay with PAL.
        header = f"---\ndescription: {flow.summary}\n---\n\n"
        tree[f"workflows/{flow.name}.md"] = (header + flow.body.strip() + "\n").encode("utf-8")
    for skill in SKILLS:
        for name in assets.names(f"skills/{skill}/"):
            tree[name] = assets.read(name)
    return tree


def take_out(home: Home, root: str, now: float) -> list[Row]:
    """Take everything out again. What another machine wrote there is known by its content."""
    rows = apply.undo(owner(root), home, now)
    left = _without_block(os.path.join(root, INSTRUCTIONS))
    return [*rows, *left, *_without_files(home, os.path.join(root, FOLDER))]


def owner(root: str) -> str:
    return owners.PROJECT + os.path.abspath(root)


def _without_block(path: str) -> list[Row]:
    try:
        data = files.read_bytes(path)
        before = data.decode("utf-8") if data else ""
        after = block.remove(before) if before else ""
    except UnicodeDecodeError:
        return []
    except PalError as fault:
        raise PalError(f"{path}: {fault}") from None
    if after == before:
        return []
    if after.strip("\ufeff \t\r\n"):
        files.write(path, after, durable=True)
        return [(path, "change")]
    files.remove(path)
    return [(path, "remove")]


def _without_files(home: Home, folder: str) -> list[Row]:
    gone = []
    for name, data in _tree(home).items():
        path = os.path.join(folder, *name.split("/"))
        if files.read_bytes(path) == data and files.remove(path):
            gone.append(path)
    for below in sorted({os.path.dirname(path) for path in gone}, key=len, reverse=True):
        while below.startswith(folder):
            try:
                os.rmdir(below)
            except OSError:
                break
            below = os.path.dirname(below)
    return [(path, "remove") for path in gone]


def remove_board(home: Home, folder: str, now: float) -> str:
    """Remove a project's `.switchboard/`, once all of it is in a zip among PAL's backups; the zip's path."""
    import shutil
    import zipfile

    project = os.path.basename(os.path.dirname(folder)) or "project"
    path = os.path.join(home.backups, f"switchboard-{text.slug(project)}-{stamp(now)}.zip")
    files.make_folder(home.backups)
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as kept:
        for name in sorted(_below(folder)):
            kept.write(os.path.join(folder, *name.split("/")), name)
    shutil.rmtree(folder)
    return path


def _below(folder: str) -> list[str]:
    found = []
    for here, _, names in os.walk(folder):
        inside = os.path.relpath(here, folder).replace(os.sep, "/")
        found += [name if inside == "." else f"{inside}/{name}" for name in names]
    return found
