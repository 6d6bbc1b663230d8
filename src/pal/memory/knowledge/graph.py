"""How pages hang together: by their links, by `[[wiki links]]` in their text, by tags they share."""

from __future__ import annotations

from pal.memory.knowledge.pages import Page, slug_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LINK, WIKI, TAG = "related", "wikilink", "tag"
_WEIGHTS = {LINK: 3, WIKI: 2, TAG: 1}
_CROWD = 12  # pages; a tag that more of them have joins nobody


class Edge:
    """Two pages and what joins them; `label` is the type of the link, or the tag."""

    __slots__ = ("kind", "label", "one", "other")

    def __init__(self, one: str, other: str, kind: str, label: str) -> None:
        self.one = one
        self.other = other
        self.kind = kind
        self.label = label

    @property
    def weight(self) -> int:
        return _WEIGHTS[self.kind]


def edges(pages: Sequence[Page]) -> list[Edge]:
    """Every edge between two of the pages, once; links to pages that are not there lead nowhere and are left out."""
    known = {page.slug for page in pages}
    found = {}
    tagged: dict[str, list[str]] = {}
    for page in pages:
        for slug, label in page.related:
            if slug in known and slug != page.slug:
                found[page.slug, slug, LINK, label] = Edge(page.slug, slug, LINK, label)
        for slug in _wiki(page.body):
            if slug in known and slug != page.slug:
                found[page.slug, slug, WIKI, ""] = Edge(page.slug, slug, WIKI, "")
        for tag in dict.fromkeys(tag.casefold() for tag in page.texts("tags")):
            tagged.setdefault(tag, []).append(page.slug)
    for tag, slugs in tagged.items():
        if len(slugs) <= _CROWD:
            for at, one in enumerate(slugs):
                for other in slugs[at + 1 :]:
                    found[one, other, TAG, tag] = Edge(one, other, TAG, tag)
    return list(found.values())


def _wiki(body: str) -> Iterator[str]:
    for part in body.split("[[")[1:]:
        name, end, _ = part.partition("]]")
        if end and "\n" not in name:
            yield slug_of(name.partition("|")[0].partition("#")[0])


def around(pages: Sequence[Page], slug: str, hops: int) -> list[list[tuple[str, Edge]]]:
    """Hop by hop: (slug, the strongest edge by which it was reached), by weight and then by slug."""
    joined: dict[str, list[tuple[str, Edge]]] = {}
    for edge in edges(pages):
        joined.setdefault(edge.one, []).append((edge.other, edge))
        joined.setdefault(edge.other, []).append((edge.one, edge))
    seen, rim, rings = {slug}, [slug], []
    for _ in range(hops):
        ring: dict[str, Edge] = {}
        for here in rim:
            for there, edge in joined.get(here, []):
                if there not in seen and (there not in ring or edge.weight > ring[there].weight):
                    ring[there] = edge
        if not ring:
            break
        rings.append(sorted(ring.items(), key=lambda reached: (-reached[1].weight, reached[0])))
        seen.update(ring)
        rim = list(ring)
    return rings


def hubs(pages: Sequence[Page], count: int) -> list[tuple[Page, int]]:
    """The pages most others hang on: (page, how many others it is joined to)."""
    others: dict[str, set[str]] = {page.slug: set() for page in pages}
    for edge in edges(pages):
        others[edge.one].add(edge.other)
        others[edge.other].add(edge.one)
    ranked = sorted(pages, key=lambda page: (-len(others[page.slug]), page.slug))
    return [(page, len(others[page.slug])) for page in ranked[:count] if others[page.slug]]
