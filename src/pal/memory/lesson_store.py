"""The SQLite file `memory/cache/index.sqlite`: its tables, opening it, and how rare a term is.

`lesson_index` writes it, `lessons` asks it; it is a cache of plain files and may be deleted at any time.

    meta    name, value        schema, generation (the gate's), docs (how many)
    folder  path, mtime        what was listed; 0 when it changed so recently that it must be listed again
    file    path, folder, size, mtime
    doc     one lesson: id, path (below the home), source, rating, ts, project, weights ("term:3 term:2"), norm,
            and what `fts` holds: text, key (its key terms), near (what it is about), far (the rest), date
    key     term, doc          which lessons have it among their key terms
    term    term, df           in how many lessons it occurs at all
    fts     text, key, near, far, date: FTS5 over `doc`, where SQLite has it, for ranked search; nothing here needs it

Key terms are the at most eight keywords that are rarest and weigh most in a lesson (weight times idf), fixed when it is
taken in, so that gate and index always agree."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = 1
TABLES = """
create table meta (name text primary key, value) without rowid;
create table folder (path text primary key, mtime integer) without rowid;
create table file (path text primary key, folder text, size integer, mtime integer) without rowid;
create index file_folder on file (folder);
create table doc (id integer primary key, path text, source text, rating integer, ts real, project text, weights text,
    norm real, text text, key text, near text, far text, date text);
create index doc_path on doc (path);
create table key (term text, doc integer, primary key (term, doc)) without rowid;
create table term (term text primary key, df integer) without rowid;
"""
FTS = """
create virtual table fts using fts5(text, key, near, far, date, content='doc', content_rowid='id',
    tokenize='porter unicode61')
"""
DOC = "insert into doc values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


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


def marks(count: int) -> str:
    """`?,?,?` for a list of so many values."""
    return ",".join("?" * count)


def idf(docs: int, df: int) -> float:
    """How much a term tells that occurs in `df` of so many lessons: 1 and more."""
    from math import log

    return log((docs + 1) / (df + 1)) + 1
