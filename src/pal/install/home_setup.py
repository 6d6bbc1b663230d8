"""The part of PAL's home that is PAL's own: the archive, the command for people, engine and launcher, documents,
shipped skills and agents (cold).

`own_files` are written whole and go with the last agent; nobody else has a say in them, and hooks on an upgraded Python
replace two of them. `shared` are trees in folders where the user keeps things too, so each file there has its owners.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence

from pal.base import assets, files, process
from pal.base.errors import PalError
from pal.base.home import Home
from pal.install import archive, engine, launcher
from pal.install.changes import CopyTree
from pal.install.interpreter import Interpreter, probe

File = tuple[str, bytes, int]  # path, content, mode
Row = tuple[str, str]

DOCUMENTS = "templates/"
SCHEMAS = "schema/"  # an editor checks the settings against one; the settings name it below docs/
STANDING = "AGENTS.md"  # rendered for this user by tier 1, not copied
BIN_FLAGS = "-I -X utf8"  # Windows keeps `site`: its time zone data is a package there
PATIENCE = 300.0  # seconds to compile PAL on a slow machine
# Bytecode depends, in harmless ways, on the order of sets and on whether modules came from a cache.
ALIKE = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": os.devnull}
TUNE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from pal.install import archive, engine;"
    " sys.stdout.buffer.write(engine.tune(archive.files(sys.argv[2])))"
)


def packed() -> bytes:
    """The archive for people: the one that is running, or this checkout packed."""
    source = assets.running()
    if os.path.isfile(source) and not _is_engine(source):
        return files.read_bytes(source) or b""
    return archive.pack(archive.files(source))


def engine_for(home: Home, python: Interpreter, env: Mapping[str, str], source: str) -> bytes:
    """The engine of the PAL at source for an interpreter: the one that stands already, or a new one."""
    return engine.standing(home, archive.files(source), python.tag) or tuned(python, env, source)


def tuned(python: Interpreter, env: Mapping[str, str], source: str) -> bytes:
    """The engine of the PAL at source for an interpreter, made by it; the same sources give the same bytes.

    A process of its own with a fixed hash seed: the order of a set's members reaches the bytecode of older Pythons.
    """
    package = os.path.join(source, "src") if os.path.isdir(os.path.join(source, "src")) else source
    plain = {key: value for key, value in env.items() if not key.startswith("PYTHON")}
    try:
        done = subprocess.run(
            [python.path, "-s", "-S", "-X", "utf8", "-c", TUNE, package, source],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**plain, **ALIKE},
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise PalError(f"{python.path} could not prepare PAL for hooks: {fault}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise PalError(f"{python.path} could not prepare PAL for hooks: {said[-1] if said else 'it said nothing'}")
    return done.stdout


def own_files(
    home: Home, python: Interpreter, contents: bytes, engine_data: bytes, env: Mapping[str, str]
) -> list[File]:
    """Every file that is ours alone, in the order to write them: what is started before what starts it."""
    name = engine.name(engine_data)
    return [
        (home.archive, contents, 0o700),
        (os.path.join(home.engine, name), engine_data, 0o600),
        (home.launcher, engine.launcher_text(engine_data, python.tag).encode("utf-8"), 0o600),
        (os.path.join(home.bin, "pal"), _shell_command(home, python.path).encode("utf-8"), 0o700),
        (os.path.join(home.bin, "pal.cmd"), _windows_command(python.path, env).encode("utf-8"), 0o700),
    ]


def rows(own: Sequence[File]) -> list[Row]:
    """What `place` would do."""
    found = []
    for path, content, _ in own:
        before = _bytes(path)
        if before != content:
            found.append((path, "create" if before is None else "change"))
    return found


def place(home: Home, own: Sequence[File], now: float) -> list[Row]:
    """Write our files where they differ, and take engines away that nothing uses any more; what was done."""
    done = rows(own)
    engines = {os.path.basename(path) for path, _, _ in own if os.path.dirname(path) == home.engine}
    if engine.current(home) not in engines:
        engine.retire(home, now)
    for path, content, mode in own:
        files.make_folder(os.path.dirname(path))
        files.write(path, content, durable=True, mode=mode)
    return done + [(os.path.join(home.engine, name), "remove") for name in engine.sweep(home, engines, now)]


def shared(home: Home) -> list[CopyTree]:
    """Documents, shipped skills and shipped agents, in folders of the home that the user keeps things in too."""
    documents = {
        name[len(DOCUMENTS) :]: assets.read(name)
        for name in assets.names(DOCUMENTS)
        if name.endswith(".md") and name != DOCUMENTS + STANDING
    }
    documents.update({name[len(SCHEMAS) :]: assets.read(name) for name in assets.names(SCHEMAS)})
    trees = [(home.docs, documents)]
    for prefix, folder in (("skills/", home.skills), ("agents/", home.agents)):
        trees.append((folder, {name[len(prefix) :]: assets.read(name) for name in assets.names(prefix)}))
    return [CopyTree(folder, tree) for folder, tree in trees if tree]


def command(home: Home) -> str:
    """The absolute path of the `pal` command, as agents are told it."""
    return os.path.join(home.bin, "pal.cmd" if process.WINDOWS else "pal")


def leftovers(home: Home) -> list[str]:
    """Every file of ours alone that is there, and shipped ones that nobody edited, should their record be lost."""
    try:
        engines = sorted(os.path.join(home.engine, name) for name in os.listdir(home.engine) if name.endswith(".pyz"))
    except OSError:
        engines = []
    commands = [os.path.join(home.bin, "pal"), os.path.join(home.bin, "pal.cmd")]
    standing = os.path.join(home.docs, STANDING)
    paths = [*commands, standing, home.digest_routes, home.launcher, *engines, home.archive]
    return [path for path in paths if os.path.lexists(path)] + list(_as_shipped(home))


def _as_shipped(home: Home) -> Iterator[str]:
    for tree in shared(home):
        for name, data in tree.files.items():
            path = os.path.join(tree.path, *name.split("/"))
            if _bytes(path) == data:
                yield path


def retune(home: Home, now: float, env: Mapping[str, str]) -> str:
    """Make the installed PAL fit the interpreter that runs now, which was upgraded in place; the new engine's path."""
    python = probe(sys.executable, env)
    if python is None:
        raise PalError(f"{sys.executable} cannot run PAL; install it again with another Python.")
    data = tuned(python, env, home.archive)
    path = engine.place(home, data)
    engine.retire(home, now)
    # The launcher changes last: until then it starts the engine that was there before.
    files.write(home.launcher, engine.launcher_text(data, python.tag), durable=True)
    engine.sweep(home, {os.path.basename(path)}, now)
    return path


def clear(home: Home) -> list[str]:
    """Remove our files and the folders that are empty then; the paths removed."""
    gone = [path for path in leftovers(home) if files.remove(path)]
    if os.path.isdir(home.install):
        files.remove(os.path.join(home.install, ".changes.json.lock"))
    # Also those whose last file went in a run that was killed before it got to the folder.
    folders = {os.path.dirname(path) for path in gone} | {home.engine, home.docs, home.bin, home.install}
    for folder in sorted(folders, key=len, reverse=True):
        _remove_empty(folder, home.root)
    return gone


def _remove_empty(folder: str, top: str) -> None:
    """Remove a folder and those above it, up to and with top, as long as nothing of the user's is in them."""
    while folder.startswith(top):
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            pass
        except OSError:
            return
        folder = os.path.dirname(folder)


def _shell_command(home: Home, python: str) -> str:
    """Through the launcher, whose bytecode starts in a third of the time that the archive takes."""
    words = " ".join(shlex.quote(word) for word in launcher.arguments(python, home))
    return f'#!/bin/sh\nexec {words} cli "$@"\n'


def _windows_command(python: str, env: Mapping[str, str]) -> str:
    """cmd.exe reads a file in the console's code page: a user's name beyond ASCII is left to a variable.

    It goes back to the file after each line, and complains when `pal uninstall` has removed it, so success ends the
    reading; after a failure the program stays the last command that ran, whose exit status then is that of the file."""
    profile = env.get("USERPROFILE", "")
    if profile and python.lower().startswith(profile.lower() + "\\"):
        python = "%USERPROFILE%" + python[len(profile) :].replace("%", "%%")
    else:
        python = python.replace("%", "%%")
    return f'@echo off\r\n"{python}" {BIN_FLAGS} "%~dp0..\\pal.pyz" %* && exit /b 0\r\n'


def _is_engine(path: str) -> bool:
    with zipfile.ZipFile(path) as contents:
        return any(name.startswith(archive.CODE) for name in contents.namelist())


def _bytes(path: str) -> bytes | None:
    try:
        return files.read_bytes(path)
    except OSError:
        return None
