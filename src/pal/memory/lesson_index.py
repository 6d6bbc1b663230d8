"""Keeps the index of lessons in step with the files they stand in; detached jobs and `pal memory reindex` call it.

One process at a time writes. Only folders that changed are listed, only files that changed are read; an edit that
leaves the folder's time alone is seen with the next file that comes into it, or by a rebuild. An index that is missing,
damaged, of another schema, full, or not the one its gate was made for is built anew beside the old one."""

from __future__ import annotations

import os

from pal.base import clock, files, locks, log
from pal.memory import lesson_files, lesson_gate, lesson_store, projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from sqlite3 import Connection

    from pal.base.home import Home

    FilesIn = Callable[[str], dict[str, tuple[int, int]]]  # a folder's files by name: (size, mtime)

KEY_TERMS = 8
_YOUNG = 3.0  # seconds; a folder that changed this recently may change again without a newer time
_WAIT = 2.0  # seconds for readers of the index
_AT_ONCE = 500  # values in one question; old SQLites take 999


class _Changed:
    """What differs between the files and the index: (source, folder, name below the home, path, size, mtime) to read,
    names to forget, folders by their mtime, folders to forget."""

    __slots__ = ("folders", "gone", "gone_folders", "read")

    def __init__(self) -> None:
        self.read: list[tuple[str, str, str, str, int, int]] = []
        self.gone: list[str] = []
        self.folders: dict[str, int] = {}
        self.gone_folders: list[str] = []


def refresh(home: Home, now: float) -> None:
    """Fold in what changed; nothing when another process is at it. OSError when the cache cannot be written."""
    files.make_folder(home.cache)
    with locks.Lock(home.index) as held:
        if held and not _fold(home, now):
            _build(home, now)


def rebuild(home: Home, now: float) -> None:
    """Read every file again. OSError when the cache cannot be written."""
    files.make_folder(home.cache)
    with locks.Lock(home.index) as held:
        if held:
            _build(home, now)


def _fold(home: Home, now: float) -> bool:
    """False when the index must be built anew."""
    gate = lesson_gate.load(home.lesson_gate)
    if gate is None or not os.path.isfile(home.index):
        return False
    connection = lesson_store.connect(home.index, _WAIT)
    try:
        meta = dict(connection.execute("select name, value from meta"))
        if meta.get("schema") != lesson_store.SCHEMA or meta.get("generation") != gate.generation.hex():
            return False
        known = dict(connection.execute("select path, mtime from folder"))
        changed = _look(home, known, lambda folder: _files_in(connection, folder), now)
        if not changed.read and not changed.gone and not changed.gone_folders and not changed.folders:
            return True
        connection.execute("pragma synchronous = off")  # a cache: after a power cut it is built anew
        connection.execute("begin immediate")
        _apply(home, connection, changed, gate, int(meta["docs"]))
        if gate.count > gate.capacity:
            return False
        # The gate first: it may know too much, never too little.
        gate.save(home.lesson_gate)
        connection.execute("commit")
        return True
    except (*lesson_store.errors(), KeyError, TypeError, ValueError) as problem:
        log.error(home, "lessons", f"the index of lessons is built anew: {problem!r}")
        return False
    finally:
        connection.close()


def _apply(home: Home, connection: Connection, changed: _Changed, gate: lesson_gate.Gate, docs: int) -> None:
    has_fts = bool(connection.execute("select 1 from sqlite_master where name = 'fts'").fetchone())
    for name in changed.gone + [entry[2] for entry in changed.read]:
        docs -= _forget(connection, name, has_fts)
    roots: dict[str, str] = {}
    for source, folder, name, path, size, mtime in changed.read:
        connection.execute("insert into file values (?, ?, ?, ?)", (name, folder, size, mtime))
        for document in _documents(home, source, path, mtime, roots):
            docs += 1
            terms = list(document.weights)
            df: dict[str, int] = {}
            for at in range(0, len(terms), _AT_ONCE):
                part = terms[at : at + _AT_ONCE]
                query = f"select term, df from term where term in ({lesson_store.marks(len(part))})"
                df.update(connection.execute(query, part))
            key = _key_terms(document.weights, df, docs)
            row = connection.execute(lesson_store.DOC, _row(name, document, key)).lastrowid
            connection.executemany("insert into key values (?, ?)", [(term, row) for term in key])
            connection.executemany("insert or replace into term values (?, ?)", [(t, df.get(t, 0) + 1) for t in terms])
            if has_fts:
                fields = "rowid, text, key, near, far, date"
                query = f"insert into fts ({fields}) select {fields.replace('rowid', 'id')} from doc where id = ?"
                connection.execute(query, (row,))
            gate.add(key)
    connection.executemany("delete from folder where path = ?", [(folder,) for folder in changed.gone_folders])
    connection.executemany("insert or replace into folder values (?, ?)", changed.folders.items())
    connection.execute("insert or replace into meta values ('docs', ?)", (docs,))


def _forget(connection: Connection, name: str, has_fts: bool) -> int:
    """Take a file's lessons out of every table but the gate; how many they were."""
    rows = connection.execute("select id, weights from doc where path = ?", (name,)).fetchall()
    for row, weights in rows:
        if has_fts:
            query = "insert into fts (fts, rowid, text, key, near, far, date) "
            query += "select 'delete', id, text, key, near, far, date from doc where id = ?"
            connection.execute(query, (row,))
        terms = [(pair.rpartition(":")[0],) for pair in weights.split()]
        connection.executemany("update term set df = df - 1 where term = ?", terms)
        key = connection.execute("select key from doc where id = ?", (row,)).fetchone()[0].split()
        connection.executemany("delete from key where term = ? and doc = ?", [(term, row) for term in key])
        connection.execute("delete from doc where id = ?", (row,))
    connection.execute("delete from file where path = ?", (name,))
    return len(rows)


def _build(home: Home, now: float) -> None:
    fresh = os.path.join(home.cache, files.TEMPORARY + os.path.basename(home.index))
    files.remove(fresh)
    try:
        connection = lesson_store.connect(fresh, _WAIT)
        try:
            connection.executescript("pragma journal_mode = off; pragma synchronous = off;" + lesson_store.TABLES)
            connection.execute("begin")
            gate = _fill(home, connection, now)
            connection.execute("commit")
        finally:
            connection.close()
    except BaseException:
        files.remove(fresh)
        raise
    for path in (home.index, home.lesson_gate):
        if os.path.isdir(path):
            log.error(home, "lessons", f"a folder stood in place of {path}; it is kept as {files.set_aside(path)}")
    # Without a gate the index is asked, so at no point is a lesson hidden.
    files.remove(home.lesson_gate)
    files.remove(home.index + "-journal")  # of the old index; the new one must not be rolled back by it
    files.replace(fresh, home.index)
    gate.save(home.lesson_gate)


def _fill(home: Home, connection: Connection, now: float) -> lesson_gate.Gate:
    """Twice over all lessons: which terms are rare is only known at the end of the first time."""
    changed = _look(home, {}, lambda folder: {}, now)
    df: dict[str, int] = {}
    roots: dict[str, str] = {}
    docs = 0
    for source, folder, name, path, size, mtime in changed.read:
        connection.execute("insert into file values (?, ?, ?, ?)", (name, folder, size, mtime))
        for document in _documents(home, source, path, mtime, roots):
            docs += 1
            for term in document.weights:
                df[term] = df.get(term, 0) + 1
            connection.execute(lesson_store.DOC, _row(name, document, []))
    items: set[int] = set()
    for row, weights in connection.execute("select id, weights from doc order by id").fetchall():
        pairs = (pair.rpartition(":") for pair in weights.split())
        key = _key_terms({term: int(weight) for term, _, weight in pairs}, df, docs)
        connection.execute("update doc set key = ? where id = ?", (" ".join(key), row))
        connection.executemany("insert into key values (?, ?)", [(term, row) for term in key])
        items.update(lesson_gate.items(key))
    connection.executemany("insert into term values (?, ?)", df.items())
    connection.executemany("insert into folder values (?, ?)", changed.folders.items())
    gate = lesson_gate.empty(os.urandom(lesson_gate.GENERATION), len(items))
    for item in items:
        gate.put(item)
    meta = {"schema": lesson_store.SCHEMA, "generation": gate.generation.hex(), "docs": docs}
    connection.executemany("insert into meta values (?, ?)", meta.items())
    try:
        connection.execute(lesson_store.FTS)
        connection.execute("insert into fts (fts) values ('rebuild')")
    except lesson_store.errors()[1]:
        pass  # this SQLite was built without FTS5
    return gate


def _documents(
    home: Home, source: str, path: str, mtime: int, roots: dict[str, str]
) -> Iterator[lesson_files.Document]:
    """The lessons of a file, each with its project's root for a project; `roots` remembers the ones looked up."""
    try:
        text = files.read_text(path)
    except OSError as problem:
        log.error(home, "lessons", f"{path} cannot be read: {problem}")
        return
    for document in lesson_files.documents(source, os.path.basename(path), text or "", mtime / 1e9):
        if source != lesson_files.WISDOM and document.project:
            if document.project not in roots:
                roots[document.project] = projects.root_of(document.project) or document.project
            document.project = roots[document.project]
        yield document


def _row(name: str, document: lesson_files.Document, key: list[str]) -> tuple[object, ...]:
    weights = document.weights
    return (
        name,
        document.source,
        document.rating,
        document.ts,
        document.project,
        " ".join([f"{term}:{weight}" for term, weight in weights.items()]),
        max(1, sum(weights.values())) ** 0.5,
        document.text,
        " ".join(key),
        document.near,
        document.far,
        clock.iso(document.ts)[:10] if document.ts else "",
    )


def _key_terms(weights: dict[str, int], df: dict[str, int], docs: int) -> list[str]:
    ranked = sorted(weights, key=lambda term: -min(weights[term], 3) * lesson_store.idf(docs, df.get(term, 0)))
    return ranked[:KEY_TERMS]


def _look(home: Home, known: dict[str, int], files_in: FilesIn, now: float) -> _Changed:
    """Compare the folders of lessons with what was known of them."""
    changed = _Changed()
    children: dict[str, list[str]] = {}
    for folder in known:
        children.setdefault(folder.rpartition("/")[0], []).append(folder)
    for source, path in (
        (lesson_files.LEARNING, home.session_learning),
        (lesson_files.FAILURE, home.failures),
        (lesson_files.WISDOM, home.wisdom),
    ):
        _look_into(source, home.relative(path), path, known, children, files_in, changed, now)
    return changed


def _look_into(
    source: str,
    folder: str,
    path: str,
    known: dict[str, int],
    children: dict[str, list[str]],
    files_in: FilesIn,
    changed: _Changed,
    now: float,
) -> None:
    inner = {name.rpartition("/")[2] for name in children.get(folder, ())}
    try:
        mtime = os.stat(path).st_mtime_ns
        # Frames are few and edited in place, which does not show in their folder's time.
        listed = None if mtime == known.get(folder) and source != lesson_files.WISDOM else list(os.scandir(path))
    except OSError:
        mtime, listed = -1, []
    if listed is not None:
        before = files_in(folder) if folder in known else {}
        inner_before, inner = inner, set()
        for entry in listed:
            if entry.name[0] == ".":
                continue
            if entry.is_dir(follow_symlinks=False):
                inner.add(entry.name)
            elif entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                name, status = folder + "/" + entry.name, os.stat(entry.path)
                stamp = (status.st_size, status.st_mtime_ns)
                if before.pop(name, None) != stamp:
                    changed.read.append((source, folder, name, entry.path, *stamp))
        changed.gone += before
        inner |= inner_before
        if mtime < 0 and folder in known:
            changed.gone_folders.append(folder)
        elif mtime >= 0:
            seen = 0 if now - mtime / 1e9 < _YOUNG else mtime
            if seen != known.get(folder):
                changed.folders[folder] = seen
    for name in sorted(inner):
        _look_into(source, folder + "/" + name, os.path.join(path, name), known, children, files_in, changed, now)


def _files_in(connection: Connection, folder: str) -> dict[str, tuple[int, int]]:
    rows = connection.execute("select path, size, mtime from file where folder = ?", (folder,))
    return {path: (size, mtime) for path, size, mtime in rows}
