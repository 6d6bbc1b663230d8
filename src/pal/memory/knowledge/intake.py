"""Brings what was learned elsewhere into the pages: each part once, with where it came from and when.

`ingest` takes facts from a file or a program; names that a model found in sessions wait until a person decides."""

from __future__ import annotations

from pal.base import clock, records, redaction
from pal.base.errors import PalError
from pal.memory.knowledge import pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home
    from pal.memory.knowledge.pages import Page

MANUAL = "manual"
_LISTS = {"people": "People", "companies": "Companies", "ideas": "Ideas", "research": "Research"}
_DOMAINS = {"person": "People", "company": "Companies", "organization": "Companies", "research": "Research"}
_ACCEPTED, _REJECTED = "accepted", "rejected"


def note(home: Home, page: Page, said: str, source: str, now: float) -> bool:
    """Add a part to a page under a heading of its own; False when this source said the same before."""
    said = redaction.scrub(said).strip()
    if not said:
        return False
    mark = f"<!-- src:{source}#{_digest(said)} -->"
    part = f"### {clock.iso(now)[:10]} — {source}\n{mark}\n{said}"

    def edit(newest: Page) -> bool:
        if mark in newest.body:
            return False
        newest.body = f"{newest.body.rstrip()}\n\n{part}".strip()
        return True

    before = page.body
    return pages.change(home, page, now, edit).body != before


def ingest(home: Home, found: Any, source: str, now: float) -> dict[str, int]:
    """Take in `{"people": [{"name", "about", "tags", "related"}], "companies": […], …}`; counts of new, changed, known.

    A page that is there gets what it does not hold yet. PalError when the value has another form."""
    lists = {name: found[name] for name in _LISTS if name in found} if isinstance(found, dict) else {}
    if not lists or any(not isinstance(rows, list) for rows in lists.values()):
        raise PalError(f"there is nothing to take in: an object with lists under {', '.join(_LISTS)} is expected")
    counts = {"new": 0, "changed": 0, "known": 0}
    for name, rows in lists.items():
        for row in rows:
            title = row.get("name") or row.get("title") if isinstance(row, dict) else row
            if not isinstance(title, str) or not title.strip():
                raise PalError(f"an entry under {name!r} has no name")
            about = row if isinstance(row, dict) else {}
            counts[_take(home, _LISTS[name], title, about, source, now)] += 1
    return counts


def _take(home: Home, domain: str, title: str, about: dict[str, Any], source: str, now: float) -> str:
    page, new = pages.add(home, domain, title, now, kind=str(about.get("type") or ""))
    changed = note(home, page, str(about.get("about") or about.get("body") or about.get("summary") or ""), source, now)
    tags = [tag for tag in about.get("tags") or () if isinstance(tag, str)]

    def edit(newest: Page) -> bool:
        missing = [tag for tag in dict.fromkeys(tags) if tag not in newest.texts("tags")]
        newest.fields["tags"] = [*newest.texts("tags"), *missing]
        rows = [(pages.slug_of(slug), kind) for slug, kind in pages.Page("", "", about, "").related]
        links = [row for row in rows if row not in newest.related and row[1] in pages.RELATIONS]
        if links:
            newest.fields["related"] = [{"slug": slug, "type": kind} for slug, kind in [*newest.related, *links]]
        return bool(missing or links)

    before = page.fields.get("updated"), page.texts("tags"), page.related
    after = pages.change(home, page, now, edit)
    changed = changed or (after.texts("tags"), after.related) != before[1:]
    return "new" if new else "changed" if changed else "known"


def waiting(home: Home) -> list[dict[str, Any]]:
    """The names that wait for a person, oldest first, each with an `id` and the domain it would go to."""
    rows: dict[str, dict[str, Any]] = {}
    for row in records.each(home.entity_candidates):
        name, kind = str(row.get("name") or ""), str(row.get("kind") or "")
        mark = _digest(f"{kind}\0{name.casefold()}")
        if row.get("decided"):
            rows.pop(mark, None)
        elif name and mark not in rows:
            rows[mark] = {"id": mark, "domain": _DOMAINS.get(kind.lower(), "Ideas"), **row}
    return list(rows.values())


def accept(home: Home, mark: str, now: float, slug: str = "", name: str = "") -> Page:
    """Make a page of a waiting name, or add what is known of it to the page `slug`."""
    row = _waiting(home, mark)
    if slug:
        page = pages.find(home, slug)
    else:
        page, _ = pages.add(home, row["domain"], name or row["name"], now, kind=str(row.get("kind") or ""))
    note(home, page, str(row.get("about") or ""), f"session {row.get('session') or 'unknown'}", now)
    _decide(home, row, _ACCEPTED, now, page.slug)
    return pages.find(home, page.slug)


def reject(home: Home, mark: str, now: float) -> dict[str, Any]:
    """Never show the name again."""
    row = _waiting(home, mark)
    _decide(home, row, _REJECTED, now, "")
    return row


def _decide(home: Home, row: dict[str, Any], decided: str, now: float, slug: str) -> None:
    line = {"ts": clock.iso(now), "kind": row.get("kind"), "name": row.get("name"), "decided": decided, "slug": slug}
    records.append(home, home.entity_candidates, line, now)


def _waiting(home: Home, mark: str) -> dict[str, Any]:
    row = next((row for row in waiting(home) if row["id"] == mark), None)
    if row is None:
        raise PalError(f"nothing waits under {mark}; `pal knowledge review` lists what does")
    return row


def _digest(said: str) -> str:
    import binascii

    return f"{binascii.crc32(' '.join(said.split()).encode('utf-8', 'replace')):08x}"
