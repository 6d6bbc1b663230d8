"""Finds what was learned before that bears on a prompt: at most two lessons, none rather than a doubtful one.

The prompt hook calls `match`; jobs and `pal memory reindex` call `refresh` and `rebuild`. SQLite is loaded only after
the gate has said that something may match."""

from __future__ import annotations

import os

from pal.base import files, log
from pal.base.text import clip, keywords
from pal.memory import lesson_gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.base.home import Home

MOST = 2
FLOOR = 0.18  # confidence
LONGEST = 200  # UTF-16 units of a lesson's text
_PROMPT = 4000  # characters
_TERMS = 60
_SHARED = 2  # key terms of a lesson that a prompt must hold
_CANDIDATES = 50
_PROJECT = 1.5
_FADES = 90.0  # days until a lesson counts 1/e
_SAME = 0.3  # similarity from which a crystal says what a failure taught
_REPEATED = 0.6  # similarity from which two lessons say the same
_WAIT = 0.25  # seconds for a writer of the index


class Lesson:
    """`kind` is "learning", "failure" or "wisdom"; `rating` the user's from 1 to 10, or a crystal's per cent, or None;
    `project` the root folder it was learned in (empty: any), or a crystal's domain; `path` its file."""

    __slots__ = ("age_days", "confidence", "kind", "path", "project", "rating", "text")

    def __init__(
        self, kind: str, text: str, rating: int | None, project: str, age_days: int, path: str, confidence: float
    ) -> None:
        self.kind = kind
        self.text = text
        self.rating = rating
        self.project = project
        self.age_days = age_days
        self.path = path
        self.confidence = confidence


def refresh(home: Home, now: float) -> None:
    """Fold new and changed files into the index; may take seconds. OSError when the cache cannot be written."""
    from pal.memory import lesson_index

    lesson_index.refresh(home, now)


def rebuild(home: Home, now: float) -> None:
    """Build the index anew from all files. OSError when the cache cannot be written."""
    from pal.memory import lesson_index

    lesson_index.rebuild(home, now)


def match(home: Home, prompt: str, cwd: str, now: float) -> list[Lesson]:
    """The lessons that share at least two key terms with the prompt and are sure enough, the surest first."""
    terms = keywords(prompt[:_PROMPT])[:_TERMS]
    if len(terms) < _SHARED:
        return []
    if not lesson_gate.may_match(home.lesson_gate, terms) or not os.path.isfile(home.index):
        return []
    from pal.memory import lesson_store, projects

    try:
        connection = lesson_store.connect(home.index, _WAIT)
    except ImportError:
        return []  # a Python without SQLite has no index of lessons
    damaged, busy = lesson_store.errors()
    try:
        return _best(home, connection, terms, projects.root_of(cwd) or cwd, now)
    except busy as problem:
        log.debug(home, "lessons", f"the index was not asked: {problem}")
    except damaged as problem:
        log.error(home, "lessons", f"the index is damaged and will be built anew: {problem}")
        files.remove(home.lesson_gate)
    finally:
        connection.close()
    return []


def _best(home: Home, connection: Connection, terms: list[str], root: str, now: float) -> list[Lesson]:
    from pal.memory import lesson_store

    marks = lesson_store.marks(len(terms))
    query = f"select doc from key where term in ({marks}) group by doc having count(*) >= ? "
    query += "order by count(*) desc, doc desc limit ?"
    ids = [row[0] for row in connection.execute(query, (*terms, _SHARED, _CANDIDATES))]
    if not ids:
        return []
    docs = connection.execute("select value from meta where name = 'docs'").fetchone()[0]
    df = dict(connection.execute(f"select term, df from term where term in ({marks})", terms))
    telling = {term: lesson_store.idf(docs, df.get(term, 0)) for term in terms}
    itself = sum(telling.values()) / len(terms) ** 0.5
    query = "select source, text, rating, project, ts, path, weights, norm from doc "
    query += f"where id in ({lesson_store.marks(len(ids))})"
    found = [_scored(home, row, telling, itself, root, now) for row in connection.execute(query, ids)]
    found.sort(key=lambda lesson: (-lesson.confidence, lesson.path))
    return _distinct([lesson for lesson in found if lesson.confidence >= FLOOR], connection)


def _scored(home: Home, row: Any, telling: dict[str, float], itself: float, root: str, now: float) -> Lesson:
    source, text, rating, project, ts, path, packed, norm = row
    weights = {}
    for pair in packed.split():
        term, _, weight = pair.rpartition(":")
        weights[term] = int(weight)
    score = sum(tells * min(weights.get(term, 0), 3) for term, tells in telling.items()) / norm
    days = max(0.0, (now - ts) / 86_400) if ts else 0.0
    if source != "wisdom" and _belongs(project, root, weights):
        score *= _PROJECT
    score *= 2.718281828459045 ** (-days / _FADES)
    return Lesson(source, clip(text, LONGEST), rating, project, int(days), home.below(path), round(score / itself, 3))


def _belongs(project: str, root: str, weights: dict[str, int]) -> bool:
    """True for a lesson of the project at `root`; one that names no project belongs to it when it speaks of it."""
    if project:
        return project == root
    names = keywords(os.path.basename(root))
    return bool(names) and all(name in weights for name in names)


def _distinct(found: list[Lesson], connection: Connection) -> list[Lesson]:
    """The first lessons that do not say the same again; a failure is left out when a crystal has taken it up."""
    from pal.base.text import similarity

    kept: list[Lesson] = []
    crystals: list[str] | None = None
    for lesson in found:
        if any(similarity(lesson.text, other.text) >= _REPEATED for other in kept):
            continue
        if lesson.kind == "failure":
            if crystals is None:
                crystals = [row[0] for row in connection.execute("select text from doc where source = 'wisdom'")]
            if any(similarity(lesson.text, crystal) >= _SAME for crystal in crystals):
                continue
        kept.append(lesson)
        if len(kept) == MOST:
            break
    return kept
