"""Finds pages by words: names count most, then tags, then how often the text says it."""

from __future__ import annotations

from pal.base import text
from pal.memory.knowledge.pages import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SLUG, _TITLE, _TAG, _MOST = 5, 4, 2, 10


def search(pages: Sequence[Page], query: str) -> list[tuple[Page, int]]:
    """(page, score) of the pages that hold every word of the query, the best first; the whole query counts extra."""
    words = text.words(query)
    whole = " ".join(words)
    found = []
    for page in pages:
        scores = [_score(page, word) for word in words]
        if words and all(scores):
            found.append((page, sum(scores) + (_score(page, whole) if len(words) > 1 else 0)))
    found.sort(key=lambda hit: (-hit[1], hit[0].slug))
    return found


def _score(page: Page, word: str) -> int:
    names = " ".join(text.words(" ".join((page.title, *page.texts("aliases")))))
    score = _SLUG * (word in page.slug.replace("-", " ")) + _TITLE * (word in names)
    score += _TAG * sum(word in tag.casefold() for tag in page.texts("tags"))
    return score + min(_MOST, " ".join(text.words(said(page.body))).count(word))


def said(body: str) -> str:
    """The body without the headings and marks that only say where a part of it came from."""
    lines = (line for line in body.splitlines() if not line.startswith("<!-- src:"))
    return "\n".join(
        line for line in lines if not (line.startswith("### ") and " — " in line and line[4:8].isdecimal())
    )


def tagged(pages: Sequence[Page], tag: str) -> list[Page]:
    """The pages with this tag, also as `topic:<tag>`."""
    low = tag.strip().casefold()
    return [page for page in pages if {low, "topic:" + low} & {name.casefold() for name in page.texts("tags")}]
