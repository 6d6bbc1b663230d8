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


# Which piece of the bytecode a module stands in: the longest name that it begins with. A hook reads the first piece,
# and of the others those it needs; reading and copying them all would be felt.
CORE, MEMORY, GUARD, REST = "core", "memory", "guard", "rest"
PIECES = {
    "pal": CORE,
    "pal.install": REST,
    "pal.install.finder": CORE,
    "pal.targets": CORE,
    "pal.jobs": REST,
    "pal.cli": REST,
    "pal.memory": MEMORY,
    "pal.context": MEMORY,
    "pal.skills": MEMORY,
    "pal.guard": GUARD,
    "pal.guard.prefilter": CORE,
}


def tune(contents: archive.Files) -> bytes:
    """The engine for the running interpreter: bytecode in a few pieces, sources, all assets in one inner archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        pieces = _pieces(contents)
        index = {}
        for piece in (MEMORY, GUARD, REST):
            code = marshal.dumps(pieces[piece])
            index[piece] = (_add(made, archive.CODE + piece, code), len(code), list(pieces[piece]))
        _add(made, archive.CODE + CORE, marshal.dumps((pieces[CORE], list(index.values()))))
        for name in sorted(contents):
            if not name.startswith(assets.FOLDER):
                _add(made, name, contents[name])
        _add(made, assets.BUNDLE, _bundle(contents))
    return buffer.getvalue()


def _add(made: zipfile.ZipFile, name: str, data: bytes) -> int:
    """Store one entry; where in the file its data begin (behind the local header: 30 bytes and the name)."""
    entry = archive.entry(name, zipfile.ZIP_STORED)
    made.writestr(entry, data)
    return entry.header_offset + 30 + len(name.encode()) + len(entry.extra)


def launcher_text(data: bytes, tag: str) -> str:
    """The launcher that starts this engine, tuned by an interpreter with this cache tag (`cpython-313`)."""
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        entry = made.getinfo(archive.CODE + CORE)
    begin = entry.header_offset + 30 + len(entry.filename.encode()) + len(entry.extra)
    return launcher.text(name(data), tag, begin, entry.file_size)


def _pieces(contents: archive.Files) -> dict[str, dict[str, tuple[bool, bytes]]]:
    """piece → module → (is it a package, its marshalled code)."""
    pieces: dict[str, dict[str, tuple[bool, bytes]]] = {piece: {} for piece in (CORE, MEMORY, GUARD, REST)}
    for file in sorted(contents):
        if file.startswith("pal/") and file.endswith(".py"):
            package = file.endswith("/__init__.py")
            module = file[: -len("/__init__.py" if package else ".py")].replace("/", ".")
            pieces[_piece_of(module)][module] = (package, marshalled(bytecode(file, contents[file])))
    return pieces


def _piece_of(module: str) -> str:
    name = module
    while name not in PIECES:
        name = name.rpartition(".")[0]
    return PIECES[name]


def bytecode(name: str, source: bytes) -> CodeType:
    """The code of one source; tracebacks from it name the file as name.

    What only checkers and readers need is left out, since every start would load it: annotations, docstrings, asserts,
    and the import of ``__future__``, whose flag the compiler gets instead.
    """
    tree = ast.fix_missing_locations(_Unannotated().visit(ast.parse(source, name)))
    flag = __future__.annotations.compiler_flag
    code: CodeType = compile(tree, name, "exec", flags=flag, dont_inherit=True, optimize=2)
    return code


def marshalled(code: CodeType) -> bytes:
    """The code's bytes, the same every time.

    Marshal notes of each object whether anybody else holds it, and the interpreter's caches hold names by chance; so
    while it writes, everything is held."""
    held: list[object] = [code]
    for thing in held:
        if isinstance(thing, CodeType):
            held += [thing.co_names, thing.co_varnames, thing.co_freevars, thing.co_cellvars, thing.co_consts]
            held += [thing.co_filename, thing.co_name, getattr(thing, "co_qualname", "")]
        elif isinstance(thing, (tuple, frozenset)):
            held += thing
    return marshal.dumps(code)


class _Unannotated(ast.NodeTransformer):
    """A module without its annotations, but for classes made from them (a NamedTuple's fields)."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node if node.bases else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)


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


def _bundle(contents: archive.Files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as bundle:
        for name in sorted(contents):
            if name.startswith(assets.FOLDER):
                short = name[len(assets.FOLDER) :]
                bundle.writestr(archive.entry(short, zipfile.ZIP_DEFLATED), contents[name], compresslevel=9)
    return buffer.getvalue()
