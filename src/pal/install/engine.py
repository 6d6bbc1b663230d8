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
import sys
import zipfile
from types import CodeType

from pal.base import assets
from pal.base import files as disk
from pal.base.home import Home
from pal.install import archive, launcher

DAY = 86_400.0


# Which piece of the bytecode a module stands in: the longest name that it begins with. A hook reads the first piece,
# and of the others those it needs; reading and copying them all would be felt.
CORE, MEMORY, GUARD, SERVER, REST = "core", "memory", "guard", "server", "rest"
# What stands beside modules that hooks load, and is loaded by commands and jobs alone.
_INSTALLING = (
    "commands", "copilot_folder", "flat_hooks", "hook_groups", "mcp_command", "mcp_entry", "places", "prices",
    "skill_folders", "trees", "usage",
)  # fmt: skip
_WRITING = (
    "acl", "conflict", "icm.events", "icm.fold", "icm.store", "icm.upkeep", "index.build", "index.entries",
    "index.look", "index.markdown", "index.states", "search",
)  # fmt: skip
# What a session's start asks of a board; the rest of that package is loaded by commands and tools.
_TOLD_AT_START = ("columns", "desk", "replay", "schema", "store", "summary")
_SKILL_TOOLS = ("catalog", "checks", "execute", "exposed", "index", "started", "subagents", "used")
# From the command line's first module to an MCP server's first answer, for which its client waits.
_SERVING = (
    "cli.context", "cli.main", "cli.mcp", "cli.output", "cli.serving", "external.board_room", "external.exporting",
    "external.mcp", "external.memory_tools", "external.skill_tools", "external.tools", "inference.schema",
    "skills.exposed",
)  # fmt: skip
PIECES = {
    "pal": CORE,
    "pal.bundled": REST,
    "pal.base.supervise": REST,
    "pal.hooks.quality_gate": MEMORY,
    "pal.install": REST,
    "pal.install.finder": CORE,
    "pal.targets": CORE,
    **dict.fromkeys([f"pal.targets.{name}" for name in _INSTALLING], REST),
    "pal.events": CORE,
    **dict.fromkeys([f"pal.events.{name}" for name in ("export", "follow", "otlp", "spans")], REST),
    "pal.external": REST,
    "pal.jobs": CORE,
    "pal.jobs.queue": MEMORY,
    "pal.jobs.run": REST,
    "pal.cli": REST,
    "pal.inference": REST,
    "pal.memory": MEMORY,
    **dict.fromkeys([f"pal.memory.{name}" for name in _WRITING], REST),
    "pal.memory.acl.waiting": MEMORY,
    "pal.memory.cleaning": REST,
    "pal.memory.importing": REST,
    "pal.memory.knowledge": REST,
    "pal.memory.moving": REST,
    "pal.memory.learning": REST,
    "pal.memory.sync": REST,
    "pal.memory.tools": REST,
    "pal.memory.upkeep": REST,
    "pal.context": MEMORY,
    "pal.context.telos_edit": REST,
    "pal.skills": MEMORY,
    **dict.fromkeys([f"pal.skills.{name}" for name in _SKILL_TOOLS], REST),
    "pal.switchboard": REST,
    "pal.switchboard.active": MEMORY,
    "pal.switchboard.errors": MEMORY,
    "pal.switchboard.preflight": MEMORY,
    "pal.switchboard.questions": MEMORY,
    **dict.fromkeys([f"pal.switchboard.{name}" for name in _TOLD_AT_START], MEMORY),
    "pal.switchboard.workspace": MEMORY,
    "pal.switchboard.detect": CORE,  # every prompt and tool call asks it
    "pal.guard": GUARD,
    "pal.guard.prefilter": CORE,
    "pal.guard.rawjson": CORE,
    **dict.fromkeys([f"pal.{name}" for name in _SERVING], SERVER),
    "pal.external.mcp.http": REST,
}
_COLD_OF_A_TARGET = (".install", ".inference", ".usage")  # ends of names: what no hook of an agent runs


def tune(contents: archive.Files) -> bytes:
    """The engine for the running interpreter: bytecode in a few pieces, sources, all assets in one inner archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        pieces = _pieces(contents)
        index = {}
        for piece in (MEMORY, GUARD, SERVER, REST):
            code = marshal.dumps(pieces[piece])
            index[piece] = (_add(made, archive.CODE + piece, code), len(code), list(pieces[piece]))
        _add(made, archive.CODE + CORE, marshal.dumps((pieces[CORE], list(index.values()))))
        for name in sorted(contents):
            if not name.startswith(assets.FOLDER):
                _add(made, name, contents[name])
        _add(made, assets.BUNDLE, archive.bundle(contents, zipfile.ZIP_DEFLATED))
        made.comment = origin(contents, str(sys.implementation.cache_tag))
    return buffer.getvalue()


def origin(contents: archive.Files, tag: str) -> bytes:
    """What an engine is made of, and for which interpreters (`cpython-313`); an engine carries this as its comment."""
    return f"{archive.content_digest(contents)} {tag}".encode()


def standing(home: Home, contents: archive.Files, tag: str) -> bytes | None:
    """The engine that the launcher starts, if it is whole and tuning would make the like of it."""
    data = disk.read_bytes(os.path.join(home.engine, current(home))) if current(home) else None
    # The comment is the last thing in a zip archive; the name vouches for it all.
    return data if data and data.endswith(origin(contents, tag)) and name(data) == current(home) else None


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
    pieces: dict[str, dict[str, tuple[bool, bytes]]] = {piece: {} for piece in (CORE, MEMORY, GUARD, SERVER, REST)}
    for file in sorted(contents):
        if file.startswith("pal/") and file.endswith(".py"):
            package = file.endswith("/__init__.py")
            module = file[: -len("/__init__.py" if package else ".py")].replace("/", ".")
            # A package itself is next to nothing, and whoever needs a module of it needs no more of its piece.
            piece = CORE if package else _piece_of(module)
            code = bytecode(file, contents[file], lean=piece != REST)
            pieces[piece][module] = (package, marshalled(code))
    return pieces


def _piece_of(module: str) -> str:
    if module.startswith("pal.targets.") and module.endswith(_COLD_OF_A_TARGET):
        return REST
    name = module
    while name not in PIECES:
        name = name.rpartition(".")[0]
    return PIECES[name]


def bytecode(name: str, source: bytes, lean: bool = True) -> CodeType:
    """The code of one source; tracebacks from it name the file as name.

    What only checkers and readers need is left out, since every start would load it: annotations, docstrings, asserts,
    what stands under `if TYPE_CHECKING`, and the import of ``__future__``, whose flag the compiler gets instead. Where
    no hook waits, not lean will do: most of the work is in looking for those.
    """
    tree: ast.Module | bytes = source
    if lean:
        tree = ast.parse(source, name)
        _strip(tree)
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


def _strip(node: ast.AST) -> None:
    """Take from the statements in a module, function or branch what no run needs. Only statements are walked."""
    for field in ("body", "orelse", "finalbody", "handlers"):
        inside = getattr(node, field, None)
        if isinstance(inside, list):
            kept = [left for statement in inside for left in _stripped(statement)]
            setattr(node, field, kept or [ast.copy_location(ast.Pass(), inside[0])] if inside else [])


def _stripped(node: ast.stmt | ast.excepthandler) -> list[ast.AST]:
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return []
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        _strip(node)
        return list(node.orelse)
    if isinstance(node, ast.AnnAssign):
        return [ast.copy_location(ast.Assign([node.target], node.value), node)] if node.value else []
    if isinstance(node, ast.FunctionDef):
        node.returns = None
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        for argument in every:
            if argument:
                argument.annotation = None
    # A class may be made from its annotations (a NamedTuple's fields), so one with bases stays as it is.
    if not (isinstance(node, ast.ClassDef) and node.bases):
        _strip(node)
    return [node]


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
