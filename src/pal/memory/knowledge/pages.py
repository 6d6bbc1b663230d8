"""The pages of knowledge, `memory/knowledge/<Domain>/<slug>.md`: read, written and changed here, by people too.

A page's header has title, type, tags, aliases, created, updated, quality (0 to 10), status and related (slug and type
of each link); fields it does not know stay. Files whose name begins with `_` are nobody's page."""

from __future__ import annotations

import os

from pal.base import clock, files, frontmatter, locks, redaction, text
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from pal.base.home import Home

DOMAINS = ("People", "Companies", "Ideas", "Research")
RELATIONS = (
    "supports", "contradicts", "extends", "part-of", "instance-of", "caused-by", "preceded-by", "related",
)  # fmt: skip
STATUSES = ("seedling", "budding", "evergreen")
_SINGULAR = {"person": "People", "company": "Companies", "idea": "Ideas", "study": "Research"}
_KINDS = {domain: kind for kind, domain in _SINGULAR.items()}
_WORDS = 8  # of a slug


class Page:
    """One page: where it stands, its header and its body."""

    __slots__ = ("body", "domain", "fields", "slug")

    def __init__(self, domain: str, slug: str, fields: dict[str, Any], body: str) -> None:
        self.domain = domain
        self.slug = slug
        self.fields = fields
        self.body = body

    @property
    def title(self) -> str:
        value = self.fields.get("title")
        return value if isinstance(value, str) and value else self.slug

    def texts(self, name: str) -> list[str]:
        """The texts of a list in the header; empty for anything else."""
        value = self.fields.get(name)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    @property
    def related(self) -> list[tuple[str, str]]:
        """(slug, type) of each link; `slug:type`, as people write it, is read too."""
        found = []
        value = self.fields.get("related")
        for item in value if isinstance(value, list) else []:
            if isinstance(item, dict) and isinstance(item.get("slug"), str):
                found.append((item["slug"], str(item.get("type") or "related")))
            elif isinstance(item, str) and item:
                slug, _, kind = item.partition(":")
                found.append((slug.strip(), kind.strip() or "related"))
        return found

    def shown(self) -> dict[str, Any]:
        """The page for programs."""
        rows = [{"slug": slug, "type": kind} for slug, kind in self.related]
        return {"slug": self.slug, "domain": self.domain, **self.fields, "related": rows, "body": self.body}


def domain_of(name: str) -> str:
    """The domain a person names, in any case, also in the singular; PalError for another word."""
    low = name.strip().lower()
    found = _SINGULAR.get(low) or next((domain for domain in DOMAINS if domain.lower() == low), "")
    if not found:
        raise PalError(f"there is no domain {name!r}; knowledge has {', '.join(DOMAINS)}")
    return found


def relation_of(name: str) -> str:
    """A type of link, checked."""
    low = name.strip().lower().replace("_", "-").replace(" ", "-") or "related"
    if low not in RELATIONS:
        raise PalError(f"there is no link of type {name!r}; these are: {', '.join(RELATIONS)}")
    return low


def slug_of(title: str) -> str:
    return text.slug(title, _WORDS)


def path(home: Home, domain: str, slug: str) -> str:
    return os.path.join(home.knowledge, domain, slug + ".md")


def every(home: Home, domains: Iterable[str] = DOMAINS) -> list[Page]:
    """All pages of these domains, by domain and slug."""
    found = []
    for domain in domains:
        folder = os.path.join(home.knowledge, domain)
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        for name in names:
            if name.endswith(".md") and name[0] not in "._":
                page = _read(home, domain, name[:-3])
                if page is not None:
                    found.append(page)
    return found


def _read(home: Home, domain: str, slug: str) -> Page | None:
    try:
        said = files.read_text(path(home, domain, slug))
    except OSError:
        return None
    if said is None:
        return None
    fields, body = frontmatter.parse(redaction.scrub(said))
    return Page(domain, slug, fields, body)


def find(home: Home, name: str) -> Page:
    """The page with this slug, title or alias; PalError when there is none."""
    slug = slug_of(name)
    for domain in DOMAINS:
        page = _read(home, domain, slug)
        if page is not None:
            return page
    low = name.strip().casefold()
    for page in every(home):
        if low in (page.title.casefold(), *(alias.casefold() for alias in page.texts("aliases"))):
            return page
    raise PalError(f"there is no page {name!r}; `pal knowledge list` shows them, `pal knowledge find` searches")


def add(
    home: Home,
    domain: str,
    title: str,
    now: float,
    body: str = "",
    tags: Sequence[str] = (),
    related: Sequence[tuple[str, str]] = (),
    kind: str = "",
    quality: int | None = None,
    status: str = STATUSES[0],
    created: str = "",
) -> tuple[Page, bool]:
    """A new page, or the one there already is, untouched; (page, True if it is new)."""
    domain, title = domain_of(domain), " ".join(redaction.scrub(title).split())
    if not title:
        raise PalError("a page needs a name")
    if status not in STATUSES:
        raise PalError(f"a page's status is {', '.join(STATUSES)}; not {status!r}")
    if quality is not None and not 0 <= quality <= 10:
        raise PalError(f"a page's quality is a number from 0 to 10; not {quality}")
    slug = slug_of(title)
    fields: dict[str, Any] = {"title": title, "type": kind or _KINDS[domain], "tags": list(dict.fromkeys(tags))}
    fields.update(created=created or clock.iso(now), updated=clock.iso(now))
    if quality is not None:
        fields["quality"] = quality
    rows = [{"slug": slug_of(other), "type": relation_of(link)} for other, link in related]
    fields.update(status=status, related=rows)
    place = path(home, domain, slug)
    files.make_folder(os.path.dirname(place))
    with locks.Lock(place) as held:
        _need(held, place)
        there = _read(home, domain, slug)
        if there is not None:
            return there, False
        page = Page(domain, slug, fields, body.strip())
        _save(home, page)
        return page, True


def change(home: Home, page: Page, now: float, edit: Callable[[Page], bool]) -> Page:
    """Let `edit` change the newest version of a page; it is written when `edit` says True."""
    place = path(home, page.domain, page.slug)
    with locks.Lock(place) as held:
        _need(held, place)
        newest = _read(home, page.domain, page.slug) or page
        if edit(newest):
            newest.fields["updated"] = clock.iso(now)
            _save(home, newest)
        return newest


def link(home: Home, page: Page, other: Page, kind: str, now: float) -> Page:
    """Say how the page relates to another; once is enough."""
    row = (other.slug, relation_of(kind))
    if page.slug == other.slug:
        raise PalError(f"{page.title} cannot be linked to itself")

    def edit(newest: Page) -> bool:
        if row in newest.related:
            return False
        rows = [*newest.related, row]
        newest.fields["related"] = [{"slug": slug, "type": link} for slug, link in rows]
        return True

    return change(home, page, now, edit)


def _save(home: Home, page: Page) -> None:
    said = frontmatter.render(page.fields, page.body)
    files.write(path(home, page.domain, page.slug), redaction.scrub(said), durable=True)


def _need(held: bool, place: str) -> None:
    if not held:
        raise PalError(f"another process keeps {place} locked; try again")
