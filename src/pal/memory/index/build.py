"""Keeps the index in step with the files; detached jobs, searches and `pal memory reindex` call it.

One process at a time writes. An index that is missing, damaged, of another schema, full, or not the one its gate was
made for is built anew beside the old one."""

from __future__ import annotations

import os

from pal.base import files, locks, log
from pal.memory import projects
from pal.memory.icm import events
from pal.memory.index import entries, gate, look, markdown, schema, states
from pal.memory.index.documents import HANDOFF, OPINION, STREAMS, WISDOM, Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

    from pal.base.home import Home

_WAIT = 2.0  # seconds for readers of the index
_AT_ONCE = 500  # values in one question; old SQLites take 999


def refresh(home: Home, now: float, wait: float = locks.WAIT) -> None:
    """Fold in what changed; nothing when another process is at it. OSError when the cache cannot be written."""
    files.make_folder(home.cache)
    events.settle(home, now)
    with locks.Lock(home.index, wait) as held:
        if held and not _fold(home, now, min(wait, _WAIT)):
            _build(home, now)


def rebuild(home: Home, now: float) -> None:
    """Read every file again. OSError when the cache cannot be written."""
    files.make_folder(home.cache)
    events.settle(home, now)
    with locks.Lock(home.index) as held:
        if held:
            _build(home, now)


class _Writer:
    """Adds documents to the tables and takes them out; counts in how many documents each stem is."""

    __slots__ = ("connection", "counts", "docs", "fts", "names", "next", "totals")

    def __init__(self, connection: Connection, fts: bool, docs: int, totals: list[int]) -> None:
        self.connection = connection
        self.fts = fts
        self.docs = docs
        self.totals = totals
        self.counts: dict[str, int] = {}
        self.names: set[str] = set()
        self.next = connection.execute("select coalesce(max(id), 0) from doc").fetchone()[0]

    def add(self, one: Document) -> None:
        self.next += 1
        self.connection.execute(schema.ADD, (self.next, *one.row()))
        if self.fts:
            self.connection.execute(schema.ADD_FTS, (self.next, *one.streams))
        self._count(one.streams, 1)
        if one.names:
            self.names.update(one.names.split("\n"))
            rows = [(stem, self.next) for stem in set(one.names.split())]
            self.connection.executemany("insert into name values (?, ?)", rows)

    def drop(self, ref: str) -> None:
        query = f"select id, {', '.join(STREAMS)} from doc where ref = ?"
        for row in self.connection.execute(query, (ref,)).fetchall():
            if self.fts:
                self.connection.execute(schema.DROP_FTS, row)
            self._count(row[1:], -1)
            for stem in set(row[2].split()):  # a document's names are part of its key
                self.connection.execute("delete from name where stem = ? and doc = ?", (stem, row[0]))
        self.connection.execute("delete from doc where ref = ?", (ref,))

    def _count(self, streams: tuple[str, ...], by: int) -> None:
        self.docs += by
        counts, totals = self.counts, self.totals
        held: set[str] = set()
        for number, stream in enumerate(streams):
            if stream:
                found = stream.split(" ")
                totals[number] += by * len(found)
                held.update(found)
        for term in held:
            counts[term] = counts.get(term, 0) + by

    def finish(self) -> dict[str, int]:
        """Write the counts; the new ones of all stems that changed."""
        changed = list(self.counts)
        before: dict[str, int] = {}
        for at in range(0, len(changed), _AT_ONCE):
            part = changed[at : at + _AT_ONCE]
            query = f"select term, df from term where term in ({schema.marks(len(part))})"
            before.update(self.connection.execute(query, part))
        after = {term: before.get(term, 0) + by for term, by in self.counts.items()}
        self.connection.executemany("insert or replace into term values (?, ?)", after.items())
        self.connection.executemany("insert or replace into meta values (?, ?)", self.meta().items())
        return after

    def meta(self) -> dict[str, int]:
        return {"docs": self.docs, **{f"total {name}": total for name, total in zip(STREAMS, self.totals)}}


def _fold(home: Home, now: float, wait: float) -> bool:
    """False when the index must be built anew."""
    table = gate.load(home.memory_gate)
    if table is None or not os.path.isfile(home.index):
        return False
    connection = schema.connect(home.index, wait)
    try:
        meta = dict(connection.execute("select name, value from meta"))
        if meta.get("schema") != schema.SCHEMA or meta.get("generation") != table.generation.hex():
            return False
        known = dict(connection.execute("select path, mtime from folder"))
        connection.execute("pragma synchronous = off")  # a cache: after a power cut it is built anew
        connection.execute("begin immediate")
        changed = look.changes(home, known, lambda folder: _files_in(connection, folder), now)
        concerned = entries.appended(home, connection)
        if not changed.any() and not concerned:
            connection.execute("commit")
            return True
        totals = [int(meta[f"total {name}"]) for name in STREAMS]
        writer = _Writer(connection, schema.has_fts(connection), int(meta["docs"]), totals)
        _apply(home, writer, changed)
        for name, one in concerned.items():
            writer.drop(name)
            if one is not None:
                writer.add(one)
        counts = writer.finish()
        table.docs = writer.docs
        for term, count in counts.items():
            table.put(term, count, False)
        for term in {_longest(name) for name in writer.names}:
            table.put_name(term, counts[term])
        if table.full:
            return False
        # The gate first: it may know too much, never too little.
        table.save(home.memory_gate)
        connection.execute("commit")
        return True
    except entries.Foreign as reason:
        log.debug(home, "memory", f"the index is built anew: {reason}")
        return False
    except (*schema.errors(), KeyError, TypeError, ValueError) as problem:
        log.error(home, "memory", f"the index is built anew: {problem!r}")
        return False
    finally:
        connection.close()


def _apply(home: Home, writer: _Writer, changed: look.Changed) -> None:
    connection = writer.connection
    for name in changed.gone + [entry[2] for entry in changed.read]:
        writer.drop(name)
        connection.execute("delete from file where path = ?", (name,))
    roots: dict[str, str] = {}
    for source, folder, name, path, size, mtime in changed.read:
        connection.execute("insert into file values (?, ?, ?, ?)", (name, folder, size, mtime))
        for one in _documents(home, source, name, path, mtime, roots):
            writer.add(one)
    connection.executemany("delete from folder where path = ?", [(folder,) for folder in changed.gone_folders])
    connection.executemany("insert or replace into folder values (?, ?)", changed.folders.items())


def _build(home: Home, now: float) -> None:
    fresh = os.path.join(home.cache, files.TEMPORARY + os.path.basename(home.index))
    files.remove(fresh)
    try:
        table = _written(home, fresh, now)
    except schema.errors()[0] as problem:
        files.remove(fresh)
        raise OSError(f"the index cannot be written: {problem}") from problem
    except BaseException:
        files.remove(fresh)
        raise
    for path in (home.index, home.memory_gate):
        if os.path.isdir(path):
            log.error(home, "memory", f"a folder stood in place of {path}; it is kept as {files.set_aside(path)}")
    # Without a gate the index is asked, so at no point is a memory hidden.
    files.remove(home.memory_gate)
    files.remove(home.index + "-journal")  # of the old index; the new one must not be rolled back by it
    files.replace(fresh, home.index)
    table.save(home.memory_gate)


def _written(home: Home, path: str, now: float) -> gate.Gate:
    connection = schema.connect(path, _WAIT)
    try:
        connection.executescript("pragma journal_mode = off; pragma synchronous = off;" + schema.TABLES)
        connection.execute("begin")
        table = _fill(home, connection, now)
        connection.execute("commit")
    finally:
        connection.close()
    return table


def _fill(home: Home, connection: Connection, now: float) -> gate.Gate:
    try:
        connection.execute(schema.FTS)
        connection.execute("insert into fts (fts, rank) values ('hashsize', 67108864)")  # one piece, not hundreds
        fts = True
    except schema.errors()[1]:
        fts = False  # this SQLite was built without FTS5: searches rank in Python
    writer = _Writer(connection, fts, 0, [0] * len(STREAMS))
    for one in entries.everything(home, connection):
        writer.add(one)
    _apply(home, writer, look.changes(home, {}, lambda folder: {}, now))
    counts = writer.finish()
    for statement in schema.INDEXES:
        connection.execute(statement)
    heads = {_longest(name) for name in writer.names}
    table = gate.make(os.urandom(gate.GENERATION), counts, heads, writer.docs)
    meta = {"schema": schema.SCHEMA, "generation": table.generation.hex()}
    connection.executemany("insert into meta values (?, ?)", meta.items())
    return table


def _longest(name: str) -> str:
    """The stem of a name that the gate knows it by; any would do, since a prompt must hold them all."""
    return max(name.split(" "), key=lambda stem: (len(stem), stem))


def every(home: Home, now: float) -> Iterator[Document]:
    """All documents straight from the files: for a Python without SQLite."""
    from pal.memory.icm import fold

    for found in fold.load(home).values():
        if found.status in entries.SHOWN_STATUSES:
            yield entries.document(found)
    roots: dict[str, str] = {}
    for source, _, name, path, _, mtime in look.changes(home, {}, lambda folder: {}, now).read:
        yield from _documents(home, source, name, path, mtime, roots)


def _documents(home: Home, source: str, name: str, path: str, mtime: int, roots: dict[str, str]) -> list[Document]:
    """What a file says, each document with its project's root for a project; `roots` remembers the ones looked up."""
    try:
        text = files.read_text(path) or ""
    except OSError as problem:
        log.error(home, "memory", f"{path} cannot be read: {problem}")
        return []
    if source in (OPINION, HANDOFF):
        found = states.documents(source, text)
    else:
        found = markdown.documents(source, os.path.basename(path), text, mtime / 1e9)
    for one in found:
        one.ref = name
        if source != WISDOM and one.project and os.path.isabs(one.project):
            if one.project not in roots:
                roots[one.project] = projects.root_of(one.project) or one.project
            one.project = roots[one.project]
    return found


def _files_in(connection: Connection, folder: str) -> dict[str, tuple[int, int]]:
    rows = connection.execute("select path, size, mtime from file where folder = ?", (folder,))
    return {path: (size, mtime) for path, size, mtime in rows}
