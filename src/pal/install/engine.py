"""The tuned archive hooks run from: made for one interpreter at install, named by its digest, never rewritten (cold).

``tune`` makes it, ``place`` puts it below the home, ``sweep`` takes away those that nothing uses any more.
An interpreter it was not made for runs the sources in it, until ``home_setup.retune`` has run.
"""

from __future__ import annotations
import __future__

import ast
import hashlib
import io
import marshal
import os
import zipfile
from types import CodeType

from pal.base import assets
from pal.base import files as disk
from pal.base.home import Home
from pal.install import archive, launcher

DAY = 86_400.0


def tune(contents: archive.Files) -> bytes:
    """The engine for the running interpreter: bytecode in one piece, sources, all assets in one inner archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr(archive.entry(archive.CODE, zipfile.ZIP_STORED), _code_of_all(contents))
        for name in sorted(contents):
            if not name.startswith(assets.FOLDER):
                made.writestr(archive.entry(name, zipfile.ZIP_STORED), contents[name])
        made.writestr(archive.entry(assets.BUNDLE, zipfile.ZIP_STORED), _bundle(contents))
    return buffer.getvalue()


def launcher_text(data: bytes, tag: str) -> str:
    """The launcher that starts this engine, tuned by an interpreter with this cache tag (`cpython-313`)."""
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        entry = made.getinfo(archive.CODE)
    # The local header: 30 bytes, then the name and the extra field, whose lengths stand in it (APPNOTE 4.3.7).
    names = int.from_bytes(data[entry.header_offset + 26 : entry.header_offset + 28], "little")
    extra = int.from_bytes(data[entry.header_offset + 28 : entry.header_offset + 30], "little")
    begin = entry.header_offset + 30 + names + extra
    return launcher.text(name(data), tag, begin, entry.file_size)


def _code_of_all(contents: archive.Files) -> bytes:
    """Marshalled: {module: (is it a package, its marshalled code)}."""
    modules = {}
    for file in sorted(contents):
        if file.startswith("pal/") and file.endswith(".py"):
            package = file.endswith("/__init__.py")
            module = file[: -len("/__init__.py" if package else ".py")].replace("/", ".")
            modules[module] = (package, marshal.dumps(bytecode(file, contents[file])))
    return marshal.dumps(modules)


def bytecode(name: str, source: bytes) -> CodeType:
    """The code of one source; tracebacks from it name the file as name.

    Python imports ``__future__`` for a statement that only the compiler needs, so the statement is left out
    and its flag is passed instead. Docstrings and asserts are left out as well.
    """
    tree = ast.parse(source, name)
    tree.body = [statement for statement in tree.body if not _asks_for_annotations(statement)]
    flag = __future__.annotations.compiler_flag
    code: CodeType = compile(tree, name, "exec", flags=flag, dont_inherit=True, optimize=2)
    return code


def name(data: bytes) -> str:
    """The file name of an engine, which says what is in it."""
    return hashlib.sha256(data).hexdigest()[:12] + ".pyz"


def place(home: Home, data: bytes) -> str:
    """Write the engine below the home unless it is there, and give its path."""
    path = os.path.join(home.engine, name(data))
    # Leaves a whole one alone; bytes that do not fit the name are damage, from which nothing can run.
    disk.write(path, data, durable=True)
    return path


def sweep(home: Home, keep: set[str], now: float) -> list[str]:
    """Remove engines not named in keep and older than a day (a running process may still import from younger ones)."""
    gone: list[str] = []
    try:
        present = sorted(os.listdir(home.engine))
    except OSError:
        return gone
    for file in present:
        path = os.path.join(home.engine, file)
        try:
            ours = file.endswith(".pyz") or file.startswith(disk.TEMPORARY)
            if ours and file not in keep and now - os.stat(path).st_mtime > DAY:
                os.remove(path)
                gone.append(file)
        except OSError:
            continue  # in use (Windows) or gone already; the next install tries again
    return gone


def current(home: Home) -> str:
    """The file name of the engine that the launcher starts; empty when it names none."""
    text = disk.read_text(home.launcher) or ""
    return text.partition("/engine/")[2].partition('"')[0]


def retire(home: Home, now: float) -> None:
    """The launcher is about to leave its engine, from which hooks and jobs still run: its day of grace begins now."""
    try:
        os.utime(os.path.join(home.engine, current(home)), (now, now))
    except OSError:
        pass  # there was none


def _asks_for_annotations(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.ImportFrom)
        and statement.module == "__future__"
        and [alias.name for alias in statement.names] == ["annotations"]
    )


def _bundle(contents: archive.Files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as bundle:
        for name in sorted(contents):
            if name.startswith(assets.FOLDER):
                short = name[len(assets.FOLDER) :]
                bundle.writestr(archive.entry(short, zipfile.ZIP_DEFLATED), contents[name], compresslevel=9)
    return buffer.getvalue()
