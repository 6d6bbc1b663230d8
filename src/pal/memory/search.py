"""Finds what is remembered: `search` for people and programs, with a score from 0 to 1 that always means the same.

It asks the index, which it first brings up to date; while that is locked, or on a Python without SQLite, it reads the
files themselves and ranks the same way."""

from __future__ import annotations

from pal.base import clock, log
from pal.base.errors import PalError
from pal.memory import ranking, synonyms, terms
from pal.memory.index import build
from pal.memory.index.documents import Document, name_of
from pal.memory.index.reader import Reader, Scope, asked, of_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pal.base.home import Home

LIMIT = 10
MOST = 1000
_WAIT = 1.0  # seconds for a writer of the index
_READ = 2000  # characters of a question
_TERMS = 60
_SAME = 0.9  # the share of stems from which one of two hits is enough
_CHAIN = 8  # superseded by one that was superseded by …


class Hit:
    """`id` names the entry, or the file and the section; `score` is how much of the question its text says."""

    __slots__ = ("found", "id", "score")

    def __init__(self, found: ranking.Found, score: float) -> None:
        self.found = found
        self.id = name_of(found.document)
        self.score = round(score, 4)

    @property
    def document(self) -> Document:
        return self.found.document

    def shown(self) -> dict[str, Any]:
        """The facts for `--json`, an MCP answer and the page."""
        one = self.document
        value = {
            "id": self.id,
            "score": self.score,
            "kind": one.kind or one.source,
            "source": one.source,
            "project": one.project,
            "session": one.session,
            "ts": clock.iso(one.ts) if one.ts else "",
            "title": one.title,
            "content": one.said,
            "importance": one.importance,
            "status": one.status,
            "source_tier": one.tier,
            "rating": one.rating,
        }
        return {name: item for name, item in value.items() if item not in ("", None)}


def refresh(home: Home, now: float) -> None:
    """Bring the index up to date; may take seconds after a long time. OSError when the cache cannot be written."""
    build.refresh(home, now)


def rebuild(home: Home, now: float) -> None:
    """Build the index anew from all files. OSError when the cache cannot be written."""
    build.rebuild(home, now)


def search(
    home: Home,
    query: str,
    now: float,
    kinds: Sequence[str] = (),
    project: str = "",
    since: str = "",
    limit: int = LIMIT,
) -> list[Hit]:
    """The best hits first. `kinds` are sources or kinds of entries, `since` is a day or a time."""
    scope = Scope(kinds, project, moment(since))
    words = terms.stems(query[:_READ])[:_TERMS]
    if not words:
        return []
    limit = max(1, min(limit, MOST))

    def ask(reader: Reader) -> list[Hit]:
        return hits(reader, words, synonyms.groups(home), scope, limit)

    answer: list[Hit] = consult(home, now, ask)
    return answer


def consult(home: Home, now: float, ask: Any) -> Any:
    """What `ask(reader)` says of all that is remembered now: by the index, else by the files themselves."""
    try:
        build.refresh(home, now, _WAIT)
    except (OSError, ImportError) as problem:
        log.debug(home, "memory", f"the index was not renewed: {problem}")

    def otherwise(problem: Exception) -> Any:
        log.debug(home, "memory", f"the files are searched without the index: {problem}")
        with of_documents(list(build.every(home, now))) as reader:
            return ask(reader)

    return asked(home.index, _WAIT, ask, otherwise)


def hits(reader: Reader, words: list[str], like: dict[str, tuple[str, ...]], scope: Scope, limit: int) -> list[Hit]:
    """The ranking without what repeats; a superseded memory gives its place to the one that stands for it."""
    question = ranking.Question(reader, words, like)
    kept: list[Hit] = []
    known: set[str] = set()
    held: list[set[str]] = []
    for found in ranking.ranked(reader, question, scope, max(ranking.CANDIDATES, 3 * limit)):
        one = head_of(reader, found.document)
        if one is None or name_of(one) in known:
            continue
        found.document = one
        known.add(name_of(one))
        said = one.streams[0].split()
        distinct = set(said)
        if distinct and any(_alike(distinct, other) for other in held):
            continue
        held.append(distinct)
        kept.append(Hit(found, question.score(one)))
        if len(kept) == limit:
            break
    return kept


def head_of(reader: Reader, one: Document) -> Document | None:
    """The document itself, or what stands for it now; None where that is gone."""
    for _ in range(_CHAIN):
        if not one.head:
            return None if one.status == "superseded" else one
        found = reader.get(one.head)
        if found is None:
            return None
        one = found
    return None


def _alike(one: set[str], other: set[str]) -> bool:
    shared = len(one & other)
    return 2 * shared >= _SAME * (len(one) + len(other))


def moment(since: str) -> float:
    """The moment a day or a time names; 0 for none. PalError for anything else."""
    if not since:
        return 0.0
    try:
        return clock.parse(since if "T" in since else since + "T00:00:00Z")
    except ValueError:
        raise PalError(f"{since!r} is no day; write it as 2026-03-02") from None
