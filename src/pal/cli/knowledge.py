"""`pal knowledge`: pages on people, companies, ideas and research, and how they hang together."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pal.base import files, jsontext
from pal.base.errors import PalError
from pal.cli.parser import actions, json_option
from pal.memory.knowledge import finding, graph, intake, pages

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context
    from pal.memory.knowledge.pages import Page

EXAMPLES = """
pal knowledge add People "Anna Kovács" --tags climbing,paris --body "Met at the Lyon meetup."
pal knowledge link "Anna Kovács" acme --type part-of
pal knowledge find climbing
pal knowledge graph acme --hops 3
"""
_ACTIONS = (
    ("add", "make a page, unless there is one of that name"),
    ("note", "add a dated part to a page"),
    ("find", "search pages by words or by a tag"),
    ("show", "show one page"),
    ("list", "list pages"),
    ("link", "say how one page relates to another"),
    ("graph", "show what a page is joined to, hop by hop"),
    ("hubs", "show the pages most others hang on"),
    ("ingest", "take in people, companies, ideas from JSON"),
    ("review", "look through names found in sessions: accept or reject them"),
)
_LONGEST_LINE = 100  # characters of a body in a list


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(parser, _ACTIONS)
    for action in table.values():
        json_option(action)
    _configure_writing(table)
    domains = ", ".join(pages.DOMAINS)
    table["find"].add_argument("query", nargs="*", help="words that name or describe it")
    table["find"].add_argument("--tag", default="", help="only pages with this tag")
    table["show"].add_argument("page", help="its name or slug")
    table["list"].add_argument("domain", nargs="?", default="", help=domains)
    table["graph"].add_argument("page", help="its name or slug")
    table["graph"].add_argument("--hops", type=int, default=2, help="how far to go (default: 2)")
    table["hubs"].add_argument("--limit", type=int, default=10, help="how many (default: 10)")
    table["review"].add_argument(
        "decision", nargs="?", default="", choices=("", "accept", "reject"), metavar="DECISION"
    )
    table["review"].add_argument("id", nargs="?", default="", help="the id that `pal knowledge review` shows")
    table["review"].add_argument("--as", dest="slug", default="", help="add it to this page instead of a new one")
    table["review"].add_argument("--name", default="", help="call the page so")


def _configure_writing(table: dict[str, argparse.ArgumentParser]) -> None:
    add = table["add"]
    add.add_argument("domain", help=", ".join(pages.DOMAINS))
    add.add_argument("name", help="what the page is called")
    add.add_argument("--tags", default="", help="words between commas")
    add.add_argument("--related", action="append", default=[], metavar="PAGE:TYPE", help="a link; may be given often")
    add.add_argument("--quality", type=int, default=None, help="0 to 10")
    add.add_argument("--status", default=pages.STATUSES[0], choices=pages.STATUSES)
    add.add_argument("--type", default="", help="what kind of thing it is")
    add.add_argument("--body", default="", help="the text; - reads it from stdin")
    for name in ("note", "link"):
        table[name].add_argument("page", help="its name or slug")
    table["note"].add_argument("text", help="what to add; - reads it from stdin")
    table["note"].add_argument("--source", default=intake.MANUAL, help="where it comes from")
    table["link"].add_argument("other", help="the other page's name or slug")
    table["link"].add_argument("--type", default="related", help=", ".join(pages.RELATIONS))
    table["ingest"].add_argument("--file", default="-", help="a JSON file (default: stdin)")
    table["ingest"].add_argument("--source", default=intake.MANUAL, help="where it comes from")


def run(options: argparse.Namespace, context: Context) -> int:
    answer: dict[str, Any] = {
        "add": _add, "note": _note, "find": _find, "show": _show, "list": _list, "link": _link, "graph": _graph,
        "hubs": _hubs, "ingest": _ingest, "review": _review,
    }  # fmt: skip
    facts, lines = answer[options.action](options, context)
    if options.json:
        context.output.json(facts)
    else:
        for line in lines:
            context.output.line(line)
    return 0


def _text(value: str) -> str:
    return sys.stdin.read() if value == "-" else value


def _add(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    tags = [tag.strip() for tag in options.tags.split(",") if tag.strip()]
    related = [(name, kind) for name, _, kind in (each.rpartition(":") if ":" in each else (each, "", "related")
                                                   for each in options.related)]  # fmt: skip
    page, new = pages.add(
        context.home, options.domain, options.name, context.now, _text(options.body), tags, related,
        options.type, options.quality, options.status,
    )  # fmt: skip
    said = "Made" if new else "There is already"
    return {**page.shown(), "new": new}, [f"{said} {page.domain}/{page.slug}."]


def _note(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    page = pages.find(context.home, options.page)
    added = intake.note(context.home, page, _text(options.text), options.source, context.now)
    said = f"Added to {page.domain}/{page.slug}." if added else f"{page.domain}/{page.slug} says so already."
    return {"slug": page.slug, "added": added}, [said]


def _find(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    found = pages.every(context.home)
    if options.tag:
        found = finding.tagged(found, options.tag)
    query = " ".join(options.query)
    if not query and not options.tag:
        raise PalError("say what to look for: pal knowledge find WORDS, or --tag TAG")
    hits = finding.search(found, query) if query else [(page, 0) for page in found]
    lines = [f"{page.domain}/{page.slug}  {page.title}  {_about(page)}".rstrip() for page, _ in hits]
    return [{**_row(page), "score": score} for page, score in hits], lines or ["No page says that."]


def _show(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    page = pages.find(context.home, options.page)
    lines = [context.output.style(f"{page.title} ({page.domain}/{page.slug})", "bold")]
    for name in ("type", "tags", "aliases", "quality", "status", "created", "updated"):
        value = page.fields.get(name)
        if value not in (None, "", []):
            lines.append(f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}")
    lines += [f"{kind}: {slug}" for slug, kind in page.related]
    return page.shown(), [*lines, "", page.body.rstrip()] if page.body.strip() else lines


def _list(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    domains = [pages.domain_of(options.domain)] if options.domain else pages.DOMAINS
    found = pages.every(context.home, domains)
    lines = [f"{page.domain}/{page.slug}  {page.title}" for page in found]
    return [_row(page) for page in found], lines or ["No page yet; `pal knowledge add` makes one."]


def _link(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    page, other = pages.find(context.home, options.page), pages.find(context.home, options.other)
    page = pages.link(context.home, page, other, options.type, context.now)
    return page.shown(), [f"{page.slug} {pages.relation_of(options.type)} {other.slug}."]


def _graph(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    if options.hops < 1:
        raise PalError(f"--hops is a number from 1; not {options.hops}")
    page = pages.find(context.home, options.page)
    rings = graph.around(pages.every(context.home), page.slug, options.hops)
    facts = [
        [{"slug": slug, "by": edge.kind, "label": edge.label, "weight": edge.weight} for slug, edge in ring]
        for ring in rings
    ]
    lines = [page.slug]
    for number, ring in enumerate(rings, 1):
        for slug, edge in ring:
            origin = edge.one if edge.other == slug else edge.other
            lines.append(f"{'  ' * number}{slug}  ({edge.label or edge.kind}, from {origin})")
    return {"slug": page.slug, "hops": facts}, lines if rings else [f"{page.slug} is joined to nothing yet."]


def _hubs(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    found = graph.hubs(pages.every(context.home), options.limit)
    lines = [f"{joined:>4}  {page.domain}/{page.slug}  {page.title}" for page, joined in found]
    return [{**_row(page), "joined": joined} for page, joined in found], lines or ["No pages are joined yet."]


def _ingest(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    said = sys.stdin.read() if options.file == "-" else files.read_text(options.file)
    if said is None:
        raise PalError(f"there is no file {options.file}")
    try:
        value = jsontext.loads(said)
    except ValueError as fault:
        raise PalError(f"{'stdin' if options.file == '-' else options.file} holds no JSON: {fault}") from None
    done = intake.ingest(context.home, value, options.source, context.now)
    return done, [", ".join(f"{count} {what}" for what, count in done.items()) + "."]


def _review(options: argparse.Namespace, context: Context) -> tuple[Any, list[str]]:
    home = context.home
    if options.decision and not options.id:
        raise PalError(f"say which: pal knowledge review {options.decision} ID")
    if options.decision == "accept":
        page = intake.accept(home, options.id, context.now, options.slug, options.name)
        return page.shown(), [f"{page.domain}/{page.slug} holds it."]
    if options.decision == "reject":
        row = intake.reject(home, options.id, context.now)
        return row, [f"{row['name']} is not shown again."]
    rows = intake.waiting(home)
    lines = [f"{row['id']}  {row['domain']}  {row['name']}  {row.get('about') or ''}".rstrip() for row in rows]
    return rows, lines or ["Nothing waits for a decision."]


def _row(page: Page) -> dict[str, Any]:
    return {"slug": page.slug, "domain": page.domain, "title": page.title, "tags": page.texts("tags")}


def _about(page: Page) -> str:
    return " ".join(finding.said(page.body).split())[:_LONGEST_LINE]
