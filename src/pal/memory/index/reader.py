"""Asks the index: how often stems occur, which documents may answer, one document by its name.

`open_index` gives a reader of the SQLite file, `of_documents` one of documents in memory; where SQLite has no FTS5 both
rank in Python by the same formula, so a question has the same answer everywhere."""

from __future__ import annotations

import os

from pal.memory.index import schema
from pal.memory.index.documents import STREAMS, Document, of_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from sqlite3 import Connection
    from typing import Any

WEIGHTS = (1.0, 1.5, 0.5, 0.2, 0.5)  # of the streams, when candidates are chosen
_K1, _B = 1.2, 0.75  # as FTS5 has them built in
_LEAST = 1e-6
_AT_ONCE = 400
_DOC = f"doc.id, {', '.join('doc.' + name for name in schema.COLUMNS.split(', '))}"


class Scope:
    """What a search is limited to; empty means everything. `kinds` are sources or kinds of entries."""

    __slots__ = ("kinds", "project", "since", "tiers")

    def __init__(
        self, kinds: Sequence[str] = (), project: str = "", since: float = 0.0, tiers: Sequence[str] = ()
    ) -> None:
        self.kinds = tuple(kind.lower() for kind in kinds)
        self.project = project
        self.since = since
        self.tiers = tuple(tiers)

    def any(self) -> bool:
        return bool(self.kinds or self.project or self.since or self.tiers)

    def holds(self, one: Document) -> bool:
        return (
            (not self.kinds or one.source in self.kinds or one.kind.lower() in self.kinds)
            and (not self.project or same_project(one.project, self.project))
            and (not self.since or one.ts >= self.since)
            and (not self.tiers or one.tier in self.tiers)
        )


def same_project(one: str, other: str) -> bool:
    """Whether two projects, each a folder or the name of one, are the same as far as can be told."""
    if not one or not other:
        return False
    if one.rstrip("/\\") == other.rstrip("/\\"):
        return True
    if ("/" in one or "\\" in one) and ("/" in other or "\\" in other):
        return False
    return _base(one) == _base(other)


def _base(project: str) -> str:
    return project.rstrip("/\\").replace("\\", "/").rpartition("/")[2].casefold()


class Reader:
    """The index as a set of documents; `docs` is how many, `totals` the summed lengths of their streams."""

    __slots__ = ("_connection", "_found", "_fts", "_terms", "docs", "totals")

    def __init__(self, connection: Connection | None, found: list[Document] | None = None) -> None:
        self._connection = connection
        self._found = found
        self._terms: dict[str, int] | None = None
        self._fts = False
        if connection is not None:
            meta = dict(connection.execute("select name, value from meta"))
            if meta.get("schema") != schema.SCHEMA:
                raise schema.errors()[1]("the index has another schema")
            self.docs = int(meta["docs"])
            self.totals = [int(meta[f"total {name}"]) for name in STREAMS]
            self._fts = schema.has_fts(connection)
        else:
            self.docs = len(self._all())
            self.totals = [sum(_length(one.streams[number]) for one in self._all()) for number in range(len(STREAMS))]

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()

    def counts(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many documents each stem occurs; those that occur in none are left out."""
        if self._connection is None:
            known = self._vocabulary()
            return {term: known[term] for term in terms if term in known}
        found: dict[str, int] = {}
        for at in range(0, len(terms), _AT_ONCE):
            part = terms[at : at + _AT_ONCE]
            query = f"select term, df from term where df > 0 and term in ({schema.marks(len(part))})"
            found.update(self._connection.execute(query, part))
        return found

    def beginning(self, letter: str, shortest: int, longest: int) -> list[tuple[str, int]]:
        """The stems that begin so and have that many letters, with their counts."""
        if self._connection is None:
            return sorted(
                (term, df)
                for term, df in self._vocabulary().items()
                if term.startswith(letter) and shortest <= len(term) <= longest
            )
        query = "select term, df from term where term >= ? and term < ? and df > 0 and length(term) between ? and ?"
        return list(self._connection.execute(query, (letter, letter + "\U0010ffff", shortest, longest)))

    def named(self, stems: Sequence[str], most: int) -> dict[str, list[int]]:
        """The ids of the documents that have a stem in one of their names, by stem; a stem that more than `most` have
        tells none of them from another and is left out."""
        found: dict[str, list[int]] = {}
        if self._connection is None:
            wanted = set(stems)
            for one in self._all():
                for stem in wanted.intersection(one.names.split()):
                    found.setdefault(stem, []).append(one.id)
            return {stem: ids for stem, ids in found.items() if len(ids) <= most}
        for at in range(0, len(stems), _AT_ONCE):
            part = stems[at : at + _AT_ONCE]
            query = (
                f"select stem from name where stem in ({schema.marks(len(part))}) group by stem having count(*) <= ?"
            )
            for stem in [row[0] for row in self._connection.execute(query, (*part, most))]:
                rows = self._connection.execute("select doc from name where stem = ? order by doc", (stem,))
                found[stem] = [row[0] for row in rows]
        return found

    def places(self, ids: Sequence[int]) -> list[tuple[int, str, str, str]]:
        """(id, source, project, status) of these documents, in their order; cheaper than reading them."""
        if self._connection is None:
            return [(one.id, one.source, one.project, one.status) for one in self.by_id(ids)]
        found: dict[int, tuple[int, str, str, str]] = {}
        for at in range(0, len(ids), _AT_ONCE):
            part = ids[at : at + _AT_ONCE]
            query = "select id, source, project, status from doc indexed by doc_place "
            query += f"where id in ({schema.marks(len(part))})"
            found.update((row[0], row) for row in self._connection.execute(query, part))
        return [found[number] for number in ids if number in found]

    def names_beginning(self, letter: str, shortest: int, longest: int) -> list[tuple[str, int]]:
        """The stems in names that begin so and have that many letters; the number is how many documents have them."""
        if self._connection is None:
            counts: dict[str, int] = {}
            for one in self._all():
                for stem in set(one.names.split()):
                    if stem.startswith(letter) and shortest <= len(stem) <= longest:
                        counts[stem] = counts.get(stem, 0) + 1
            return sorted(counts.items())
        query = "select stem, count(*) from name where stem >= ? and stem < ? and length(stem) between ? and ? "
        query += "group by stem"
        return list(self._connection.execute(query, (letter, letter + "\U0010ffff", shortest, longest)))

    def holders(self, term: str, own: bool = False) -> list[int]:
        """The ids of the documents that hold a stem; with `own` in their text or key, not in their context alone."""
        if self._connection is None or not self._fts:
            end = 2 if own else len(STREAMS)
            return [one.id for one in self._all() if any(term in stream.split() for stream in one.streams[:end])]
        match = f'{{text key}} : "{term}"' if own else f'"{term}"'
        return [row[0] for row in self._connection.execute("select rowid from fts where fts match ?", (match,))]

    def by_id(self, ids: Sequence[int]) -> list[Document]:
        """The documents with these ids, in their order."""
        if self._connection is None:
            known = {one.id: one for one in self._all()}
            return [known[number] for number in ids if number in known]
        found: list[Document] = []
        for at in range(0, len(ids), _AT_ONCE):
            found += self._of_ids(ids[at : at + _AT_ONCE])
        return found

    def get(self, ref: str, seq: int = 0) -> Document | None:
        """The document of an entry's id or of a place in a file."""
        if self._connection is None:
            return next((one for one in self._all() if one.ref == ref and one.seq == seq), None)
        query = f"select {_DOC} from doc where ref = ? and seq = ?"
        row = self._connection.execute(query, (ref, seq)).fetchone()
        return of_row(row) if row else None

    def of_source(self, source: str) -> list[Document]:
        """Every document from there."""
        if self._connection is None:
            return [one for one in self._all() if one.source == source]
        query = f"select {_DOC} from doc where source = ? order by id"
        return [of_row(row) for row in self._connection.execute(query, (source,))]

    def candidates(self, terms: Sequence[str], limit: int, scope: Scope) -> list[Document]:
        """The documents that hold any of the stems and are in scope, by FTS5's formula, at most so many."""
        if not terms:
            return []
        if self._connection is None or not self._fts:
            return self._ranked(terms, limit, scope)
        match = " OR ".join([f'"{term}"' for term in terms])
        weights = ", ".join(map(str, WEIGHTS))
        if not scope.any():
            query = f"select rowid from fts where fts match ? order by bm25(fts, {weights}), rowid limit ?"
            ids = [row[0] for row in self._connection.execute(query, (match, limit))]
        else:
            query = f"select rowid from fts where fts match ? order by bm25(fts, {weights}), rowid"
            return self._scoped(self._connection.execute(query, (match,)), limit, scope)
        return self._of_ids(ids)

    def _scoped(self, rows: Iterable[Any], limit: int, scope: Scope) -> list[Document]:
        found: list[Document] = []
        part: list[int] = []
        for row in rows:
            part.append(row[0])
            if len(part) == _AT_ONCE:
                found += [one for one in self._of_ids(part) if scope.holds(one)]
                part = []
                if len(found) >= limit:
                    return found[:limit]
        found += [one for one in self._of_ids(part) if scope.holds(one)]
        return found[:limit]

    def _of_ids(self, ids: Sequence[int]) -> list[Document]:
        if self._connection is None or not ids:
            return []
        query = f"select {_DOC} from doc where id in ({schema.marks(len(ids))})"
        by_id = {row[0]: of_row(row) for row in self._connection.execute(query, ids)}
        return [by_id[number] for number in ids if number in by_id]

    def _all(self) -> list[Document]:
        if self._found is None:
            if self._connection is None:
                return []
            self._found = [of_row(row) for row in self._connection.execute(f"select {_DOC} from doc order by id")]
        return self._found

    def _vocabulary(self) -> dict[str, int]:
        if self._terms is None:
            self._terms = {}
            for one in self._all():
                for term in set(" ".join(one.streams).split()):
                    self._terms[term] = self._terms.get(term, 0) + 1
        return self._terms

    def _ranked(self, terms: Sequence[str], limit: int, scope: Scope) -> list[Document]:
        """What FTS5 does, in Python."""
        from math import log

        found = self._all()
        counts = self.counts(terms)
        average = sum(self.totals) / len(found) if found else 1.0
        telling = {}
        for term, df in counts.items():
            value = log((len(found) - df + 0.5) / (df + 0.5))
            telling[term] = value if value > 0 else _LEAST
        ranked = []
        for place, one in enumerate(found):
            if not scope.holds(one):
                continue
            score, length = 0.0, 0
            streams = [stream.split() for stream in one.streams]
            length = sum(map(len, streams))
            for term, tells in telling.items():
                held = sum([weight * stream.count(term) for weight, stream in zip(WEIGHTS, streams)])
                if held:
                    score += tells * held * (_K1 + 1) / (held + _K1 * (1 - _B + _B * length / average))
            if score:
                ranked.append((-score, place, one))
        ranked.sort(key=lambda entry: entry[:2])
        return [one for _, _, one in ranked[:limit]]


def _length(stream: str) -> int:
    return stream.count(" ") + 1 if stream else 0


def open_index(path: str, wait: float) -> Reader:
    """A reader of the file; raises what SQLite raises, ImportError where Python has none."""
    connection = schema.connect(path, wait)
    try:
        return Reader(connection)
    except BaseException:
        connection.close()
        raise


def of_documents(found: list[Document]) -> Reader:
    """A reader of these documents."""
    for number, one in enumerate(found, 1):
        one.id = number
    return Reader(None, found)


def asked(home_index: str, wait: float, ask: Callable[[Reader], Any], otherwise: Callable[[Exception], Any]) -> Any:
    """What `ask` says of the index; `otherwise` of the fault where it cannot be asked."""
    if not os.path.isfile(home_index):  # opening it would make an empty one
        return otherwise(FileNotFoundError(home_index))
    try:
        with open_index(home_index, wait) as reader:
            return ask(reader)
    except ImportError as problem:
        return otherwise(problem)
    except schema.errors()[0] as problem:
        return otherwise(problem)
