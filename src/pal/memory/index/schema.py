"""The SQLite file of the index: its tables, opening it, what it raises. `build` writes it, `pal.memory.search` asks it.

    meta    name, value        schema, generation (the gate's), docs, and the summed length of each stream
    folder  path, mtime        what was listed; 0 when it changed so recently that it must be listed again
    file    path, folder, size, mtime
    log     path, done, mtime, head   how far a file of events was read, and a hash of what shows that it is the same
    event   entry, log, at, size   where the events of an entry stand
    doc     the columns of `documents.FIELDS` and the five streams of stems
    term    term, df           in how many documents a stem occurs
    name    stem, doc          the documents by the stems of their names
    fts     text, key, near, far, date: FTS5 over the streams, where SQLite has it

It is a cache of plain files and may be deleted at any time."""

from __future__ import annotations

from pal.memory.index.documents import FIELDS, STREAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = 4
COLUMNS = ", ".join((*FIELDS, *STREAMS))
TABLES = f"""
create table meta (name text primary key, value) without rowid;
create table folder (path text primary key, mtime integer) without rowid;
create table file (path text primary key, folder text, size integer, mtime integer) without rowid;
create table log (path text primary key, done integer, mtime integer, head text);
create table event (entry text, log text, at integer, size integer);
create table doc (id integer primary key, {COLUMNS});
create table term (term text primary key, df integer) without rowid;
create table name (stem text, doc integer, primary key (stem, doc)) without rowid;
"""
INDEXES = (
    "create index file_folder on file (folder)",
    "create index event_entry on event (entry)",
    "create index doc_ref on doc (ref, seq)",
    "create index doc_head on doc (head) where head != ''",
    "create index doc_place on doc (id, source, project, status)",
)
FTS = f"create virtual table fts using fts5({', '.join(STREAMS)}, content='', tokenize='ascii')"
ADD = f"insert into doc values (?, {', '.join('?' * (len(FIELDS) + len(STREAMS)))})"
ADD_FTS = f"insert into fts (rowid, {', '.join(STREAMS)}) values (?, ?, ?, ?, ?, ?)"
DROP_FTS = f"insert into fts (fts, rowid, {', '.join(STREAMS)}) values ('delete', ?, ?, ?, ?, ?, ?)"


def connect(path: str, wait: float) -> Connection:
    """Open the file, waiting so many seconds for others. ImportError where Python has no SQLite.

    `_sqlite3` is the C module alone: a fifth of the import."""
    try:
        from _sqlite3 import connect as opened
    except ImportError:
        from sqlite3 import connect as opened
    return opened(path, timeout=wait, isolation_level=None)


def errors() -> tuple[type[Exception], type[Exception]]:
    """(what SQLite raises for a damaged file and all else, what it raises for a busy file or a foreign schema)."""
    try:
        from _sqlite3 import DatabaseError, OperationalError
    except ImportError:
        from sqlite3 import DatabaseError, OperationalError
    return DatabaseError, OperationalError


def has_fts(connection: Connection) -> bool:
    """Whether the file was made by an SQLite with FTS5."""
    return bool(connection.execute("select 1 from sqlite_master where name = 'fts'").fetchone())


def marks(count: int) -> str:
    """`?,?,?` for a list of so many values."""
    return ",".join("?" * count)
